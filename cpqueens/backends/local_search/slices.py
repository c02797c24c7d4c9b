"""Calling a kernel in short slices, so that limits and Ctrl-C are seen every few milliseconds."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from cpqueens.backends.local_search.search import Limits, Result, Search
from cpqueens.kernels.jit.pace import Pace
from cpqueens.kernels.local import info as at
from cpqueens.language.rows import IntArray

Sliced = Literal["solved", "stalled", "step_limit", "stopped"]
ENDS: dict[int, Literal["solved", "stalled"]] = {1: "solved", 2: "stalled"}
"""What kernels return when they do not want to go on; 0 (or false) is to go on, true is 1."""

COUNTED = (at.STEPS, at.MOVES, at.EVALUATIONS)
"""What a kernel with counters of its own counts for the search that it works for."""


class OwnArena:
    """What has a kernel's arrays, one after the other."""

    arena: IntArray

    def part(self, which: int) -> IntArray:
        """Return a view of a part of the arena."""
        view: IntArray = self.arena[self.arena[which] : self.arena[which + 1]]
        return view


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


def advance(
    search: Search,
    info: IntArray,
    pace: Pace,
    kernel: Callable[[int], int],
    steps: int,
    counted: Sequence[int] = COUNTED,
) -> int:
    """Make steps of a kernel with counters of its own, which count as the search's; return how it ended."""
    before = info.copy()
    code = pace.counted(kernel, steps, lambda: int(info[at.STEPS]), at.BUDGET)
    for name in counted:
        search.info[name] += info[name] - before[name]
    search.info[at.HASH] = info[at.HASH]
    return int(code)
