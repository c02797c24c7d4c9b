"""Which variable is decided next and how: orders by name, conflict-driven weights, saved values.

A decision is (variable, kind, value): the variable is at most, at least, or equal to the value; its other
branch says the opposite.
"""

from typing import Any, NamedTuple

import numpy as np

from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.domains import Ints, Memory, contains, is_open, remove, size, tighten
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.instructions import entry, put
from cpqueens.kernels.jit.random import below

# Variable orders; those from `CONFLICTS` on decide a variable that has failed before all others.
LEXICOGRAPHIC, SMALLEST_DOMAIN, LARGEST_DOMAIN, MOST_CONSTRAINED, MAX_REGRET = range(5)
SMALLEST_VALUE, LARGEST_VALUE, RANDOM_VARIABLE, MOST_OCCURRENCES, CONFLICTS = range(5, 10)
# Value orders.
ASCENDING, DESCENDING, MEDIAN, SPLIT, SPLIT_UPPER, RANDOM, SAVED, MIDDLE, SPLIT_RANDOM = range(9)
# Kinds of decisions.
AT_MOST, AT_LEAST, EQUAL = range(3)

# Phases; those from `UNFINISHED` on say what step is to be propagated further.
ROOT, DESCEND, RETREAT, UNFINISHED = range(4)
# What a step did.
FAILED, NARROWED, DECIDED, FINISHED = range(4)

# Places in `TreeSearch.state`: where the search is and what it has met; the order of values at hand; the
# variable (its position + 1) that failed last; at how many failures it restarts, and what is added then; at
# how many solutions or failures the driver is to be asked what objective it demands; what it is trying out
# until its first restart; whether the driver has been asked for the next decision, the variable (its position
# + 1) that it chose, whether it chose a value, and that.
DEPTH, PHASE, NODES, FAILURES, FOUND, STORED, REPLAYING, DEEPEST = range(8)
VALUE_ORDER, LAST_CONFLICT, LIMIT, GROWTH, RESTARTS, NOGOODS, REFUTED = range(8, 15)
ASK_FOUND, ASK_FAILURES, TRIAL, ANSWERED, CHOSEN, HAS_VALUE, CHOSEN_VALUE, STATES = range(15, 23)
# Trials: none, the order in which the model was written, the first phase after all others.
NO_TRIAL, WRITTEN, FIRST_LAST = range(3)

# Places in `TreeSearch.options`: decision variables, whether to check only (no look-ahead), the objective's
# row (-1: none), whether to keep solutions, whether to learn weights, the propagator of nogoods (-1: no
# restarts), where the places begin and end, whether to ask the driver for decisions. Then the phases, rows
# of four (first place, end, variable order, value order), the places, positions of the variables in the
# phases' order, and the failures between restarts where the user has named them.
COUNT, CHECK_ONLY, OBJECTIVE, KEEP, LEARNING, NOGOOD, PLACES, PLACES_END, ASKS, PHASES = range(10)

# Columns of `TreeSearch.levels` and of ``refuted``: a decision, where the trails were before it, the first
# place that was open, what part of the `WHOLE` tree is left beside what is below the decision; of a refuted
# decision, below how many decisions.
VARIABLE, VALUE, TRAIL, CELLS, FIRST_OPEN, DECISION, LEFT, LEVEL_WIDTH = range(8)
BELOW, R_VARIABLE, R_VALUE, R_DECISION, R_WIDTH = range(5)

WHOLE = 1 << 62
"""Of a tree: a decision for one of k values takes a k-th of what is left (Knuth 1975, Kilby et al. 2006)."""

_MOST_BLAMED = 256
_LARGE = 1 << 40
_LARGEST = (1 << 63) - 1


class TreeSearch(NamedTuple):
    """The stack and the settings of one search; ``levels`` has one row a decision."""

    state: Ints
    levels: Ints
    refuted: Ints
    options: Ints
    random: Ints
    after: Ints
    solutions: Ints  # (capacity, decision variables)


@inner_kernel
def degree(m: Memory, v: int) -> Any:
    """Return how many constraints look at v."""
    watches = entry(m.x, v + at.WATCH_END) - entry(m.x, v + at.WATCH)
    places = entry(m.x, v + at.PART_END) - entry(m.x, v + at.PART)
    places += entry(m.x, v + at.MEMBER_END) - entry(m.x, v + at.MEMBER)
    return watches // 2 + places // 3


@inner_kernel
def regret(m: Memory, v: int) -> Any:
    """Return the distance of v's two smallest values."""
    low = entry(m.x, v + at.LOW)
    w = low + 1
    while not contains(m, v, w):
        w += 1
    return w - low


@inner_kernel
def rank(m: Memory, q: TreeSearch, v: int, order: int) -> Any:
    """Return a number that is least for the open variable that is to be decided next."""
    if order == CONFLICTS:
        return size(m, v) / (1.0 + entry(m.x, v + at.WEIGHT))
    if order == MOST_CONSTRAINED:
        return size(m, v) - degree(m, v) / 4294967296.0
    if order == SMALLEST_VALUE:
        return float(entry(m.x, v + at.LOW))
    if order == LARGEST_VALUE:
        return -float(entry(m.x, v + at.HIGH))
    if order == MOST_OCCURRENCES:
        return -float(degree(m, v))
    if order == MAX_REGRET:
        return -float(regret(m, v))
    if order == LARGEST_DOMAIN:
        return -float(size(m, v))
    return float(below(q.random, 1 << 30))


