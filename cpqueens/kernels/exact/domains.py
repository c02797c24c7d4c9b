"""Finite domains with a trail: bounds for every variable, flags for each value where they are listed.

A change returns 1, or 0 if the domain would become empty. What a level changed is put back by `restore`:
each variable's bounds are saved once per level, each removed value by its cell.

Everything lies in four arrays (`Memory`): compiling time grows with the number of arrays that functions
hand to each other. A *variable* is the position of its record in ``x``, a *propagator* that of its record
in ``net``; all positions are absolute and never negative, hence `entry` and `put` for them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.jit.decorators import inlined, inner_kernel
from cpqueens.kernels.jit.instructions import entry, put
from cpqueens.system.stopping import copied as in_pieces

Ints = NDArray[np.int64]
Flags = NDArray[np.uint8]

# Events that wake a propagator.
FIX, BOUND, DOMAIN = 1, 2, 4

# What is done with changes of a variable beside making them: one test for both, so that a log costs nothing
# where there is none.
IGNORED, LOGGED = 1, 2

# The record of a variable: bounds, how many listed values between them are removed, the level of the last
# save, where the flags of its values start in ``cells`` (-1: bounds only) and the value of the first flag,
# whether changes are `IGNORED` (strategy ``check``) or `LOGGED`, the events that nobody has seen yet, and
# where in ``net`` its watches are, its places in AllDifferents, those in AllDifferents that have sums, the
# values of a domain too wide for flags, ascending (none: every value between the bounds), and its places in
# long rows. Then what the search keeps: how often it failed by v, the value to try first, the propagator (its
# position + 1) that defines v (0: none), its last record in the log of changes (0: none).
LOW, HIGH, HOLES, STAMP, FIRST, BASE, FROZEN, EVENTS = range(8)
WATCH, WATCH_END, MEMBER, MEMBER_END, PART, PART_END, SPARSE, SPARSE_END = range(8, 16)
IN_ROWS, IN_ROWS_END, WEIGHT, SAVED, MAKER, LAST, X_WIDTH = range(16, 23)

# A reversible word, which propagators may keep behind the variables, is a record of the first four fields.
WORD_WIDTH = 4

# A change that nobody has seen yet: of which variable, and its bounds before.
CHANGE_WIDTH = 3

# The record of a propagator; QUEUE is the one of the queues (a place of ``stack``) in which it waits.
KIND, START, END, CONSTANT, RESULT, ROWS, ROWS_END, QUEUED, QUEUE, P_WIDTH = range(10)

# The first places of ``stack``: how far its regions are filled, where they start and end, where variables
# end in ``x``, whether addresses are missing; what failed (the propagator's position + 1, or the place of an
# AllDifferent, negated), what a failure adds to weights, how many propagators ran. A search that explains its
# changes has a log of them, see `R_VARIABLE`: where the next record comes (0: there is no
# log) and its end, why what changes now does and at how many decisions, the record of what was refused last,
# whether the log was too short. Then of a profile, see `tally`: where its counters begin in ``net`` (0: there
# is none), what runs now, how many values were removed since the last tally. At last what propagators have
# done in all: 1 each, and of those that take longer than linear time as much as short ones would meanwhile.
TRAIL_TOP, CELLS_TOP, LEVEL, CHANGED_BASE, CHANGED_TOP, MARKS, VARIABLES, UNLINKED = range(8)
FAILED, BUMP, RUNS, LOG_TOP, LOG_END, REASON, DECISIONS, REFUSED, LOG_FULL = range(8, 17)
PROFILE, RUNNING, REMOVED, WORK = range(17, 21)
# Three queues: of propagators in constant or linear time, of dear ones, of the dearest.
QUICK, DEAR, DEAREST, QUEUES_END = range(21, 34, 4)
# The record of a queue.
BASE_OF, END_OF, HEAD_OF, SIZE_OF, Q_WIDTH = range(5)
# The addresses of propagators that are compiled apart, by kind: `NOT_USED`, or `WANTED` until they are known.
ADDRESSES, HEADER = QUEUES_END, QUEUES_END + 32
NOT_USED, WANTED = 0, -1

# A record of the log: the variable, its bounds before and after, those asked for (holes move them further),
# the value that was removed and whether it was one; why, the variable's record before, below how many
# decisions. Then what an analysis wants of it: bounds (those before: nothing), the value, and its mark.
R_VARIABLE, R_LOW, R_HIGH, R_NEW_LOW, R_NEW_HIGH, R_ASKED_LOW, R_ASKED_HIGH, R_VALUE, R_TAKEN = range(9)
R_REASON, R_BEFORE, R_DECISIONS, R_WANTED_LOW, R_WANTED_HIGH, R_WANTED_VALUE, R_MARK, R_WIDTH = range(9, 17)

# The counters of a profile lie as far behind `PROFILE` as what they are of lies in ``net``: a propagator, the
# first term of an AllDifferent, or, at the end of these, all clauses. Runs, removed values, failures, how
# often a conflict was traced back to it, and, for the driver, where it comes from. Behind all of them is how
# often each variable was decided.
T_RUNS, T_REMOVED, T_FAILURES, T_REASONS, T_ORIGIN, T_WIDTH = range(6)

MOST_REMOVED = 1 << 40
"""Values that one change counts for at most."""

RUNS_A_STEP = 64
"""Of short propagators, for each step of a call of a search: it ends earlier where its steps need more."""

MOST_WORK = 1 << 17
"""Of propagators in one call of a search, however many steps it has: about a hundredth of a second."""


class Memory(NamedTuple):
    """All of a search's state.

    ``stack`` has the header, the removed cells, the changed variables, the queue and the trail; ``cells``
    the values' flags, and behind them as many marks that propagators may use.
    """

    x: Ints
    net: Ints
    stack: Ints
    cells: Flags


def copied(m: Memory) -> Memory:
    """Return a memory of its own for another search."""
    return Memory(in_pieces(m.x), in_pieces(m.net), in_pieces(m.stack), in_pieces(m.cells))


@inner_kernel
def end_of_call(m: Memory, steps: int) -> Any:
    """Return the work at which a call of a search ends within its propagation."""
    return m.stack[WORK] + min(RUNS_A_STEP * steps, MOST_WORK)


@inner_kernel
def save(m: Memory, v: int) -> None:
    """Remember v's bounds and holes, or a reversible word, once per level."""
    if entry(m.x, v + STAMP) != m.stack[LEVEL]:
        put(m.x, v + STAMP, m.stack[LEVEL])
        top = m.stack[TRAIL_TOP]
        put(m.stack, top, v)
        put(m.stack, top + 1, entry(m.x, v + LOW))
        put(m.stack, top + 2, entry(m.x, v + HIGH))
        put(m.stack, top + 3, entry(m.x, v + HOLES))
        m.stack[TRAIL_TOP] = top + 4


