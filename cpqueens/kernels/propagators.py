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
from cpqueens.kernels.jit import inner_kernel

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
    low = m.net[p + CONSTANT]
    high = low
    for k in range(m.net[p + START], m.net[p + END], 2):
        a = m.net[k + 1]
        v = m.net[k]
        if a > 0:
            low += a * m.x[v + LOW]
            high += a * m.x[v + HIGH]
        else:
            low += a * m.x[v + HIGH]
            high += a * m.x[v + LOW]
    return low, high


@inner_kernel
def task(m: Memory, p: int, low: int, high: int) -> Any:
    """Return what a row is to be pruned for, or what its truth must be, given its term's bounds."""
    kind = m.net[p + KIND]
    if kind <= AT_MOST:
        return kind
    r = m.net[p + RESULT]
    if m.x[r + LOW] == 1:
        return EQUAL if kind == TRUTH_EQUAL else AT_MOST
    if m.x[r + HIGH] == 0:
        return DIFFERENT if kind == TRUTH_EQUAL else AT_LEAST_ONE
    if low > 0:
        return FALSE
    if kind == TRUTH_AT_MOST:
        return TRUE if high <= 0 else NOTHING
    if high < 0:
        return FALSE
    if low == high:
        return TRUE
    first = m.net[p + START]
    if m.net[p + END] == first + 2:  # one variable: its value may have been removed
        a = m.net[first + 1]
        if m.net[p + CONSTANT] % a != 0 or not contains(m, m.net[first], -m.net[p + CONSTANT] // a):
            return FALSE
    return NOTHING


@inner_kernel
def linear(m: Memory, p: int) -> Any:
    """Prune a linear row, or the truth of one."""
    low = high = 0
    aim = DIFFERENT
    if m.net[p + KIND] != DIFFERENT:
        low, high = linear_bounds(m, p)
        aim = task(m, p, low, high)
    if aim == DIFFERENT:
        return different(m, p)
    if aim == NOTHING:
        return 1
    if aim >= FALSE:
        return tighten(m, m.net[p + RESULT], aim - FALSE, aim - FALSE)
    if (aim != AT_LEAST_ONE and low > 0) or (aim == EQUAL and high < 0) or (aim == AT_LEAST_ONE and high < 1):
        return 0
    # The sum of all terms but one lies so far from its end at most, and so does that one from its own.
    up = -low
    down = high - 1 if aim == AT_LEAST_ONE else high
    for k in range(m.net[p + START], m.net[p + END], 2):
        a = m.net[k + 1]
        v = m.net[k]
        x_low, x_high = m.x[v + LOW], m.x[v + HIGH]
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
    rest = m.net[p + CONSTANT]
    free = -1
    for k in range(m.net[p + START], m.net[p + END], 2):
        v = m.net[k]
        if m.x[v + LOW] == m.x[v + HIGH]:
            rest += m.net[k + 1] * m.x[v + LOW]
        elif free >= 0:
            return 1
        else:
            free = k
    if free < 0:
        return 1 if rest != 0 else 0
    a = m.net[free + 1]
    value = -rest if a > 0 else rest
    if abs(a) > 1:  # divisions cost more than all the rest
        if rest % a != 0:
            return 1
        value = -rest // a
    return remove(m, m.net[free], value)


@inner_kernel
def clause(m: Memory, p: int) -> Any:
    """Prune a clause, or the truth of one: ``result == 1`` exactly where some literal is true.

    A literal is a 0/1 variable with coefficient 1, or -1 where it is negated.
    """
    r = m.net[p + RESULT] if m.net[p + KIND] == TRUTH_OR else -1
    all_false = r >= 0 and m.x[r + HIGH] == 0
    free = -1
    open_literals = 0
    for k in range(m.net[p + START], m.net[p + END], 2):
        v = m.net[k]
        if m.x[v + LOW] != m.x[v + HIGH]:
            free = k
            open_literals += 1
            if all_false and not tighten(m, v, 1 if m.net[k + 1] < 0 else 0, 1 if m.net[k + 1] < 0 else 0):
                return 0
        elif (m.x[v + LOW] == 1) == (m.net[k + 1] > 0):  # true
            return 1 if r < 0 else tighten(m, r, 1, 1)
    if all_false:
        return 1
    if r >= 0 and m.x[r + LOW] == 0:
        return tighten(m, r, 0, 0) if open_literals == 0 else 1
    if open_literals != 1:
        return 1 if open_literals else 0
    truth = 1 if m.net[free + 1] > 0 else 0
    return tighten(m, m.net[free], truth, truth)


@inner_kernel
def absolute(m: Memory, p: int) -> Any:
    """Prune for ``result == |x|``."""
    r = m.net[p + RESULT]
    x = m.net[m.net[p + START]]
    least = max(0, max(m.x[x + LOW], -m.x[x + HIGH]))
    if not tighten(m, r, least, max(abs(m.x[x + LOW]), abs(m.x[x + HIGH]))):
        return 0
    low, high = -m.x[r + HIGH], m.x[r + HIGH]
    if m.x[x + LOW] > -m.x[r + LOW]:
        low = m.x[r + LOW]
    if m.x[x + HIGH] < m.x[r + LOW]:
        high = -m.x[r + LOW]
    return tighten(m, x, low, high)


@inner_kernel
def product(m: Memory, p: int) -> Any:
    """Prune for ``result == x * y``: the result by the corners, a factor once the rest is fixed."""
    r = m.net[p + RESULT]
    x = m.net[m.net[p + START]]
    y = m.net[m.net[p + START] + 2]
    a, b = m.x[x + LOW] * m.x[y + LOW], m.x[x + LOW] * m.x[y + HIGH]
    c, d = m.x[x + HIGH] * m.x[y + LOW], m.x[x + HIGH] * m.x[y + HIGH]
    low, high = min(min(a, b), min(c, d)), max(max(a, b), max(c, d))
    if x == y and m.x[x + LOW] < 0 < m.x[x + HIGH]:
        low = 0
    if not tighten(m, r, low, high):
        return 0
    if m.x[r + LOW] != m.x[r + HIGH] or x == y:
        return 1
    value = m.x[r + LOW]
    for turn in range(2):
        known, other = (x, y) if turn == 0 else (y, x)
        factor = m.x[known + LOW]
        if factor == m.x[known + HIGH] and factor != 0:
            quotient = value // factor
            if value % factor != 0 or not contains(m, other, quotient):
                return m.x[other + FROZEN]
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

    A divisor of 0 decides nothing: the range condition, a constraint of its own, fails there.
    """
    x = m.net[m.net[p + START]]
    y = m.net[m.net[p + START] + 2]
    kind = m.net[p + KIND]
    divisor = m.x[y + LOW]
    if divisor != m.x[y + HIGH] or divisor == 0:
        return 1
    if m.x[x + LOW] != m.x[x + HIGH] and kind != QUOTIENT and kind != QUOTIENT_TRUNCATED:
        return 1
    a, b = divide(kind, m.x[x + LOW], divisor), divide(kind, m.x[x + HIGH], divisor)
    return tighten(m, m.net[p + RESULT], min(a, b), max(a, b))


@inner_kernel
def extreme(m: Memory, p: int) -> Any:
    """Prune for ``result == max(arguments)``; the minimum is the maximum of the negated arguments."""
    sign = 1 if m.net[p + KIND] == MAXIMUM else -1
    top, bottom = (HIGH, LOW) if sign > 0 else (LOW, HIGH)
    r = m.net[p + RESULT]
    first, end = m.net[p + START], m.net[p + END]
    low, high = sign * m.x[m.net[first] + bottom], sign * m.x[m.net[first] + top]
    for k in range(first, end, 2):
        v = m.net[k]
        low, high = max(low, sign * m.x[v + bottom]), max(high, sign * m.x[v + top])
    if not tighten(m, r, low if sign > 0 else -high, high if sign > 0 else -low):
        return 0
    least, most = sign * m.x[r + bottom], sign * m.x[r + top]
    able, many = first, 0
    for k in range(first, end, 2):
        if sign * m.x[m.net[k] + top] >= least:
            able = k
            many += 1
    for k in range(first, end, 2):
        v = m.net[k]
        floor = least if many == 1 and k == able else sign * m.x[v + bottom]
        if not tighten(m, v, floor if sign > 0 else -most, most if sign > 0 else -floor):
            return 0
    return 1


@inner_kernel
def element(m: Memory, p: int) -> Any:
    """Prune for ``result == table[position]``; a position outside the table decides nothing."""
    r = m.net[p + RESULT]
    first = m.net[p + START]
    position = m.net[first]
    entries = (m.net[p + END] - first) // 2 - 1
    if m.x[position + LOW] < 0 or m.x[position + HIGH] >= entries:
        return 1
    low, high = m.x[r + HIGH] + 1, m.x[r + LOW] - 1
    for i in range(m.x[position + LOW], m.x[position + HIGH] + 1):
        if contains(m, position, i):
            v = m.net[first + 2 + 2 * i]
            if m.x[v + LOW] > m.x[r + HIGH] or m.x[v + HIGH] < m.x[r + LOW]:
                if not remove(m, position, i):
                    return 0
            else:
                low, high = min(low, m.x[v + LOW]), max(high, m.x[v + HIGH])
    if low > high:
        return m.x[position + FROZEN]
    if not tighten(m, r, low, high):
        return 0
    if m.x[position + LOW] == m.x[position + HIGH]:
        v = m.net[first + 2 + 2 * m.x[position + LOW]]
        return tighten(m, v, m.x[r + LOW], m.x[r + HIGH])
    return 1


@inner_kernel
def possible_row(m: Memory, first: int, arity: int, row: int) -> Any:
    """Say whether all values of a table's row are still in their domains."""
    for k in range(arity):
        if not contains(m, m.net[first + 2 * k], m.net[row + k]):
            return 0
    return 1


@inner_kernel
def tighten_to_rows(m: Memory, p: int, column: int) -> Any:
    """Give a variable without listed values the bounds that a table's possible rows leave it."""
    first = m.net[p + START]
    arity = (m.net[p + END] - first) // 2
    v = m.net[first + 2 * column]
    low, high = m.x[v + HIGH] + 1, m.x[v + LOW] - 1
    for row in range(m.net[p + ROWS], m.net[p + ROWS_END], arity):
        if possible_row(m, first, arity, row):
            low, high = min(low, m.net[row + column]), max(high, m.net[row + column])
    return tighten(m, v, low, high)


@inner_kernel
def table(m: Memory, p: int) -> Any:
    """Keep the values that some row still supports (generalised arc consistency by a scan)."""
    first, end = m.net[p + START], m.net[p + END]
    marks = m.stack[MARKS]
    for k in range(first, end, 2):
        v = m.net[k]
        if m.x[v + FIRST] >= 0:
            for w in range(m.x[v + LOW], m.x[v + HIGH] + 1):
                m.cells[marks + m.x[v + FIRST] + w - m.x[v + BASE]] = 0
    any_row = 0
    arity = (end - first) // 2
    for row in range(m.net[p + ROWS], m.net[p + ROWS_END], arity):
        if possible_row(m, first, arity, row):
            any_row = 1
            for k in range(arity):
                v = m.net[first + 2 * k]
                if m.x[v + FIRST] >= 0:
                    m.cells[marks + m.x[v + FIRST] + m.net[row + k] - m.x[v + BASE]] = 1
    if not any_row:
        return 0
    for k in range(first, end, 2):
        v = m.net[k]
        if m.x[v + FIRST] < 0 and not tighten_to_rows(m, p, (k - first) // 2):
            return 0
        if m.x[v + FIRST] >= 0:
            for w in range(m.x[v + LOW], m.x[v + HIGH] + 1):
                cell = m.x[v + FIRST] + w - m.x[v + BASE]
                if m.cells[cell] and not m.cells[marks + cell] and not remove(m, v, w):
                    return 0
    return 1


@inner_kernel
def all_different(m: Memory, v: int) -> Any:
    """Remove the value of v, just fixed, from the other terms of its AllDifferents.

    Each place of v in ``net`` is (position of the term, first and last term of its AllDifferent); a term
    is (variable, coefficient, constant).
    """
    for place in range(m.x[v + MEMBER], m.x[v + MEMBER_END], 3):
        mine = m.net[place]
        taken = m.net[mine + 1] * m.x[v + LOW] + m.net[mine + 2]
        for term in range(m.net[place + 1], m.net[place + 2], 3):
            if term != mine:
                a = m.net[term + 1]
                rest = taken - m.net[term + 2]
                value = rest if a == 1 else rest // a
                if value * a == rest and not remove(m, m.net[term], value):
                    return 0
    return 1


NO_ARGUMENT, SEVERAL = -1, -2


@inner_kernel
def open_argument(m: Memory, term: int) -> Any:
    """Return where a sum's only open argument is (or that it has none, or several), and its fixed part.

    A sum is (first and last argument, constant), an argument (variable, coefficient).
    """
    rest = m.net[term + 2]
    free = NO_ARGUMENT
    for k in range(m.net[term], m.net[term + 1], 2):
        v = m.net[k]
        if m.x[v + LOW] == m.x[v + HIGH]:
            rest += m.net[k + 1] * m.x[v + LOW]
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
    for place in range(m.x[v + PART], m.x[v + PART_END], 3):
        mine = m.net[place]
        free, rest = open_argument(m, mine)
        if free == SEVERAL:
            continue
        for term in range(m.net[place + 1], m.net[place + 2], 3):
            other, gap = open_argument(m, term)
            if term == mine or other == SEVERAL:
                continue
            if free >= 0 and other >= 0 and m.net[free] != m.net[other]:
                continue
            gap -= rest  # equal where a * (the open variable) == gap
            a = 0
            if free >= 0:
                a += m.net[free + 1]
            if other >= 0:
                a -= m.net[other + 1]
            if a == 0:
                if gap == 0:
                    return 0
                continue
            value = gap if a > 0 else -gap
            if abs(a) > 1:  # divisions cost more than all the rest
                if gap % a != 0:
                    continue
                value = gap // a
            if not remove(m, m.net[max(free, other)], value):
                return 0
    return 1


@inner_kernel
def run_propagator(m: Memory, p: int) -> Any:
    """Run one propagator; the switch over kinds."""
    kind = m.net[p + KIND]
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


@inner_kernel
def propagate(m: Memory) -> Any:
    """Wake what waits for changes and run what is queued, to the fixpoint; return 0 at a failure."""
    while True:
        if m.stack[CHANGED_TOP] > m.stack[CHANGED_BASE]:
            m.stack[CHANGED_TOP] -= 1
            v = m.stack[m.stack[CHANGED_TOP]]
            events = m.x[v + EVENTS]
            m.x[v + EVENTS] = 0
            for k in range(m.x[v + WATCH], m.x[v + WATCH_END], 2):
                if m.net[k + 1] & events:
                    enqueue(m, m.net[k])
            if events & FIX and not (all_different(m, v) and sums_different(m, v)):
                return 0
        elif m.stack[QUEUE_SIZE] > 0:
            if not run_propagator(m, dequeue(m)):
                return 0
        else:
            return 1
