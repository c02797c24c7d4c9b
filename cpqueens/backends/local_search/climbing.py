"""One climb over the whole neighbourhood of assignments: the common part of the climbing strategies."""

from typing import Any

import numpy as np

from cpqueens.backends.local_search.lines import assigned
from cpqueens.backends.local_search.search import End, Search, final
from cpqueens.backends.local_search.strategies import Call
from cpqueens.kernels import search_runs
from cpqueens.kernels import search_scan as codes
from cpqueens.kernels.search_lines import climb_lines


def climb_once(search: Search, ties: int, shoulder: int, max_sideways: int) -> End:
    """Climb from the current assignment; say how it ended."""
    return final(search.run(codes.climb, *_settings(ties, shoulder, max_sideways)))


def climb_many(
    search: Search, kind: str, ties: int, shoulder: int, max_sideways: int, after: int = search_runs.END
) -> Call:
    """Return the same for many runs, from starts of this ``kind``; ``after`` says what a climb leads to."""
    found, parameters = _settings(ties, shoulder, max_sideways)
    lines = assigned(search)
    if lines is None:
        return Call(search_runs.climb_runs, (after, found, parameters), kind)
    others = int((search.space.upper - search.space.lower).sum())
    return Call(climb_lines, (after, others, parameters), kind, state=lines)


def _settings(ties: int, shoulder: int, max_sideways: int) -> tuple[Any, Any]:
    found = np.zeros(codes.FOUND, dtype=np.int64)
    return found, np.array([ties, shoulder, max_sideways], dtype=np.int64)
