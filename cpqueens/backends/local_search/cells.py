"""Annealing of models whose terms are tables, by the kernel `cpqueens.kernels.local.cells`.

For variables that share a multiset of values (sequences of cars) and permutations under an objective
(quadratic assignments).
"""

from collections.abc import Iterator

import numpy as np

from cpqueens.backends.local_search.search import Aside, End, Search
from cpqueens.backends.local_search.slices import OwnWalk, logarithms
from cpqueens.backends.local_search.walking import Walk, walk_anew
from cpqueens.kernels.local import cells as codes, info as at
from cpqueens.kernels.local.arena import build_arena
from cpqueens.kernels.local.plain import AT_MOST
from cpqueens.kernels.local.start import shuffle
from cpqueens.language.rows import IntArray, distinct
from cpqueens.lowered.compiled import offsets
from cpqueens.lowered.structures.cells import Cells
from cpqueens.lowered.term_tables import Scope, SumRow, of_each

WALK_EVERY = 4
"""After so many cycles the general engine walks for a part of the steps of one,"""
WALK_COST, FEWEST_STEPS = 50, 100
"""which cost as much as so many of them; so many steps at least."""
CYCLE, SHORTEST, LONGEST_FIRST, LONGEST = 500, 5_000, 100_000, 1 << 24
"""Steps of the first cycle for each variable, at least, and at most; and of any."""
WARM = 48
"""Temperature, in 1/256, at which cycles begin where one more or less of something is all that changes;
at one that is a third higher, sequences of cars take several times as long."""
WORST = 1 << 44
"""What all that is violated may cost."""
STEPS_PER_NODE = 400
"""Steps for each node of the tree that a search looks at aside: a node takes as long as some hundred."""


class _Terms:
    """All terms with their tables, each table once."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, int, int, int, int]] = []  # row, table, i, stride, j, stride
        self.tables: list[IntArray] = []
        self.known: dict[int, int] = {}  # by ids: equal tables are one
        self.size = 0

    def add(self, row: int, scope: Scope, values: IntArray) -> None:
        """Add a term of one variable or two; one that is always the same belongs to the constants."""
        if id(values) not in self.known:
            self.known[id(values)] = self.size
            self.tables.append(values.reshape(-1))
            self.size += values.size
        i, j = scope[0], scope[-1]
        strides = (1, 0) if len(scope) == 1 else (values.shape[1], 1)
        self.rows.append((row, self.known[id(values)], i, strides[0], j, strides[1]))

    def array(self) -> IntArray:
        """Return the terms, (terms, 6)."""
        return np.array(self.rows, dtype=np.int64).reshape(-1, 6)

    def by_variable(self, n: int) -> tuple[IntArray, IntArray]:
        """Return where each variable's terms begin, and these, as the kernel takes them."""
        t = self.array()
        both = t[t[:, 5] > 0]
        mine = np.concatenate([t[:, [2, 0, 1, 3, 4, 5]], both[:, [4, 0, 1, 5, 2, 3]]])
        mine = mine[np.argsort(mine[:, 0], kind="stable")]
        return offsets(np.bincount(mine[:, 0], minlength=n)), mine[:, 1:].reshape(-1)


def _step(values: IntArray) -> int:
    """Return by how much a function of one variable grows with each place; 0 if by different numbers."""
    steps = distinct(np.diff(values))
    return int(steps[0]) if values.ndim == 1 and len(steps) == 1 else 0


