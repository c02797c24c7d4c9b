"""Vectorised looks at the compressed rows of many terms at once, and lists of incidences by variable."""

from itertools import pairwise

import numpy as np

from cpqueens.kernels.local.plain import AT_MOST, END, EQUAL, NOT_EQUAL
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ, GE, LE, NE, Compiled, Terms, offsets, stable_order

RELATIONS = {EQ: (EQUAL, 1), NE: (NOT_EQUAL, 1), LE: (AT_MOST, 1), GE: (AT_MOST, -1)}
"""Relation -> the kernels' kind, and the sign of the activity that is compared with 0."""

KINDS_AND_SIGNS = np.array([RELATIONS[relation] for relation in sorted(RELATIONS)], dtype=np.int64)
"""The same as rows, by the codes of the relations, for many at once."""


def blocks(terms: Terms, start: IntArray) -> list[Terms]:
    """Return the terms ``start[k]`` .. ``start[k + 1] - 1`` for each k, without copying their entries."""
    return [terms.part(a, b) for a, b in pairwise(start.tolist())]


def scaled(terms: Terms, factor: IntArray | int) -> Terms:
    """Return each term times ``factor``, or its own, which is not 0."""
    entries = factor if isinstance(factor, int) else factor.repeat(terms.lengths)
    return Terms(terms.start, terms.variable, entries * terms.coefficient, factor * terms.constant)


def differences(terms: Terms, others: Terms) -> Terms:
    """Return ``terms[k] - others[k]``, for as many of each."""
    lengths = np.stack([terms.lengths, others.lengths])
    order = stable_order(np.repeat(np.tile(np.arange(len(terms)), 2), lengths.ravel()))
    return Terms(
        offsets(lengths.sum(axis=0)),
        np.append(terms.variable, others.variable)[order],
        np.append(terms.coefficient, -others.coefficient)[order],
        terms.constant - others.constant,
    )


def bounds(terms: Terms, compiled: Compiled) -> tuple[IntArray, IntArray]:
    """Return lower and upper bounds of the terms by those of their variables."""
    low = terms.coefficient * compiled.lower[terms.variable]
    high = terms.coefficient * compiled.upper[terms.variable]
    rows = terms.owners
    lower, upper = terms.constant.copy(), terms.constant.copy()
    np.add.at(lower, rows, np.minimum(low, high))
    np.add.at(upper, rows, np.maximum(low, high))
    return lower, upper


def objective_bounds(compiled: Compiled) -> tuple[int, int]:
    """Return bounds of the objective, which the model must have: of its largest term."""
    assert compiled.objective is not None
    lower, upper = bounds(compiled.objective, compiled)
    return int(lower.max()), int(upper.max())


def merged(terms: Terms) -> tuple[IntArray, IntArray, IntArray]:
    """Return (term, variable, coefficient) of every entry, sorted, equal ones added and zero ones dropped."""
    return merge(terms.owners, terms.variable, terms.coefficient)


def merge(rows: IntArray, variables: IntArray, coefficients: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return such entries sorted by (row, variable), equal ones added and zero ones dropped."""
    if len(rows) == 0:
        return rows, variables, coefficients
    width = int(variables.max()) + 1
    keys = rows * width + variables
    if not (keys[1:] > keys[:-1]).all():
        keys, inverse = np.unique(keys, return_inverse=True)
        added, coefficients = coefficients, np.zeros_like(keys)
        np.add.at(coefficients, inverse, added)
        rows, variables = np.divmod(keys, width)
    if coefficients.all():
        return rows, variables, coefficients
    kept = coefficients != 0
    return rows[kept], variables[kept], coefficients[kept]


def by_variable(n: int, blocks: list[tuple[IntArray, ...]], columns: int) -> tuple[IntArray, IntArray]:
    """Return start and flat incidences (each list closed by a sentinel) from blocks of columns.

    The first column is the variable; the others are kept in the order of the blocks, which is that of
    the constraints.
    """
    width = columns - 1
    several = [(np.zeros(0, dtype=np.int64),) * columns, *blocks] if len(blocks) != 1 else None
    parts = [np.concatenate(column) for column in zip(*several, strict=True)] if several else blocks[0]
    counts = np.bincount(parts[0], minlength=n)
    start = offsets((counts + 1) * width)
    flat = np.zeros((int(start[-1]) // width, width), dtype=np.int64)
    order = stable_order(parts[0])
    rank = np.arange(len(order)) + parts[0][order]  # one sentinel after each earlier variable
    for k in range(width):
        flat[rank, k] = parts[k + 1][order]
    flat[start[1:] // width - 1, 0] = END
    return start, flat.reshape(-1)
