"""Optimising linear models: tight moves and exchanges, by the kernel `cpqueens.kernels.search_linear`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from cpqueens.backends.local_search.columns import RELATIONS, joined, merged
from cpqueens.backends.local_search.own_kernel import COUNTED, advance
from cpqueens.backends.local_search.search import End, Search
from cpqueens.kernels import search_info as at
from cpqueens.kernels import search_linear as codes
from cpqueens.kernels.pace import Pace
from cpqueens.kernels.search_arena import build_arena
from cpqueens.kernels.search_info import NEVER
from cpqueens.kernels.search_plain import AT_MOST, EQUAL
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import NE, Compiled, Terms, offsets

LARGEST = 1 << 40
"""Activities, beyond which scores are not worth the trouble of testing for overflow."""
STALL = 50_000
STALL_PER_VARIABLE = 100
"""Steps without a better solution after which the search goes back to the best, in all."""


def suits(search: Search) -> bool:
    """Say whether a model is an objective under equalities, inequalities and clauses of intervals."""
    c, n = search.compiled, search.size
    if (
        c.objective is None
        or len(c.objective) > 1
        or c.tables
        or c.counts
        or len(c.different)
        or (c.relation == NE).any()
    ):
        return False
    if search.audit != "final" or any(v < n for v in c.domains):
        return False
    parts = (c.linear, c.literals, c.objective)
    return all((part.variable < n).all() for part in parts) and _is_small(search)


def _is_small(search: Search) -> bool:
    c = search.compiled
    reach = max(int(np.abs(ends).max(initial=0)) for ends in (c.lower, c.upper))
    total = sum(int(np.abs(part.coefficient).sum()) for part in (c.linear, c.objective) if part is not None)
    return total * max(reach, 1) < LARGEST


def _clauses(compiled: Compiled) -> Terms:
    """Return ``1 - sum`` of each clause's literals, at most 0 where it holds."""
    literals, start = compiled.literals, compiled.clause_start
    ends = literals.start[start]
    sums = [int(literals.constant[a:b].sum()) for a, b in pairwise(start.tolist())]
    return Terms(
        ends - ends[0],
        literals.variable,
        -literals.coefficient,
        np.array([1 - c for c in sums], dtype=np.int64),
    )


class LinearWalk:
    """The kernel's arena for a search, which lives as long as the search."""

    def __init__(self, search: Search) -> None:
        compiled, n = search.compiled, search.size
        assert compiled.objective is not None, "a model without objective does not suit"
        rows = joined([compiled.objective, compiled.linear, _clauses(compiled)])
        relations = [RELATIONS[r] for r in compiled.relation.tolist()]
        clauses = len(rows) - 1 - len(relations)
        kinds = np.array([AT_MOST, *(kind for kind, _ in relations), *[AT_MOST] * clauses], dtype=np.int64)
        signs = np.array([1, *(sign for _, sign in relations), *[1] * clauses], dtype=np.int64)
        row, variable, coefficient = merged(rows)
        coefficient = coefficient * signs[row]
        self.constants = rows.constant * signs
        self.rows = row, variable, coefficient
        order = np.lexsort((row, variable))
        zeros, none = np.zeros(n, dtype=np.int64), np.full(len(rows), -1)
        self.arena = build_arena([
            offsets(np.bincount(variable, minlength=n)),
            np.stack([row[order], coefficient[order]], axis=1).reshape(-1),
            offsets(np.bincount(row, minlength=len(rows))),
            np.stack([variable, coefficient], axis=1).reshape(-1),
            kinds, 0 * kinds, 0 * kinds + 1, 0 * kinds, none,
            compiled.lower[:n], compiled.upper[:n], zeros, zeros, np.zeros(2 * n), np.zeros(codes.LENGTH),
        ])  # fmt: skip
        self.info = self.part(codes.INFO)
        self.stall = STALL + STALL_PER_VARIABLE * n
        self.arguments = self.arena, search.random.copy()
        self.pace = Pace()

    def part(self, which: int) -> IntArray:
        """Return a view of a part of the arena."""
        view: IntArray = self.arena[self.arena[which] : self.arena[which + 1]]
        return view

    def begin(self, x: IntArray, limit: int) -> None:
        """Go on from an assignment, to an objective of at most ``limit``."""
        row, variable, coefficient = self.rows
        activity = self.constants.copy()
        np.add.at(activity, row, coefficient * x[variable])
        activity[0] -= limit
        violated = np.flatnonzero(np.where(self.part(codes.KIND) == EQUAL, activity != 0, activity > 0))
        self.part(codes.X)[:] = x
        self.part(codes.ACTIVITY)[:] = activity
        self.part(codes.MEMBERS)[: len(violated)] = violated
        self.part(codes.POSITION)[:] = -1
        self.part(codes.POSITION)[violated] = np.arange(len(violated))
        self.info[codes.VIOLATED] = len(violated)
        if not len(violated[violated > 0]):
            self.part(codes.BEST)[:] = x
            self.info[[codes.FOUND, codes.TOLD]] += 1

    def advance(self, search: Search, steps: int) -> int:
        """Make so many steps, which count as the search's; return how the kernel's call ended."""
        steps = steps if search.observer is None else 1
        code = advance(
            search,
            self.info,
            self.pace,
            lambda most: codes.linear_search(most, self.stall, *self.arguments),
            steps,
            (*COUNTED, at.RESETS),
        )
        if search.observer is not None:
            search.observer.walked(search.steps, self.part(codes.X), None)
        return code

    def tell(self, search: Search) -> bool:
        """Let the search go to a new best assignment, if there is one; say whether that solves it."""
        if self.info[codes.FOUND] == self.info[codes.TOLD]:
            return False
        self.info[codes.TOLD] = self.info[codes.FOUND]
        search.go_to(self.part(codes.BEST))
        return search.solved()


def run(search: Search) -> End:
    """Search until there is a better solution, or until the search must end."""
    linear: LinearWalk | None = search.carried.get("linear")
    if linear is None:
        search.extra["special"] = "linear"
        search.start()
        linear = search.carried["linear"] = LinearWalk(search)
        linear.begin(search.x, search.objective_limit)
    ended = _slices(search, linear)
    if ended != "solved" and not linear.info[codes.FOUND]:
        search.go_to(linear.part(codes.X))
    return ended


def _slices(search: Search, linear: LinearWalk) -> End:
    aside = search.aside
    while True:
        left = NEVER if search.limits.steps is None else search.limits.steps - search.steps
        looks = aside is not None and search.aside is aside and search.steps >= aside.after
        stopping = left > 0 and search.limits.should_stop()
        if (left <= 0 or looks or stopping) and linear.tell(search):
            return "solved"
        if left <= 0:
            return "step_limit"
        if stopping:
            return "stopped"
        if aside is not None and looks:
            ended = aside.look(search)
            if ended is not None:
                return ended
            if search.solved():
                linear.begin(search.x, search.value_of(search.x) - 1)
                return "solved"
            continue
        if search.aside is not None:
            left = min(left, search.aside.after - search.steps)
        if linear.advance(search, min(left, linear.pace.steps)) == at.SOLVED and linear.tell(search):
            return "solved"
