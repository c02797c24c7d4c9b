"""Tours that are kept: the kernel `cpqueens.kernels.local.tour` on circuits, rows and times.

First tours where directions matter: the cheapest successors, whose cycles are patched together.

Source: Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment
problems", Computing 38, 1987; Karp, "A patching algorithm for the nonsymmetric traveling-salesman problem",
SIAM Journal on Computing 8, 1979 (two cycles exchange the successors that cost least, the largest one first).
"""

from collections.abc import Iterator, Sequence

import numpy as np

from cpqueens.backends.local_search.audit import AuditError
from cpqueens.backends.local_search.cells import begin_cycle
from cpqueens.backends.local_search.search import Hint
from cpqueens.backends.local_search.slices import Alone, LoneWalk, logarithms
from cpqueens.kernels.jit.random import below, seed_state
from cpqueens.kernels.local import cells as cooling, info as at, tour_moves as codes
from cpqueens.kernels.local.arena import build_arena
from cpqueens.kernels.local.plain import AT_MOST
from cpqueens.kernels.local.tour import begin_tour, tour_search
from cpqueens.language.constraints.circuit import least_ahead
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import offsets
from cpqueens.lowered.structures.tours import Tours
from cpqueens.lowered.term_tables import LARGEST
from cpqueens.lowered.tour_times import FREE, Ends, Times

SHARE = 4_000_000
"""Steps without a tour that violates nothing, after which the general engine goes on."""
NEAREST = 10
"""Nodes near each."""
CYCLE, SHORTEST, LONGEST_FIRST, LONGEST = 500, 5_000, 100_000, 1 << 25
"""Steps of the first cycle for each node, at least, and at most; and of any."""
OCTAVES = 7
"""How often the temperature is halved in a cycle."""
WORST = 1 << 44
"""What all that is violated may cost."""


