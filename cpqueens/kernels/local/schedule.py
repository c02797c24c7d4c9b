"""Search for schedules over lists of tasks: each starts as early as those before it in the list allow.

A move takes a task and the one that it waits for on a longest path, not because of a lag but because one of
them has to be the first, and puts it before that one in the list, together with what both need between them.
It is accepted as in simulated annealing, whose temperature falls with the square of what is left of a cycle;
each cycle is longer than the one before, every second one begins with the best schedule.

Source: van Laarhoven, Aarts and Lenstra, "Job shop scheduling by simulated annealing", Operations Research
40, 1992 (moves on a longest path); only the first and last moves of a block, after Nowicki and Smutnicki,
"A fast taboo search algorithm for the job shop problem", Management Science 42, 1996. Lists instead of
graphs, which resources of any capacity fit into, are ours (serial generation: Kelley 1963).

Everything lies in one arena, see the parts below; *node* is a task or anything else that has a time.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.jit.random import below, draw
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.arena import Ints

# parts of the arena
ARC_START = 0  # (nodes + 1,) into ARC, in arcs
ARC = 1  # (arcs, 3): for a node, another one, the lag behind it, and why: ALWAYS or BY_CHOICE
USE_START = 2  # (nodes + 1,) into USE, in activities
USE = 3  # (activities, 4) of a node: resource, offset, duration, demand
TASK_START = 4  # (resources + 1,) into TASK
TASK = 5  # (activities, 4) of a resource: node, offset, duration, demand
CAPACITY = 6  # (resources,); MACHINE: one whose tasks come one after the other, whatever they take
LOW = 7  # (nodes,)
HIGH = 8
WEIGHT = 9
ENDS = 10  # the nodes with a weight
ORDER = 11  # (nodes,) the list
PLACE = 12  # (nodes,) in the list
START = 13  # (nodes,)
OLD_ORDER = 14  # what a move that is not accepted goes back to
OLD_START = 15
BEST = 16  # (nodes,) the best starts,
BEST_ORDER = 17  # and their list
MARK = 18  # (nodes,)
LOGARITHMS = 19  # (256,) of 1 / ((k + 0.5) / 256), in 2**-16
STEP = (
    20  # (2 * activities + resources, 2) moments with what is demanded of a resource from then on, ascending,
)
STEPS = 21  # and how many there are of each; a machine has one, the end of its last task
INFO = 22  # scalars, see below and search_info; COST is that of the present list
PARTS = 23

# entries of INFO beyond those of search_info
LATE = at.LENGTH  # cost of a unit beyond an upper bound
PASSED = at.LENGTH + 1  # steps of the cycle,
CYCLE = at.LENGTH + 2  # and its length
HEAT = at.LENGTH + 3  # temperature at a cycle's begin, in 1/256; 0 while it is not known
WORSE = at.LENGTH + 4  # sum of the changes of cost from which that is taken,
SAMPLES = at.LENGTH + 5  # and their number
FOUND = at.LENGTH + 6  # improvements,
TOLD = at.LENGTH + 7  # and those that the driver knows of
TARGET = at.LENGTH + 8  # a cost that is enough
SHORTEST = at.LENGTH + 9  # steps of the first cycle
PLACED = at.LENGTH + 10  # nodes of the first list that have a start
LENGTH = at.LENGTH + 11

# why a node waits for another one
ALWAYS = 0
BY_CHOICE = -1

MACHINE = -1  # its capacity

SAMPLED = 100  # changes from which the temperature is taken
LONGEST = 1 << 24  # steps of a cycle


@inner_kernel
def profile(r: int, a: Ints) -> Any:
    """Return where the steps of resource ``r`` lie; it has room for two of each task, and one before all."""
    return a[STEP] + 2 * (2 * a[a[TASK_START] + r] + r)


@inner_kernel
def clear(a: Ints) -> None:
    """Let no resource be used."""
    for r in range(a[LOW] - a[CAPACITY]):
        first = profile(r, a)
        a[first] = -at.NEVER
        a[first + 1] = 0
        a[a[STEPS] + r] = 1


@inner_kernel
def step_at(r: int, moment: int, a: Ints) -> Any:
    """Return the number of the last step of resource ``r`` that is not behind a moment."""
    first = profile(r, a)
    low = 0
    high = a[a[STEPS] + r]
    while high - low > 1:
        middle = (low + high) >> 1
        if a[first + 2 * middle] <= moment:
            low = middle
        else:
            high = middle
    return low


@inner_kernel
def split(r: int, moment: int, a: Ints) -> Any:
    """Return the number of the step of resource ``r`` that begins at a moment, which may be a new one."""
    first = profile(r, a)
    k = step_at(r, moment, a)
    if a[first + 2 * k] == moment:
        return k
    for q in range(first + 2 * a[a[STEPS] + r] - 1, first + 2 * k + 1, -1):
        a[q + 2] = a[q]
    a[first + 2 * k + 2] = moment
    a[first + 2 * k + 3] = a[first + 2 * k + 1]
    a[a[STEPS] + r] += 1
    return k + 1


@inner_kernel
def occupy(t: int, a: Ints) -> None:
    """Let node ``t``, which has a start, use its resources."""
    for p in range(a[a[USE_START] + t], a[a[USE_START] + t + 1]):
        k = a[USE] + 4 * p
        r = a[k]
        first = profile(r, a)
        begin = a[a[START] + t] + a[k + 1]
        if a[a[CAPACITY] + r] == MACHINE:
            a[first] = max(a[first], begin + a[k + 2])
            continue
        low = split(r, begin, a)
        high = split(r, begin + a[k + 2], a)
        for q in range(low, high):
            a[first + 2 * q + 1] += a[k + 3]


@inner_kernel
def fitting(k: int, s: int, a: Ints) -> Any:
    """Return the first start of a node, from ``s`` on, that activity ``k`` of it fits in."""
    r = a[k]
    first = profile(r, a)
    moment = s + a[k + 1]
    if a[a[CAPACITY] + r] == MACHINE:
        return max(moment, a[first]) - a[k + 1]
    free = a[a[CAPACITY] + r] - a[k + 3]
    q = step_at(r, moment, a)
    begin = moment
    while begin < moment + a[k + 2]:
        if a[first + 2 * q + 1] > free:
            moment = a[first + 2 * q + 2]
        q += 1
        begin = a[first + 2 * q] if q < a[a[STEPS] + r] else at.NEVER
    return moment - a[k + 1]


@inner_kernel
def earliest(t: int, a: Ints) -> Any:
    """Return when node ``t`` starts, given all before it in the list."""
    s = a[a[LOW] + t]
    place = a[a[PLACE] + t]
    for p in range(a[a[ARC_START] + t], a[a[ARC_START] + t + 1]):
        k = a[ARC] + 3 * p
        u = a[k]
        if a[a[PLACE] + u] < place:
            s = max(s, a[a[START] + u] + a[k + 1])
    first = a[a[USE_START] + t]
    end = a[a[USE_START] + t + 1]
    settled = 0
    p = first
    while settled < end - first:  # until all resources in turn have left it where it was
        later = fitting(a[USE] + 4 * p, s, a)
        settled = settled + 1 if later == s else 1
        s = later
        p = p + 1 if p + 1 < end else first
    return s


@inner_kernel
def decode(first: int, a: Ints) -> None:
    """Compute the starts from place ``first`` of the list on, and the cost."""
    n = a[PLACE] - a[ORDER]
    clear(a)
    for q in range(n):
        t = a[a[ORDER] + q]
        if q >= first:
            a[a[START] + t] = earliest(t, a)
        occupy(t, a)
    cost = 0
    late = 0
    for t in range(n):
        s = a[a[START] + t]
        cost += a[a[WEIGHT] + t] * s
        late += max(0, s - a[a[HIGH] + t])
    a[a[INFO] + at.COST] = cost + late * a[a[INFO] + LATE]
    a[a[INFO] + at.SIZE] = late
    a[a[INFO] + at.EVALUATIONS] += 1


@inner_kernel
def an_end(a: Ints, random: Ints) -> Any:
    """Return a node that costs: one of those beyond their bounds if there are, else one with a weight."""
    info = a[INFO]
    if a[info + at.SIZE] == 0:
        ends = a[ORDER] - a[ENDS]
        return a[a[ENDS] + below(random, ends)] if ends > 0 else -1
    n = a[PLACE] - a[ORDER]
    offset = below(random, n)
    for q in range(n):
        t = (offset + q) % n
        if a[a[START] + t] > a[a[HIGH] + t]:
            return t
    return -1


@inner_kernel
def cause(t: int, a: Ints, random: Ints) -> Any:
    """Return a random node that ``t`` waits for, -1 for none, and why.

    That is ALWAYS, BY_CHOICE, or by choice the number of a machine, above 0.
    """
    s = a[a[START] + t]
    place = a[a[PLACE] + t]
    found = -1
    why = ALWAYS
    ties = 0
    for p in range(a[a[ARC_START] + t], a[a[ARC_START] + t + 1]):
        k = a[ARC] + 3 * p
        u = a[k]
        if a[a[PLACE] + u] < place and a[a[START] + u] + a[k + 1] == s:
            ties += 1
            if below(random, ties) == 0:
                found = u
                why = a[k + 2]
    for q in range(a[a[USE_START] + t], a[a[USE_START] + t + 1]):
        k = a[USE] + 4 * q
        r = a[k]
        for p in range(a[a[TASK_START] + r], a[a[TASK_START] + r + 1]):
            o = a[TASK] + 4 * p
            u = a[o]
            end = a[a[START] + u] + a[o + 1] + a[o + 2]
            if a[a[PLACE] + u] < place and end == s + a[k + 1]:
                ties += 1
                if below(random, ties) == 0:
                    found = u
                    why = r + 1 if a[a[CAPACITY] + r] == MACHINE else BY_CHOICE
    return found, why


@inner_kernel
def choose(a: Ints, random: Ints) -> Any:
    """Return u * nodes + v for two nodes that are worth changing places, on a longest path; -1 for none.

    Of a block of such pairs on one machine it is the first or the last.
    """
    n = a[PLACE] - a[ORDER]
    v = an_end(a, random)
    found = -1
    ties = 0
    pair = -1  # the one looked at before, offered once it is known what lies before it
    machine = ALWAYS  # of it
    behind = ALWAYS  # and of the one behind it
    while v >= 0:
        u, why = cause(v, a, random)
        if pair >= 0 and not (why == machine == behind and machine > 0):
            ties += 1
            if below(random, ties) == 0:
                found = pair
        behind = machine
        machine = why
        pair = u * n + v if why != ALWAYS else -1
        v = u
    return found


@inner_kernel
def needed(low: int, high: int, v: int, a: Ints) -> None:
    """Mark what ``v``, at place ``high``, waits for between the places ``low`` and ``high``."""
    for q in range(low, high):
        a[a[MARK] + a[a[ORDER] + q]] = 0
    a[a[MARK] + v] = 1
    for q in range(high, low, -1):
        t = a[a[ORDER] + q]
        if a[a[MARK] + t] == 0:
            continue
        for p in range(a[a[ARC_START] + t], a[a[ARC_START] + t + 1]):
            u = a[a[ARC] + 3 * p]
            place = a[a[PLACE] + u]
            if low < place < q or (place == low and (a[a[ARC] + 3 * p + 2] == ALWAYS or t != v)):
                a[a[MARK] + u] = 1
        for w in range(a[a[USE_START] + t], a[a[USE_START] + t + 1]):
            r = a[a[USE] + 4 * w]
            if a[a[CAPACITY] + r] == MACHINE:
                for p in range(a[a[TASK_START] + r], a[a[TASK_START] + r + 1]):
                    u = a[a[TASK] + 4 * p]
                    place = a[a[PLACE] + u]
                    if low < place < q or (place == low and t != v):
                        a[a[MARK] + u] = 1


@inner_kernel
def bring(u: int, v: int, a: Ints) -> Any:
    """Put ``v`` before ``u`` in the list, what it needs still earlier.

    Return the first place that this changes, -1 if it is impossible.
    """
    low = a[a[PLACE] + u]
    high = a[a[PLACE] + v]
    needed(low, high, v, a)
    if a[a[MARK] + u] != 0:
        return -1
    n = a[PLACE] - a[ORDER]
    for t in range(n):
        a[a[OLD_START] + t] = a[a[START] + t]
        a[a[OLD_ORDER] + t] = a[a[ORDER] + t]
    free = low
    for q in range(low, high + 1):
        t = a[a[OLD_ORDER] + q]
        if a[a[MARK] + t] != 0:
            a[a[ORDER] + free] = t
            a[a[PLACE] + t] = free
            free += 1
    for q in range(low, high + 1):
        t = a[a[OLD_ORDER] + q]
        if a[a[MARK] + t] == 0:
            a[a[ORDER] + free] = t
            a[a[PLACE] + t] = free
            free += 1
    return low


@inner_kernel
def restore(order: int, start: int, a: Ints) -> None:
    """Take a list, and its starts, from two parts."""
    n = a[PLACE] - a[ORDER]
    for q in range(n):
        t = a[a[order] + q]
        a[a[ORDER] + q] = t
        a[a[PLACE] + t] = q
        a[a[START] + q] = a[a[start] + q]


@inner_kernel
def keep(a: Ints) -> None:
    """Keep the present schedule as the best."""
    info = a[INFO]
    a[info + at.LEAST] = a[info + at.COST]
    a[info + FOUND] += 1
    n = a[PLACE] - a[ORDER]
    for q in range(n):
        a[a[BEST] + q] = a[a[START] + q]
        a[a[BEST_ORDER] + q] = a[a[ORDER] + q]


@inner_kernel
def threshold(a: Ints, random: Ints) -> Any:
    """Return how much worse a schedule may become now."""
    info = a[INFO]
    rest = ((a[info + CYCLE] - a[info + PASSED]) << 10) // a[info + CYCLE]
    heat = (a[info + HEAT] * rest * rest) >> 20
    return (heat * a[a[LOGARITHMS] + (draw(random) >> 24)]) >> 24


@inner_kernel
def is_accepted(change: int, a: Ints, random: Ints) -> Any:
    """Say whether a move is kept; the first ones say what the temperature is."""
    info = a[INFO]
    if a[info + HEAT] == 0:
        if change > 0:
            a[info + WORSE] += change
            a[info + SAMPLES] += 1
            if a[info + SAMPLES] == SAMPLED:
                a[info + HEAT] = max(1, (a[info + WORSE] << 8) // SAMPLED)
        return True
    return change <= 0 or change <= threshold(a, random)


@inner_kernel
def turn(a: Ints, random: Ints) -> None:
    """Begin the next cycle."""
    info = a[INFO]
    a[info + PASSED] = 0
    a[info + at.RESETS] += 1
    a[info + CYCLE] = 2 * a[info + CYCLE] if a[info + CYCLE] < LONGEST else a[info + SHORTEST]
    if below(random, 2) == 0:
        restore(BEST_ORDER, BEST, a)
        a[info + at.COST] = a[info + at.LEAST]
        late = 0
        for t in range(a[PLACE] - a[ORDER]):
            late += max(0, a[a[START] + t] - a[a[HIGH] + t])
        a[info + at.SIZE] = late


@inner_kernel
def some_pair(a: Ints, random: Ints) -> Any:
    """Return two neighbours in the list, as `choose` does."""
    n = a[PLACE] - a[ORDER]
    if n < 2:
        return -1
    q = below(random, n - 1)
    return a[a[ORDER] + q] * n + a[a[ORDER] + q + 1]


@inner_kernel
def begin(steps: int, a: Ints) -> Any:
    """Give up to ``steps`` further nodes of the first list a start; keep the schedule when all have one."""
    placed = a[INFO] + PLACED
    n = a[PLACE] - a[ORDER]
    if a[placed] == 0:
        clear(a)
    for _ in range(min(steps, n - a[placed])):
        t = a[a[ORDER] + a[placed]]
        a[a[START] + t] = earliest(t, a)
        occupy(t, a)
        a[placed] += 1
    if a[placed] == n:
        decode(n, a)
        keep(a)
    return at.BUDGET


@kernel
def schedule_search(steps: int, a: Ints, random: Ints) -> Any:
    """Go on for ``steps`` steps; return SOLVED once the cost is TARGET or less.

    The first calls make the first schedule.
    """
    info = a[INFO]
    n = a[PLACE] - a[ORDER]
    if a[info + FOUND] == 0:
        return begin(steps, a)
    for _ in range(steps):
        if a[info + at.LEAST] <= a[info + TARGET]:
            return at.SOLVED
        a[info + at.STEPS] += 1
        a[info + PASSED] += 1
        if a[info + PASSED] >= a[info + CYCLE]:
            turn(a, random)
        pair = choose(a, random)
        if pair < 0:
            pair = some_pair(a, random)
        before = a[info + at.COST]
        late = a[info + at.SIZE]
        first = bring(pair // n, pair % n, a) if pair >= 0 else -1
        if first < 0:
            continue
        decode(first, a)
        if is_accepted(a[info + at.COST] - before, a, random):
            a[info + at.MOVES] += 1
            a[info + at.HASH] = at.mixed(pair, a[info + at.HASH])
            if a[info + at.COST] < a[info + at.LEAST]:
                keep(a)
            continue
        restore(OLD_ORDER, OLD_START, a)
        a[info + at.COST] = before
        a[info + at.SIZE] = late
    return at.BUDGET
