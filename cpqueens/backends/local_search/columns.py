"""Vectorised looks at many terms at once, and lists of incidences by variable."""

from __future__ import annotations

import numpy as np

from cpqueens.backends.local_search.problem import Ints, Problem
from cpqueens.kernels.search_plain import AT_MOST, END, EQUAL, NOT_EQUAL

RELATIONS = {"==": (EQUAL, 1, 0), "!=": (NOT_EQUAL, 1, 0), "<=": (AT_MOST, 1, 0), "<": (AT_MOST, 1, 1),
             ">=": (AT_MOST, -1, 0), ">": (AT_MOST, -1, 1)}  # fmt: skip
"""Relation -> kind, sign and constant of the activity that is compared with 0."""


class Columns:
    """Vectorised looks at blocks of terms."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.terms = problem.terms
        self.lengths = np.diff(problem.terms.start)

    def flat(self, terms: Ints) -> tuple[Ints, Ints, Ints]:
        """Return (row, node, coefficient) of every entry of ``terms``, rows numbered from 0."""
        lengths = self.lengths[terms]
        rows = np.repeat(np.arange(len(terms)), lengths)
        first = np.repeat(self.terms.start[terms] - np.cumsum(lengths) + lengths, lengths)
        index = first + np.arange(len(rows))
        return rows, self.terms.nodes[index], self.terms.coefficients[index]

    def bounds(self, rows: Ints, nodes: Ints, coefficients: Ints, constants: Ints) -> tuple[Ints, Ints]:
        """Return lower and upper bounds of linear rows of decision variables."""
        low = coefficients * np.where(coefficients > 0, self.problem.lower[nodes], self.problem.upper[nodes])
        high = coefficients * np.where(coefficients > 0, self.problem.upper[nodes], self.problem.lower[nodes])
        lower, upper = constants.copy(), constants.copy()
        np.add.at(lower, rows, low)
        np.add.at(upper, rows, high)
        return lower, upper


def distinct(numbers: Ints) -> bool:
    """Say whether no number (from 0, not far above their count) is there twice.

    In milliseconds for a million, for which ``np.unique``, by hashing, takes seconds.
    """
    return len(numbers) == 0 or int(np.bincount(numbers).max()) <= 1


def merged(rows: Ints, nodes: Ints, coefficients: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the entries sorted by (row, node), repeated ones added and zero ones dropped."""
    if len(rows) == 0:
        return rows, nodes, coefficients
    width = int(nodes.max()) + 1
    keys = rows * width + nodes
    if (np.diff(keys) > 0).all():
        kept = coefficients != 0
        return rows[kept], nodes[kept], coefficients[kept]
    unique, inverse = np.unique(keys, return_inverse=True)
    total = np.zeros(len(unique), dtype=np.int64)
    np.add.at(total, inverse, coefficients)
    kept = total != 0
    return unique[kept] // width, unique[kept] % width, total[kept]


def by_variable(n: int, blocks: list[tuple[Ints, ...]], columns: int) -> tuple[Ints, Ints]:
    """Return start and flat incidences (each list closed by a sentinel) from blocks of columns.

    The first column is the variable; the others are kept in the order of the blocks, which is that of
    the constraints.
    """
    width = columns - 1
    parts = [np.concatenate([np.zeros(0, dtype=np.int64), *(b[k] for b in blocks)]) for k in range(columns)]
    counts = np.bincount(parts[0], minlength=n)
    start = np.zeros(n + 1, dtype=np.int64)
    np.cumsum((counts + 1) * width, out=start[1:])
    flat = np.zeros((int(start[-1]) // width, width), dtype=np.int64)
    order = np.argsort(parts[0], kind="stable")
    rank = np.arange(len(order)) + parts[0][order]  # one sentinel after each earlier variable
    for k in range(width):
        flat[rank, k] = parts[k + 1][order]
    flat[start[1:] // width - 1, 0] = END
    return start, flat.reshape(-1)
