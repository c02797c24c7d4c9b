"""Propagation of linear rows, alone or under a truth.

Each function takes the memory and the position of a propagator, prunes, and returns 1, or 0 if the
constraint cannot hold.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.domains import Memory, contains, remove, set_word, tighten, word
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.instructions import entry

# What a linear row is to be pruned for; AT_LEAST_ONE is the negation of AT_MOST.
AT_LEAST_ONE, NOTHING, FALSE, TRUE = 5, 6, 7, 8

# A long row has three reversible words, the first at ``ROWS`` (others have 0 there): the least and the
# greatest sum without the constant, and what no part is wider than.
GREATEST, WIDEST = at.WORD_WIDTH, 2 * at.WORD_WIDTH


@inner_kernel
def linear_bounds(m: Memory, p: int) -> Any:
    """Return the least and the greatest value of the row's term, and the widest part's extent."""
    low = high = entry(m.net, p + at.CONSTANT)
    k, end, widest = entry(m.net, p + at.START), entry(m.net, p + at.END), 0
    while k < end:
        a = entry(m.net, k + 1)
        v = entry(m.net, k)
        first, last = a * entry(m.x, v + at.LOW), a * entry(m.x, v + at.HIGH)
        if a < 0:
            first, last = last, first
        low += first
        high += last
        widest = max(widest, last - first)
        k += 2
    return low, high, widest


@inner_kernel
def kept_bounds(m: Memory, p: int, sums: int) -> Any:
    """Return the same of a long row, whose sums are kept: `propagators.move_sums` moves them.

    No part is wider than the widest one that was met when all were looked at last.
    """
    c = entry(m.net, p + at.CONSTANT)
    return c + word(m, sums), c + word(m, sums + GREATEST), word(m, sums + WIDEST)


@inner_kernel
def task(m: Memory, p: int, low: int, high: int) -> Any:
    """Return what a row is to be pruned for, or what its truth must be, given its term's bounds."""
    kind = entry(m.net, p + at.KIND)
    if kind <= kinds.AT_MOST:
        return kind
    r = entry(m.net, p + at.RESULT)
    if entry(m.x, r + at.LOW) == 1:
        return kinds.EQUAL if kind == kinds.TRUTH_EQUAL else kinds.AT_MOST
    if entry(m.x, r + at.HIGH) == 0:
        return kinds.DIFFERENT if kind == kinds.TRUTH_EQUAL else AT_LEAST_ONE
    if low > 0:
        return FALSE
    if kind == kinds.TRUTH_AT_MOST:
        return TRUE if high <= 0 else NOTHING
    if high < 0:
        return FALSE
    if low == high:
        return TRUE
    first = entry(m.net, p + at.START)
    if entry(m.net, p + at.END) == first + 2:  # one variable: its value may have been removed
        a, c = entry(m.net, first + 1), entry(m.net, p + at.CONSTANT)
        if c % a != 0 or not contains(m, entry(m.net, first), -c // a):
            return FALSE
    return NOTHING


@inner_kernel
def linear(m: Memory, p: int) -> Any:
    """Prune a linear row, or the truth of one."""
    low = high = widest = 0
    aim = kinds.DIFFERENT
    sums = entry(m.net, p + at.ROWS)
    if entry(m.net, p + at.KIND) != kinds.DIFFERENT:
        if sums:
            low, high, widest = kept_bounds(m, p, sums)
        else:
            low, high, widest = linear_bounds(m, p)
        aim = task(m, p, low, high)
    if aim == kinds.DIFFERENT:
        return different(m, p)
    if aim == NOTHING:
        return 1
    if aim >= FALSE:
        return tighten(m, entry(m.net, p + at.RESULT), aim - FALSE, aim - FALSE)
    if (
        (aim != AT_LEAST_ONE and low > 0)
        or (aim == kinds.EQUAL and high < 0)
        or (aim == AT_LEAST_ONE and high < 1)
    ):
        return 0
    # The sum of all terms but one lies so far from its end at most, and so does that one from its own.
    up = -low
    down = high - 1 if aim == AT_LEAST_ONE else high
    if (up >= widest or aim == AT_LEAST_ONE) and (down >= widest or aim == kinds.AT_MOST):
        return 1
    widest = 0
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
        a = entry(m.net, k + 1)
        v = entry(m.net, k)
        x_low, x_high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
        widest = max(widest, abs(a) * (x_high - x_low))
        more, less = up, down  # how far v may stay from the end where its part is least, and greatest
        if abs(a) > 1:  # divisions cost more than all the rest
            more, less = up // abs(a), down // abs(a)
        if a < 0:
            more, less = less, more
        # for a > 0: term <= 0 leaves v at most x_low + more, and term >= 0 (or 1) at least x_high - less
        below, above = x_low, x_high
        if aim != (AT_LEAST_ONE if a > 0 else kinds.AT_MOST):
            above = x_low + more
        if aim != (kinds.AT_MOST if a > 0 else AT_LEAST_ONE):
            below = x_high - less
        if not tighten(m, v, below, above):
            return 0
    if sums:
        set_word(m, sums + WIDEST, widest)
    return 1


@inner_kernel
def different(m: Memory, p: int) -> Any:
    """Prune for ``term != 0``: with one variable left, remove the value that would give 0."""
    rest = entry(m.net, p + at.CONSTANT)
    free = -1
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
        v = entry(m.net, k)
        if entry(m.x, v + at.LOW) == entry(m.x, v + at.HIGH):
            rest += entry(m.net, k + 1) * entry(m.x, v + at.LOW)
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
