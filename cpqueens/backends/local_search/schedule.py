"""Schedules: the kernel `cpqueens.kernels.local.schedule` on lists of tasks, for shops and projects."""

import heapq
from collections import defaultdict

import numpy as np

from cpqueens.backends.local_search.search import Paused
from cpqueens.backends.local_search.slices import Alone, LoneWalk, logarithms
from cpqueens.kernels.jit.random import below, seed_state
from cpqueens.kernels.local import info as at, schedule as codes
from cpqueens.kernels.local.arena import build_arena
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import offsets, stable_order
from cpqueens.lowered.structures.schedule import Activity, TaskNetwork

SHARE = 200_000
"""Steps without a schedule that keeps all ends, after which the general engine goes on."""
CYCLE = 500
"""Steps of the first cooling for each node,"""
LONGEST_FIRST = 50_000
"""and in all."""
AT_ONCE = 16
"""Nodes that one call gives a first start: limits are looked at in between."""


class ScheduleWalk(LoneWalk):
    """The kernel's arena for a schedule, and what is read from it.

    Parameters
    ----------
    schedule
        With at least one node.
    seed
        Of the generator.
    """

    told = codes.FOUND, codes.TOLD

    def __init__(self, schedule: TaskNetwork, seed: int) -> None:
        super().__init__()
        self.schedule, self.random = schedule, seed_state(seed)
        self.optimising, self.constant = schedule.optimising, schedule.constant
        self.layers = {"tasks": len(schedule.lower), "resources": len(schedule.resources)}
        self.kernel = lambda most: codes.schedule_search(most, self.arena, self.random)
        n = len(schedule.lower)
        resources = [(codes.MACHINE, used) for used in schedule.machines] + schedule.resources
        uses, tasks = _activities(resources)
        order = _first_list(schedule, self.random)
        place, nodes = np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        place[order] = np.arange(n)
        self.arena = build_arena([
            *_grouped(_arcs(schedule), n), *_grouped(uses, n), *_grouped(tasks, len(resources)),
            np.array([capacity for capacity, _ in resources]), schedule.lower, schedule.upper,
            schedule.weight, np.flatnonzero(schedule.weight), order, place, schedule.lower, nodes, nodes,
            schedule.lower, nodes, nodes, logarithms(8),
            np.zeros(2 * (2 * len(uses) + len(resources))), np.zeros(len(resources)), np.zeros(codes.LENGTH),
        ])  # fmt: skip
        self.info = self.part(codes.INFO)
        self.info[codes.LATE] = 10 * int(schedule.weight.sum()) + 1
        self.info[[codes.CYCLE, codes.SHORTEST]] = min(CYCLE * n, LONGEST_FIRST)
        self.info[codes.TARGET] = int(schedule.weight @ schedule.lower)

    @property
    def has_found(self) -> bool:
        """Whether the best schedule keeps all ends."""
        return self.info[codes.FOUND] > 0 and bool((self.part(codes.BEST) <= self.schedule.upper).all())

    @property
    def cost(self) -> int:
        """What the present schedule costs: how late it is, and by how much beyond an end."""
        return int(self.info[at.COST])

    def present(self) -> IntArray:
        """Return the decision variables of the present schedule; what is late ends in time."""
        return self._values(np.minimum(self.part(codes.START), self.schedule.upper))

    def best(self) -> IntArray:
        """Return those of the best one."""
        return self._values(self.part(codes.BEST))

    def _values(self, starts: IntArray) -> IntArray:
        values: IntArray = starts[self.schedule.node] + self.schedule.shift
        return values

    def begin(self, run: Alone) -> Paused | None:
        """Make the first schedule; end the search where no schedule can be better."""
        while not self.info[codes.FOUND]:
            self.kernel(AT_ONCE)
            if not self.info[codes.FOUND] and run.limits.should_stop():
                return "stopped"
        if self.info[codes.FOUND] > self.info[codes.TOLD] or self.info[at.LEAST] > self.info[codes.TARGET]:
            return None
        self.gave_up = "nothing is earlier than the lags alone allow"
        return "gave_up"

    def advance(self, host: Alone, steps: int) -> int:
        """Make so many steps; return whether to tell a schedule or that no other can be better."""
        code = super().advance(host, steps)
        if self.info[codes.FOUND] > self.info[codes.TOLD]:
            return at.SOLVED
        return at.STALLED if code == at.SOLVED else code

    def tell(self, host: Alone) -> bool:
        """Do so, of schedules that keep all ends."""
        return self.has_found and super().tell(host)


def _arcs(schedule: TaskNetwork) -> IntArray:
    """Return whom each node waits for: (arcs, 4), its number, the other's, the lag, and why."""
    always = np.pad(schedule.lags, ((0, 0), (0, 1)), constant_values=codes.ALWAYS)
    i, j, c, d = schedule.pairs.T
    why = np.full(len(i), codes.BY_CHOICE)
    return np.concatenate([always, np.stack([j, i, c, why, i, j, d, why], axis=1).reshape(-1, 4)])


def _activities(resources: list[tuple[int, list[Activity]]]) -> tuple[IntArray, IntArray]:
    """Return (activities, 5) twice: nodes with resources and what they take, resources with nodes."""
    uses = [(a.node, r, *a[1:]) for r, (_, used) in enumerate(resources) for a in used]
    of_nodes = np.array(uses, dtype=np.int64).reshape(-1, 5)
    return of_nodes, of_nodes[:, [1, 0, 2, 3, 4]]


def _grouped(rows: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """Return where the rows of each group begin, by their first column, and the others in that order."""
    rows = rows[stable_order(rows[:, 0])]
    return offsets(np.bincount(rows[:, 0], minlength=count)), rows[:, 1:].reshape(-1)


def _first_list(schedule: TaskNetwork, random: IntArray) -> IntArray:
    """Return a list in which all lags point forward: of what may be next, what could start first."""
    waits = np.bincount(schedule.lags[:, 0], minlength=len(schedule.lower))
    behind: dict[int, list[int]] = defaultdict(list)
    for j, i, _ in schedule.lags.tolist():
        behind[i].append(j)
    ready: list[tuple[int, int, int]] = []

    def add(nodes: list[int]) -> None:
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
