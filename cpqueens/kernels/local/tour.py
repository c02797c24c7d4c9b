"""Annealing of tours that are kept: a step makes two nodes neighbours, see `kernels.local.tour_moves`.

The worth of a tour is its objective, a sum over its arcs, and, times a price, by how much rows (further sums
over arcs) and ends of times along it are violated. Temperature and price are those of `search_cells`. Times
are as early as those before them allow; one beyond its end counts, and those behind it start from the end.

Ends wait for several nodes, such as the return of the last vehicle.

Source: Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 220, 1983; penalties of
times: Vidal, Crainic, Gendreau and Prins, "A hybrid genetic algorithm with adaptive diversity management for
vehicle routing problems with time windows", Computers and Operations Research 40, 2013.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.jit.instructions import entry, put
from cpqueens.kernels.local import cells as cooling, info as at, tour_moves as of
from cpqueens.kernels.local.arena import Ints
from cpqueens.kernels.local.cells import gap, is_accepted
from cpqueens.kernels.local.tour_moves import apply, arc, propose, set_place, there, wrapped


@inner_kernel
def assess(a: Ints) -> Any:
    """Set by how much the proposed move changes each row; return the violation of all rows then."""
    info = entry(a, of.INFO)
    n = entry(a, info + of.NODES)
    arcs = entry(a, of.ARCS)
    end = arcs + 3 * entry(a, info + of.SIZE)
    broken = 0
    for r in range(entry(a, info + of.ROWS)):
        cost = entry(a, of.COST) + r * n * n
        change = 0
        for q in range(arcs, end, 3):
            change += entry(a, q + 2) * entry(a, cost + n * entry(a, q) + entry(a, q + 1))
        put(a, entry(a, of.CHANGE) + r, change)
        if r > 0:
            row = entry(a, entry(a, of.ACTIVITY) + r) + change
            broken += entry(a, entry(a, of.UNIT) + r) * gap(entry(a, entry(a, of.KIND) + r), row)
    return broken


@inner_kernel
def start_of(lag: int, a: Ints) -> Any:
    """Return the place of a node that waits for no other, 0 if there is none."""
    info = entry(a, of.INFO)
    n = entry(a, info + of.NODES)
    many = entry(a, info + of.MANY)
    for place in range(many):
        if entry(a, lag + n * there(place - 1, a) + there(place, a)) == of.FREE:
            return place
    return 0


@inner_kernel
def raise_ends(d: int, i: int, j: int, time: int, a: Ints) -> None:
    """Let the ends that wait for a node, before an arc to another one, be late enough."""
    n = entry(a, entry(a, of.INFO) + of.NODES)
    for e in range(entry(a, entry(a, of.END_START) + d), entry(a, entry(a, of.END_START) + d + 1)):
        peak = entry(a, entry(a, of.PEAK) + e * n * n + n * i + j)
        if peak != of.FREE and time + peak > entry(a, entry(a, of.MOMENT) + e):
            put(a, entry(a, of.MOMENT) + e, time + peak)


@inner_kernel
def count_ends(d: int, a: Ints) -> Any:
    """Let ends wait for those before them; add what they are worth; return by how much they are late."""
    info = entry(a, of.INFO)
    first = entry(a, entry(a, of.END_START) + d)
    last = entry(a, entry(a, of.END_START) + d + 1)
    total = entry(a, entry(a, of.END_START) + entry(a, info + of.TIMES))
    late = 0
    for e in range(first, last):
        moment = entry(a, entry(a, of.MOMENT) + e)
        for b in range(first, e):
            lag = entry(a, entry(a, of.AFTER) + e * total + b - first)
            if lag != of.FREE:
                moment = max(moment, entry(a, entry(a, of.MOMENT) + b) + lag)
        late += max(0, moment - entry(a, entry(a, of.END_LATEST) + e))
        moment = min(moment, entry(a, entry(a, of.END_LATEST) + e))
        put(a, entry(a, of.MOMENT) + e, moment)
        put(a, info + of.WORTH, entry(a, info + of.WORTH) + moment * entry(a, entry(a, of.END_WEIGHT) + e))
    return late


@inner_kernel
def run_times(d: int, a: Ints) -> None:
    """Add what one kind of times violates and is worth along the tour."""
    info = entry(a, of.INFO)
    n = entry(a, info + of.NODES)
    many = entry(a, info + of.MANY)
    lag = entry(a, of.LAG) + d * n * n
    exact = entry(a, of.EXACT) + d * n * n
    early = entry(a, of.EARLY) + d * n
    latest = entry(a, of.LATEST) + d * n
    weight = entry(a, of.WEIGHT) + d * n
    late = 0
    worth = 0
    for e in range(entry(a, entry(a, of.END_START) + d), entry(a, entry(a, of.END_START) + d + 1)):
        put(a, entry(a, of.MOMENT) + e, entry(a, entry(a, of.END_EARLY) + e))
    for v in range(n):  # those left out
        if entry(a, entry(a, of.PLACE) + v) < 0:
            worth += entry(a, weight + v) * entry(a, early + v)
            raise_ends(d, v, v, entry(a, early + v), a)
    place = start_of(lag, a) if many > 0 else 0
    i = -1
    time = 0
    for k in range(many + 1):
        j = there(place, a)
        place = wrapped(place + 1, many)
        wait = of.FREE if i < 0 else entry(a, lag + n * i + j)
        if i >= 0:
            raise_ends(d, i, j, time, a)
        least = entry(a, early + j)
        if k == many:  # back where it began
            over = time + wait - least if wait != of.FREE else 0
            late += max(over, 0) if wait == of.FREE or entry(a, exact + n * i + j) == 0 else abs(over)
            break
        if wait == of.FREE:
            time = least
        else:
            time += wait
            if time < least:
                late += (least - time) * entry(a, exact + n * i + j)
                time = least
        if time > entry(a, latest + j):
            late += time - entry(a, latest + j)
            time = entry(a, latest + j)
        worth += entry(a, weight + j) * time
        i = j
    late += count_ends(d, a)
    put(a, info + of.LATE, entry(a, info + of.LATE) + late * entry(a, entry(a, of.LATE_UNIT) + d))
    put(a, info + of.WORTH, entry(a, info + of.WORTH) + worth)


@inner_kernel
def run_all_times(a: Ints) -> None:
    """Set what times violate and are worth along the tour."""
    info = entry(a, of.INFO)
    put(a, info + of.LATE, 0)
    put(a, info + of.WORTH, 0)
    for d in range(entry(a, info + of.TIMES)):
        run_times(d, a)


@inner_kernel
def copy_tour(source: int, to: int, a: Ints) -> None:
    """Copy the nodes of a tour from one part to another."""
    for k in range(entry(a, entry(a, of.INFO) + of.NODES)):
        put(a, entry(a, to) + k, entry(a, entry(a, source) + k))


@inner_kernel
def restore(part: int, many: int, a: Ints) -> None:
    """Take the tour from a part."""
    info = entry(a, of.INFO)
    n = entry(a, info + of.NODES)
    for v in range(n):
        put(a, entry(a, of.PLACE) + v, -1)
    put(a, info + of.MANY, many)
    for k in range(many):
        set_place(k, entry(a, entry(a, part) + k), a)


@inner_kernel
def value(a: Ints) -> Any:
    """Return what is minimised: the objective, and the price of what is violated."""
    info = entry(a, of.INFO)
    violation = entry(a, info + cooling.PRICE) * entry(a, info + cooling.VIOLATION)
    return entry(a, entry(a, of.ACTIVITY)) + entry(a, info + of.WORTH) + violation


@inner_kernel
def count(broken: int, a: Ints) -> None:
    """Let the proposed move, which is made, count."""
    info = entry(a, of.INFO)
    for r in range(entry(a, info + of.ROWS)):
        q = entry(a, of.ACTIVITY) + r
        put(a, q, entry(a, q) + entry(a, entry(a, of.CHANGE) + r))
    put(a, info + of.BROKEN, broken)
    put(a, info + cooling.VIOLATION, broken + entry(a, info + of.LATE))


@inner_kernel
def step(a: Ints, random: Ints) -> None:
    """Propose a move, and make it if it is accepted."""
    info = entry(a, of.INFO)
    propose(a, random)
    if entry(a, info + of.SHAPE) == of.NONE:
        return
    put(a, info + at.EVALUATIONS, entry(a, info + at.EVALUATIONS) + 1)
    broken = assess(a)
    change = entry(a, entry(a, of.CHANGE)) + entry(a, info + cooling.PRICE) * (
        broken - entry(a, info + of.BROKEN)
    )
    if entry(a, info + of.TIMES) == 0:
        if not is_accepted(change, a, random):
            return
        apply(a)
    else:
        late = entry(a, info + of.LATE)
        worth = entry(a, info + of.WORTH)
        put(a, info + of.OLD_MANY, entry(a, info + of.MANY))
        copy_tour(of.ORDER, of.OLD, a)
        apply(a)
        run_all_times(a)
        change += entry(a, info + of.WORTH) - worth
        change += entry(a, info + cooling.PRICE) * (entry(a, info + of.LATE) - late)
        if not is_accepted(change, a, random):
            restore(of.OLD, entry(a, info + of.OLD_MANY), a)
            put(a, info + of.LATE, late)
            put(a, info + of.WORTH, worth)
            return
    count(broken, a)
    put(a, info + at.MOVES, entry(a, info + at.MOVES) + 1)
    number = 65_537 * entry(a, info + of.FIRST) + 257 * entry(a, info + of.PIECE) + entry(a, info + of.SHAPE)
    put(a, info + at.HASH, at.mixed(number + (entry(a, info + of.BEYOND) << 24), entry(a, info + at.HASH)))


@inner_kernel
def keep(a: Ints) -> None:
    """Keep the present tour, if it violates nothing and is better than the best one."""
    info = entry(a, of.INFO)
    worth = entry(a, entry(a, of.ACTIVITY)) + entry(a, info + of.WORTH)
    if entry(a, info + cooling.VIOLATION) > 0 or worth >= entry(a, info + at.LEAST):
        return
    put(a, info + cooling.FOUND, entry(a, info + cooling.FOUND) + 1)
    put(a, info + at.LEAST, worth)
    put(a, info + of.BEST_MANY, entry(a, info + of.MANY))
    copy_tour(of.ORDER, of.BEST, a)


@kernel
def tour_search(steps: int, a: Ints, random: Ints) -> Any:
    """Go on for ``steps`` steps; return SOLVED some steps after an improvement, STALLED at a cycle's end."""
    info = entry(a, of.INFO)
    for _ in range(steps):
        if entry(a, info + cooling.FOUND) != entry(a, info + cooling.TOLD) and (
            entry(a, info + at.STEPS) & cooling.TELLING == 0 or entry(a, info + cooling.OPTIMISING) == 0
        ):
            return at.SOLVED
        if entry(a, info + cooling.PASSED) >= entry(a, info + cooling.CYCLE):
            return at.STALLED
        put(a, info + at.STEPS, entry(a, info + at.STEPS) + 1)
        put(a, info + cooling.PASSED, entry(a, info + cooling.PASSED) + 1)
        if entry(a, info + cooling.VIOLATION) == 0:
            put(a, info + cooling.KEPT, entry(a, info + cooling.KEPT) + 1)
        step(a, random)
        keep(a)
    return at.BUDGET


@kernel
def begin_tour(a: Ints) -> None:
    """Compute everything of the tour afresh."""
    info = entry(a, of.INFO)
    n = entry(a, info + of.NODES)
    put(a, info + of.SIZE, 0)
    for k in range(entry(a, info + of.MANY)):
        arc(there(k, a), there(k + 1, a), 1, a)
    for v in range(n):
        if entry(a, entry(a, of.PLACE) + v) < 0:
            arc(v, v, 1, a)
    run_all_times(a)
    count(assess(a), a)
    keep(a)