@inner_kernel
def count_removed(m: Memory, v: int, low: int, high: int, holes: int) -> None:
    """Count the values that v loses by new bounds, between which there are ``holes``."""
    before = entry(m.x, v + HIGH) - entry(m.x, v + LOW) - entry(m.x, v + HOLES)
    m.stack[REMOVED] += min(before - (high - low - holes), MOST_REMOVED)


@inner_kernel
def tally(m: Memory, place: int, possible: int) -> None:
    """Count a run of what lies at a place of ``net``, and what it has done, where there is a profile."""
    if not m.stack[PROFILE]:
        return
    t = m.stack[PROFILE] + place
    put(m.net, t + T_RUNS, entry(m.net, t + T_RUNS) + 1)
    put(m.net, t + T_REMOVED, entry(m.net, t + T_REMOVED) + m.stack[REMOVED])
    m.stack[REMOVED] = 0
    if not possible:
        put(m.net, t + T_FAILURES, entry(m.net, t + T_FAILURES) + 1)


@inner_kernel
def tally_decision(m: Memory, v: int) -> None:
    """Count a decision on v."""
    t = 2 * m.stack[PROFILE] + T_WIDTH + v // X_WIDTH
    put(m.net, t, entry(m.net, t) + 1)


@inner_kernel
def log_bounds(m: Memory, v: int, asked_low: int, asked_high: int, low: int, high: int) -> Any:
    """Log that v is to have these bounds, which it was asked for by others; 0 if it cannot, or without room.

    What is refused is written behind the log's end.
    """
    r = m.stack[LOG_TOP]
    if r + 2 * R_WIDTH > m.stack[LOG_END]:
        m.stack[LOG_FULL] = 1
        return 0
    put(m.stack, r + R_VARIABLE, v)
    put(m.stack, r + R_LOW, entry(m.x, v + LOW))
    put(m.stack, r + R_HIGH, entry(m.x, v + HIGH))
    put(m.stack, r + R_NEW_LOW, low)
    put(m.stack, r + R_NEW_HIGH, high)
    put(m.stack, r + R_ASKED_LOW, asked_low)
    put(m.stack, r + R_ASKED_HIGH, asked_high)
    put(m.stack, r + R_TAKEN, 0)
    put(m.stack, r + R_REASON, m.stack[REASON])
    put(m.stack, r + R_BEFORE, entry(m.x, v + LAST))
    put(m.stack, r + R_DECISIONS, m.stack[DECISIONS])
    put(m.stack, r + R_WANTED_LOW, entry(m.x, v + LOW))
    put(m.stack, r + R_WANTED_HIGH, entry(m.x, v + HIGH))
    put(m.stack, r + R_WANTED_VALUE, 0)
    put(m.stack, r + R_MARK, 0)
    if low > high:
        m.stack[REFUSED] = r
        return 0
    put(m.x, v + LAST, r)
    m.stack[LOG_TOP] = r + R_WIDTH
    return 1


