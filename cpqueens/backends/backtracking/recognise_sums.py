"""Finding AllDifferents over sums in a model, as in Costas arrays, for `cpqueens.kernels.sum_pattern`.

A model fits if its decision variables take at most 64 neighbouring values and all constraints are
AllDifferents or disequalities over linear terms without defined variables, the last variable of each with
the coefficient 1 or -1, or conditions on one variable.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from cpqueens.backends.backtracking.recognise import Board, NoPattern
from cpqueens.kernels.sum_pattern import Sum, SumPattern, layout
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import NE, Compiled

_MOST_TERMS = 1 << 16


@dataclass(frozen=True)
class RecognisedSums:
    """A pattern and the value that its column 0 stands for."""

    pattern: SumPattern
    base: int

    fastest = "sums"
    has_table = False


def recognise_sums(compiled: Compiled) -> RecognisedSums | None:
    """Return the model's pattern, or None if it has none."""
    try:
        board = Board.of(compiled)
        groups = [*_linear(compiled, board), *_different(compiled, board)]
        if all(len(group) <= 2 for group in groups):
            raise NoPattern  # propagation does better with few or no AllDifferents
        pattern = SumPattern(board.width, board.words(), tuple(groups))
        layout(pattern)
    except (NoPattern, ValueError):
        return None
    return RecognisedSums(pattern, board.base)


def _linear(compiled: Compiled, board: Board) -> list[tuple[Sum, ...]]:
    """Take conditions on one variable, and disequalities as AllDifferents of two terms."""
    groups: list[tuple[Sum, ...]] = []
    if compiled.definitions or compiled.tables or len(compiled.clause_start) > 1:
        raise NoPattern
    if compiled.variable_count > compiled.decision_count:
        raise NoPattern
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


def _different(compiled: Compiled, board: Board) -> list[tuple[Sum, ...]]:
    if len(compiled.different) > _MOST_TERMS:
        raise NoPattern
    rows = [_entries(*compiled.different.row(t)) for t in range(len(compiled.different))]
    sums = [_sum(entries, constant, board) for entries, constant in rows]
    return [tuple(sums[a:b]) for a, b in pairwise(compiled.different_start.tolist())]


def _entries(variables: IntArray, coefficients: IntArray, constant: int) -> tuple[list[tuple[int, int]], int]:
    """Return (variable, coefficient) in the order of the variables, each once."""
    total: dict[int, int] = {}
    for v, a in zip(variables.tolist(), coefficients.tolist(), strict=True):
        total[v] = total.get(v, 0) + a
    return sorted((v, a) for v, a in total.items() if a), constant


def _sum(entries: list[tuple[int, int]], constant: int, board: Board) -> Sum:
    """Return a term over columns."""
    rows, coefficients = tuple(v for v, _ in entries), tuple(a for _, a in entries)
    return Sum(rows, coefficients, constant + board.base * sum(coefficients))
