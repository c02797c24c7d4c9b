"""Propagation of the kernel core: linear rows, clauses, AllDifferent, tables and definitions.

Each function takes the store, the network and the number of a propagator, prunes, and returns 1, or 0 if
the constraint cannot hold. When all arguments of a definition are fixed, its result is fixed too, so that
fixing the decision variables decides everything.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cpqueens.kernels.domains import (
    FIXED_DONE,
    FIXED_TOP,
    QUEUE_HEAD,
    QUEUE_SIZE,
    Flags,
    Ints,
    Store,
    assign,
    contains,
    remove,
    set_high,
    set_low,
)
from cpqueens.kernels.jit import kernel

# Kinds of propagators. LINEAR_* have the codes of `cpqueens.compiled` for their relations.
EQUAL, DIFFERENT, AT_MOST = 0, 1, 2
CLAUSE, TRUTH_EQUAL, TRUTH_AT_MOST, TRUTH_OR = 3, 4, 5, 6
ABS, PRODUCT, QUOTIENT, QUOTIENT_TRUNCATED, REMAINDER, REMAINDER_TRUNCATED = 7, 8, 9, 10, 11, 12
MINIMUM, MAXIMUM, ELEMENT, TABLE = 13, 14, 15, 16


class Network(NamedTuple):
    """The propagators: arguments in compressed rows, and the AllDifferents apart.

    ``result`` is the defined variable of definitions and truths, or the table of a table constraint.
    """

    kind: Ints
    start: Ints
    variable: Ints
    coefficient: Ints
    constant: Ints
    result: Ints
    different_start: Ints  # by AllDifferent: its terms
    different_variable: Ints
    different_coefficient: Ints
    different_constant: Ints
    member_start: Ints  # by variable: its places among the terms
    member_place: Ints
    member_owner: Ints
    table_start: Ints  # by table: its rows in `rows`
    rows: Ints  # flat
    marks: Flags  # scratch for tables, one per cell


@kernel
def linear_bounds(s: Store, n: Network, p: int) -> Any:
    """Return the least and the greatest value of the row's term."""
    low = n.constant[p]
    high = n.constant[p]
    for k in range(n.start[p], n.start[p + 1]):
        a = n.coefficient[k]
        v = n.variable[k]
        if a > 0:
            low += a * s.low[v]
            high += a * s.high[v]
        else:
            low += a * s.high[v]
            high += a * s.low[v]
    return low, high


