"""Finding the AllDifferent pattern in a model: rows, columns and shifted AllDifferents, as for queens.

A model fits if its decision variables take at most 64 neighbouring values and all constraints are
AllDifferents over ``x + o`` (perhaps modulo a constant), disequalities of two variables, or conditions on
one variable, which become blocked squares. Found from the arrays, never from a problem's name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.pattern import MAX_TABLE, WORD, Group, Pattern
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ, GE, LE, NE, Compiled, Terms

HOLDS: dict[int, Callable[[IntArray], NDArray[np.bool_]]] = {
    EQ: lambda v: v == 0,
    NE: lambda v: v != 0,
    LE: lambda v: v <= 0,
    GE: lambda v: v >= 0,
}
_MOST_PAIRS = 4096


@dataclass(frozen=True)
class Recognised:
    """A pattern and the value that its column 0 stands for."""

    pattern: Pattern
    base: int

    fastest = "bitmask"

    @property
    def has_table(self) -> bool:
        """Whether the table of all conflicts may be made; strategy ``bitmask`` can do without."""
        return self.pattern.n**2 * self.pattern.width <= MAX_TABLE

    @property
    def needs_no_table(self) -> bool:
        """Whether all conflicts are carried from row to row by masks."""
        try:
            return self.pattern.near.shape[1] == 0
        except ValueError:
            return False


class NoPattern(Exception):  # noqa: N818 - control flow of the recognisers
    """The model is not of the pattern."""


@dataclass(frozen=True, eq=False)
class Board:
    """Decision variables as rows of a board: column 0 stands for ``base``; ``allowed`` (n, width), bool.

    Raises
    ------
    NoPattern
        If the variables take more than 64 neighbouring values, or there is more than constraints.
    """

    base: int
    columns: IntArray
    allowed: NDArray[np.bool_]

    @classmethod
    def of(cls, compiled: Compiled) -> Board:
        """Read the domains."""
        count = compiled.decision_count
        lower, upper = compiled.lower[:count], compiled.upper[:count]
        base = int(lower.min()) if count else 0
        width = int(upper.max()) - base + 1 if count else 1
        if width > WORD or compiled.counts or compiled.objective is not None or not count:
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

    def limit(self, row: int, coefficient: int, constant: int, relation: int) -> None:
        """Take a condition on one variable."""
        self.allowed[row] &= HOLDS[relation](self.columns * coefficient + constant)


def recognise(compiled: Compiled) -> Recognised | None:
    """Return the model's pattern, or None if it has none."""
    try:
        return _Recogniser(compiled).result()
    except NoPattern:
        return None


