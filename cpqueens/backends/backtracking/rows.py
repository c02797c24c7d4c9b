"""Compiled terms as rows of Python numbers, from which propagators are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import DefinitionBlock, Terms

Row = tuple[tuple[int, ...], tuple[int, ...], int]
"""A term: variables, coefficients, constant."""

Proved = tuple[tuple[Row, int], ...]
"""Rows with relations that hold in every solution; one that is an inequality bounds the objective."""

AT_ONCE = 1 << 14
"""Rows that are there at a time."""

FEW_ROWS = 64
"""Rows that are kept, and of which each is looked at by itself: arrays would cost more."""


def difference(first: Row, second: Row) -> Row:
    """Return ``first - second``, each variable once and none with coefficient 0."""
    sums = dict(zip(first[0], first[1], strict=True))
    for v, a in zip(second[0], second[1], strict=True):
        sums[v] = sums.get(v, 0) - a
    kept = {v: a for v, a in sums.items() if a}
    return tuple(kept), tuple(kept.values()), first[2] - second[2]


def rows_of(terms: Terms) -> list[Row]:
    """Return some terms as rows."""
    lengths = terms.start[1:] - terms.start[:-1]
    return _rows(terms.variable.tolist(), terms.coefficient.tolist(), terms.constant.tolist(), lengths)


def each_row(terms: Terms) -> Iterator[Row]:
    """Yield some terms as rows, of which few are there at a time: a million take long to free."""
    for first in range(0, len(terms), AT_ONCE):
        yield from rows_of(terms.part(first, min(first + AT_ONCE, len(terms))))


def rows_of_each(many: Iterable[Terms]) -> Iterator[list[Row]]:
    """Yield the rows of each of many terms; many short ones are read at once, for there are thousands."""
    batch: list[Terms] = []
    size = 0
    for terms in many:
        batch.append(terms)
        size += len(terms)
        if size >= AT_ONCE:
            yield from _rows_of_batch(batch)
            batch, size = [], 0
    yield from _rows_of_batch(batch)


def _rows_of_batch(many: list[Terms]) -> Iterator[list[Row]]:
    if not many:
        return
    columns = [(t.variable, t.coefficient, t.constant, t.start[1:] - t.start[:-1]) for t in many]
    variables, coefficients, constants, lengths = map(np.concatenate, zip(*columns, strict=True))
    rows = _rows(variables.tolist(), coefficients.tolist(), constants.tolist(), lengths)
    end = 0
    for terms in many:
        begin, end = end, end + len(terms)
        yield rows[begin:end]


def in_pieces(blocks: Iterable[DefinitionBlock]) -> Iterator[DefinitionBlock]:
    """Yield blocks of few definitions each: of those of many, rows are made piece by piece."""
    for block in blocks:
        many = len(block.results)
        step = max(1, AT_ONCE // max(1, block.each))
        for first in range(0, max(1, many), step):
            yield block.part(first, min(first + step, many))


def _rows(
    variables: list[int], coefficients: list[int], constants: list[int], lengths: IntArray
) -> list[Row]:
    """Return rows of so many variables each; mostly it is one, for which zip makes tuples by itself."""
    if (lengths == 1).all():
        return list(zip(zip(variables, strict=True), zip(coefficients, strict=True), constants, strict=True))
    v, a = iter(variables), iter(coefficients)
    return [
        (tuple(islice(v, n)), tuple(islice(a, n)), c)
        for n, c in zip(lengths.tolist(), constants, strict=True)
    ]


def groups(terms: Terms, start: IntArray) -> Iterator[list[Row]]:
    """Yield the rows of each group; group g has those of ``start[g]:start[g + 1]``."""
    rows = each_row(terms)
    for many in np.diff(start).tolist():
        yield list(islice(rows, many))


class LazyRows:
    """Linear rows with their relations, made where somebody asks for them."""

    def __init__(self, terms: Terms, relation: IntArray) -> None:
        self.terms, self.relation = terms, relation

    def __len__(self) -> int:
        return len(self.relation)

    def __iter__(self) -> Iterator[tuple[Row, int]]:
        return iter(self._few) if len(self) <= FEW_ROWS else self._pieces()

    @cached_property
    def _few(self) -> list[tuple[Row, int]]:
        return list(zip(rows_of(self.terms), self.relation.tolist(), strict=True))

    def _pieces(self) -> Iterator[tuple[Row, int]]:
        for first in range(0, len(self), AT_ONCE):
            last = min(first + AT_ONCE, len(self))
            rows = rows_of(self.terms.part(first, last))
            yield from zip(rows, self.relation[first:last].tolist(), strict=True)

    @cached_property
    def lengths(self) -> IntArray:
        """How many variables each has."""
        return self.terms.start[1:] - self.terms.start[:-1]

    def differences(self) -> LazyRows:
        """Return those of one variable less another."""
        two = np.flatnonzero(self.lengths == 2)
        first = self.terms.start[two]
        a, b = self.terms.coefficient[first], self.terms.coefficient[first + 1]
        return self.picked(two[(abs(a) == 1) & (a == -b)])

    def picked(self, which: IntArray) -> LazyRows:
        """Return those numbered ``which``, in that order."""
        if len(which) == len(self):
            return self
        return LazyRows(self.terms.picked(which), self.relation[which])
