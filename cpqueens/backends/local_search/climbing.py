"""One climb over the whole neighbourhood of assignments: the common part of the climbing strategies."""

from functools import lru_cache

import numpy as np

from cpqueens.backends.local_search.lines import assigned
from cpqueens.backends.local_search.search import End, Search, final
from cpqueens.backends.local_search.strategies import Call
from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.kernels.local import runs, scan
from cpqueens.kernels.local.lines import climb_lines

_KEPT = 64  # settings, which one run after another has


def climb_once(search: Search, ties: int, shoulder: int, max_sideways: int) -> End:
    """Climb from the current assignment; say how it ended."""
    return final(search.run(scan.climb, _scan(search), _settings(ties, shoulder, max_sideways)))


def climb_many(
    search: Search, kind: str, ties: int, shoulder: int, max_sideways: int, after: int = runs.END
) -> Call:
    """Return the same for many runs, from starts of this ``kind``; ``after`` says what a climb leads to."""
    parameters = _settings(ties, shoulder, max_sideways)
    lines = assigned(search)
    if lines is None:
        return Call(runs.climb_runs, (after, _scan(search), parameters), kind)
    others = int((search.space.upper - search.space.lower).sum())
    return Call(climb_lines, (after, others, parameters), kind, state=lines)


def _scan(search: Search) -> Fixed:
    search.scan.value[:] = 0
    return search.scan


@lru_cache(_KEPT)
def _settings(ties: int, shoulder: int, max_sideways: int) -> Fixed:
    return Fixed(np.array([ties, shoulder, max_sideways], dtype=np.int64))
