"""Models that are nothing but the lines of queens, for the kernels that know no more (`search_lines`)."""

import numpy as np

from cpqueens.backends.local_search.search import Search
from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.lines import LineCounts
from cpqueens.kernels.local.plain import ALL_DIFFERENT, WIDTH
from cpqueens.language.rows import distinct


def lines_of(search: Search, lines: int) -> LineCounts | None:
    """Return the state of a search in which all variables are in the same so many AllDifferents.

    None where there is anything else, a coefficient, a gap in a domain or too much to look at in one step.
    """
    n, arrays, space = search.size, search.arrays, search.space
    lists = np.diff(arrays.core.start)
    if arrays.rows is not None or arrays.deep is not None or (lists != (lines + 1) * WIDTH).any():
        return None
    incidences = arrays.core.incidences.reshape(n, lines + 1, WIDTH)[:, :lines]
    same = len(arrays.entries) == lines and bool((incidences[:, :, 0] == incidences[0, :, 0]).all())
    plain = (incidences[:, :, 1:3] == (ALL_DIFFERENT, 1)).all()
    widest = int((space.upper - space.lower).max()) + 1
    if not same or not plain or len(space.domain) or n * widest > at.MOST or widest > len(search.deltas):
        return None
    bases = incidences[:, :, 3]
    counts = np.zeros(int((bases + space.upper[:, None]).max()) + 1, dtype=np.int64)
    return LineCounts(
        arrays.core.x, counts, bases.T.reshape(-1).copy(), search.deltas, space, search.random, search.events,
        search.info, search.measure,
    )  # fmt: skip


def assigned(search: Search) -> Fixed | None:
    """Return the lines of a search that assigns: columns and both diagonals."""
    lines = lines_of(search, 3) if (search.space.group < 0).all() else None
    return None if lines is None else Fixed(lines)


def swapped(search: Search) -> Fixed | None:
    """Return the lines of a search that swaps: both diagonals, in which each variable has its own base."""
    space = search.space
    one = (
        len(space.group_start) == 2 and len(space.group_members) == search.size and bool(space.uniform.all())
    )
    lines = lines_of(search, 2) if one else None
    if lines is None or any(len(distinct(line)) < search.size for line in lines.bases.reshape(2, -1)):
        return None
    return Fixed(lines)
