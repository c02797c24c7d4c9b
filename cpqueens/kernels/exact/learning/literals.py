"""Literals over integer variables, and the records of the log that made them true.

A literal is two words: four times the variable and the operator; the value. Nothing is made in advance. As in
Feydy and Stuckey (2009), "Lazy clause generation reengineered", but literals of one variable imply each other
by comparing numbers, and not by clauses.

A *fact* is a literal that is true. Of variables without listed values no value between the bounds can be
removed: facts are bounds there, and a value that is not the variable's only while it lies outside of them.

The arrays of a search that learns clauses, and the places in them.
"""

from typing import Any, NamedTuple

from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.domains import Ints, Memory, contains, remove, tighten
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.instructions import entry, put

# Places in `Learner.state`. Settings: decision variables, the objective's row (-1: none), a bit for each kind
# of propagator that reads nothing but bounds. Counters: what the search has done; why propagation goes on or
# stops; the first record whose clauses were not looked at; where the log and the arena begin and end. What
# the driver is told: solutions stored, the least sum of the objective's row before all decisions, the clause
# that was learned last (0: a single literal, which stands at `SINGLE` then). `HALVES` says whether a solution
# is known, so that the objective is halved at times; `SKIPPED` counts the levels that conflicts of late
# led back over, beyond their own.
COUNT, OBJECTIVE, BOUNDS_ONLY, NODES, FAILURES, FOUND, STORED, RESTARTS = range(8)
DEEPEST, DEPTH, SEEN, LOG_BASE, TRAIL_END, ARENA_TOP, CLAUSES, LEARNED = range(8, 16)
LITERALS, DELETED, MOST_CLAUSES, LIMIT, LUBY, LUBY_BITS, LEAST, LAST_CLAUSE = range(16, 24)
SINGLE, SINGLE_VALUE, ASK_FAILURES, BY_ALL, EXPLAINED, HAS_BEST, HAS_LEAST, LOOKED = range(24, 32)
HALVES, SKIPPED, STATES = range(32, 35)

# Places in ``state`` from `STATES` on: where the regions of ``room`` begin, and how much is in them. Levels
# (where trail, cells and log were), the heap of variables and their places in it, facts, marked records, a
# stamp for each level.
LEVELS, LEVELS_END, HEAP, HEAP_SIZE, PLACES, FACTS, FACTS_TOP, FACTS_END = range(STATES, STATES + 8)
MARKED, MARKED_TOP, STAMPS, STAMP, FIRST_CLAUSE, HEADER = range(STATES + 8, STATES + 14)

# A level.
L_TRAIL, L_CELLS, L_LOG, L_WIDTH = range(4)

# A clause in ``arena``: how many literals (0: deleted), how many levels they had when it was learned (0: of
# the model), when it was used last, the next one in the list of each of its two watched literals, which are
# the first ones. Before all clauses there are the lists: one for each variable and operator.
C_LENGTH, C_LEVELS, C_USED, C_NEXT, C_LITERALS = 0, 1, 2, 3, 5


class Learner(NamedTuple):
    """What a search that learns has besides the memory."""

    state: Ints
    room: Ints
    arena: Ints
    solutions: Ints  # (capacity, decision variables)


@inner_kernel
def add_fact(q: Learner, fact: int, value: int) -> None:
    """Put a fact on the list of facts; one too many is told by the list's top."""
    top = q.state[FACTS_TOP]
    if top < q.state[FACTS_END]:
        put(q.room, top, fact)
        put(q.room, top + 1, value)
    q.state[FACTS_TOP] = top + 2


@inner_kernel
def level_place(q: Learner, depth: int) -> Any:
    """Return where a level lies."""
    return q.state[LEVELS] + depth * L_WIDTH


AT_LEAST, AT_MOST, IS, IS_NOT, OPERATORS = range(5)
FALSE, TRUE, OPEN = range(3)

# Why something changed: four times a propagator, a watched literal of a clause (see `clauses`), or a variable
# that was fixed in an AllDifferent; with the operator below.
BY_PROPAGATOR, BY_CLAUSE, BY_FIXED, BY_DECISION = range(4)


@inner_kernel
def standing(m: Memory, literal: int, value: int) -> Any:
    """Say whether a literal is true, false or open."""
    v, operator = literal >> 2, literal & 3
    low, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    if operator == AT_LEAST:
        return TRUE if low >= value else FALSE if high < value else OPEN
    if operator == AT_MOST:
        return TRUE if high <= value else FALSE if low > value else OPEN
    if not contains(m, v, value):
        return FALSE if operator == IS else TRUE
    if low < high:
        return OPEN
    return TRUE if operator == IS else FALSE


@inner_kernel
def make_true(m: Memory, literal: int, value: int) -> Any:
    """Make an open literal true."""
    v, operator = literal >> 2, literal & 3
    if operator == IS_NOT:
        return remove(m, v, value)
    low, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    if operator != AT_MOST:
        low = value
    if operator != AT_LEAST:
        high = value
    return tighten(m, v, low, high)


@inner_kernel
def is_listed(m: Memory, v: int) -> Any:
    """Say whether values of v can be removed one by one."""
    return entry(m.x, v + at.FIRST) >= 0


@inner_kernel
def has_low(m: Memory, r: int) -> Any:
    """Say whether the lower bound of a record is wanted."""
    return entry(m.stack, r + at.R_WANTED_LOW) > entry(m.stack, r + at.R_LOW)


@inner_kernel
def has_high(m: Memory, r: int) -> Any:
    """Say whether the upper bound of a record is wanted."""
    return entry(m.stack, r + at.R_WANTED_HIGH) < entry(m.stack, r + at.R_HIGH)