class CellsWalk(OwnWalk[Search]):
    """The kernel's arena for a search, which lives as long as the search."""

    told = codes.FOUND, codes.TOLD

    def __init__(self, search: Search, cells: Cells) -> None:
        super().__init__()
        self.cells, self.cycles = cells, 0
        self.random = search.random.copy()
        model, n = cells.model, len(cells.domains)
        self.rows = [model.objective or SumRow(AT_MOST, 0, {}), *cells.rows]
        self.terms = _Terms()
        for number, row in enumerate(self.rows):
            for scope, values in row.tables.items():
                self.terms.add(number, scope, values)
        self.constants = np.array([row.constant for row in self.rows], dtype=np.int64)
        empty = np.zeros(0, dtype=np.int64)
        self.arena = build_arena([
            *self.terms.by_variable(n), np.concatenate([empty, *self.terms.tables]),
            np.array([row.kind for row in self.rows]), self.constants, *self._bounds(n),
            np.array([len(d) for d in cells.domains]), cells.group,
            offsets([len(g.variables) for g in cells.groups]),
            np.concatenate([empty, *(g.variables for g in cells.groups)]), np.zeros(n), np.zeros(n),
            logarithms(codes.LOG_BITS), np.zeros(codes.LENGTH),
        ])  # fmt: skip
        self.kernel = lambda most: codes.cells_search(most, self.arena, self.random)
        self.info = self.part(codes.INFO)
        self.info[codes.OPTIMISING] = model.objective is not None
        self.info[at.LEAST] = at.NEVER if model.objective is None else search.objective_limit + 1
        self.dearest = self._dearest()
        self.info[codes.PRICE] = self._price()
        self.info[codes.OCTAVES] = codes.OCTAVES_IMPROVING
        if model.objective is None and cells.counts_alone:
            self.info[codes.HEAT], self.info[codes.OCTAVES] = WARM, 1
        self.info[codes.CYCLE] = min(LONGEST_FIRST, max(SHORTEST, CYCLE * n))
        self.begin(search.x)

    def _bounds(self, n: int) -> tuple[IntArray, IntArray]:
        """Return the rows in which variables that move by themselves count straight."""
        bounds: list[list[tuple[int, int]]] = [[] for _ in range(n)]
        steps = of_each(self.rows, _step)
        for number, row in enumerate(self.rows):
            for scope, values in row.tables.items() if number and row.kind == AT_MOST else ():
                if step := steps[id(values)]:
                    bounds[scope[0]].append((number, step))
        flat = np.array([entry for each in bounds for entry in each], dtype=np.int64).reshape(-1)
        return offsets([len(each) for each in bounds]), flat

    def _price(self) -> int:
        """Return what a unit of violation costs at first: what a term of the objective may change."""
        spans = [int(np.ptp(values)) for values in self.rows[0].tables.values()]
        return min(self.dearest, max(1, sum(spans) // max(1, len(spans))))

    def _dearest(self) -> int:
        """Return the highest price with which sums of what is violated stay far within 64 bits."""
        ends = of_each(self.rows[1:], lambda values: int(np.abs(values).max()))
        most = sum(ends[id(values)] for row in self.rows[1:] for values in row.tables.values())
        worst = int(np.abs(self.constants[1:]).sum()) + most + len(self.terms.rows)
        return max(1, WORST // max(1, worst))

    def begin(self, x: IntArray) -> None:
        """Go on from an assignment: groups of counted values take those of it that they can."""
        place = self.part(codes.X)
        for v, value in enumerate(x.tolist()):
            place[v] = np.searchsorted(self.cells.domains[v], value)
        for group in self.cells.groups:
            place[group.variables] = self._fitted(place[group.variables], group.places)
        t, table = self.terms.array(), self.part(codes.TABLE)
        values = table[t[:, 1] + t[:, 3] * place[t[:, 2]] + t[:, 5] * place[t[:, 4]]]
        activity = self.part(codes.ACTIVITY)
        activity[:] = self.constants
        np.add.at(activity, t[:, 0], values)
        kinds = self.part(codes.KIND)[1:].tolist()
        gaps = (codes.gap(kind, a) for kind, a in zip(kinds, activity[1:].tolist(), strict=True))
        self.info[codes.VIOLATION] = sum(gaps)

    def _fitted(self, wanted: IntArray, places: IntArray) -> IntArray:
        """Return the places in the order that is wanted, as far as there are so many of each."""
        left = np.bincount(places, minlength=int(max(places.max(), wanted.max())) + 1)
        open_ones = []
        fitted = wanted.copy()
        for k, p in enumerate(wanted.tolist()):
            if left[p] > 0:
                left[p] -= 1
            else:
                open_ones.append(k)
        rest = np.repeat(np.arange(len(left)), left)
        shuffle(rest, self.random)
        fitted[open_ones] = rest
        return fitted

    def present(self) -> IntArray:
        """Return the present assignment."""
        return self._values(codes.X)

    def best(self) -> IntArray:
        """Return the best one."""
        return self._values(codes.BEST)

    def _values(self, which: int) -> IntArray:
        """Return the assignment that a part has the places of."""
        n, place = len(self.cells.model.domains), self.part(which).tolist()
        return np.array([self.cells.domains[v][place[v]] for v in range(n)], dtype=np.int64)

    def looked(self, host: Search, aside: Aside) -> None:
        """Look again only after as many steps as that was worth, and go on from what it has found."""
        if aside.after < at.NEVER:
            aside.after += (STEPS_PER_NODE - 1) * (aside.after - host.steps)
        if host.solved():
            self.begin(host.x)

    def turn(self) -> None:
        """Begin the next cycle."""
        begin_cycle(self.info, self.dearest, LONGEST)
        self.cycles += 1


def begin_cycle(info: IntArray, dearest: int, longest: int) -> None:
    """Begin the next cycle of a kernel that cools, which is longer.

    A unit of violation gets another price if the last one's was too low or too high.
    """
    price, cycle = int(info[codes.PRICE]), int(info[codes.CYCLE])
    if info[codes.OPTIMISING] and info[codes.KEPT] == 0:
        info[codes.PRICE] = min(2 * price, dearest)
    elif info[codes.OPTIMISING] and 2 * info[codes.KEPT] > cycle:
        info[codes.PRICE] = max(1, 3 * price // 4)
    info[[codes.PASSED, codes.KEPT]] = 0
    info[codes.CYCLE] = min(3 * cycle // 2, longest)


def run(search: Search, cells: Cells, others: Iterator[Walk]) -> End:
    """Anneal in ever longer cycles until solved or stopped, now and then walk as on other models."""
    walk: CellsWalk | None = search.carried.get("cells walk")
    if walk is None:
        search.extra["special"] = "cells"
        if cells.all_swap and not cells.rows:  # any order is a solution: there is nothing to propagate
            search.aside = None
        search.start()
        if search.solved():
            return "solved"
        walk = search.carried["cells walk"] = CellsWalk(search, cells)
    if walk.info[codes.OPTIMISING]:  # a walk may have found a better one
        walk.info[at.LEAST] = min(int(walk.info[at.LEAST]), search.objective_limit + 1)
    while True:
        ended = walk.walk(search)
        if ended is not None:
            if ended != "solved" and not walk.has_found:
                search.go_to(walk.present())
            return ended
        walk.turn()
        if walk.cycles % WALK_EVERY == 0:
            steps = max(FEWEST_STEPS, int(walk.info[codes.CYCLE]) // WALK_COST)
            ended = walk_anew(search, next(others), steps)
            if ended is not None:
                return ended
            if cells.counts_alone and not walk.info[codes.OPTIMISING]:  # where it was, it would stay
                walk.begin(search.x)