class TourWalk(LoneWalk):
    """The kernel's arena for tours, and what is read from it.

    Parameters
    ----------
    seed
        Of the generator.
    hint
        Whose successors the first tour takes, as far as they fit.
    audit
        As of a `Search`.
    """

    told = cooling.FOUND, cooling.TOLD

    def __init__(self, tours: Tours, seed: int, hint: Hint | None = None, audit: str = "final") -> None:
        super().__init__()
        self.tours, self.random, self.audit = tours, seed_state(seed), audit
        self.optimising, self.kernel = tours.optimising, self._audited
        self.layers = {"nodes": tours.size, "rows": len(tours.costs) - 1, "times": len(tours.times)}
        n = tours.size
        costs = np.concatenate([tours.costs, tours.forbidden[None]])
        kinds, constants = [*tours.kinds, AT_MOST], np.array([*tours.constants, 0], dtype=np.int64)
        times = tours.times
        near = _near(tours)
        order = _first_tour(tours, near[0], self.random, hint)
        place = np.full(n, -1, dtype=np.int64)
        place[order] = np.arange(len(order))
        room = max(n + 4, 2 * codes.LONG + 8)
        blank, empty = np.zeros(n, dtype=np.int64), np.zeros(0, dtype=np.int64)
        self.units, self.late_units = _units(costs, tours)
        self.arena = build_arena([
            costs.reshape(-1), np.array(kinds), self.units, constants, np.zeros(len(kinds)), near.reshape(-1),
            *(np.concatenate([empty, *(part.reshape(-1) for part in parts)]) for parts in (
                [t.lag for t in times], [t.exact for t in times], [t.early for t in times],
                [t.latest for t in times], [t.weight for t in times], [self.late_units],
            )),
            np.concatenate([order, np.zeros(n - len(order), dtype=np.int64)]),
            logarithms(cooling.LOG_BITS), np.zeros(codes.LENGTH), place, np.zeros(3 * room),
            blank, blank, blank, *_ends_of(times),
        ])  # fmt: skip
        self.constants, self.info = constants, self.part(codes.INFO)
        symmetric = all((matrix == matrix.T).all() for matrix in costs)
        for name, value in {
            codes.NODES: n, codes.MANY: len(order), codes.ROWS: len(kinds), codes.TIMES: len(times),
            codes.NEARS: near.shape[2], codes.SYMMETRIC: int(symmetric), codes.OPTIONAL: int(tours.optional),
            cooling.OPTIMISING: int(tours.optimising), cooling.PRICE: 1, cooling.OCTAVES: OCTAVES,
            at.LEAST: at.NEVER, cooling.CYCLE: min(LONGEST_FIRST, max(SHORTEST, CYCLE * n)),
        }.items():  # fmt: skip
            self.info[name] = value
        self.dearest = self._dearest()
        self.info[cooling.PRICE] = self._price()
        begin_tour(self.arena)

    def _price(self) -> int:
        """Return what a unit of violation costs at first: what an arc may change."""
        costs = self.tours.costs[0]
        if not self.tours.optimising:
            return 1
        return min(self.dearest, max(1, int(np.median(np.ptp(costs, axis=1)))))

    def _dearest(self) -> int:
        """Return the highest price with which what is violated stays within 64 bits, if all is."""
        rows = np.abs(self.tours.costs).max(axis=2).sum(axis=1) + np.abs(np.array(self.tours.constants))
        worst = int((rows * self.units[:-1])[1:].sum()) + self.tours.size * int(self.units[-1])
        for times, unit in zip(self.tours.times, self.late_units.tolist(), strict=True):
            lag = np.where(times.lag == FREE, 0, np.abs(times.lag)).max()
            worst += self.tours.size * unit * int(lag + np.abs(times.early).max() + 1)
            worst += unit * sum(int(np.abs(part[part != FREE]).sum()) for part in times.ends.lags)
        return max(1, WORST // max(1, worst))

    @property
    def tour(self) -> IntArray:
        """The nodes of the present tour."""
        return self.part(codes.ORDER)[: int(self.info[codes.MANY])]

    @property
    def best_tour(self) -> IntArray:
        """The nodes of the best tour, of the present one where none violates nothing."""
        return self.part(codes.BEST)[: int(self.info[codes.BEST_MANY])] if self.has_found else self.tour

    @property
    def cost(self) -> int:
        """What the present tour violates."""
        return int(self.info[cooling.VIOLATION])

    def present(self) -> IntArray:
        """Return the decision variables of the present tour."""
        return self.values(self.tour)

    def best(self) -> IntArray:
        """Return those of the best one."""
        return self.values(self.best_tour)

    def _audited(self, most: int) -> int:
        """Make steps, and compare what is kept as often as was asked for."""
        size = 1 if self.audit == "full" else most
        code = at.BUDGET
        for _ in range(0, most, size):
            code = int(tour_search(size, self.arena, self.random))
            if self.audit != "final":
                self.check()
            if code != at.BUDGET:
                break
        return code

    def begin(self, run: Alone) -> None:
        """Begin the next cycle, longer and with another price; every second one from the best tour."""
        info, price = self.info, int(self.info[cooling.PRICE])
        if info[cooling.PASSED] < info[cooling.CYCLE]:
            return
        begin_cycle(info, self.dearest, LONGEST)
        if info[cooling.PRICE] > price:
            heat = int(info[cooling.HEAT]) * int(info[cooling.PRICE]) // price
            info[cooling.HEAT] = min(cooling.HOTTEST, heat)
        info[at.RESETS] += 1
        if self.has_found and below(self.random, 2) == 0:
            best, place = self.best_tour.copy(), self.part(codes.PLACE)
            self.part(codes.ORDER)[: len(best)] = best
            place[:] = -1
            place[best] = np.arange(len(best))
            info[codes.MANY] = len(best)
            self.part(codes.ACTIVITY)[:] = self.constants
            begin_tour(self.arena)

    def values(self, tour: IntArray) -> IntArray:
        """Return the decision variables of a tour."""
        tours = self.tours
        following = np.arange(tours.size)
        following[tour] = np.roll(tour, -1)
        x: dict[int, int] = dict(tours.others)
        x |= zip(tours.successor.tolist(), (following - tours.shift).tolist(), strict=True)
        x |= {v: int(values[following[i]]) for v, (i, values) in tours.functions.items()}
        for times in tours.times:
            moments, ends, _ = _moments(times, tour)
            x |= {v: int(moments[i]) for i, v in enumerate(times.variable.tolist()) if v >= 0}
            x |= zip(times.ends.variable.tolist(), ends.tolist(), strict=True)
        for z, (parts, constant) in reversed(tours.sums):
            x[z] = constant + sum(
                a * (x[v] if v in x else self._known(v, following)) for v, a in parts.items()
            )
        return np.array([x[v] for v in range(tours.variables)], dtype=np.int64)

    def _known(self, v: int, following: IntArray) -> int:
        """Return a definition's value."""
        i, values = self.tours.defined[v]
        return int(values[following[i]])

    def check(self) -> None:
        """Compare all that is kept of the tour with a fresh computation.

        Raises
        ------
        AuditError
            Naming what differs.
        """
        tour, n = self.tour.tolist(), self.tours.size
        if len(set(tour)) < len(tour) or [int(p) for p in self.part(codes.PLACE)[tour]] != list(
            range(len(tour))
        ):
            raise AuditError(f"step {self.info[at.STEPS]}: places of nodes: expected those of {tour}")
        following = np.arange(n)
        following[tour] = np.roll(tour, -1)
        rows = self.part(codes.COST).reshape(-1, n, n)
        fresh = rows[:, np.arange(n), following].sum(axis=1) + self.constants
        kept = self.part(codes.ACTIVITY)
        if (fresh != kept).any():
            raise AuditError(f"step {self.info[at.STEPS]}: rows: expected {fresh}, found {kept}")
        kinds = self.part(codes.KIND).tolist()
        gaps = [cooling.gap(kind, int(a)) for kind, a in zip(kinds, fresh.tolist(), strict=True)]
        broken = int((self.units * gaps)[1:].sum())
        alongs = [_moments(times, self.tour) for times in self.tours.times]
        late = sum(unit * over for unit, (*_, over) in zip(self.late_units.tolist(), alongs, strict=True))
        worth = sum(
            int(t.weight @ moments + t.ends.weight @ ends)
            for t, (moments, ends, _) in zip(self.tours.times, alongs, strict=True)
        )
        for name, expected, place in (
            ("violation", broken + late, cooling.VIOLATION), ("violation of rows", broken, codes.BROKEN),
            ("violation of times", late, codes.LATE), ("worth of times", worth, codes.WORTH),
        ):  # fmt: skip
            if expected != self.info[place]:
                found = self.info[place]
                raise AuditError(f"step {self.info[at.STEPS]}: {name}: expected {expected}, found {found}")


def _near(tours: Tours) -> IntArray:
    """Return whom each node should have behind it, and whom before it, (2, nodes, near).

    Those are cheap, of those allowed, and those that times leave least time between.
    """
    n = tours.size
    large = 4 * int(np.abs(tours.costs[0]).max()) + 4
    never = tours.forbidden.astype(bool)
    for times in tours.times:
        never |= (times.lag != FREE) & (times.early[:, None] + times.lag > times.latest[None, :])
    kinds = [tours.costs[0] + large * never] if np.ptp(tours.costs[0]) or not tours.times else []
    for times in tours.times:
        if not kinds or (times.latest - times.early < LARGEST >> 1).any():
            between = np.where(times.lag == FREE, 0, times.lag)
            least = np.maximum(between, times.early[None, :] - times.latest[:, None])
            kinds.append(least + 4 * int(np.abs(least).max() + 1) * never)
    many, found = min(NEAREST, n - 1), []
    for kind in kinds:
        np.fill_diagonal(kind, 5 * int(np.abs(kind).max()) + 5)
        found.append([np.argsort(way, axis=1, kind="stable")[:, :many] for way in (kind, kind.T)])
    return np.concatenate(found, axis=2)


def _units(costs: IntArray, tours: Tours) -> tuple[IntArray, IntArray]:
    """Return what a unit of each violation counts, so that an arc counts about as much in all."""
    spans = [max(1, int(np.median(np.ptp(matrix, axis=1)))) for matrix in costs[:-1]]
    late = [
        max(1, int(np.median(np.abs(t.lag[t.lag != FREE])))) if (t.lag != FREE).any() else 1
        for t in tours.times
    ]
    most = max([1, *spans[1:], *late])
    units = [0, *(max(1, most // span) for span in spans[1:]), most]
    return np.array(units, dtype=np.int64), np.array([max(1, most // each) for each in late], dtype=np.int64)


def _ends_of(times: Sequence[Times]) -> Iterator[IntArray]:
    """Yield the parts of the arena that are about ends, as the kernel has them."""
    all_ends = [t.ends for t in times]
    start = offsets([len(ends.variable) for ends in all_ends])
    after = np.full((start[-1], start[-1]), FREE, dtype=np.int64)
    for first, last, ends in zip(start, start[1:], all_ends, strict=False):
        after[first:last, : last - first] = ends.after
    empty = np.zeros(0, dtype=np.int64)
    yield start
    yield np.concatenate([empty, *(ends.peak.reshape(-1) for ends in all_ends)])
    yield after.reshape(-1)
    for name in ("early", "latest", "weight"):
        yield np.concatenate([empty, *(getattr(ends, name) for ends in all_ends)])
    yield np.zeros(start[-1], dtype=np.int64)


def _first_tour(tours: Tours, near: IntArray, random: IntArray, hint: Hint | None) -> IntArray:
    """Return a tour that takes the hinted arcs as far as they fit, and else the nearest node each time.

    Where directions matter, and nothing but costs does, that of `patched_tour`.
    """
    n = tours.size
    outside = np.zeros(n, dtype=bool)
    wanted = np.full(n, -1, dtype=np.int64)
    large = 4 * int(np.abs(tours.costs[0]).max()) + 4
    costs = tours.costs[0] + large * tours.forbidden
    plain = not tours.optional and not tours.times and hint is None
    if plain and (costs != costs.T).any() and np.ptp(tours.costs[0]):
        away = costs + (np.abs(costs).max() + 1) * np.eye(n, dtype=np.int64)
        return patched_tour(away)
    if tours.optional:
        outside |= (tours.forbidden | np.eye(n, dtype=np.int64)).all(axis=1)
    if hint is not None:
        values, counts = hint
        arcs = values[tours.successor] + tours.shift
        fits = counts[tours.successor] & (arcs >= 0) & (arcs < n)
        wanted[fits] = arcs[fits]
        if tours.optional:
            outside |= wanted == np.arange(n)
    free = np.flatnonzero(~outside).tolist()
    if len(free) < 2:
        return np.zeros(0, dtype=np.int64)
    i = free[int(below(random, len(free)))]
    order, left = [i], set(free) - {i}
    while left:
        j = int(wanted[i])
        if j not in left:
            j = next((int(k) for k in near[i] if k in left and not tours.forbidden[i, k]), -1)
        if j < 0:
            rest = sorted(left)
            j = rest[int(np.argmin(costs[i, rest]))]
        order.append(j)
        left.remove(j)
        i = j
    return np.array(order, dtype=np.int64)


def _moments(times: Times, tour: IntArray) -> tuple[IntArray, IntArray, int]:
    """Return the times of nodes along a tour, as early as they may be, of ends, and how late all are."""
    nodes = tour.tolist()
    arcs = list(zip(nodes, [*nodes[1:], *nodes[:1]], strict=True))
    moments, late = _along(times, arcs)
    left = set(range(len(moments))) - set(nodes)
    ends, over = _ends(times.ends, moments, arcs + [(v, v) for v in left])
    return moments, ends, late + over


def _ends(ends: Ends, moments: IntArray, arcs: list[tuple[int, int]]) -> tuple[IntArray, int]:
    """Return the ends, as early as they may be, and by how much they are late."""
    found, late = ends.early.copy(), 0
    for e, (peak, after) in enumerate(zip(ends.peak, ends.after, strict=True)):
        waits = [int(moments[i] + peak[i, j]) for i, j in arcs if peak[i, j] != FREE]
        waits += [int(found[b] + after[b]) for b in range(e) if after[b] != FREE]
        least = max([int(found[e]), *waits])
        late += max(0, least - int(ends.latest[e]))
        found[e] = min(least, int(ends.latest[e]))
    return found, late


def _along(times: Times, arcs: list[tuple[int, int]]) -> tuple[IntArray, int]:
    """Return the times of nodes, and by how much they are late."""
    moments, late = times.early.copy(), 0
    begin = next((k + 1 for k, arc in enumerate(arcs) if times.lag[arc] == FREE), 0)
    for i, j in [*arcs[begin:], *arcs[:begin]]:
        if times.lag[i, j] == FREE:
            continue
        moment = int(moments[i] + times.lag[i, j])
        least = int(moments[j])
        if times.exact[i, j] and moment < least:
            late += least - moment
        if (i, j) == arcs[begin - 1]:  # back at the first, which waits for the last
            return moments, late + max(0, moment - least)
        late += max(0, moment - int(times.latest[j]))
        moments[j] = min(max(moment, least), int(times.latest[j]))
    return moments, late


# ---- first tours where directions matter -----------------------------------------------------------------


FAR = 1 << 62


def patched_tour(costs: IntArray) -> IntArray:
    """Return the nodes of a tour, from node 0, whose arcs are those of the cheapest cycles, nearly."""
    successor = patched(costs, assigned(costs))
    tour = [0]
    while len(tour) < len(costs):
        tour.append(int(successor[tour[-1]]))
    return np.array(tour, dtype=np.int64)


def assigned(costs: IntArray) -> IntArray:
    """Return the columns (n,), one for each row and all different, that cost least in all."""
    n = len(costs)
    column, row = np.full(n, -1), np.full(n, -1)
    price = costs.min(axis=0).astype(np.int64)
    for j, i in enumerate(costs.argmin(axis=0).tolist()):
        if column[i] < 0:
            column[i], row[j] = j, i
    for free in np.flatnonzero(column < 0).tolist():
        _augment(costs, price, column, row, free)
    return column


def _augment(costs: IntArray, price: IntArray, column: IntArray, row: IntArray, free: int) -> None:
    """Give a row a column by a shortest path of exchanges; change prices so that all paths stay shortest."""
    n = len(costs)
    away, before = costs[free] - price, np.full(n, free)
    done = np.zeros(n, dtype=bool)
    while True:
        j = int(np.where(done, FAR, away).argmin())
        if row[j] < 0:
            break
        done[j] = True
        i = row[j]
        by = away[j] + costs[i] - price - (costs[i, j] - price[j])
        nearer = (by < away) & ~done
        away[nearer], before[nearer] = by[nearer], i
    price[done] += away[done] - away[j]
    while j >= 0:
        i = int(before[j])
        row[j], j, column[i] = i, int(column[i]), j


def patched(costs: IntArray, successor: IntArray) -> IntArray:
    """Return one cycle, where there were several: the largest takes in another one for as long as it must."""
    successor = successor.copy()
    while True:
        _, cycle = np.unique(least_ahead(successor[None])[0], return_inverse=True)
        if cycle.max(initial=0) == 0:
            return successor
        largest = cycle == np.bincount(cycle).argmax()
        inside, outside = np.flatnonzero(largest), np.flatnonzero(~largest)
        now = costs[np.arange(len(costs)), successor]
        more = costs[np.ix_(inside, successor[outside])] + costs[np.ix_(outside, successor[inside])].T
        more -= now[inside][:, None] + now[outside][None, :]
        i, j = np.unravel_index(more.argmin(), more.shape)
        both = [inside[i], outside[j]]
        successor[both] = successor[both[::-1]]
