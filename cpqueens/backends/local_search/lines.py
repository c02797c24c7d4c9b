"""Models that are nothing but the lines of queens, for the kernels that know no more."""

import numpy as np

from cpqueens.backends.local_search.search import Search
from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.lines import LineCounts
from cpqueens.kernels.local.plain import ALL_DIFFERENT, WIDTH

LINES = 3
"""Columns and both diagonals."""


def assigned(search: Search) -> Fixed | None:
    """Return the state of a search that assigns, in which all variables are in the same three AllDifferents.

    None where there is anything else, a coefficient, a gap in a domain or too much to look at in one step.
    """
    n, arrays, space = search.size, search.arrays, search.space
    lists = np.diff(arrays.core.start)
    other = arrays.rows is not None or arrays.deep is not None or (space.group >= 0).any()
    if other or (lists != (LINES + 1) * WIDTH).any():
        return None
    incidences = arrays.core.incidences.reshape(n, LINES + 1, WIDTH)[:, :LINES]
    same = len(arrays.entries) == LINES and bool((incidences[:, :, 0] == incidences[0, :, 0]).all())
    plain = (incidences[:, :, 1:3] == (ALL_DIFFERENT, 1)).all()
    widest = int((space.upper - space.lower).max()) + 1
    if not same or not plain or len(space.domain) or n * widest > at.MOST or widest > len(search.deltas):
        return None
    bases = incidences[:, :, 3]
    counts = np.zeros(int((bases + space.upper[:, None]).max()) + 1, dtype=np.int64)
    return Fixed(LineCounts(
        arrays.core.x, counts, bases.T.reshape(-1).copy(), search.deltas, space, search.random, search.events,
        search.info, search.measure,
    ))  # fmt: skip
