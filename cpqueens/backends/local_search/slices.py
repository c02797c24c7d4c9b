"""Calling a kernel in short slices, so that limits and Ctrl-C are seen every few milliseconds."""

from collections.abc import Callable
from typing import Any, Literal

from cpqueens.backends.local_search.search import Limits, Result
from cpqueens.kernels.jit.pace import Pace
from cpqueens.language.rows import IntArray

Sliced = Literal["solved", "stalled", "step_limit", "stopped"]
ENDS: dict[int, Literal["solved", "stalled"]] = {1: "solved", 2: "stalled"}
"""What kernels return when they do not want to go on; 0 (or false) is to go on, true is 1."""


def slices(
    advance: Callable[[int], int],
    steps_done: Callable[[], int],
    limits: Limits,
    watch: Callable[[], object] | None = None,
) -> Sliced:
    """Call ``advance(steps)`` until it is at its end (see `ENDS`) or a limit is met.

    With ``watch`` it is called for single steps, and that after each.
    """
    pace = Pace()
    while True:
        left = pace.steps if limits.steps is None else limits.steps - steps_done()
        if left <= 0:
            return "step_limit"
        if limits.should_stop():
            return "stopped"
        steps = min(pace.steps, left) if watch is None else 1
        code = pace.counted(advance, steps, steps_done, unmade=0)
        if watch is not None:
            watch()
        if code in ENDS:
            return ENDS[code]


def permuted(
    info: IntArray,
    x: IntArray,
    cost: int,
    reason: Sliced,
    layers: dict[str, int],
    restarts: int = 0,
    **facts: Any,
) -> Result:
    """Return what a pattern's kernel ended with: it swaps all variables, whose AllDifferent it keeps."""
    facts["neighbourhood"] = {"groups": 1, "swapped_variables": len(x), "kept_constraints": 1}
    return Result.of(info, x, cost, reason, restarts, {**facts, "layers": layers})