class _Recogniser:
    def __init__(self, compiled: Compiled) -> None:
        self.board = Board.of(compiled)
        self.compiled, self.count = compiled, compiled.decision_count
        self.base, self.allowed = self.board.base, self.board.allowed
        self.groups: list[Group] = []
        self.pairs: list[IntArray] = [np.zeros((0, 3), dtype=np.int64)]
        self.pair_count = 0

    def result(self) -> Recognised:
        self._definitions()
        self._linear()
        self._different()
        self._tables()
        if len(self.compiled.clause_start) > 1:
            raise NoPattern
        pairs = np.concatenate(self.pairs)
        pattern = Pattern(self.board.width, self.board.words(), tuple(self.groups), pairs)
        found = Recognised(pattern, self.base)
        if not found.has_table and not found.needs_no_table:
            raise NoPattern
        return found

    def _definitions(self) -> None:
        """Note the variables that are ``(x + o) % modulus``; no other definition fits."""
        self.modular: dict[int, tuple[int, int, int]] = {}
        for definition in self.compiled.definitions:
            if definition.kind != "remainder":
                raise NoPattern
            variables, coefficients, offset = definition.terms.row(0)
            divisor, _, modulus = definition.terms.row(1)
            if len(divisor) or modulus < 1 or coefficients.tolist() != [1] or variables[0] >= self.count:
                raise NoPattern
            self.modular[definition.result] = (int(variables[0]), offset, modulus)

    def _linear(self) -> None:
        """Take conditions on one variable and disequalities of two."""
        linear, relations = self.compiled.linear, self.compiled.relation
        two = (np.diff(linear.start) == 2) & (relations == NE)
        first = linear.start[:-1][two]
        ends = np.stack([first, first + 1], axis=1)
        (i, j), (a, b) = linear.variable[ends].T, linear.coefficient[ends].T
        if (np.abs(a) != 1).any() or (a + b != 0).any():
            raise NoPattern
        self._unequal(i, j, a * linear.constant[two])
        for t in np.flatnonzero(~two).tolist():
            variables, coefficients, constant = linear.row(t)
            if len(variables) == 1 and variables[0] < self.count:
                self.board.limit(int(variables[0]), int(coefficients[0]), constant, int(relations[t]))
            elif not len(variables):
                self.allowed &= bool(HOLDS[int(relations[t])](np.array([constant]))[0])
            else:
                raise NoPattern

    def _unequal(self, i: IntArray, j: IntArray, gap: IntArray) -> None:
        """Forbid ``x[j] == x[i] + gap``, for arrays of equal length."""
        self.pair_count += len(i)
        if (np.maximum(i, j) >= self.count).any() or (i == j).any() or self.pair_count > _MOST_PAIRS:
            raise NoPattern
        sign = np.where(i < j, 1, -1)
        self.pairs.append(np.stack([np.minimum(i, j), np.maximum(i, j), sign * gap], axis=1))

    def _different(self) -> None:
        ends = self.compiled.different_start.tolist()
        for first, last in pairwise(ends):
            self._one_different(self.compiled.different, first, last)

    def _one_different(self, terms: Terms, first: int, last: int) -> None:
        rows = [terms.row(t) for t in range(first, last)]
        if any(len(v) != 1 for v, _, _ in rows):
            raise NoPattern
        signs = {int(a[0]) for _, a, _ in rows}
        if len(signs) > 1 or not signs <= {1, -1}:
            raise NoPattern
        sign = min(signs, default=1)
        members = [(int(v[0]), sign * c) for v, _, c in rows]
        modulus = 0
        if members and members[0][0] in self.modular:
            modulus, members = self._residues(members)
        variables = [v for v, _ in members]
        if len(set(variables)) < len(variables):
            self._repeated(members, modulus)
            return
        if any(v >= self.count for v in variables):
            raise NoPattern
        offsets, chosen = np.zeros(self.count, dtype=np.int64), np.zeros(self.count, dtype=bool)
        for v, offset in members:
            offsets[v], chosen[v] = offset, True
        if modulus:  # residues of x + o become those of the column, which counts from the base
            offsets = (offsets + self.base) % modulus
        self.groups.append(Group(offsets, None if chosen.all() else chosen, modulus))

    def _residues(self, members: list[tuple[int, int]]) -> tuple[int, list[tuple[int, int]]]:
        """Return the modulus and the terms inside it, for terms that are residues."""
        if any(v not in self.modular or c for v, c in members):
            raise NoPattern
        moduli = {self.modular[v][2] for v, _ in members}
        if len(moduli) > 1:
            raise NoPattern
        return moduli.pop(), [self.modular[v][:2] for v, _ in members]

    def _repeated(self, members: list[tuple[int, int]], modulus: int) -> None:
        """Take an AllDifferent in which a variable occurs with several offsets, pair by pair."""
        if modulus:
            raise NoPattern
        variables, offsets = np.array(members).T
        first, second = np.triu_indices(len(members), 1)
        same = variables[first] == variables[second]
        self.allowed[variables[first[same & (offsets[first] == offsets[second])]]] = False
        i, j = first[~same], second[~same]
        self._unequal(variables[i], variables[j], offsets[i] - offsets[j])

    def _tables(self) -> None:
        for terms, rows in self.compiled.tables:
            variables, coefficients, constant = terms.row(0) if len(terms) == 1 else (np.zeros(0), None, 0)
            if len(variables) != 1 or coefficients is None or variables[0] >= self.count:
                raise NoPattern
            self.allowed[variables[0]] &= np.isin(self.board.columns * coefficients[0] + constant, rows[:, 0])
