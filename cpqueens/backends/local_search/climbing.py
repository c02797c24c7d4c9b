"""One climb over the whole neighbourhood of assignments: the common part of the climbing strategies."""

import numpy as np

from cpqueens.backends.local_search.search import End, Search, final
from cpqueens.kernels import search_scan as codes


def climb_once(search: Search, ties: int, shoulder: int, max_sideways: int) -> End:
    """Climb from the current assignment; say how it ended."""
    parameters = np.array([ties, shoulder, max_sideways], dtype=np.int64)
    found = np.zeros(codes.FOUND, dtype=np.int64)
    return final(search.run(codes.climb, found, parameters))
