"""Models in which two variables at a time differ, by the kernel `cpqueens.kernels.local.pairs`."""

from __future__ import annotations

import numpy as np

from cpqueens.backends.local_search.assembler import objective_bounds
from cpqueens.backends.local_search.search import End, Search
from cpqueens.backends.local_search.slices import OwnArena, advance
from cpqueens.kernels.jit.pace import Pace
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local import pairs as codes
from cpqueens.kernels.local.arena import build_arena
from cpqueens.kernels.local.runs import luby
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import offsets
from cpqueens.lowered.neighbourhood import values_of
from cpqueens.lowered.structures.pairs import Pairs

STALL = 100_000
"""Steps without fewer conflicts, at least, after which the search begins anew."""
BEFORE_PRESOLVE = 10
"""Steps for each pair before the model is presolved, which takes as long as very many of these."""
TELLING = 2_000
"""Steps between two solutions that are told: many may follow each other at once."""


class PairsWalk(OwnArena):
    """The kernel's arena for a search, which lives as long as the search."""

    def __init__(self, search: Search, pairs: IntArray) -> None:
        self.compiled, self.random, self.n = search.compiled, search.random.copy(), search.size
        c, n = self.compiled, self.n
        lower, upper = c.lower[:n], c.upper[:n]
        start = offsets(upper - lower + 1)
        self.gaps = np.zeros(int(start[-1]), dtype=np.int64)
        for v in (v for v in c.domains if v < n):
            mine = self.gaps[start[v] : start[v + 1]]
            mine[:] = codes.GAP
            mine[values_of(c, v) - lower[v]] = 0
        zeros = np.zeros(n, dtype=np.int64)
        self.arena = build_arena([
            offsets(np.bincount(pairs[:, 0], minlength=n)), pairs[:, 1:].reshape(-1), start, self.gaps,
            np.zeros_like(self.gaps), lower, upper, zeros, zeros, zeros - 1, np.zeros(at.LENGTH),
        ])  # fmt: skip
        self.info = self.part(codes.INFO)
        self.pace, self.starts, self.pairs = Pace(), 0, len(pairs)
        self.limit = search.objective_limit
        self.least = -at.NEVER if c.objective is None else objective_bounds(c)[0]
        self.best: IntArray | None = None  # a solution that nobody knows of yet
        self.told = 0  # steps when one was told

    def begin(self, x: IntArray, limit: int) -> None:
        """Go on from an assignment, to an objective of at most ``limit``."""
        c, lower, upper = self.compiled, self.part(codes.LOWER), self.part(codes.UPPER)
        upper[:] = c.upper[: self.n]
        if c.objective is not None:
            np.minimum.at(upper, c.objective.variable, limit - c.objective.constant)
        self.limit, mine = limit, self.part(codes.X)
        mine[:] = x
        over = np.flatnonzero(x > upper)
        for k, v in enumerate(over.tolist()):
            values = values_of(c, v)
            values = values[values <= upper[v]]
            mine[v] = values[k % len(values)] if len(values) else lower[v]
        self.part(codes.MEETS)[:] = self.gaps
        codes.begin_pairs(self.arena)

    def keep(self, search: Search) -> None:
        """Keep the present assignment, which is a solution, and demand a better one."""
        self.best = self.part(codes.X).copy()
        if self.compiled.objective is not None:
            limit = search.value_of(self.best) - 1
            if limit >= self.least:
                self.begin(self.best, limit)

    def is_due(self, search: Search) -> bool:
        """Say whether a solution is to be told now."""
        ended = self.compiled.objective is None or self.info[at.SIZE] == 0
        return ended or search.steps - self.told >= TELLING

    def tell(self, search: Search) -> bool:
        """Let the search go to a solution that it does not know, if there is one; say whether it did."""
        if self.best is None:
            return False
        search.go_to(self.best)
        self.best, self.told = None, search.steps
        return True

    def advance(self, search: Search, steps: int) -> int:
        """Make so many steps, which count as the search's; return how the kernel's call ended."""
        stall = STALL * luby(1 + self.starts)
        return advance(
            search,
            self.info,
            self.pace,
            lambda most: codes.pairs_search(most, stall, self.arena, self.random),
            steps,
        )


def run(search: Search, found: Pairs) -> End:
    """Search until there is a solution within the objective's limit, or until the search must end.

    Solutions that follow one another quickly are passed on together, as the last one.
    """
    walk: PairsWalk | None = search.carried.get("pairs")
    if walk is None:
        search.extra["special"] = "pairs"
        walk = search.carried["pairs"] = PairsWalk(search, found.rows)
        if search.aside is not None:
            search.aside.after = max(search.aside.after, BEFORE_PRESOLVE * walk.pairs)
        search.start()
        walk.begin(search.x, search.objective_limit)
    elif walk.limit != search.objective_limit:
        search.start()  # goes on
        walk.begin(search.x, search.objective_limit)
    while True:
        ended = _slice(search, walk)
        if (ended is not None or walk.is_due(search)) and walk.tell(search):
            return "solved"
        if ended is not None:
            search.go_to(walk.part(codes.X))
            return ended


def _slice(search: Search, walk: PairsWalk) -> End | None:
    """Make a slice of steps; say how the search ends if it does."""
    if walk.info[at.SIZE] == 0:
        walk.keep(search)
        return None
    left = at.NEVER if search.limits.steps is None else search.limits.steps - search.steps
    if left <= 0:
        return "step_limit"
    if search.limits.should_stop():
        return "stopped"
    if search.aside is not None:
        if search.steps >= search.aside.after:
            return _aside(search, walk)
        left = min(left, search.aside.after - search.steps)
    if walk.advance(search, min(left, walk.pace.steps)) == at.STALLED:
        walk.starts += 1
        search.start()
        walk.begin(search.x, walk.limit)
    return None


def _aside(search: Search, walk: PairsWalk) -> End | None:
    """Look aside; go on from a solution that this finds."""
    assert search.aside is not None, "there is something to look at"
    if walk.best is not None:
        return "solved"  # is told first
    search.go_to(walk.part(codes.X))
    ended = search.aside.look(search)
    if ended is None and search.solved():
        walk.begin(search.x, walk.limit)
    return ended