@inner_kernel
def log_value(m: Memory, value: int, possible: int) -> None:
    """Say of the last record, or of what was refused, that one value was to be removed."""
    r = m.stack[LOG_TOP] - R_WIDTH if possible else m.stack[REFUSED]
    if r:
        put(m.stack, r + R_VALUE, value)
        put(m.stack, r + R_TAKEN, 1)


@inner_kernel
def restore(m: Memory, trail_top: int, cells_top: int) -> None:
    """Put back everything that was changed since the trail had these lengths."""
    for k in range(m.stack[CELLS_TOP] - 1, cells_top - 1, -1):
        put(m.cells, entry(m.stack, k), 1)
    for k in range(m.stack[TRAIL_TOP] - 4, trail_top - 1, -4):
        v = entry(m.stack, k)
        put(m.x, v + LOW, entry(m.stack, k + 1))
        put(m.x, v + HIGH, entry(m.stack, k + 2))
        put(m.x, v + HOLES, entry(m.stack, k + 3))
    m.stack[CELLS_TOP] = cells_top
    m.stack[TRAIL_TOP] = trail_top
    m.stack[LEVEL] += 1


@inner_kernel
def word(m: Memory, r: int) -> Any:
    """Return a reversible word; those of one propagator lie `WORD_WIDTH` apart."""
    return entry(m.x, r)


@inner_kernel
def set_word(m: Memory, r: int, value: int) -> None:
    """Set a reversible word: `restore` puts back what it was."""
    if entry(m.x, r) != value:
        save(m, r)
        put(m.x, r, value)


@inner_kernel
def note(m: Memory, v: int, events: int, low: int, high: int) -> None:
    """Note that v, whose bounds were ``low`` and ``high``, changed; `propagate` wakes what waits for it."""
    if not entry(m.x, v + EVENTS):
        top = m.stack[CHANGED_TOP]
        put(m.stack, top, v)
        put(m.stack, top + 1, low)
        put(m.stack, top + 2, high)
        m.stack[CHANGED_TOP] = top + CHANGE_WIDTH
    if entry(m.x, v + LOW) == entry(m.x, v + HIGH):
        events |= FIX
    put(m.x, v + EVENTS, entry(m.x, v + EVENTS) | events)


@inner_kernel
def sparse_place(m: Memory, v: int, value: int) -> Any:
    """Return the place in ``net`` of the first value of a sparse domain that is at least ``value``."""
    return first_from(m, entry(m.x, v + SPARSE), entry(m.x, v + SPARSE_END), value)


@inner_kernel
def first_from(m: Memory, low: int, high: int, value: int) -> Any:
    """Return the first place in ``net`` from ``low`` on, of ascending numbers, with at least ``value``."""
    while low < high:
        middle = (low + high) // 2
        if entry(m.net, middle) < value:
            low = middle + 1
        else:
            high = middle
    return low


