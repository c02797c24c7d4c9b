"""Tabu search for models that are one permutation under short rows of differences (Costas arrays)."""

from collections.abc import Iterator

import numpy as np

from cpqueens.backends.local_search.search import End, Paused, Search, final
from cpqueens.backends.local_search.slices import InPlaceWalk
from cpqueens.backends.local_search.walking import Walk, probability, walk_once
from cpqueens.kernels.local import info as at, triangle as codes
from cpqueens.kernels.local.arena import BIT_ROWS, KINDS, OWNER, SLOTS, SUPPORT, part
from cpqueens.kernels.local.runs import luby
from cpqueens.language.rows import IntArray

UNIT = 300_000  # steps without progress before the first new start
WALK_EVERY = 16  # one start in so many is for the general engine
SPREAD = 2
NOISE = 0.005


class TriangleWalk(InPlaceWalk):
    """The kernel's arrays for the rows that count so far; it moves the search's own assignment."""

    def __init__(self, search: Search) -> None:
        super().__init__()
        self.search, self.stall = search, 0
        rows = search.arrays.rows
        assert rows is not None
        self.layer = rows
        n = search.size
        self.all_rows = part(rows.static, BIT_ROWS).reshape(-1, 5)
        self.all_slots = part(rows.static, SLOTS).reshape(len(self.all_rows), -1)
        self.pairs = part(rows.static, SUPPORT).reshape(-1, 2)
        self.errors, self.tabu, self.change, self.meeting, self.out = np.zeros((5, n), dtype=np.int64)
        self.info = np.zeros(at.LENGTH, dtype=np.int64)
        self.kernel = lambda steps: codes.triangle_search(
            steps, self.stall, SPREAD, probability(NOISE), self.state()
        )
        self.choose_rows()

    def choose_rows(self) -> None:
        """Take the rows that count."""
        self.relaxed = self.search.relaxed
        counted = ~np.isin(self.all_rows[:, 0], self.search.relaxed)
        self.rows = self.all_rows[counted].reshape(-1)
        self.slots = self.all_slots[counted].reshape(-1)
        self.masks = np.zeros(3 * int(counted.sum()), dtype=np.int64)
        self.lay_out(int(counted.sum()))

    def lay_out(self, rows: int) -> None:
        """Make one entry per slot, row and variable, see the kernel."""
        none, n = len(self.pairs), self.search.size
        slots = self.slots.reshape(rows, n, 2, 2).transpose(2, 0, 1, 3)
        self.terms = np.append(slots[..., 0].ravel(), none)
        self.factors = np.append(slots[..., 1].ravel(), 0)
        end = len(self.terms) - 1
        order = np.argsort(self.terms[:end], kind="stable")
        order = order[self.terms[order] != none].reshape(-1, 2)
        homes = np.full((none + 1, 2), end, dtype=np.int64)
        homes[self.terms[order[:, 0]]] = order
        # of each entry, the other one of its term
        there = homes[self.terms].sum(axis=1) - np.arange(end + 1)
        there[self.terms == none] = end
        self.homes = homes.ravel()
        self.others = np.where(there == end, -1, there % n)
        self.shared = self.factors[there]
        self.away = np.where(there == end, end, (there + end // 2) % end)

    def begin(self, stall: int) -> None:
        """Read the bit of every term from the state of the search; so many steps without progress end it."""
        if self.relaxed is not self.search.relaxed:
            self.choose_rows()
        self.info[at.HASH] = self.search.info[at.HASH]
        first = np.zeros(len(self.search.arrays.part(KINDS)), dtype=np.int64)
        first[self.all_rows[:, 0]] = self.all_rows[:, 1]
        owner = part(self.layer.static, OWNER)
        counters = self.layer.terms.reshape(-1, 4)[:, 1]
        self.index = np.append(counters - first[owner], codes.NOWHERE)
        self.bits = self.index[self.terms]
        self.tabu[:] = 0
        self.info[at.LEAST], self.info[at.STALL] = at.NEVER, 0
        self.stall, self._has_arrived = stall, False

    def state(self) -> codes.Packed:
        """Return what the kernel takes."""
        return codes.Packed(
            self.search.x, self.rows, self.slots, self.index, self.bits, self.factors, self.others, self.away,
            self.shared, self.homes, self.masks, self.errors, self.tabu, self.change,
            self.meeting, self.out, self.info, self.search.random,
        )  # fmt: skip

    def present(self) -> IntArray:
        """Return the present assignment."""
        return self.search.x

    def advance(self, host: Search, steps: int) -> int:
        """Make so many steps, of which each is a move."""
        before = host.steps
        code = super().advance(host, steps)
        host.info[at.MOVES] += host.steps - before
        return code


def run(search: Search, _found: object, others: Iterator[Walk]) -> End:
    """Search with restarts of growing length until solved or stopped, now and then as on other models."""
    search.extra["special"] = "triangle"
    triangle = TriangleWalk(search)
    k = 0
    while True:
        k += 1
        search.reset_weights()
        search.start()
        if k % WALK_EVERY == 0:
            ended = walk_once(search, next(others))
        else:
            ended = _run_once(search, triangle, UNIT * luby(k))
        if ended != "stalled":
            return final(ended)


def _run_once(search: Search, triangle: TriangleWalk, stall: int) -> Paused:
    """Search from the present assignment, with ever more rows where it violates some that are left out."""
    while True:
        triangle.begin(stall)
        ended = triangle.walk(search)
        search.rebuild("")
        if ended != "solved" or not search.tighten():
            return ended or "stalled"
