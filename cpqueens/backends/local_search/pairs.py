"""Models in which two variables at a time differ, by the kernel `cpqueens.kernels.local.pairs`."""

import numpy as np

from cpqueens.backends.local_search.search import Aside, End, Run
from cpqueens.backends.local_search.slices import KernelRun, OwnWalk
from cpqueens.kernels.local import info as at, pairs as codes
from cpqueens.kernels.local.arena import build_arena
from cpqueens.kernels.local.runs import luby
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import offsets
from cpqueens.lowered.neighbourhood import values_of

STALL = 100_000
"""Steps without fewer conflicts, at least, after which the search begins anew."""
BEFORE_PRESOLVE = 10
"""Steps for each pair before the model is presolved, which takes as long as very many of these."""
TELLING = 2_000
"""Steps between two solutions that are told: many may follow each other at once."""


class PairsWalk(OwnWalk[Run]):
    """The kernel's arena for a search, which lives as long as the search."""

    told = codes.FOUND, codes.TOLD

    def __init__(self, search: Run, pairs: IntArray) -> None:
        super().__init__()
        self.compiled, self.n = search.compiled, search.size
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
            np.zeros_like(self.gaps), lower, upper, zeros, zeros, zeros - 1, zeros, np.zeros(codes.LENGTH),
        ])  # fmt: skip
        self.info, self.random = self.part(codes.INFO), np.zeros(4, dtype=np.int64)
        self.kernel = lambda most: codes.pairs_search(
            most, STALL * luby(1 + self.starts), self.arena, self.random
        )
        self.starts, self.pairs, self.limit = 0, pairs, search.objective_limit
        self.least = search.objective_least
        self.last = 0  # steps when a solution was told

    def present(self) -> IntArray:
        """Return the present assignment."""
        return self.part(codes.X)

    def best(self) -> IntArray:
        """Return the best one."""
        return self.part(codes.BEST)

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

    def violation(self, x: IntArray, limit: int) -> int:
        """Return how many pairs are equal, and by how much the objective is beyond its limit."""
        first, second, gap = self.pairs.T
        found = int((x[first] == x[second] + gap).sum()) // 2
        return found if self.compiled.objective is None else found + max(0, self.objective(x) - limit)

    def objective(self, x: IntArray) -> int:
        """Return the largest of the terms that are the objective."""
        terms = self.compiled.objective
        assert terms is not None
        return int((x[terms.variable] + terms.constant).max())

    def advance(self, host: Run, steps: int) -> int:
        """Make so many steps, or begin anew after too many in vain; return whether to tell a solution.

        A solution is kept, and a better one demanded; many that follow one another are told as the last one.
        """
        code = super().advance(host, steps)
        if code == at.STALLED:
            self.starts += 1
            host.start()
            self.begin(host.x, self.limit)
        elif code == at.SOLVED:
            self.part(codes.BEST)[:] = self.part(codes.X)
            self.info[codes.FOUND] += 1
            best = self.part(codes.BEST)
            limit = 0 if self.compiled.objective is None else host.value_of(best) - 1
            if limit >= self.least:
                self.begin(best, limit)
        waits = self.info[codes.FOUND] > self.info[codes.TOLD]
        due = self.info[at.SIZE] == 0 or host.steps - self.last >= TELLING
        return at.SOLVED if waits and due else at.BUDGET

    def tell(self, host: Run) -> bool:
        """Do so, and note when."""
        solved = super().tell(host)
        self.last = host.steps if solved else self.last
        return solved

    def looked(self, host: Run, aside: Aside) -> None:
        """Go on from what it has found."""
        if host.solved():
            self.begin(host.x, self.limit)


def run(search: KernelRun) -> End:
    """Search until there is a solution within the objective's limit, or until the search must end."""
    walk = search.kernel
    assert isinstance(walk, PairsWalk), "the table says so"
    if "special" not in search.extra:
        search.extra["special"] = "pairs"
        walk.random[:] = search.random
        if search.aside is not None:
            search.aside.after = max(search.aside.after, BEFORE_PRESOLVE * len(walk.pairs))
        search.start()
        walk.begin(search.x, search.objective_limit)
    elif walk.limit != search.objective_limit:
        search.start()  # goes on
        walk.begin(search.x, search.objective_limit)
    ended = walk.walk(search)
    assert ended is not None, "it restarts where it stalls"
    if ended != "solved":
        search.go_to(walk.present())
    return ended
