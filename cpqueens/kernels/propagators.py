"""Propagation of the kernel core: linear rows, clauses, AllDifferent, tables and definitions.

Each function takes the memory and the position of a propagator, prunes, and returns 1, or 0 if the
constraint cannot hold. When all arguments of a definition are fixed, its result is fixed too, so that
fixing the decision variables decides everything. Calls that change a domain are few on purpose: each is a
copy of that code, and compiling time grows with them.
"""

from __future__ import annotations

from typing import Any

from cpqueens.kernels.domains import (
    BASE,
    CHANGED_BASE,
    CHANGED_TOP,
    CONSTANT,
    END,
    EVENTS,
    FIRST,
    FIX,
    FROZEN,
    HIGH,
    KIND,
    LOW,
    MARKS,
    MEMBER,
    MEMBER_END,
    PART,
    PART_END,
    QUEUE_SIZE,
    RESULT,
    ROWS,
    ROWS_END,
    START,
    WATCH,
    WATCH_END,
    Memory,
    contains,
    dequeue,
    enqueue,
    remove,
    tighten,
)
from cpqueens.kernels.entries import entry, put
from cpqueens.kernels.jit import inlined, inner_kernel

# Kinds of propagators; those up to TRUTH_AT_MOST are linear rows, alone or under a truth.
EQUAL, DIFFERENT, AT_MOST, TRUTH_EQUAL, TRUTH_AT_MOST = 0, 1, 2, 3, 4
CLAUSE, TRUTH_OR, ABS, PRODUCT = 5, 6, 7, 8
QUOTIENT, QUOTIENT_TRUNCATED, REMAINDER, REMAINDER_TRUNCATED = 9, 10, 11, 12
MINIMUM, MAXIMUM, ELEMENT, TABLE = 13, 14, 15, 16

# What a linear row is to be pruned for; AT_LEAST_ONE is the negation of AT_MOST.
AT_LEAST_ONE, NOTHING, FALSE, TRUE = 17, 18, 19, 20


@inner_kernel
def linear_bounds(m: Memory, p: int) -> Any:
    """Return the least and the greatest value of the row's term."""
    low = entry(m.net, p + CONSTANT)
    high = low
    for k in range(entry(m.net, p + START), entry(m.net, p + END), 2):
        a = entry(m.net, k + 1)
        v = entry(m.net, k)
        if a > 0:
            low += a * entry(m.x, v + LOW)
            high += a * entry(m.x, v + HIGH)
        else:
            low += a * entry(m.x, v + HIGH)
            high += a * entry(m.x, v + LOW)
    return low, high