@inner_kernel
def record_of(m: Memory, fact: int, value: int) -> Any:
    """Return the record that made a fact true, 0 if it was one before all decisions; the fact is no `IS`."""
    v, operator = fact >> 2, fact & 3
    r, found = entry(m.x, v + at.LAST), 0
    while r:
        low, high = entry(m.stack, r + at.R_LOW), entry(m.stack, r + at.R_HIGH)
        if operator == AT_LEAST:
            if low < value:
                return r
        elif operator == AT_MOST:
            if high > value:
                return r
        elif entry(m.stack, r + at.R_TAKEN) and entry(m.stack, r + at.R_VALUE) == value:
            return r
        elif (
            low <= value < entry(m.stack, r + at.R_NEW_LOW)
            or entry(m.stack, r + at.R_NEW_HIGH) < value <= high
        ):
            found = r
        r = entry(m.stack, r + at.R_BEFORE)
    if (
        found
        and is_listed(m, v)
        and not entry(m.cells, entry(m.x, v + at.FIRST) + value - entry(m.x, v + at.BASE))
    ):
        return 0  # a bound has passed what was removed before all decisions
    return found


@inner_kernel
def bounds_at(m: Memory, v: int, place: int) -> Any:
    """Return v's bounds before a place of the log, and its last record before it."""
    low, high, r = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH), entry(m.x, v + at.LAST)
    while r >= place:
        low, high = entry(m.stack, r + at.R_LOW), entry(m.stack, r + at.R_HIGH)
        r = entry(m.stack, r + at.R_BEFORE)
    return low, high, r


@inner_kernel
def first_bounds(m: Memory, v: int) -> Any:
    """Return v's bounds before all decisions."""
    low, high, r = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH), entry(m.x, v + at.LAST)
    while r:
        low, high = entry(m.stack, r + at.R_LOW), entry(m.stack, r + at.R_HIGH)
        r = entry(m.stack, r + at.R_BEFORE)
    return low, high


# ---- facts that explanations consist of -----------------------------------------------------------------


@inner_kernel
def add_fixed(m: Memory, q: Learner, v: int) -> None:
    """Add the value of a variable that is fixed, since before what is explained."""
    add_fact(q, (v << 2) + AT_LEAST, entry(m.x, v + at.LOW))
    add_fact(q, (v << 2) + AT_MOST, entry(m.x, v + at.LOW))


@inner_kernel
def add_removed(m: Memory, q: Learner, v: int, first: int, end: int) -> None:
    """Add that v has none of some values."""
    if is_listed(m, v):
        for w in range(first, end):
            add_fact(q, (v << 2) + IS_NOT, w)


@inner_kernel
def add_lost(m: Memory, q: Learner, v: int, place: int, values: int) -> None:
    """Add what v had lost before a place of the log: bounds, and with ``values`` also values between them."""
    low, high, r = bounds_at(m, v, place)
    first_low, first_high = first_bounds(m, v)
    if low > first_low:
        add_fact(q, (v << 2) + AT_LEAST, low)
    if high < first_high:
        add_fact(q, (v << 2) + AT_MOST, high)
    while values and r:
        value = entry(m.stack, r + at.R_VALUE)
        if entry(m.stack, r + at.R_TAKEN) and low < value < high:
            add_fact(q, (v << 2) + IS_NOT, value)
        r = entry(m.stack, r + at.R_BEFORE)


@inner_kernel
def add_all_lost(m: Memory, q: Learner, p: int, place: int) -> None:
    """Add all that the arguments of a propagator had lost before a place of the log."""
    kind = entry(m.net, p + at.KIND)
    values = 1 - ((q.state[BOUNDS_ONLY] >> kind) & 1)
    q.state[BY_ALL] += 1
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
        add_lost(m, q, entry(m.net, k), place, values)
    if kind < kinds.APART and entry(m.net, p + at.RESULT) >= 0:
        add_lost(m, q, entry(m.net, p + at.RESULT), place, values)


@inner_kernel
def add_decisions(m: Memory, q: Learner, depth: int) -> None:
    """Take the first decisions as the facts, instead of all others."""
    q.state[FACTS_TOP] = q.state[FACTS]
    for level in range(depth):
        r = entry(q.room, level_place(q, level) + L_LOG)
        v = entry(m.stack, r + at.R_VARIABLE)
        if entry(m.stack, r + at.R_NEW_LOW) > entry(m.stack, r + at.R_LOW):
            add_fact(q, (v << 2) + AT_LEAST, entry(m.stack, r + at.R_NEW_LOW))
        if entry(m.stack, r + at.R_NEW_HIGH) < entry(m.stack, r + at.R_HIGH):
            add_fact(q, (v << 2) + AT_MOST, entry(m.stack, r + at.R_NEW_HIGH))


@inner_kernel
def add_false(q: Learner, c: int, but: int) -> None:
    """Add that all literals of a clause but one are false; -1: all are."""
    put(q.arena, c + C_USED, q.state[FAILURES])
    for k in range(entry(q.arena, c + C_LENGTH)):
        if k != but:
            place = c + C_LITERALS + 2 * k
            literal, value = entry(q.arena, place), entry(q.arena, place + 1)
            v, operator = (literal >> 2) << 2, literal & 3
            if operator == AT_LEAST:
                add_fact(q, v + AT_MOST, value - 1)
            elif operator == AT_MOST:
                add_fact(q, v + AT_LEAST, value + 1)
            elif operator == IS:
                add_fact(q, v + IS_NOT, value)
            else:
                add_fact(q, v + AT_LEAST, value)
                add_fact(q, v + AT_MOST, value)
