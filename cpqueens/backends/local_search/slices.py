"""Calling a kernel in short slices, so that limits and Ctrl-C are seen every few milliseconds."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from cpqueens.backends.local_search.search import Aside, End, Limits, Result, Search
from cpqueens.backends.local_search.tracing import SliceWatch
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


class OwnWalk(OwnArena):
    """A kernel that walks in an arena of its own for a search, and lives as long as that.

    Attributes
    ----------
    info
        The part of the arena that holds the kernel's counters.
    kernel
        Called with a number of steps; returns how they ended (see `ENDS`).
    places
        The parts that hold the present assignment and the best one, and in ``info`` how many times there was
        a better one, and how many of these the search has been told.
    counted
        Which counters of ``info`` count as the search's, too.
    """

    info: IntArray
    kernel: Callable[[int], int]
    places: tuple[int, int, int, int]
    counted: Sequence[int] = COUNTED

    def __init__(self) -> None:
        self.pace = Pace()

    def values(self, which: int) -> IntArray:
        """Return the assignment of the model that a part stands for."""
        raise NotImplementedError

    @property
    def has_found(self) -> bool:
        """Whether there ever was an assignment to tell."""
        return bool(self.info[self.places[2]])

    def advance(self, search: Search, steps: int) -> int:
        """Make so many steps, which count as the search's; return how the kernel's call ended."""
        steps = 1 if search.is_stepwise else steps
        code = advance(search, self.info, self.pace, self.kernel, steps, self.counted)
        if search.observer is not None:
            search.observer.walked(search.steps, self.values(self.places[0]), None)
        return code

    def tell(self, search: Search) -> bool:
        """Let the search go to a new best assignment, if there is one; say whether that solves it."""
        _, best, found, told = self.places
        if self.info[found] == self.info[told]:
            return False
        self.info[told] = self.info[found]
        search.go_to(self.values(best))
        return search.solved()

    def looked(self, search: Search, aside: Aside) -> None:
        """Take note that the search has looked aside, which may have brought it somewhere else."""

    def walk(self, search: Search, until: int = at.NEVER) -> End | None:
        """Walk until there is a better solution or the search must end.

        None where the kernel wants to do something else, and after the search's step ``until``.
        """
        while True:
            aside = search.aside
            left = at.NEVER if search.limits.steps is None else search.limits.steps - search.steps
            looks = aside is not None and search.steps >= aside.after
            stopping = left > 0 and search.limits.should_stop()
            if (left <= 0 or looks or stopping) and self.tell(search):
                return "solved"
            if left <= 0:
                return "step_limit"
            if stopping:
                return "stopped"
            if aside is not None and looks:
                if search.goes_on:  # its state is not yet that of the demand
                    search.start()
                ended = aside.look(search)
                if ended is not None:
                    return ended
                self.looked(search, aside)
                if search.solved():
                    return "solved"
                continue
            if search.steps >= until:
                return "solved" if self.tell(search) else None
            left = min(left, until - search.steps, self.pace.steps)
            if aside is not None:
                left = min(left, aside.after - search.steps)
            code = self.advance(search, left)
            if code == at.SOLVED and self.tell(search):
                return "solved"
            if code == at.STALLED:
                return None


def slices(
    advance: Callable[[int], int],
    steps_done: Callable[[], int],
    limits: Limits,
    watch: SliceWatch | None = None,
) -> Sliced:
    """Call ``advance(steps)`` until it is at its end (see `ENDS`) or a limit is met.

    With ``watch`` that is called after each, perhaps for single steps.
    """
    pace = Pace()
    while True:
        left = pace.steps if limits.steps is None else limits.steps - steps_done()
        if left <= 0:
            return "step_limit"
        if limits.should_stop():
            return "stopped"
        steps = 1 if watch is not None and watch.single else min(pace.steps, left)
        code = pace.counted(advance, steps, steps_done, unmade=0)
        if watch is not None:
            watch.shown("")
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