@inner_kernel
def task(m: Memory, p: int, low: int, high: int) -> Any:
    """Return what a row is to be pruned for, or what its truth must be, given its term's bounds."""
    kind = entry(m.net, p + KIND)
    if kind <= AT_MOST:
        return kind
    r = entry(m.net, p + RESULT)
    if entry(m.x, r + LOW) == 1:
        return EQUAL if kind == TRUTH_EQUAL else AT_MOST
    if entry(m.x, r + HIGH) == 0:
        return DIFFERENT if kind == TRUTH_EQUAL else AT_LEAST_ONE
    if low > 0:
        return FALSE
    if kind == TRUTH_AT_MOST:
        return TRUE if high <= 0 else NOTHING
    if high < 0:
        return FALSE
    if low == high:
        return TRUE
    first = entry(m.net, p + START)
    if entry(m.net, p + END) == first + 2:  # one variable: its value may have been removed
        a, c = entry(m.net, first + 1), entry(m.net, p + CONSTANT)
        if c % a != 0 or not contains(m, entry(m.net, first), -c // a):
            return FALSE
    return NOTHING


@inner_kernel
def linear(m: Memory, p: int) -> Any:
    """Prune a linear row, or the truth of one."""
    low = high = 0
    aim = DIFFERENT
    if entry(m.net, p + KIND) != DIFFERENT:
        low, high = linear_bounds(m, p)
        aim = task(m, p, low, high)
    if aim == DIFFERENT:
        return different(m, p)
    if aim == NOTHING:
        return 1
    if aim >= FALSE:
        return tighten(m, entry(m.net, p + RESULT), aim - FALSE, aim - FALSE)
    if (aim != AT_LEAST_ONE and low > 0) or (aim == EQUAL and high < 0) or (aim == AT_LEAST_ONE and high < 1):
        return 0
    # The sum of all terms but one lies so far from its end at most, and so does that one from its own.
    up = -low
    down = high - 1 if aim == AT_LEAST_ONE else high
    for k in range(entry(m.net, p + START), entry(m.net, p + END), 2):
        a = entry(m.net, k + 1)
        v = entry(m.net, k)
        x_low, x_high = entry(m.x, v + LOW), entry(m.x, v + HIGH)
        more, less = up, down  # how far v may stay from the end where its part is least, and greatest
        if abs(a) > 1:  # divisions cost more than all the rest
            more, less = up // abs(a), down // abs(a)
        if a < 0:
            more, less = less, more
        # for a > 0: term <= 0 leaves v at most x_low + more, and term >= 0 (or 1) at least x_high - less
        below, above = x_low, x_high
        if aim != (AT_LEAST_ONE if a > 0 else AT_MOST):
            above = x_low + more
        if aim != (AT_MOST if a > 0 else AT_LEAST_ONE):
            below = x_high - less
        if not tighten(m, v, below, above):
            return 0
    return 1


@inner_kernel
def different(m: Memory, p: int) -> Any:
    """Prune for ``term != 0``: with one variable left, remove the value that would give 0."""
    rest = entry(m.net, p + CONSTANT)
    free = -1
    for k in range(entry(m.net, p + START), entry(m.net, p + END), 2):
        v = entry(m.net, k)
        if entry(m.x, v + LOW) == entry(m.x, v + HIGH):
            rest += entry(m.net, k + 1) * entry(m.x, v + LOW)
        elif free >= 0:
            return 1
        else:
            free = k
    if free < 0:
        return 1 if rest != 0 else 0
    a = entry(m.net, free + 1)
    value = -rest if a > 0 else rest
    if abs(a) > 1:  # divisions cost more than all the rest
        if rest % a != 0:
            return 1
        value = -rest // a
    return remove(m, entry(m.net, free), value)


@inner_kernel
def clause(m: Memory, p: int) -> Any:
    """Prune a clause, or the truth of one: ``result == 1`` exactly where some literal is true.

    A literal is a 0/1 variable with coefficient 1, or -1 where it is negated.
    """
    r = entry(m.net, p + RESULT) if entry(m.net, p + KIND) == TRUTH_OR else -1
    all_false = r >= 0 and entry(m.x, r + HIGH) == 0
    free = -1
    open_literals = 0
    for k in range(entry(m.net, p + START), entry(m.net, p + END), 2):
        v = entry(m.net, k)
        if entry(m.x, v + LOW) != entry(m.x, v + HIGH):
            free = k
            open_literals += 1
            false = 1 if entry(m.net, k + 1) < 0 else 0
            if all_false and not tighten(m, v, false, false):
                return 0
        elif (entry(m.x, v + LOW) == 1) == (entry(m.net, k + 1) > 0):  # true
            return 1 if r < 0 else tighten(m, r, 1, 1)
    if all_false:
        return 1
    if r >= 0 and entry(m.x, r + LOW) == 0:
        return tighten(m, r, 0, 0) if open_literals == 0 else 1
    if open_literals != 1:
        return 1 if open_literals else 0
    truth = 1 if entry(m.net, free + 1) > 0 else 0
    return tighten(m, entry(m.net, free), truth, truth)


@inner_kernel
def absolute(m: Memory, p: int) -> Any:
    """Prune for ``result == |x|``."""
    r = entry(m.net, p + RESULT)
    x = entry(m.net, entry(m.net, p + START))
    least = max(0, max(entry(m.x, x + LOW), -entry(m.x, x + HIGH)))
    if not tighten(m, r, least, max(abs(entry(m.x, x + LOW)), abs(entry(m.x, x + HIGH)))):
        return 0
    low, high = -entry(m.x, r + HIGH), entry(m.x, r + HIGH)
    if entry(m.x, x + LOW) > -entry(m.x, r + LOW):
        low = entry(m.x, r + LOW)
    if entry(m.x, x + HIGH) < entry(m.x, r + LOW):
        high = -entry(m.x, r + LOW)
    return tighten(m, x, low, high)


@inner_kernel
def product(m: Memory, p: int) -> Any:
    """Prune for ``result == x * y``: the result by the corners, a factor once the rest is fixed."""
    r = entry(m.net, p + RESULT)
    x = entry(m.net, entry(m.net, p + START))
    y = entry(m.net, entry(m.net, p + START) + 2)
    a, b = entry(m.x, x + LOW) * entry(m.x, y + LOW), entry(m.x, x + LOW) * entry(m.x, y + HIGH)
    c, d = entry(m.x, x + HIGH) * entry(m.x, y + LOW), entry(m.x, x + HIGH) * entry(m.x, y + HIGH)
    low, high = min(min(a, b), min(c, d)), max(max(a, b), max(c, d))
    if x == y and entry(m.x, x + LOW) < 0 < entry(m.x, x + HIGH):
        low = 0
    if not tighten(m, r, low, high):
        return 0
    if entry(m.x, r + LOW) != entry(m.x, r + HIGH) or x == y:
        return 1
    value = entry(m.x, r + LOW)
    for turn in range(2):
        known, other = (x, y) if turn == 0 else (y, x)
        factor = entry(m.x, known + LOW)
        if factor == entry(m.x, known + HIGH) and factor != 0:
            quotient = value // factor
            if value % factor != 0 or not contains(m, other, quotient):
                return entry(m.x, other + FROZEN)
            if not tighten(m, other, quotient, quotient):
                return 0
    return 1


@inner_kernel
def divide(kind: int, x: int, y: int) -> Any:
    """Return quotient or remainder of ``x`` and ``y != 0``, floored or truncated by ``kind``."""
    if kind == QUOTIENT:
        return x // y
    if kind == REMAINDER:
        return x % y
    quotient = abs(x) // abs(y)
    if (x < 0) != (y < 0):
        quotient = -quotient
    return quotient if kind == QUOTIENT_TRUNCATED else x - y * quotient


@inner_kernel
def division(m: Memory, p: int) -> Any:
    """Prune the result of a division once the divisor is fixed: by the dividend's ends, or exactly.

    For a divisor of 0 it is 0; that it has no meaning there is the business of conditions of their own.
    """
    x = entry(m.net, entry(m.net, p + START))
    y = entry(m.net, entry(m.net, p + START) + 2)
    kind = entry(m.net, p + KIND)
    divisor = entry(m.x, y + LOW)
    if divisor != entry(m.x, y + HIGH):
        return 1
    if divisor == 0:
        return tighten(m, entry(m.net, p + RESULT), 0, 0)
    if entry(m.x, x + LOW) != entry(m.x, x + HIGH) and kind != QUOTIENT and kind != QUOTIENT_TRUNCATED:
        return 1
    a, b = divide(kind, entry(m.x, x + LOW), divisor), divide(kind, entry(m.x, x + HIGH), divisor)
    return tighten(m, entry(m.net, p + RESULT), min(a, b), max(a, b))


@inner_kernel
def extreme(m: Memory, p: int) -> Any:
    """Prune for ``result == max(arguments)``; the minimum is the maximum of the negated arguments."""
    sign = 1 if entry(m.net, p + KIND) == MAXIMUM else -1
    top, bottom = (HIGH, LOW) if sign > 0 else (LOW, HIGH)
    r = entry(m.net, p + RESULT)
    first, end = entry(m.net, p + START), entry(m.net, p + END)
    low, high = sign * entry(m.x, entry(m.net, first) + bottom), sign * entry(m.x, entry(m.net, first) + top)
    for k in range(first, end, 2):
        v = entry(m.net, k)
        low, high = max(low, sign * entry(m.x, v + bottom)), max(high, sign * entry(m.x, v + top))
    if not tighten(m, r, low if sign > 0 else -high, high if sign > 0 else -low):
        return 0
    least, most = sign * entry(m.x, r + bottom), sign * entry(m.x, r + top)
    able, many = first, 0
    for k in range(first, end, 2):
        if sign * entry(m.x, entry(m.net, k) + top) >= least:
            able = k
            many += 1
    for k in range(first, end, 2):
        v = entry(m.net, k)
        floor = least if many == 1 and k == able else sign * entry(m.x, v + bottom)
        if not tighten(m, v, floor if sign > 0 else -most, most if sign > 0 else -floor):
            return 0
    return 1


@inner_kernel
def element(m: Memory, p: int) -> Any:
    """Prune for ``result == table[position]``, 0 outside the table; nothing while either is possible."""
    r = entry(m.net, p + RESULT)
    first = entry(m.net, p + START)
    position = entry(m.net, first)
    entries = (entry(m.net, p + END) - first) // 2 - 1
    if entry(m.x, position + LOW) >= entries or entry(m.x, position + HIGH) < 0:
        return tighten(m, r, 0, 0)
    if entry(m.x, position + LOW) < 0 or entry(m.x, position + HIGH) >= entries:
        if contains(m, r, 0) or entry(m.x, position + FROZEN):
            return 1
        if not tighten(m, position, 0, entries - 1):
            return 0
    low, high = entry(m.x, r + HIGH) + 1, entry(m.x, r + LOW) - 1
    for i in range(entry(m.x, position + LOW), entry(m.x, position + HIGH) + 1):
        if contains(m, position, i):
            v = entry(m.net, first + 2 + 2 * i)
            if entry(m.x, v + LOW) > entry(m.x, r + HIGH) or entry(m.x, v + HIGH) < entry(m.x, r + LOW):
                if not remove(m, position, i):
                    return 0
            else:
                low, high = min(low, entry(m.x, v + LOW)), max(high, entry(m.x, v + HIGH))
    if low > high:
        return entry(m.x, position + FROZEN)
    if not tighten(m, r, low, high):
        return 0
    if entry(m.x, position + LOW) == entry(m.x, position + HIGH):
        v = entry(m.net, first + 2 + 2 * entry(m.x, position + LOW))
        return tighten(m, v, entry(m.x, r + LOW), entry(m.x, r + HIGH))
    return 1


@inner_kernel
def possible_row(m: Memory, first: int, arity: int, row: int) -> Any:
    """Say whether all values of a table's row are still in their domains."""
    for k in range(arity):
        if not contains(m, entry(m.net, first + 2 * k), entry(m.net, row + k)):
            return 0
    return 1


@inner_kernel
def tighten_to_rows(m: Memory, p: int, column: int) -> Any:
    """Give a variable without listed values the bounds that a table's possible rows leave it."""
    first = entry(m.net, p + START)
    arity = (entry(m.net, p + END) - first) // 2
    v = entry(m.net, first + 2 * column)
    low, high = entry(m.x, v + HIGH) + 1, entry(m.x, v + LOW) - 1
    for row in range(entry(m.net, p + ROWS), entry(m.net, p + ROWS_END), arity):
        if possible_row(m, first, arity, row):
            low, high = min(low, entry(m.net, row + column)), max(high, entry(m.net, row + column))
    return tighten(m, v, low, high)


@inner_kernel
def table(m: Memory, p: int) -> Any:
    """Keep the values that some row still supports (generalised arc consistency by a scan)."""
    first, end = entry(m.net, p + START), entry(m.net, p + END)
    marks = m.stack[MARKS]
    for k in range(first, end, 2):
        v = entry(m.net, k)
        if entry(m.x, v + FIRST) >= 0:
            for w in range(entry(m.x, v + LOW), entry(m.x, v + HIGH) + 1):
                put(m.cells, marks + entry(m.x, v + FIRST) + w - entry(m.x, v + BASE), 0)
    any_row = 0
    arity = (end - first) // 2
    for row in range(entry(m.net, p + ROWS), entry(m.net, p + ROWS_END), arity):
        if possible_row(m, first, arity, row):
            any_row = 1
            for k in range(arity):
                v = entry(m.net, first + 2 * k)
                if entry(m.x, v + FIRST) >= 0:
                    cell = entry(m.x, v + FIRST) + entry(m.net, row + k) - entry(m.x, v + BASE)
                    put(m.cells, marks + cell, 1)
    if not any_row:
        return 0
    for k in range(first, end, 2):
        v = entry(m.net, k)
        if entry(m.x, v + FIRST) < 0 and not tighten_to_rows(m, p, (k - first) // 2):
            return 0
        if entry(m.x, v + FIRST) >= 0:
            for w in range(entry(m.x, v + LOW), entry(m.x, v + HIGH) + 1):
                cell = entry(m.x, v + FIRST) + w - entry(m.x, v + BASE)
                if entry(m.cells, cell) and not entry(m.cells, marks + cell) and not remove(m, v, w):
                    return 0
    return 1


@inner_kernel
def all_different(m: Memory, v: int) -> Any:
    """Remove the value of v, just fixed, from the other terms of its AllDifferents.

    Each place of v in ``net`` is (position of the term, first and last term of its AllDifferent); a term
    is (variable, coefficient, constant).
    """
    for place in range(entry(m.x, v + MEMBER), entry(m.x, v + MEMBER_END), 3):
        mine = entry(m.net, place)
        taken = entry(m.net, mine + 1) * entry(m.x, v + LOW) + entry(m.net, mine + 2)
        for term in range(entry(m.net, place + 1), entry(m.net, place + 2), 3):
            if term != mine:
                a = entry(m.net, term + 1)
                rest = taken - entry(m.net, term + 2)
                value = rest if a == 1 else rest // a
                if value * a == rest and not remove(m, entry(m.net, term), value):
                    return 0
    return 1


NO_ARGUMENT, SEVERAL = -1, -2


@inner_kernel
def open_argument(m: Memory, term: int) -> Any:
    """Return where a sum's only open argument is (or that it has none, or several), and its fixed part.

    A sum is (first and last argument, constant), an argument (variable, coefficient).
    """
    rest = entry(m.net, term + 2)
    free = NO_ARGUMENT
    for k in range(entry(m.net, term), entry(m.net, term + 1), 2):
        v = entry(m.net, k)
        if entry(m.x, v + LOW) == entry(m.x, v + HIGH):
            rest += entry(m.net, k + 1) * entry(m.x, v + LOW)
        elif free != NO_ARGUMENT:
            return SEVERAL, rest
        else:
            free = k
    return free, rest


@inner_kernel
def sums_different(m: Memory, v: int) -> Any:
    """Prune AllDifferents that have sums among their terms, after v was fixed.

    Each sum with v is compared with every other: where at most one variable of the two is open, it loses the
    value that would make them equal. It is the same as a disequality for each pair, without waking them all.
    """
    for place in range(entry(m.x, v + PART), entry(m.x, v + PART_END), 3):
        mine = entry(m.net, place)
        free, rest = open_argument(m, mine)
        if free == SEVERAL:
            continue
        for term in range(entry(m.net, place + 1), entry(m.net, place + 2), 3):
            other, gap = open_argument(m, term)
            if term == mine or other == SEVERAL:
                continue
            if free >= 0 and other >= 0 and entry(m.net, free) != entry(m.net, other):
                continue
            gap -= rest  # equal where a * (the open variable) == gap
            a = 0
            if free >= 0:
                a += entry(m.net, free + 1)
            if other >= 0:
                a -= entry(m.net, other + 1)
            if a == 0:
                if gap == 0:
                    return 0
                continue
            value = gap if a > 0 else -gap
            if abs(a) > 1:  # divisions cost more than all the rest
                if gap % a != 0:
                    continue
                value = gap // a
            if not remove(m, entry(m.net, max(free, other)), value):
                return 0
    return 1


@inlined
def run_propagator(m: Memory, p: int) -> Any:
    """Run one propagator; the switch over kinds."""
    kind = entry(m.net, p + KIND)
    if kind <= TRUTH_AT_MOST:
        return linear(m, p)
    if kind <= TRUTH_OR:
        return clause(m, p)
    if kind == ABS:
        return absolute(m, p)
    if kind == PRODUCT:
        return product(m, p)
    if kind <= REMAINDER_TRUNCATED:
        return division(m, p)
    if kind <= MAXIMUM:
        return extreme(m, p)
    return element(m, p) if kind == ELEMENT else table(m, p)


@inlined
def propagate(m: Memory) -> Any:
    """Wake what waits for changes and run what is queued, to the fixpoint; return 0 at a failure."""
    while True:
        if m.stack[CHANGED_TOP] > m.stack[CHANGED_BASE]:
            m.stack[CHANGED_TOP] -= 1
            v = entry(m.stack, m.stack[CHANGED_TOP])
            events = entry(m.x, v + EVENTS)
            put(m.x, v + EVENTS, 0)
            for k in range(entry(m.x, v + WATCH), entry(m.x, v + WATCH_END), 2):
                if entry(m.net, k + 1) & events:
                    enqueue(m, entry(m.net, k))
            if events & FIX and not (all_different(m, v) and sums_different(m, v)):
                return 0
        elif m.stack[QUEUE_SIZE] > 0:
            if not run_propagator(m, dequeue(m)):
                return 0
        else:
            return 1