@inner_kernel
def tighten(m: Memory, v: int, low: int, high: int) -> Any:
    """Remove all values outside ``low``..``high``.

    Mostly there are none. What then returns at once is small enough to be compiled into those who call it:
    a call, with all that a memory consists of, takes longer than the comparisons.
    """
    if low <= entry(m.x, v + LOW) and high >= entry(m.x, v + HIGH):
        return 1
    return narrow(m, v, low, high)


@inlined
def within(m: Memory, v: int, low: int, high: int) -> Any:
    """Return v's bounds and holes once nothing outside ``low``..``high`` is left; bounds cross for none."""
    low, high = max(low, entry(m.x, v + LOW)), min(high, entry(m.x, v + HIGH))
    holes = entry(m.x, v + HOLES)
    if holes and low <= high:
        # from the old bounds inwards; holes that are passed lie no longer between the bounds
        shift = entry(m.x, v + FIRST) - entry(m.x, v + BASE)
        w = entry(m.x, v + LOW) + (low > entry(m.x, v + LOW))
        while holes and (w < low or (w <= high and not entry(m.cells, shift + w))):
            holes -= not entry(m.cells, shift + w)
            w += 1
        low = max(low, w)
        w = entry(m.x, v + HIGH) - (high < entry(m.x, v + HIGH))
        while holes and (w > high or (w >= low and not entry(m.cells, shift + w))):
            holes -= not entry(m.cells, shift + w)
            w -= 1
        high = min(high, w)
    elif low <= high and entry(m.x, v + SPARSE) < entry(m.x, v + SPARSE_END):
        # both places are in the domain: the old bounds are values of it
        low = entry(m.net, sparse_place(m, v, low))
        high = entry(m.net, sparse_place(m, v, high + 1) - 1)
    return low, high, holes


@inlined
def set_bounds(m: Memory, v: int, low: int, high: int, holes: int) -> None:
    """Give v these bounds and holes: the one place where bounds change."""
    save(m, v)
    if m.stack[PROFILE]:
        count_removed(m, v, low, high, holes)
    before, after = entry(m.x, v + LOW), entry(m.x, v + HIGH)
    put(m.x, v + LOW, low)
    put(m.x, v + HIGH, high)
    put(m.x, v + HOLES, holes)
    note(m, v, BOUND | DOMAIN, before, after)


@inner_kernel
def narrow(m: Memory, v: int, low: int, high: int) -> Any:
    """Remove values outside ``low``..``high``, of which there are some."""
    if entry(m.x, v + FROZEN):
        return narrow_logged(m, v, low, high)
    low, high, holes = within(m, v, low, high)
    if low > high:
        return 0
    set_bounds(m, v, low, high, holes)
    return 1


@inner_kernel
def narrow_logged(m: Memory, v: int, asked_low: int, asked_high: int) -> Any:
    """Do what `narrow` does, and log it; or ignore it."""
    if entry(m.x, v + FROZEN) == IGNORED:
        return 1
    low, high, holes = within(m, v, asked_low, asked_high)
    if not log_bounds(m, v, asked_low, asked_high, low, high):
        return 0
    set_bounds(m, v, low, high, holes)
    return 1


@inner_kernel
def remove(m: Memory, v: int, value: int) -> Any:
    """Remove one value; inside the bounds of a variable without listed values nothing happens."""
    if value < entry(m.x, v + LOW) or value > entry(m.x, v + HIGH):
        return 1
    return take_out(m, v, value)


@inlined
def clear(m: Memory, v: int, cell: int, low: int, high: int) -> None:
    """Remove a value between the bounds by its flag."""
    if m.stack[PROFILE]:
        m.stack[REMOVED] += 1
    put(m.cells, cell, 0)
    put(m.stack, m.stack[CELLS_TOP], cell)
    m.stack[CELLS_TOP] += 1
    save(m, v)
    put(m.x, v + HOLES, entry(m.x, v + HOLES) + 1)
    note(m, v, DOMAIN, low, high)


