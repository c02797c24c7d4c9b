"""Compiled terms as rows of Python numbers, from which propagators are made."""

from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Terms

Row = tuple[tuple[int, ...], tuple[int, ...], int]
"""A term: variables, coefficients, constant."""


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


def rows_of_each(many: Iterable[Terms]) -> Iterator[list[Row]]:
    """Yield the rows of each of many terms; they are read at once, for there are thousands of short ones."""
    many = list(many)
    if not many:
        return
    columns = [(t.variable, t.coefficient, t.constant, t.start[1:] - t.start[:-1]) for t in many]
    variables, coefficients, constants, lengths = map(np.concatenate, zip(*columns, strict=True))
    rows = _rows(variables.tolist(), coefficients.tolist(), constants.tolist(), lengths)
    end = 0
    for terms in many:
        begin, end = end, end + len(terms)
        yield rows[begin:end]


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


def groups(terms: Terms, start: IntArray) -> list[list[Row]]:
    """Return the rows of each group; group g has those of ``start[g]:start[g + 1]``."""
    if len(start) < 2:
        return []
    rows = rows_of(terms)
    ends = start.tolist()
    return [rows[a:b] for a, b in pairwise(ends)]
