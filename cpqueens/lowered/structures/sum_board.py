"""Boards of sums of variables, as Costas arrays: for the search that keeps a row's columns in one word.

There are AllDifferents and disequalities over linear terms, the last variable of each with the coefficient 1
or -1; conditions on one variable become blocked squares.
"""

from itertools import pairwise

from cpqueens.kernels.boards.pattern import Sum, SumPattern, layout
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import NE, Compiled
from cpqueens.lowered.structures.shifted_board import BoardVariables, NoPattern

_MOST_SUMS = 1 << 13
"""Terms of AllDifferents: to read one takes 10 us, which the search for a first solution does without."""


def find(compiled: Compiled) -> SumPattern | None:
    """Return the model as AllDifferents over sums of variables, or None if it is anything else."""
    try:
        if compiled.definitions or compiled.tables:
            raise NoPattern
        if (compiled.different_start[1:] - compiled.different_start[:-1]).max(initial=0) <= 2:
            raise NoPattern  # propagation does better with few or no AllDifferents
        if (compiled.relation[compiled.linear.lengths > 1] != NE).any():
            raise NoPattern
        if len(compiled.different) > _MOST_SUMS:
            raise NoPattern
        board = BoardVariables.of(compiled)
        groups = [*_unequal_sums(compiled, board), *_different_sums(compiled, board)]
        pattern = SumPattern(board.width, board.words(), tuple(groups), board.base)
        layout(pattern)
    except (NoPattern, ValueError):
        return None
    return pattern


def _unequal_sums(compiled: Compiled, board: BoardVariables) -> list[tuple[Sum, ...]]:
    """Take conditions on one variable, and disequalities as AllDifferents of two terms."""
    groups: list[tuple[Sum, ...]] = []
    for t, relation in enumerate(compiled.relation.tolist()):
        entries, constant = _entries(*compiled.linear.row(t))
        if len(entries) == 1:
            board.limit(*entries[0], constant, relation)
        elif relation == NE and entries:
            *others, (last, a) = entries
            groups.append((_sum(others, constant, board), _sum([(last, -a)], 0, board)))
        else:
            raise NoPattern
    return groups


def _different_sums(compiled: Compiled, board: BoardVariables) -> list[tuple[Sum, ...]]:
    rows = [_entries(*compiled.different.row(t)) for t in range(len(compiled.different))]
    sums = [_sum(entries, constant, board) for entries, constant in rows]
    return [tuple(sums[a:b]) for a, b in pairwise(compiled.different_start.tolist())]


def _entries(variables: IntArray, coefficients: IntArray, constant: int) -> tuple[list[tuple[int, int]], int]:
    """Return (variable, coefficient) in the order of the variables, each once."""
    total: dict[int, int] = {}
    for v, a in zip(variables.tolist(), coefficients.tolist(), strict=True):
        total[v] = total.get(v, 0) + a
    return sorted((v, a) for v, a in total.items() if a), constant


def _sum(entries: list[tuple[int, int]], constant: int, board: BoardVariables) -> Sum:
    """Return a term over columns."""
    rows, coefficients = tuple(v for v, _ in entries), tuple(a for _, a in entries)
    return Sum(rows, coefficients, constant + board.base * sum(coefficients))