@inner_kernel
def smallest_domain(m: Memory, q: TreeSearch, first: int, end: int) -> Any:
    """Return the first of the open variables with fewest values; none has less than two."""
    best, least = q.options[first], np.int64(_LARGEST)
    for place in range(first, end):
        v = entry(q.options, place)
        if is_open(m, v):
            found = size(m, v)
            if found < least:
                best, least = v, found
                if found == 2:
                    break
    return best


@inner_kernel
def first_written(m: Memory, q: TreeSearch) -> Any:
    """Return the first open variable of the model, -1 if all are decided."""
    for v in range(0, q.options[COUNT] * at.X_WIDTH, at.X_WIDTH):
        if is_open(m, v):
            return v
    return -1


@inner_kernel
def behind_first(m: Memory, q: TreeSearch, first: int) -> Any:
    """Return the first place, from ``first`` on, that is open and not of the first phase, or the end."""
    place = max(first, q.options[PHASES + 1])
    while place < q.options[PLACES_END] and not is_open(m, q.options[place]):
        place += 1
    return place


@inner_kernel
def choose_variable(m: Memory, q: TreeSearch) -> Any:
    """Return the next decision variable to branch on, -1 if all are decided; note the order of its values."""
    depth = q.state[DEPTH]
    row = PHASES
    if q.options[CHECK_ONLY]:  # one level a variable, also for those with one value
        q.state[VALUE_ORDER] = q.options[row + 3]
        return depth * at.X_WIDTH if depth < q.options[COUNT] else -1
    end = q.options[PLACES_END]
    first = q.levels[depth - 1, FIRST_OPEN] if depth > 0 else q.options[PLACES]
    while first < end and not is_open(m, q.options[first]):
        first += 1
    q.levels[depth, FIRST_OPEN] = first
    if first == end:
        return -1
    if q.state[TRIAL] == FIRST_LAST:
        behind = behind_first(m, q, first)
        first = behind if behind < end else first
    while q.options[row + 1] <= first:
        row += 4
    order = q.options[row + 2]
    q.state[VALUE_ORDER] = q.options[row + 3]
    if q.state[CHOSEN] > 0:
        return q.state[CHOSEN] - 1
    if q.state[TRIAL] == WRITTEN:
        written = first_written(m, q)
        if written >= 0:
            q.state[VALUE_ORDER] = ASCENDING
            return written
    best = q.options[first]
    if order == LEXICOGRAPHIC:
        return best
    if order == SMALLEST_DOMAIN:
        return smallest_domain(m, q, first, q.options[row + 1])
    if order == CONFLICTS and q.state[LAST_CONFLICT] > 0 and is_open(m, q.state[LAST_CONFLICT] - 1):
        return q.state[LAST_CONFLICT] - 1
    least = np.inf
    for place in range(first, q.options[row + 1]):
        v = entry(q.options, place)
        if is_open(m, v):
            found = rank(m, q, v, order)
            if found < least:
                best, least = v, found
    return best


@inner_kernel
def listed_value(m: Memory, v: int, skip: int) -> Any:
    """Return the value of v that ``skip`` smaller ones precede."""
    shift = entry(m.x, v + at.FIRST) - entry(m.x, v + at.BASE)
    w = entry(m.x, v + at.LOW)
    while True:
        if entry(m.cells, shift + w):
            if skip == 0:
                return w
            skip -= 1
        w += 1


@inner_kernel
def halved(m: Memory, v: int) -> Any:
    """Return the middle of v's bounds, rounded down."""
    low, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    return (low >> 1) + (high >> 1) + (low & high & 1)  # the sum might not fit


@inner_kernel
def near_saved(m: Memory, v: int) -> Any:
    """Return v's saved value, or the bound on its side of the domain where it is no longer in that."""
    value = entry(m.x, v + at.SAVED)
    if contains(m, v, value):
        return value
    return entry(m.x, v + at.HIGH) if value > entry(m.x, v + at.HIGH) else entry(m.x, v + at.LOW)


@inner_kernel
def nearest(m: Memory, v: int, middle: int) -> Any:
    """Return the value of v that is nearest to one between its bounds, of two the smaller."""
    away = 0
    while True:
        if contains(m, v, middle - away):
            return middle - away
        if contains(m, v, middle + away):
            return middle + away
        away += 1