@inner_kernel
def take_out(m: Memory, v: int, value: int) -> Any:
    """Remove one value between the bounds, if it is there, and log it where changes are; or ignore it."""
    frozen = entry(m.x, v + FROZEN)
    if frozen == IGNORED:
        return 1
    low, high = entry(m.x, v + LOW), entry(m.x, v + HIGH)
    if low < value < high:
        if entry(m.x, v + FIRST) >= 0:
            cell = entry(m.x, v + FIRST) + value - entry(m.x, v + BASE)
            if entry(m.cells, cell):
                if frozen:
                    if not log_bounds(m, v, low, high, low, high):
                        return 0
                    log_value(m, value, 1)
                clear(m, v, cell, low, high)
        return 1
    possible = narrow(m, v, low + (value == low), high - (value != low))
    if frozen:
        log_value(m, value, possible)
    return possible


@inner_kernel
def is_open(m: Memory, v: int) -> Any:
    """Say whether v has several values."""
    return entry(m.x, v + LOW) != entry(m.x, v + HIGH)


@inner_kernel
def contains(m: Memory, v: int, value: int) -> Any:
    """Say whether ``value`` is in v's domain."""
    if value < entry(m.x, v + LOW) or value > entry(m.x, v + HIGH):
        return 0
    if entry(m.x, v + FIRST) < 0:
        if entry(m.x, v + SPARSE) == entry(m.x, v + SPARSE_END):
            return 1
        return 1 if entry(m.net, sparse_place(m, v, value)) == value else 0
    return entry(m.cells, entry(m.x, v + FIRST) + value - entry(m.x, v + BASE))


@inner_kernel
def next_value(m: Memory, v: int, value: int) -> Any:
    """Return the first of v's values from ``value`` on, or one that is greater than all of them.

    ``value`` is not below v's least one; of a sparse domain every number counts.
    """
    if entry(m.x, v + FIRST) >= 0:
        shift = entry(m.x, v + FIRST) - entry(m.x, v + BASE)
        high = entry(m.x, v + HIGH)
        while value <= high and not entry(m.cells, shift + value):
            value += 1
    return value


@inner_kernel
def size(m: Memory, v: int) -> Any:
    """Return the number of values that v has left."""
    if entry(m.x, v + SPARSE) < entry(m.x, v + SPARSE_END):
        return sparse_place(m, v, entry(m.x, v + HIGH)) - sparse_place(m, v, entry(m.x, v + LOW)) + 1
    return entry(m.x, v + HIGH) - entry(m.x, v + LOW) + 1 - entry(m.x, v + HOLES)


@inner_kernel
def enqueue(m: Memory, p: int) -> None:
    """Put a propagator into its queue unless it waits already."""
    if not entry(m.net, p + QUEUED):
        put(m.net, p + QUEUED, 1)
        queue = entry(m.net, p + QUEUE)
        place = entry(m.stack, queue + HEAD_OF) + entry(m.stack, queue + SIZE_OF)
        if place >= entry(m.stack, queue + END_OF):
            place -= entry(m.stack, queue + END_OF) - entry(m.stack, queue + BASE_OF)
        put(m.stack, place, p)
        put(m.stack, queue + SIZE_OF, entry(m.stack, queue + SIZE_OF) + 1)


@inner_kernel
def waiting_queue(m: Memory) -> Any:
    """Return the first queue in which a propagator waits, or the end of all queues."""
    for queue in range(QUICK, QUEUES_END, Q_WIDTH):
        if entry(m.stack, queue + SIZE_OF) > 0:
            return queue
    return QUEUES_END


@inner_kernel
def dequeue(m: Memory, queue: int) -> Any:
    """Take the propagator that waits longest."""
    head = entry(m.stack, queue + HEAD_OF)
    p = entry(m.stack, head)
    put(m.net, p + QUEUED, 0)
    at_end = head + 1 == entry(m.stack, queue + END_OF)
    put(m.stack, queue + HEAD_OF, entry(m.stack, queue + BASE_OF) if at_end else head + 1)
    put(m.stack, queue + SIZE_OF, entry(m.stack, queue + SIZE_OF) - 1)
    return p


@inner_kernel
def forget(m: Memory) -> None:
    """Empty the queues and the list of changes, after a failure."""
    for queue in range(QUICK, QUEUES_END, Q_WIDTH):
        while entry(m.stack, queue + SIZE_OF) > 0:
            dequeue(m, queue)
    for k in range(m.stack[CHANGED_BASE], m.stack[CHANGED_TOP], CHANGE_WIDTH):
        put(m.x, entry(m.stack, k) + EVENTS, 0)
    m.stack[CHANGED_TOP] = m.stack[CHANGED_BASE]
