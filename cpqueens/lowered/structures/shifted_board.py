"""Boards of shifted variables, as queens: for the searches that keep a row's columns in one word.

Decision variables are rows and at most 64 neighbouring values are columns. There are AllDifferents over
``x + o`` (perhaps modulo a constant) and disequalities of two variables; conditions on one variable become
blocked squares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.boards.pattern import WORD, Group, Pattern
from cpqueens.language.rows import IntArray, Mask, distinct
from cpqueens.lowered.compiled import EQ, GE, LE, NE, Compiled

_HOLDS: dict[int, Callable[[IntArray], Mask]] = {
    EQ: lambda v: v == 0,
    NE: lambda v: v != 0,
    LE: lambda v: v <= 0,
    GE: lambda v: v >= 0,
}
_MOST_PAIRS = 4096
_MOST_OFFSETS = 1 << 20
"""Offsets of all variables in all AllDifferents: the pattern has one for each, as many as are in none."""


class NoPattern(Exception):  # noqa: N818 - control flow of the recognisers
    """The model is not of the pattern."""


@dataclass(frozen=True, eq=False)
class BoardVariables:
    """Decision variables as rows of a board: column 0 stands for ``base``; ``allowed`` (n, width), bool."""

    base: int
    columns: IntArray
    allowed: Mask

    @classmethod
    def of(cls, compiled: Compiled) -> BoardVariables:
        """Read the domains.

        Raises
        ------
        NoPattern
            If the variables take more than 64 neighbouring values, or something counts that is no board's.
        """
        count = compiled.decision_count
        lower, upper = compiled.lower[:count], compiled.upper[:count]
        base = int(lower.min()) if count else 0
        width = int(upper.max()) - base + 1 if count else 1
        if width > WORD or compiled.objective is not None or not count:
            raise NoPattern
        if compiled.counts or compiled.wholes or len(compiled.clause_start) > 1:
            raise NoPattern
        columns = np.arange(base, base + width, dtype=np.int64)
        allowed = (columns >= lower[:, None]) & (columns <= upper[:, None])
        for v, values in compiled.domains.items():
            if v < count:
                allowed[v] &= np.isin(columns, values)
        return cls(base, columns, allowed)

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return len(self.columns)

    def words(self) -> NDArray[np.uint64]:
        """Return the allowed columns of each row as bits."""
        weights = np.uint64(1) << np.arange(self.width, dtype=np.uint64)
        return np.where(self.allowed, weights, np.uint64(0)).sum(axis=1, dtype=np.uint64)

    def limits(
        self, rows: IntArray, coefficients: IntArray, constants: IntArray, relations: IntArray
    ) -> None:
        """Take conditions on one variable each."""
        for relation in distinct(relations).tolist():
            mine = relations == relation
            values = self.columns * coefficients[mine][:, None] + constants[mine][:, None]
            np.logical_and.at(self.allowed, rows[mine], _HOLDS[relation](values))

    def limit(self, row: int, coefficient: int, constant: int, relation: int) -> None:
        """Take a condition on one variable."""
        self.allowed[row] &= _HOLDS[relation](self.columns * coefficient + constant)


def find(compiled: Compiled) -> Pattern | None:
    """Return the model as AllDifferents over shifted variables, or None if it is anything else."""
    lengths = compiled.linear.lengths
    others = (lengths > 1) & ((lengths > 2) | (compiled.relation != NE))
    if others.any():  # of most models a glance is enough
        return None
    try:
        return _Shifted(compiled).pattern()
    except NoPattern:
        return None


class _Shifted:
    def __init__(self, compiled: Compiled) -> None:
        self.board = BoardVariables.of(compiled)
        self.compiled, self.count = compiled, compiled.decision_count
        self.allowed = self.board.allowed
        self.groups: list[Group] = []
        self.pairs: list[IntArray] = [np.zeros((0, 3), dtype=np.int64)]
        self.pair_count = 0
        self.modular: dict[int, tuple[int, int, int]] = {}  # variables that are ``(x + o) % modulus``

    def pattern(self) -> Pattern:
        if (len(self.compiled.different_start) - 1) * self.count > _MOST_OFFSETS:
            raise NoPattern
        if self.compiled.definitions.blocks:
            self._definitions()
        if len(self.compiled.relation):
            self._linear()
        if not self._shifted_together():
            for first, last in pairwise(self.compiled.different_start.tolist()):
                self._different(first, last)
        self._tables()
        pairs = np.concatenate(self.pairs)
        found = Pattern(self.board.width, self.board.words(), tuple(self.groups), pairs, self.board.base)
        if not found.has_table and not found.needs_no_table:
            raise NoPattern
        return found

    def _definitions(self) -> None:
        """Note the variables that are ``(x + o) % modulus``; no other definition fits."""
        blocks = self.compiled.definitions.blocks
        if any(block.kind != "remainder" for block in blocks):
            raise NoPattern
        for definition in chain.from_iterable(blocks):
            variables, coefficients, offset = definition.terms.row(0)
            divisor, _, modulus = definition.terms.row(1)
            if len(divisor) or modulus < 1 or coefficients.tolist() != [1] or variables[0] >= self.count:
                raise NoPattern
            self.modular[definition.result] = (int(variables[0]), offset, modulus)

    def _linear(self) -> None:
        """Take conditions on one variable and disequalities of two."""
        linear, relations = self.compiled.linear, self.compiled.relation
        two = (linear.lengths == 2) & (relations == NE)
        if two.any():
            first = linear.start[:-1][two]
            ends = np.stack([first, first + 1], axis=1)
            (i, j), (a, b) = linear.variable[ends].T, linear.coefficient[ends].T
            if (np.abs(a) != 1).any() or (a + b != 0).any():
                raise NoPattern
            self._unequal(i, j, a * linear.constant[two])
        one = linear.lengths == 1
        at = linear.start[:-1][one]
        if (linear.variable[at] >= self.count).any():
            raise NoPattern
        self.board.limits(linear.variable[at], linear.coefficient[at], linear.constant[one], relations[one])
        for t in np.flatnonzero(~(one | two)).tolist():
            variables, _, constant = linear.row(t)
            if len(variables):
                raise NoPattern
            self.allowed &= bool(_HOLDS[int(relations[t])](np.array([constant]))[0])

    def _unequal(self, i: IntArray, j: IntArray, gap: IntArray) -> None:
        """Forbid ``x[j] == x[i] + gap``, for arrays of equal length."""
        self.pair_count += len(i)
        if (np.maximum(i, j) >= self.count).any() or (i == j).any() or self.pair_count > _MOST_PAIRS:
            raise NoPattern
        sign = np.where(i < j, 1, -1)
        self.pairs.append(np.stack([np.minimum(i, j), np.maximum(i, j), sign * gap], axis=1))

    def _shifted_together(self) -> bool:
        """Take all AllDifferents at one stroke if each is over several variables plus offsets, none twice."""
        terms, start = self.compiled.different, self.compiled.different_start
        plain = (terms.lengths == 1).all() and (terms.coefficient == 1).all()
        if not plain or (terms.variable >= self.count).any() or not (start[1:] > start[:-1]).all():
            return False
        group = np.repeat(np.arange(len(start) - 1), start[1:] - start[:-1])
        rows = np.zeros((len(start) - 1, self.count), dtype=np.int64)
        chosen = np.zeros(rows.shape, dtype=bool)
        rows[group, terms.variable], chosen[group, terms.variable] = terms.constant, True
        if np.count_nonzero(chosen) < len(terms):
            return False
        whole: list[bool] = np.logical_and.reduce(chosen, axis=1).tolist()
        self.groups += [
            Group(row, None if all_ else some) for row, some, all_ in zip(rows, chosen, whole, strict=True)
        ]
        return True

    def _different(self, first: int, last: int) -> None:
        """Take the AllDifferent over the terms ``first`` .. ``last - 1``."""
        found = self.compiled.different.singles(first, last)
        if found is None:
            raise NoPattern
        variables, coefficients, constants = found
        if not ((coefficients == 1).all() or (coefficients == -1).all()):
            raise NoPattern
        offsets, modulus = coefficients * constants, 0
        if (variables >= self.count).any():
            variables, offsets, modulus = self._residues(variables, offsets)
        row, chosen = np.zeros(self.count, dtype=np.int64), np.zeros(self.count, dtype=bool)
        row[variables], chosen[variables] = offsets, True
        if np.count_nonzero(chosen) < len(variables):
            self._repeated(variables, offsets, modulus)
            return
        if modulus:  # residues of x + o become those of the column, which counts from the base
            row = (row + self.board.base) % modulus
        self.groups.append(Group(row, None if chosen.all() else chosen, modulus))

    def _residues(self, variables: IntArray, offsets: IntArray) -> tuple[IntArray, IntArray, int]:
        """Return variables, offsets and the modulus inside terms that are residues."""
        inside = [self.modular[v] for v in variables.tolist() if v in self.modular]
        if len(inside) < len(variables) or offsets.any():
            raise NoPattern
        rows, shifts, moduli = np.array(inside, dtype=np.int64).T
        if (moduli != moduli[0]).any():
            raise NoPattern
        return rows, shifts, int(moduli[0])

    def _repeated(self, variables: IntArray, offsets: IntArray, modulus: int) -> None:
        """Take an AllDifferent in which a variable occurs with several offsets, pair by pair."""
        if modulus:
            raise NoPattern
        first, second = np.triu_indices(len(variables), 1)
        same = variables[first] == variables[second]
        self.allowed[variables[first[same & (offsets[first] == offsets[second])]]] = False
        i, j = first[~same], second[~same]
        self._unequal(variables[i], variables[j], offsets[i] - offsets[j])

    def _tables(self) -> None:
        for terms, rows in self.compiled.tables:
            found = terms.singles(0, len(terms))
            if found is None or len(terms) != 1 or found[0][0] >= self.count:
                raise NoPattern
            (variable,), (coefficient,), (constant,) = found
            self.allowed[variable] &= np.isin(self.board.columns * coefficient + constant, rows[:, 0])