@kernel
def at_most(s: Store, n: Network, p: int, low: int) -> Any:
    """Prune for ``term <= 0``, given the term's least value."""
    if low > 0:
        return 0
    for k in range(n.start[p], n.start[p + 1]):
        a = n.coefficient[k]
        v = n.variable[k]
        if a > 0:
            if not set_high(s, v, s.low[v] + (-low) // a):
                return 0
        elif not set_low(s, v, s.high[v] - (-low) // (-a)):
            return 0
    return 1


@kernel
def at_least(s: Store, n: Network, p: int, high: int) -> Any:
    """Prune for ``term >= 0``, given the term's greatest value."""
    if high < 0:
        return 0
    for k in range(n.start[p], n.start[p + 1]):
        a = n.coefficient[k]
        v = n.variable[k]
        if a > 0:
            if not set_low(s, v, s.high[v] - high // a):
                return 0
        elif not set_high(s, v, s.low[v] + high // (-a)):
            return 0
    return 1


@kernel
def equal(s: Store, n: Network, p: int) -> Any:
    """Prune for ``term == 0``."""
    low, high = linear_bounds(s, n, p)
    if not at_most(s, n, p, low):
        return 0
    low, high = linear_bounds(s, n, p)
    return at_least(s, n, p, high)


@kernel
def different(s: Store, n: Network, p: int) -> Any:
    """Prune for ``term != 0``: with one variable left, remove the value that would give 0."""
    rest = n.constant[p]
    free = -1
    for k in range(n.start[p], n.start[p + 1]):
        v = n.variable[k]
        if s.low[v] == s.high[v]:
            rest += n.coefficient[k] * s.low[v]
        elif free >= 0:
            return 1
        else:
            free = k
    if free < 0:
        return 1 if rest != 0 else 0
    a = n.coefficient[free]
    if rest % a != 0:
        return 1
    return remove(s, n.variable[free], -rest // a)


@kernel
def literal_value(s: Store, n: Network, k: int) -> Any:
    """Return 1, 0 or -1 for a true, false or open literal (coefficient 1 or -1 for negated)."""
    v = n.variable[k]
    if s.low[v] != s.high[v]:
        return -1
    return s.low[v] if n.coefficient[k] > 0 else 1 - s.low[v]


@kernel
def set_literal(s: Store, n: Network, k: int, truth: int) -> Any:
    """Make a literal true (1) or false (0)."""
    return assign(s, n.variable[k], truth if n.coefficient[k] > 0 else 1 - truth)


@kernel
def clause(s: Store, n: Network, p: int) -> Any:
    """Make the last open literal true when all others are false."""
    free = -1
    for k in range(n.start[p], n.start[p + 1]):
        value = literal_value(s, n, k)
        if value == 1:
            return 1
        if value < 0:
            if free >= 0:
                return 1
            free = k
    return 0 if free < 0 else set_literal(s, n, free, 1)


@kernel
def truth_or(s: Store, n: Network, p: int) -> Any:
    """Prune for ``result == 1`` exactly where some literal is true."""
    r = n.result[p]
    if s.low[r] == 1:
        return clause(s, n, p)
    if s.high[r] == 0:
        for k in range(n.start[p], n.start[p + 1]):
            if not set_literal(s, n, k, 0):
                return 0
        return 1
    open_literals = 0
    for k in range(n.start[p], n.start[p + 1]):
        value = literal_value(s, n, k)
        if value == 1:
            return assign(s, r, 1)
        if value < 0:
            open_literals += 1
    return assign(s, r, 0) if open_literals == 0 else 1


@kernel
def truth_at_most(s: Store, n: Network, p: int) -> Any:
    """Prune for ``result == 1`` exactly where ``term <= 0``."""
    r = n.result[p]
    low, high = linear_bounds(s, n, p)
    if s.low[r] == 1:
        return at_most(s, n, p, low)
    if s.high[r] == 0:  # term >= 1
        return at_least(s, n, p, high - 1)
    if high <= 0:
        return assign(s, r, 1)
    if low > 0:
        return assign(s, r, 0)
    return 1


@kernel
def truth_equal(s: Store, n: Network, p: int) -> Any:
    """Prune for ``result == 1`` exactly where ``term == 0``."""
    r = n.result[p]
    if s.low[r] == 1:
        return equal(s, n, p)
    if s.high[r] == 0:
        return different(s, n, p)
    low, high = linear_bounds(s, n, p)
    if low > 0 or high < 0:
        return assign(s, r, 0)
    if low == high:
        return assign(s, r, 1)
    first = n.start[p]
    if n.start[p + 1] == first + 1:  # one variable: its value may have been removed
        a = n.coefficient[first]
        value = -n.constant[p] // a
        if n.constant[p] % a != 0 or not contains(s, n.variable[first], value):
            return assign(s, r, 0)
    return 1


@kernel
def absolute(s: Store, n: Network, p: int) -> Any:
    """Prune for ``result == |x|``."""
    r = n.result[p]
    x = n.variable[n.start[p]]
    least = max(0, max(s.low[x], -s.high[x]))
    if not (set_low(s, r, least) and set_high(s, r, max(abs(s.low[x]), abs(s.high[x])))):
        return 0
    if not (set_high(s, x, s.high[r]) and set_low(s, x, -s.high[r])):
        return 0
    if s.low[x] > -s.low[r]:
        return set_low(s, x, s.low[r])
    if s.high[x] < s.low[r]:
        return set_high(s, x, -s.low[r])
    return 1


@kernel
def product(s: Store, n: Network, p: int) -> Any:
    """Prune for ``result == x * y``: the result by the corners, a factor once the rest is fixed."""
    r = n.result[p]
    x = n.variable[n.start[p]]
    y = n.variable[n.start[p] + 1]
    a, b, c, d = s.low[x] * s.low[y], s.low[x] * s.high[y], s.high[x] * s.low[y], s.high[x] * s.high[y]
    low, high = min(min(a, b), min(c, d)), max(max(a, b), max(c, d))
    if x == y and s.low[x] < 0 < s.high[x]:
        low = 0
    if not (set_low(s, r, low) and set_high(s, r, high)):
        return 0
    if s.low[r] != s.high[r] or x == y:
        return 1
    for turn in range(2):
        known, other = (x, y) if turn == 0 else (y, x)
        if s.low[known] == s.high[known] and s.low[known] != 0:
            if s.low[r] % s.low[known] != 0 or not assign(s, other, s.low[r] // s.low[known]):
                return 0
    return 1


@kernel
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


@kernel
def division(s: Store, n: Network, p: int) -> Any:
    """Prune the result of a division: exactly once both arguments are fixed, by the ends before that."""
    r = n.result[p]
    x = n.variable[n.start[p]]
    y = n.variable[n.start[p] + 1]
    kind = n.kind[p]
    if s.low[y] != s.high[y]:
        return 1
    if s.low[y] == 0:
        return 1  # undefined: the range condition, a constraint of its own, fails
    if s.low[x] == s.high[x]:
        return assign(s, r, divide(kind, s.low[x], s.low[y]))
    if kind == QUOTIENT or kind == QUOTIENT_TRUNCATED:
        a, b = divide(kind, s.low[x], s.low[y]), divide(kind, s.high[x], s.low[y])
        return 1 if set_low(s, r, min(a, b)) and set_high(s, r, max(a, b)) else 0
    return 1


@kernel
def minimum(s: Store, n: Network, p: int) -> Any:
    """Prune for ``result == min(arguments)``."""
    r = n.result[p]
    first = n.start[p]
    low, high = s.low[n.variable[first]], s.high[n.variable[first]]
    for k in range(first, n.start[p + 1]):
        v = n.variable[k]
        low, high = min(low, s.low[v]), min(high, s.high[v])
    if not (set_low(s, r, low) and set_high(s, r, high)):
        return 0
    able = -1
    for k in range(first, n.start[p + 1]):
        v = n.variable[k]
        if not set_low(s, v, s.low[r]):
            return 0
        if s.low[v] <= s.high[r]:
            able = k if able == -1 else -2
    return set_high(s, n.variable[able], s.high[r]) if able >= 0 else 1


@kernel
def maximum(s: Store, n: Network, p: int) -> Any:
    """Prune for ``result == max(arguments)``."""
    r = n.result[p]
    first = n.start[p]
    low, high = s.low[n.variable[first]], s.high[n.variable[first]]
    for k in range(first, n.start[p + 1]):
        v = n.variable[k]
        low, high = max(low, s.low[v]), max(high, s.high[v])
    if not (set_low(s, r, low) and set_high(s, r, high)):
        return 0
    able = -1
    for k in range(first, n.start[p + 1]):
        v = n.variable[k]
        if not set_high(s, v, s.high[r]):
            return 0
        if s.high[v] >= s.low[r]:
            able = k if able == -1 else -2
    return set_low(s, n.variable[able], s.low[r]) if able >= 0 else 1


@kernel
def element(s: Store, n: Network, p: int) -> Any:
    """Prune for ``result == table[position]``; a position outside the table decides nothing."""
    r = n.result[p]
    first = n.start[p]
    position = n.variable[first]
    entries = n.start[p + 1] - first - 1
    if s.low[position] < 0 or s.high[position] >= entries:
        return 1
    low, high = s.high[r] + 1, s.low[r] - 1
    for i in range(s.low[position], s.high[position] + 1):
        if contains(s, position, i):
            v = n.variable[first + 1 + i]
            if s.low[v] > s.high[r] or s.high[v] < s.low[r]:
                if not remove(s, position, i):
                    return 0
            else:
                low, high = min(low, s.low[v]), max(high, s.high[v])
    if low > high:
        return 1 if s.frozen[position] and s.low[position] != s.high[position] else 0
    if not (set_low(s, r, low) and set_high(s, r, high)):
        return 0
    if s.low[position] == s.high[position]:
        v = n.variable[first + 1 + s.low[position]]
        return 1 if set_low(s, v, s.low[r]) and set_high(s, v, s.high[r]) else 0
    return 1


@kernel
def table(s: Store, n: Network, p: int) -> Any:
    """Keep the values that some row still supports (generalised arc consistency by a scan)."""
    first = n.start[p]
    arity = n.start[p + 1] - first
    t = n.result[p]
    for k in range(arity):
        v = n.variable[first + k]
        if s.first[v] >= 0:
            for w in range(s.low[v], s.high[v] + 1):
                n.marks[s.first[v] + w - s.base[v]] = 0
    any_row = 0
    for row in range(n.table_start[t], n.table_start[t + 1], arity):
        possible = 1
        for k in range(arity):
            if not contains(s, n.variable[first + k], n.rows[row + k]):
                possible = 0
                break
        if possible:
            any_row = 1
            for k in range(arity):
                v = n.variable[first + k]
                if s.first[v] >= 0:
                    n.marks[s.first[v] + n.rows[row + k] - s.base[v]] = 1
    if not any_row:
        return 0
    for k in range(arity):
        v = n.variable[first + k]
        if s.first[v] >= 0:
            for w in range(s.low[v], s.high[v] + 1):
                cell = s.first[v] + w - s.base[v]
                if s.cells[cell] and not n.marks[cell] and not remove(s, v, w):
                    return 0
    return 1


@kernel
def all_different(s: Store, n: Network, v: int) -> Any:
    """Remove the value of v, just fixed, from the other terms of its AllDifferents."""
    for m in range(n.member_start[v], n.member_start[v + 1]):
        place = n.member_place[m]
        owner = n.member_owner[m]
        taken = n.different_coefficient[place] * s.low[v] + n.different_constant[place]
        for k in range(n.different_start[owner], n.different_start[owner + 1]):
            if k != place:
                a = n.different_coefficient[k]
                rest = taken - n.different_constant[k]
                if rest % a == 0 and not remove(s, n.different_variable[k], rest // a):
                    return 0
    return 1


@kernel
def run_propagator(s: Store, n: Network, p: int) -> Any:
    """Run one propagator; the switch over kinds."""
    kind = n.kind[p]
    if kind == EQUAL:
        return equal(s, n, p)
    if kind == AT_MOST:
        return at_most(s, n, p, linear_bounds(s, n, p)[0])
    if kind == DIFFERENT:
        return different(s, n, p)
    if kind == CLAUSE:
        return clause(s, n, p)
    if kind == TRUTH_EQUAL:
        return truth_equal(s, n, p)
    if kind == TRUTH_AT_MOST:
        return truth_at_most(s, n, p)
    if kind == TRUTH_OR:
        return truth_or(s, n, p)
    if kind == ABS:
        return absolute(s, n, p)
    if kind == PRODUCT:
        return product(s, n, p)
    if kind == MINIMUM:
        return minimum(s, n, p)
    if kind == MAXIMUM:
        return maximum(s, n, p)
    if kind == ELEMENT:
        return element(s, n, p)
    if kind == TABLE:
        return table(s, n, p)
    return division(s, n, p)


@kernel
def propagate(s: Store, n: Network) -> Any:
    """Run the queued propagators to the fixpoint; return 0 at the first that fails."""
    while True:
        if s.control[FIXED_DONE] < s.control[FIXED_TOP]:
            v = s.fixed[s.control[FIXED_DONE]]
            s.control[FIXED_DONE] += 1
            if not all_different(s, n, v):
                return 0
        elif s.control[QUEUE_SIZE] > 0:
            head = s.control[QUEUE_HEAD]
            p = s.queue[head]
            s.control[QUEUE_HEAD] = 0 if head + 1 == len(s.queue) else head + 1
            s.control[QUEUE_SIZE] -= 1
            s.queued[p] = 0
            if not run_propagator(s, n, p):
                return 0
        else:
            s.control[FIXED_TOP] = 0
            s.control[FIXED_DONE] = 0
            return 1
