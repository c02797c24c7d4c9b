"""Calling a kernel in short slices, so that limits and Ctrl-C are seen every few milliseconds."""

from __future__ import annotations

import time
from collections.abc import Callable

from cpqueens.backends.local_search.search import SLICE, Limits


def slices(advance: Callable[[int], bool], steps_done: Callable[[], int], limits: Limits) -> str:
    """Call ``advance(steps)`` until it returns true or a limit is met.

    Returns ``solved``, ``step_limit`` or ``stopped``.
    """
    pace = 4096
    while True:
        left = pace if limits.steps is None else limits.steps - steps_done()
        if left <= 0:
            return "step_limit"
        if limits.should_stop():
            return "stopped"
        began, before = time.perf_counter(), steps_done()
        if advance(min(pace, left)):
            return "solved"
        seconds = time.perf_counter() - began
        if seconds < SLICE / 2 and steps_done() - before >= pace:
            pace = min(pace * 2, 1 << 24)
        elif seconds > SLICE:
            pace = max(64, pace // 2)