@inner_kernel
def choose_branch(m: Memory, q: TreeSearch, v: int) -> Any:
    """Return kind and value of the decision to try on v; without listed values halves alone are tried."""
    order = q.state[VALUE_ORDER]
    low, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    if q.state[HAS_VALUE]:
        return EQUAL, q.state[CHOSEN_VALUE]
    if q.options[CHECK_ONLY] and (order != RANDOM or entry(m.x, v + at.FIRST) < 0):
        return AT_MOST, low
    if order in (SPLIT, SPLIT_UPPER, SPLIT_RANDOM) or entry(m.x, v + at.FIRST) < 0:
        middle = halved(m, v)
        upper = order in (SPLIT_UPPER, DESCENDING)
        if order == SPLIT_RANDOM:
            upper = below(q.random, 2) == 1
        if order == SAVED:
            upper = entry(m.x, v + at.SAVED) > middle
        return (AT_LEAST, middle + 1) if upper else (AT_MOST, middle)
    if order == ASCENDING:
        return AT_MOST, low
    if order == DESCENDING:
        return AT_LEAST, high
    if order == SAVED:
        value = near_saved(m, v)
    elif order == MIDDLE:
        value = nearest(m, v, halved(m, v))
    else:
        many = size(m, v)
        value = listed_value(m, v, below(q.random, many) if order == RANDOM else (many - 1) // 2)
    return EQUAL, value


@inner_kernel
def share_left(m: Memory, q: TreeSearch, depth: int, v: int, kind: int) -> None:
    """Take from what is left of the tree what a decision has of it: one of v's values, or half."""
    part = q.levels[depth, LEFT] // (size(m, v) if kind == EQUAL else 2)
    q.levels[depth, LEFT] -= part
    if depth + 1 < len(q.levels):
        q.levels[depth + 1, LEFT] = part


@inner_kernel
def limit(m: Memory, v: int, kind: int, value: int) -> Any:
    """Make a decision, or its opposite, true: opposites have the kinds -1 - kind."""
    if kind == -1 - EQUAL:
        return remove(m, v, value)
    low, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    if kind in (AT_MOST, EQUAL):
        high = min(high, value)
    if kind in (AT_LEAST, EQUAL):
        low = max(low, value)
    if kind == -1 - AT_MOST:
        low = value + 1
    if kind == -1 - AT_LEAST:
        high = value - 1
    return tighten(m, v, low, high)


@inner_kernel
def note_conflict(m: Memory, q: TreeSearch, possible: int) -> None:
    """After a decision: remember its variable if it failed, until it can be decided."""
    mine = q.levels[q.state[DEPTH] - 1, VARIABLE] + 1
    if not possible and q.state[LAST_CONFLICT] == 0:
        q.state[LAST_CONFLICT] = mine
    elif possible and q.state[LAST_CONFLICT] == mine:
        q.state[LAST_CONFLICT] = 0


@inner_kernel
def blame(m: Memory) -> None:
    """Add to the weights of the variables of the constraint that failed, or of those that define them.

    Later failures count for more. After Boussemart, Hemery, Lecoutre and Sais (2004), "Boosting systematic
    search by weighting constraints"; that all variables count, not only open ones, is Gecode's variant.
    The list of changes is empty meanwhile: it holds what is still to be looked at.
    """
    failed = m.stack[at.FAILED]
    m.stack[at.FAILED] = 0
    base = m.stack[at.CHANGED_BASE]
    top = base
    room = min(_MOST_BLAMED, m.stack[at.VARIABLES] // at.X_WIDTH)
    first = end = 0
    stride = 2
    if failed > 0:
        first, end = entry(m.net, failed - 1 + at.START), entry(m.net, failed - 1 + at.END)
        if kinds.DIFFERENT < entry(m.net, failed - 1 + at.KIND) < kinds.APART and room:
            r = entry(m.net, failed - 1 + at.RESULT)
            if r >= 0:
                put(m.stack, top, r)
                top += 1
    elif failed < 0:
        first, end, stride = entry(m.net, -failed + 1), entry(m.net, -failed + 2), 3
    seen = base
    while True:
        while first < end and top - base < room:
            put(m.stack, top, entry(m.net, first))
            top += 1
            first += stride
        if seen >= top:
            break
        v = entry(m.stack, seen)
        seen += 1
        put(m.x, v + at.WEIGHT, entry(m.x, v + at.WEIGHT) + m.stack[at.BUMP])
        first = end = 0
        stride = 2
        maker = entry(m.x, v + at.MAKER)
        if maker > 0:
            first, end = entry(m.net, maker - 1 + at.START), entry(m.net, maker - 1 + at.END)
            if entry(m.net, maker - 1 + at.KIND) >= kinds.APART:
                end -= 2  # v itself
    m.stack[at.BUMP] += (m.stack[at.BUMP] >> 6) + 1
    if m.stack[at.BUMP] > _LARGE:
        m.stack[at.BUMP] >>= 30
        for v in range(0, m.stack[at.VARIABLES], at.X_WIDTH):
            put(m.x, v + at.WEIGHT, entry(m.x, v + at.WEIGHT) >> 30)


@inner_kernel
def save_values(m: Memory, q: TreeSearch) -> None:
    """Keep the values that the variables to decide have, to be tried first from now on."""
    for place in range(q.options[PLACES], q.options[PLACES_END]):
        v = entry(q.options, place)
        if not is_open(m, v):
            put(m.x, v + at.SAVED, entry(m.x, v + at.LOW))
