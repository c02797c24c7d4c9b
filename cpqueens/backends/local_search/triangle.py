"""Tabu search for models that are one permutation under short rows of differences (Costas arrays)."""

from __future__ import annotations

import numpy as np

from cpqueens.backends.local_search.problem import Ints
from cpqueens.backends.local_search.search import NEVER, Search
from cpqueens.backends.local_search.slices import slices
from cpqueens.backends.local_search.walking import luby, probability
from cpqueens.kernels import search_arena as arena
from cpqueens.kernels import search_info
from cpqueens.kernels import search_triangle as codes
from cpqueens.kernels.search_arena import BIT_ROWS, OWNER, SLOTS, SUPPORT, SUPPORT_START, part
from cpqueens.kernels.search_bits import NOWHERE

UNIT = 300_000  # steps without progress before the first new start
SPREAD = 2
NOISE = 0.005


def suits(search: Search) -> bool:
    """Say whether every constraint that counts is a row of bits over one whole permutation."""
    rows = search.compiled.rows
    if rows is None or search.compiled.deep is not None or search.measure != 0 or search.audit != "final":
        return False
    if len(search.events) or search.compiled.summary()["plain"] or len(part(rows.static, BIT_ROWS)) == 0:
        return False
    whole = len(search.neighbourhood.groups) == 1 and (search.space.group == 0).all()
    straight = (part(rows.static, BIT_ROWS).reshape(-1, 5)[:, 4] == 0).all()
    sizes = np.diff(part(rows.static, SUPPORT_START))
    return bool(
        whole and search.space.uniform[0] and len(search.space.spare) == 0 and straight and (sizes == 2).all()
    )


class _Triangle:
    """The kernel's arrays for the rows that count so far."""

    def __init__(self, search: Search) -> None:
        self.search = search
        rows = search.compiled.rows
        assert rows is not None
        self.layer = rows
        n = search.problem.size
        self.all_rows = part(rows.static, BIT_ROWS).reshape(-1, 5)
        self.all_slots = part(rows.static, SLOTS).reshape(len(self.all_rows), -1)
        self.pairs = part(rows.static, SUPPORT).copy()
        self.errors, self.out = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self.info = np.zeros(codes.LENGTH, dtype=np.int64)
        self.choose_rows()

    def choose_rows(self) -> None:
        counted = ~np.isin(self.all_rows[:, 0], self.search.relaxed)
        self.rows = self.all_rows[counted].reshape(-1)
        self.slots = self.all_slots[counted].reshape(-1)
        self.masks = np.zeros(3 * int(counted.sum()), dtype=np.int64)

    def begin(self) -> None:
        """Read the bit of every term from the state of the search."""
        first = np.zeros(len(self.search.compiled.part(arena.KINDS)), dtype=np.int64)
        first[self.all_rows[:, 0]] = self.all_rows[:, 1]
        owner = part(self.layer.static, OWNER)
        counters = self.layer.terms.reshape(-1, 4)[:, 1]
        self.index = np.append(counters - first[owner], NOWHERE)
        self.search.tabu[:] = 0
        self.info[codes.LEAST], self.info[codes.STALL] = NEVER, 0

    def arguments(self) -> tuple[Ints, ...]:
        return (
            self.search.x, self.rows, self.slots, self.pairs, self.index, self.masks, self.errors,
            self.search.tabu, self.out, self.info, self.search.random,
        )  # fmt: skip


def run(search: Search) -> str:
    """Search with restarts of growing length until solved or stopped."""
    search.relax_short_rows()
    search.reset_weights()
    triangle = _Triangle(search)
    for k in range(1, NEVER):
        search.start()
        triangle.begin()
        while True:
            ended = _run_once(search, triangle, UNIT * luby(k))
            if ended != "solved" or not search.tighten():
                break
            triangle.choose_rows()
            triangle.begin()
        if ended != "stalled":
            return ended
    return "local_optimum"


def _run_once(search: Search, triangle: _Triangle, stall: int) -> str:
    code = 0

    def advance(steps: int) -> bool:
        nonlocal code
        arguments = triangle.arguments()
        code = int(codes.triangle_search(steps, stall, SPREAD, probability(NOISE), *arguments))
        return code != 0

    reason = slices(advance, lambda: int(triangle.info[codes.STEPS]), search.limits)
    search.rebuild()
    for here, there in (
        (codes.STEPS, search_info.STEPS),
        (codes.STEPS, search_info.MOVES),
        (codes.EVALUATIONS, search_info.EVALUATIONS),
        (codes.HASH, search_info.HASH),
    ):
        search.info[there] = triangle.info[here]
    return "stalled" if code == 2 else reason
