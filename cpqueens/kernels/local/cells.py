"""Annealing where each term is a table over one variable or two: swaps within groups, or new values.

A step moves one variable, or swaps two of a group, and goes back if that is not accepted. Its worth is the
objective and, times a price, by how much constraints are violated. The temperature falls geometrically in a
cycle. A variable that moves by itself stays where the linear rows allow it, mostly.

Source: Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 220, 1983; Burkard and
Rendl, "A thermodynamically motivated simulation procedure for combinatorial optimization problems", European
Journal of Operational Research 17, 1984 (swaps).

Everything lies in one arena, see the parts below. A variable is the place of its value in its domain. Row 0
is the objective, of constant 0 where there is none.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.jit.instructions import entry, put
from cpqueens.kernels.jit.random import below, draw
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.arena import Ints
from cpqueens.kernels.local.plain import AT_MOST, EQUAL

# parts of the arena
TERM_START = 0  # (variables + 1,) into TERM, in terms
TERM = 1  # (entries, 5) of a variable: row, table, stride, the other variable, and its stride
TABLE = 2  # values of terms, one table after the other
KIND = 3  # (rows,) AT_MOST, EQUAL or NOT_EQUAL
ACTIVITY = 4  # (rows,)
BOUND_START = 5  # (variables + 1,) into BOUND, in rows
BOUND = 6  # (entries, 2) of a variable that moves by itself: a row AT_MOST, coefficient of its place
SIZE = 7  # (variables,) of the domain
GROUP = 8  # (variables,) -1: moves by itself
MEMBER_START = 9  # (groups + 1,) into MEMBER
MEMBER = 10
X = 11  # (variables,)
BEST = 12
LOGARITHMS = 13  # (1024,) of 1 / ((k + 0.5) / 1024), in 2**-16
INFO = 14  # scalars, see below and search_info; LEAST is the best objective
PARTS = 15

# entries of INFO beyond those of search_info
VIOLATION = at.LENGTH
PRICE = at.LENGTH + 1  # of a unit of violation
PASSED = at.LENGTH + 2  # steps of the cycle,
CYCLE = at.LENGTH + 3  # and its length
HEAT = at.LENGTH + 4  # temperature at a cycle's begin, in 1/256; 0 while it is not known
WORSE = at.LENGTH + 5  # sum of the changes from which that is taken,
SAMPLES = at.LENGTH + 6  # and their number
FOUND = at.LENGTH + 7  # improvements,
TOLD = at.LENGTH + 8  # and those that the driver knows of
KEPT = at.LENGTH + 9  # steps of the cycle that began with nothing violated
OPTIMISING = at.LENGTH + 10  # whether there is an objective
OCTAVES = at.LENGTH + 11  # how often the temperature is halved in a cycle
LENGTH = at.LENGTH + 12

SAMPLED = 100  # changes from which the temperature is taken
HOTTEST = 1 << 31
FROZEN = 31  # temperature, in 1/256, at which a change of 1 is taken once in 4,000 times
OCTAVES_IMPROVING = 5  # by which the temperature falls in a cycle where there is an objective
TRIES = 4  # of finding a partner with another value
FREELY = 8  # one move in so many leaves what linear rows allow
TELLING = 255  # a call ends with an improvement only where these bits of the steps are 0: many come together
LOG_BITS = 10
LOWEST = 454_261  # the logarithm of 2**LOG_BITS, in 2**-16


@inner_kernel
def gap(kind: int, activity: int) -> Any:
    """Return by how much a row is violated."""
    if kind == AT_MOST:
        return max(activity, 0)
    if kind == EQUAL:
        return abs(activity)
    return 1 if activity == 0 else 0


@inner_kernel
def shift(v: int, to: int, a: Ints) -> None:
    """Give a variable another value; keep activities and the violation."""
    x = entry(a, X)
    table = entry(a, TABLE)
    kinds = entry(a, KIND)
    activities = entry(a, ACTIVITY)
    here = entry(a, x + v)
    terms = entry(a, TERM_START) + v
    change = 0
    for q in range(entry(a, terms), entry(a, terms + 1)):
        p = entry(a, TERM) + 5 * q
        first = table + entry(a, p + 1) + entry(a, p + 4) * entry(a, x + entry(a, p + 3))
        stride = entry(a, p + 2)
        before = entry(a, first + stride * here)
        after = entry(a, first + stride * to)
        if before == after:
            continue
        r = entry(a, p)
        kind = entry(a, kinds + r)
        activity = entry(a, activities + r)
        put(a, activities + r, activity + after - before)
        if r > 0:
            change += gap(kind, activity + after - before) - gap(kind, activity)
    put(a, x + v, to)
    put(a, entry(a, INFO) + VIOLATION, entry(a, entry(a, INFO) + VIOLATION) + change)


@inner_kernel
def partner(v: int, a: Ints, random: Ints) -> Any:
    """Return a variable of the group with another value, -1 if none was met."""
    first = a[MEMBER] + a[a[MEMBER_START] + a[a[GROUP] + v]]
    size = a[MEMBER] + a[a[MEMBER_START] + a[a[GROUP] + v] + 1] - first
    for _ in range(TRIES):
        u = a[first + below(random, size)]
        if a[a[X] + u] != a[a[X] + v]:
            return u
    return -1


@inner_kernel
def target(v: int, a: Ints, random: Ints) -> Any:
    """Return another value of a variable, mostly one that breaks no linear row; its own if there is none."""
    here = a[a[X] + v]
    low = 0
    high = a[a[SIZE] + v] - 1
    if below(random, FREELY) > 0:
        for p in range(a[BOUND] + 2 * a[a[BOUND_START] + v], a[BOUND] + 2 * a[a[BOUND_START] + v + 1], 2):
            left = -a[a[ACTIVITY] + a[p]]
            if left < 0:
                continue
            if a[p + 1] > 0:
                high = min(high, here + left // a[p + 1])
            else:
                low = max(low, here - left // -a[p + 1])
    if low == high:
        return here
    to = low + below(random, high - low)
    return to if to < here else to + 1


@inner_kernel
def threshold(a: Ints, random: Ints) -> Any:
    """Return how much worse a step may make it now: between powers of two the temperature falls straight."""
    info = a[INFO]
    fallen = (a[info + OCTAVES] << 10) * a[info + PASSED] // a[info + CYCLE]
    heat = ((a[info + HEAT] << 8) >> (fallen >> 10)) * (2048 - (fallen & 1023)) >> 11
    number = draw(random)
    k = number >> (32 - LOG_BITS)
    log = a[a[LOGARITHMS] + k]
    if k == 0:  # one more digit
        log = LOWEST + a[a[LOGARITHMS] + ((number >> (32 - 2 * LOG_BITS)) & ((1 << LOG_BITS) - 1))]
    return (heat * log) >> 32


@inner_kernel
def heat_up(a: Ints) -> None:
    """Begin at a quarter of the mean worsening; without an objective end where few changes of 1 are taken."""
    info = a[INFO]
    a[info + HEAT] = min(HOTTEST, max(1, (a[info + WORSE] << 6) // SAMPLED))
    if a[info + OPTIMISING] == 0:
        a[info + OCTAVES] = 0
        while a[info + HEAT] >> (a[info + OCTAVES] + 1) >= FROZEN:
            a[info + OCTAVES] += 1


@inner_kernel
def is_accepted(change: int, a: Ints, random: Ints) -> Any:
    """Say whether a move is kept; the first ones say what the temperature is."""
    info = a[INFO]
    if a[info + HEAT] == 0:
        if change > 0:
            a[info + WORSE] += change
            a[info + SAMPLES] += 1
            if a[info + SAMPLES] == SAMPLED:
                heat_up(a)
        return True
    return change <= 0 or change <= threshold(a, random)


@inner_kernel
def value(a: Ints) -> Any:
    """Return what is minimised: the objective, and the price of what is violated."""
    return a[a[ACTIVITY]] + a[a[INFO] + PRICE] * a[a[INFO] + VIOLATION]


@inner_kernel
def keep(a: Ints) -> None:
    """Keep the present assignment, which violates nothing, as the best."""
    info = a[INFO]
    a[info + FOUND] += 1
    a[info + at.LEAST] = a[a[ACTIVITY]]
    for v in range(a[BEST] - a[X]):
        a[a[BEST] + v] = a[a[X] + v]


@inner_kernel
def step(v: int, a: Ints, random: Ints) -> None:
    """Move a variable, and back again if that is not accepted."""
    info = a[INFO]
    here = a[a[X] + v]
    before = value(a)
    u = -1
    if a[a[GROUP] + v] >= 0:
        u = partner(v, a, random)
        to = here if u < 0 else a[a[X] + u]
    else:
        to = target(v, a, random)
    if to == here:
        return
    a[info + at.EVALUATIONS] += 1
    shift(v, to, a)
    if u >= 0:
        shift(u, here, a)
    if is_accepted(value(a) - before, a, random):
        a[info + at.MOVES] += 1
        a[info + at.HASH] = at.mixed(65_537 * v + to, a[info + at.HASH])
        return
    shift(v, here, a)
    if u >= 0:
        shift(u, to, a)


@kernel
def cells_search(steps: int, a: Ints, random: Ints) -> Any:
    """Go on for ``steps`` steps; return SOLVED some steps after an improvement, STALLED at a cycle's end."""
    info = a[INFO]
    n = a[BEST] - a[X]
    for _ in range(steps):
        if a[info + VIOLATION] == 0 and a[a[ACTIVITY]] < a[info + at.LEAST]:
            keep(a)
        if a[info + FOUND] != a[info + TOLD] and (
            a[info + at.STEPS] & TELLING == 0 or a[info + OPTIMISING] == 0
        ):
            return at.SOLVED
        if a[info + PASSED] >= a[info + CYCLE]:
            return at.STALLED
        a[info + at.STEPS] += 1
        a[info + PASSED] += 1
        a[info + KEPT] += 1 if a[info + VIOLATION] == 0 else 0
        step(below(random, n), a, random)
    if a[info + VIOLATION] == 0 and a[a[ACTIVITY]] < a[info + at.LEAST]:
        keep(a)
    return at.BUDGET
