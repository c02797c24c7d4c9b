"""Schedules: the kernel `cpqueens.kernels.local.schedule` on lists of tasks, for shops and projects."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from cpqueens.backends.base import Deliver
from cpqueens.backends.local_search.engine import Task
from cpqueens.backends.local_search.search import Limits, Paused, Result
from cpqueens.backends.local_search.slices import OwnArena
from cpqueens.backends.local_search.tracing import SliceWatch, watching
from cpqueens.kernels.jit.pace import Pace
from cpqueens.kernels.jit.random import below, seed_state
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local import schedule as codes
from cpqueens.kernels.local.arena import build_arena
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import offsets
from cpqueens.lowered.structures.schedule import TaskNetwork

SHARE = 200_000
"""Steps without a schedule that keeps all ends, after which the general engine goes on."""
CYCLE = 500
"""Steps of the first cooling for each node,"""
LONGEST_FIRST = 50_000
"""and in all."""


def search_schedule(schedule: TaskNetwork, task: Task, deliver: Deliver) -> Result:
    """Search for ever earlier schedules; the reason is ``stalled`` if none was found that keeps all ends."""
    walk = ScheduleWalk(schedule, task.seed)
    told, ended = 0, None
    watch = watching(task.recorder, walk.info, walk.present)
    while True:
        if walk.found > told and walk.is_feasible:
            told = walk.found
            if not deliver(walk.x[None, :]) or not schedule.optimising:
                return walk.result("solved")
        if ended is not None:
            return walk.result(ended)
        if walk.info[at.LEAST] <= walk.info[codes.TARGET]:
            return walk.result("gave_up", gave_up="nothing is earlier than the lags alone allow")
        ended = walk.advance(task.limits, watch)


class ScheduleWalk(OwnArena):
    """The kernel's arena for a schedule, and what is read from it.

    Parameters
    ----------
    schedule
        With at least one node.
    seed
        Of the generator.
    """

    def __init__(self, schedule: TaskNetwork, seed: int) -> None:
        self.schedule, self.random, self.pace = schedule, seed_state(seed), Pace()
        n = len(schedule.lower)
        uses, tasks = _activities(schedule)
        arcs = _arcs(schedule)
        order = _first_list(schedule, self.random)
        place, nodes = np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        place[order] = np.arange(n)
        self.arena = build_arena([
            *_grouped(arcs, n), *_grouped(uses, n), *_grouped(tasks, len(schedule.resources)),
            np.array([capacity for capacity, _ in schedule.resources]), schedule.lower, schedule.upper,
            schedule.weight, np.flatnonzero(schedule.weight), order, place, nodes, nodes, nodes, nodes, nodes,
            nodes, np.round(-np.log((np.arange(256) + 0.5) / 256) * 65536).astype(np.int64),
            np.zeros(codes.LENGTH),
        ])  # fmt: skip
        self.info = self.part(codes.INFO)
        self.info[codes.LATE] = 10 * int(schedule.weight.sum()) + 1
        self.info[[codes.CYCLE, codes.SHORTEST]] = min(CYCLE * n, LONGEST_FIRST)
        self.info[codes.TARGET] = int(schedule.weight @ schedule.lower)
        codes.decode(0, self.arena)
        codes.keep(self.arena)

    @property
    def found(self) -> int:
        """How many times a better list was found."""
        return int(self.info[codes.FOUND])

    @property
    def is_feasible(self) -> bool:
        """Whether the best schedule keeps all ends."""
        return bool((self.part(codes.BEST) <= self.schedule.upper).all())

    @property
    def x(self) -> IntArray:
        """The decision variables of the best schedule."""
        return self._values(self.part(codes.BEST))

    def present(self) -> tuple[IntArray, int]:
        """Return the decision variables and the cost of the present schedule; what is late ends in time."""
        return self._values(np.minimum(self.part(codes.START), self.schedule.upper)), int(self.info[at.COST])

    def _values(self, starts: IntArray) -> IntArray:
        values: IntArray = starts[self.schedule.node] + self.schedule.shift
        return values

    def advance(self, limits: Limits, watch: SliceWatch | None) -> Paused | None:
        """Make a slice of steps; return how the search ends if it does."""
        done = int(self.info[at.STEPS])
        left = at.NEVER if limits.steps is None else limits.steps - done
        if left <= 0:
            return "step_limit"
        if limits.should_stop():
            return "stopped"
        if not self.is_feasible:
            if done >= SHARE:
                return "stalled"
            left = min(left, SHARE - done)
        self.pace.counted(
            lambda most: codes.schedule_search(most, self.arena, self.random),
            1 if watch is not None and watch.single else min(self.pace.steps, left),
            lambda: int(self.info[at.STEPS]),
            unmade=0,
        )
        if watch is not None:
            watch.shown("")
        return None

    def result(self, reason: Paused, **facts: str) -> Result:
        """Return the outcome: the best schedule, which is a solution if it keeps all ends."""
        feasible = self.is_feasible
        cost = 0 if feasible else 1
        shape = {"tasks": len(self.schedule.lower), "resources": len(self.schedule.resources)}
        facts_of = {"strategy": "auto", "special": "schedule", "layers": shape, **facts}
        result = Result.of(self.info, self.x, cost, reason, 0, facts_of)
        if self.schedule.optimising:
            result.statistics["improvements"] = self.found
            if feasible:
                result.objective = int(self.info[at.LEAST]) + self.schedule.constant
        return result


def _arcs(schedule: TaskNetwork) -> IntArray:
    """Return whom each node waits for: (arcs, 4), its number, the other's, the lag, and why."""
    always = [(j, i, c, codes.ALWAYS) for j, i, c in schedule.lags.tolist()]
    ordered = [
        arc
        for i, j, c, d, machine in schedule.pairs.tolist()
        for arc in ((j, i, c, machine), (i, j, d, machine))
    ]
    return np.array(always + ordered, dtype=np.int64).reshape(-1, 4)


def _activities(schedule: TaskNetwork) -> tuple[IntArray, IntArray]:
    """Return (activities, 5) twice: nodes with resources and what they take, resources with nodes."""
    uses = [(a.node, r, *a[1:]) for r, (_, used) in enumerate(schedule.resources) for a in used]
    of_nodes = np.array(uses, dtype=np.int64).reshape(-1, 5)
    return of_nodes, of_nodes[:, [1, 0, 2, 3, 4]]


def _grouped(rows: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """Return where the rows of each group begin, by their first column, and the others in that order."""
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    return offsets(np.bincount(rows[:, 0], minlength=count)), rows[:, 1:].reshape(-1)


def _first_list(schedule: TaskNetwork, random: IntArray) -> IntArray:
    """Return a list in which all lags point forward: of what may be next, what could start first."""
    waits = np.bincount(schedule.lags[:, 0], minlength=len(schedule.lower))
    behind: dict[int, list[int]] = defaultdict(list)
    for j, i, _ in schedule.lags.tolist():
        behind[i].append(j)
    ready: list[tuple[int, int, int]] = []

    def add(nodes: Iterable[int]) -> None:
        for t in nodes:
            heapq.heappush(ready, (int(schedule.lower[t]), int(below(random, 1 << 20)), t))

    add(np.flatnonzero(waits == 0).tolist())
    order = []
    while ready:
        i = heapq.heappop(ready)[-1]
        order.append(i)
        for j in behind[i]:
            waits[j] -= 1
        add(sorted({j for j in behind[i] if waits[j] == 0}))
    return np.array(order, dtype=np.int64)
