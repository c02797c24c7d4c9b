"""One climb over the whole neighbourhood of assignments: the common part of the climbing strategies."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

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


def climbing_once_with(
    setting: Callable[[Mapping[str, Any]], tuple[int, int, int]],
) -> tuple[Callable[[Search, Mapping[str, Any]], End], Callable[[Search, Mapping[str, Any], int], Call]]:
    """Return ``run`` and ``many`` of a strategy that climbs once from a start, with what its options say."""

    def run(search: Search, options: Mapping[str, Any]) -> End:
        search.start(kind=options["start"])
        return climb_once(search, *setting(options))

    return run, lambda search, options, _runs: climb_many(search, options["start"], *setting(options))


def _scan(search: Search) -> Fixed:
    search.scan.value[:] = 0
    return search.scan


@lru_cache(_KEPT)
def _settings(ties: int, shoulder: int, max_sideways: int) -> Fixed:
    return Fixed(np.array([ties, shoulder, max_sideways], dtype=np.int64))
