"""Calling a kernel in short slices, so that limits and Ctrl-C are seen every few milliseconds.

A kernel made for a structure has arrays of its own. What goes on around its calls is the same for all
(`OwnWalk.walk`), whether it works for a search of the general engine, with which it takes turns, or knows the
whole model (`Alone`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

import numpy as np

from cpqueens.backends.local_search.search import Aside, End, Hint, Judge, Limits, Paused, Result, Run, Search
from cpqueens.backends.local_search.tracing import LoneObserver, Recorder
from cpqueens.kernels.local import info as at
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled
from cpqueens.system.stopping import Pace

COUNTED = (at.STEPS, at.MOVES, at.EVALUATIONS)
"""What a kernel with counters of its own counts for the search that it works for."""


def logarithms(bits: int) -> IntArray:
    """Return -log of fractions of 1 by their first bits, in 2**-16: what is drawn from decides by them."""
    fractions = (np.arange(1 << bits) + 0.5) / (1 << bits)
    rounded: IntArray = np.round(-np.log(fractions) * 65536).astype(np.int64)
    return rounded


HostT = TypeVar("HostT", Run, Search, "Alone")
"""Whom a kernel works for."""


class OwnWalk(Generic[HostT]):
    """A kernel that walks in arrays of its own, and lives as long as whom it works for.

    Attributes
    ----------
    arena
        The kernel's arrays one after the other, where it has them so.
    info
        The kernel's counters.
    kernel
        Called with a number of steps; returns whether that is to be told (`SOLVED`, true), or something else
        is to be done (`STALLED`), or it would go on (`BUDGET`, false).
    told
        Where ``info`` counts how many times there was a better assignment, and of how many the host knows.
    counted
        Which counters of ``info`` count as the host's, too.
    """

    arena: IntArray
    info: IntArray
    kernel: Callable[[int], int]
    told: tuple[int, int]
    counted: Sequence[int] = COUNTED

    def __init__(self) -> None:
        self.pace = Pace(1)  # a step may take long: of a schedule of 6,400 tasks 26 ms

    def part(self, which: int) -> IntArray:
        """Return a view of a part of the arena."""
        view: IntArray = self.arena[self.arena[which] : self.arena[which + 1]]
        return view

    def present(self) -> IntArray:
        """Return the present assignment, of the model's decision variables."""
        raise NotImplementedError

    def best(self) -> IntArray:
        """Return the best one."""
        raise NotImplementedError

    @property
    def cost(self) -> int | None:
        """What the present assignment violates, None where that does not compare with the host's cost."""
        return None

    @property
    def is_shown(self) -> bool:
        """Whether the present assignment is one to show."""
        return True

    @property
    def has_found(self) -> bool:
        """Whether there ever was an assignment to tell."""
        return bool(self.info[self.told[0]])

    def advance(self, host: HostT, steps: int) -> int:
        """Make so many steps, which count as the host's; return how the kernel's call ended."""
        info, before = self.info, self.info.copy()
        most = 1 if host.is_stepwise else steps
        code = self.pace.timed(self.kernel, most, at.BUDGET)
        for name in self.counted:
            host.info[name] += info[name] - before[name]
        host.info[at.HASH] = info[at.HASH]
        if host.observer is not None and self.is_shown:
            host.observer.walked(host.steps, self.present(), self.cost)
        return int(code)

    def tell(self, host: HostT) -> bool:
        """Let the host go to a new best assignment, if there is one; say whether that solves it."""
        found, told = self.told
        if self.info[found] == self.info[told]:
            return False
        self.info[told] = self.info[found]
        host.go_to(self.best())
        return host.solved()

    def looked(self, host: HostT, aside: Aside) -> None:
        """Take note that the host has looked aside, which may have brought it somewhere else."""

    def walk(self, host: HostT, until: int = at.NEVER) -> End | None:
        """Walk until there is a better solution or the search must end.

        None where the kernel wants to do something else, and after the host's step ``until``.
        """
        while True:
            aside, steps = host.aside, host.steps
            left = at.NEVER if host.limits.steps is None else host.limits.steps - steps
            looks = aside is not None and steps >= aside.after
            stopping = left > 0 and host.limits.should_stop()
            if (left <= 0 or looks or stopping) and self.tell(host):
                return "solved"
            if left <= 0:
                return "step_limit"
            if stopping:
                return "stopped"
            if aside is not None and looks:
                ended = host.look_aside()
                if ended is not None:
                    return ended
                self.looked(host, aside)
                if host.solved():
                    return "solved"
                continue
            if steps >= until:
                return "solved" if self.tell(host) else None
            left = min(left, until - steps, self.pace.steps)
            if aside is not None:
                left = min(left, aside.after - steps)
            code = self.advance(host, left)
            if code == at.SOLVED and self.tell(host):
                return "solved"
            if code == at.STALLED:
                return None


class InPlaceWalk(OwnWalk[Search]):
    """A kernel that moves the search's own assignment, until that is what it wants."""

    _has_arrived = False

    def advance(self, host: Search, steps: int) -> int:
        """Make so many steps, and note whether they came to their goal."""
        code = super().advance(host, steps)
        self._has_arrived = code == at.SOLVED
        return code

    def tell(self, host: Search) -> bool:
        """Say whether the goal is reached."""
        return self._has_arrived


class Alone:
    """The run of a kernel that knows its whole model: its limits, and the solution that it has told last."""

    aside: None = None

    def __init__(self, walk: LoneWalk, limits: Limits, recorder: Recorder | None) -> None:
        self.info, self.limits = walk.info, limits
        self.x = np.zeros(0, dtype=np.int64)
        self.observer = None if recorder is None else LoneObserver(recorder, walk.info, walk.restarts)
        self.is_stepwise = recorder is not None and recorder.single

    @property
    def steps(self) -> int:
        """Steps so far."""
        return int(self.info[at.STEPS])

    def go_to(self, x: IntArray) -> None:
        """Take a solution."""
        self.x = x

    def solved(self) -> bool:
        """Say that it solves the model: such a kernel tells nothing else."""
        return True


class LoneWalk(OwnWalk[Alone]):
    """A kernel that searches the whole model, without the general engine.

    Attributes
    ----------
    layers
        What the statistics say of the structure,
    counts
        and what else is counted: names, and places in ``info``.
    optimising
        Whether it goes on to better solutions, whose objective is ``constant`` more than what it counts.
    restarts
        Where ``info`` counts new starts, -1 if nowhere.
    gave_up
        By which rule it gave up.
    swaps
        Whether the variables are a permutation, which it keeps.
    """

    counted = ()  # its counters are the run's
    layers: Mapping[str, int]
    counts: Mapping[str, int] = {}
    optimising: bool = False
    constant: int = 0
    restarts: int = -1
    gave_up: str = ""
    swaps: bool = False

    @property
    def cost(self) -> int:
        """What the present assignment violates."""
        raise NotImplementedError

    def begin(self, run: Alone) -> Paused | None:
        """Begin what comes next, where something has ended; say how the search ends if nothing comes."""
        return None

    def result(self, reason: Paused, run: Alone) -> Result:
        """Return the outcome: the solution that was told last, the best assignment if there was none."""
        found, info = self.has_found, self.info
        x, cost = (run.x, 0) if found else (self.best(), max(1, self.cost))
        restarts = int(info[self.restarts]) if self.restarts >= 0 else 0
        result = Result.of(info, x, cost, reason, restarts, {"layers": self.layers})
        if self.swaps:
            groups = {"groups": 1, "swapped_variables": len(x), "kept_constraints": 1}
            result.statistics["neighbourhood"] = groups
        for name, place in self.counts.items():
            result.statistics[name] = int(info[place])
        if self.gave_up:
            result.statistics["gave_up"] = self.gave_up
        if self.optimising:
            result.statistics["improvements"] = int(info[self.told[0]])
            result.objective = int(info[at.LEAST]) + self.constant if found else None
        return result


class PermutationWalk(LoneWalk):
    """A kernel that swaps all variables, whose AllDifferent it keeps, until nothing is violated."""

    swaps = True

    @property
    def has_found(self) -> bool:
        """Whether the present assignment violates nothing."""
        return self.cost == 0

    def best(self) -> IntArray:
        """Return the present assignment: no other is kept."""
        return self.present()

    def tell(self, host: Alone) -> bool:
        """Say whether the present assignment is a solution, and let the run take it."""
        if self.cost > 0:
            return False
        host.go_to(self.present())
        return True


class KernelRun(Run):
    """A search by a kernel that knows all of a compiled model: the general engine's arrays are not built.

    Parameters
    ----------
    kernel
        Returns the kernel with its arrays, which says what an assignment violates.
    """

    def __init__(
        self,
        compiled: Compiled,
        seed: int,
        limits: Limits,
        kernel: Callable[[Run], Judge],
        *,
        recorder: Recorder | None = None,
        hint: Hint | None = None,
    ) -> None:
        super().__init__(compiled, hint=hint)
        self.renew(seed, limits, recorder)
        self.kernel = kernel(self)

    def rebuild(self, why: str = "restart") -> None:
        """Judge ``x`` afresh; ``why`` is the event of a trace."""
        self.info[at.COST] = self.amount(self.x)
        if self.observer is not None:
            self.observer.begun(why)

    @property
    def summary(self) -> Mapping[str, int]:
        """How many constraints the kernel has, as the general engine would say it."""
        c = self.compiled
        objective = 0 if c.objective is None else len(c.objective)
        return {"plain": len(c.relation) + len(c.clause_start) - 1 + objective, "rows": 0, "deep": 0}

    def amount(self, x: IntArray) -> int:
        """Return by how much an assignment violates the model and the demand."""
        return self.kernel.violation(x, self.objective_limit)

    def value_of(self, x: IntArray) -> int:
        """Return the value of the objective for an assignment."""
        return self.kernel.objective(x)
