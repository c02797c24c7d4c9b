"""Propagation of definitions: abs, product, divisions, minimum, maximum, element.

Each function takes the memory and the position of a propagator, prunes, and returns 1, or 0 if the
constraint cannot hold. When all arguments are fixed, the result is fixed too, so that fixing the decision
variables decides everything.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.domains import Memory, contains, remove, tighten
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.instructions import entry

GREATEST_ROOT = 3_037_000_499
"""The square of one more does not fit 64 bits."""

LARGE = 1 << 62


@inner_kernel
def absolute(m: Memory, p: int) -> Any:
    """Prune for ``result == |x|``."""
    r = entry(m.net, p + at.RESULT)
    x = entry(m.net, entry(m.net, p + at.START))
    least = max(0, max(entry(m.x, x + at.LOW), -entry(m.x, x + at.HIGH)))
    if not tighten(m, r, least, max(abs(entry(m.x, x + at.LOW)), abs(entry(m.x, x + at.HIGH)))):
        return 0
    low, high = -entry(m.x, r + at.HIGH), entry(m.x, r + at.HIGH)
    if entry(m.x, x + at.LOW) > -entry(m.x, r + at.LOW):
        low = entry(m.x, r + at.LOW)
    if entry(m.x, x + at.HIGH) < entry(m.x, r + at.LOW):
        high = -entry(m.x, r + at.LOW)
    return tighten(m, x, low, high)


@inner_kernel
def tighten_to_quotient(m: Memory, x: int, r: int, y: int) -> Any:
    """Give ``x`` the ends that ``result / y`` has, over y's negative and positive values."""
    a, b = entry(m.x, r + at.LOW), entry(m.x, r + at.HIGH)
    c, d = entry(m.x, y + at.LOW), entry(m.x, y + at.HIGH)
    if a <= 0 <= b and c <= 0 <= d:
        return 1
    low, high = entry(m.x, x + at.HIGH) + 1, entry(m.x, x + at.LOW) - 1
    for _ in range(2):
        a, b, c, d = -b, -a, -d, -c
        if d >= 1:
            least = max(1, c)
            low = min(low, min(-(-a // least), -(-a // d)))
            high = max(high, max(b // least, b // d))
    return tighten(m, x, low, high)


@inner_kernel
def root(value: int) -> Any:
    """Return the greatest integer whose square is at most ``value``, by halving."""
    low, high = 0, min(value, GREATEST_ROOT)
    while low < high:
        middle = (low + high + 1) // 2
        if middle * middle <= value:
            low = middle
        else:
            high = middle - 1
    return low


@inner_kernel
def square(m: Memory, r: int, x: int) -> Any:
    """Prune for ``result == x * x``."""
    low, high = entry(m.x, x + at.LOW), entry(m.x, x + at.HIGH)
    least = max(0, max(low, -high))
    most = max(high, -low)
    if not tighten(m, r, least * least, most * most):
        return 0
    most = root(entry(m.x, r + at.HIGH))
    least = entry(m.x, r + at.LOW)
    if least > 0:
        least = root(least - 1) + 1
    return tighten(m, x, least if low > -least else -most, -least if high < least else most)


@inner_kernel
def product(m: Memory, p: int) -> Any:
    """Prune for ``result == x * y`` by the ends of all three."""
    r = entry(m.net, p + at.RESULT)
    x = entry(m.net, entry(m.net, p + at.START))
    y = entry(m.net, entry(m.net, p + at.START) + 2)
    if x == y:
        return square(m, r, x)
    a, b = entry(m.x, x + at.LOW) * entry(m.x, y + at.LOW), entry(m.x, x + at.LOW) * entry(m.x, y + at.HIGH)
    c, d = entry(m.x, x + at.HIGH) * entry(m.x, y + at.LOW), entry(m.x, x + at.HIGH) * entry(m.x, y + at.HIGH)
    if not tighten(m, r, min(min(a, b), min(c, d)), max(max(a, b), max(c, d))):
        return 0
    return tighten_to_quotient(m, x, r, y) and tighten_to_quotient(m, y, r, x)


@inner_kernel
def divide(kind: int, x: int, y: int) -> Any:
    """Return quotient or remainder of ``x`` and ``y != 0``, floored or truncated by ``kind``."""
    if kind == kinds.QUOTIENT:
        return x // y
    if kind == kinds.REMAINDER:
        return x % y
    quotient = abs(x) // abs(y)
    if (x < 0) != (y < 0):
        quotient = -quotient
    return quotient if kind == kinds.QUOTIENT_TRUNCATED else x - y * quotient


@inner_kernel
def quotient(m: Memory, kind: int, x: int, y: int, r: int) -> Any:
    """Prune for ``result == quotient of x and y``, where y is not 0, by the corners of both sides."""
    a, b = entry(m.x, x + at.LOW), entry(m.x, x + at.HIGH)
    c, d = entry(m.x, y + at.LOW), entry(m.x, y + at.HIGH)
    low = min(min(divide(kind, a, c), divide(kind, a, d)), min(divide(kind, b, c), divide(kind, b, d)))
    high = max(max(divide(kind, a, c), divide(kind, a, d)), max(divide(kind, b, c), divide(kind, b, d)))
    if not tighten(m, r, low, high):
        return 0
    most = max(abs(c), abs(d))
    low, high = entry(m.x, r + at.LOW), entry(m.x, r + at.HIGH)
    if max(abs(low), abs(high)) > LARGE // most - 1:
        return 1  # products of the two might not fit
    least = min(min(low * c, low * d), min(high * c, high * d))
    greatest = max(max(low * c, low * d), max(high * c, high * d))
    below = kind == kinds.QUOTIENT_TRUNCATED or d < 0  # whether remainders are on this side of 0
    above = kind == kinds.QUOTIENT_TRUNCATED or c > 0
    return tighten(m, x, least - (most - 1 if below else 0), greatest + (most - 1 if above else 0))


@inner_kernel
def remainder(m: Memory, kind: int, x: int, y: int, r: int) -> Any:
    """Prune for ``result == remainder of x and y``, where y is not 0: exactly while the quotient is one."""
    c, d = entry(m.x, y + at.LOW), entry(m.x, y + at.HIGH)
    most = max(abs(c), abs(d)) - 1
    is_floored = kind == kinds.REMAINDER
    negative = d < 0 if is_floored else entry(m.x, x + at.LOW) < 0
    positive = c > 0 if is_floored else entry(m.x, x + at.HIGH) > 0
    if not tighten(m, r, -most if negative else 0, most if positive else 0):
        return 0
    if c != d:
        return 1
    whole = kinds.QUOTIENT if is_floored else kinds.QUOTIENT_TRUNCATED
    times = divide(whole, entry(m.x, x + at.LOW), c)
    if times != divide(whole, entry(m.x, x + at.HIGH), c):
        return 1
    less = times * c
    if not tighten(m, r, entry(m.x, x + at.LOW) - less, entry(m.x, x + at.HIGH) - less):
        return 0
    return tighten(m, x, entry(m.x, r + at.LOW) + less, entry(m.x, r + at.HIGH) + less)


@inner_kernel
def division(m: Memory, p: int) -> Any:
    """Prune for a division's result, unless the divisor may be 0 and something else.

    For a divisor of 0 it is 0; that it has no meaning there is the business of conditions of their own.
    """
    x = entry(m.net, entry(m.net, p + at.START))
    y = entry(m.net, entry(m.net, p + at.START) + 2)
    r = entry(m.net, p + at.RESULT)
    kind = entry(m.net, p + at.KIND)
    if entry(m.x, y + at.LOW) == entry(m.x, y + at.HIGH) == 0:
        return tighten(m, r, 0, 0)
    if entry(m.x, y + at.LOW) <= 0 <= entry(m.x, y + at.HIGH):
        return 1
    if kind >= kinds.REMAINDER:
        return remainder(m, kind, x, y, r)
    return quotient(m, kind, x, y, r)


@inner_kernel
def extreme(m: Memory, p: int) -> Any:
    """Prune for ``result == max(arguments)``; the minimum is the maximum of the negated arguments."""
    sign = 1 if entry(m.net, p + at.KIND) == kinds.MAXIMUM else -1
    top, bottom = (at.HIGH, at.LOW) if sign > 0 else (at.LOW, at.HIGH)
    r = entry(m.net, p + at.RESULT)
    first, end = entry(m.net, p + at.START), entry(m.net, p + at.END)
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
    """Prune for ``result == table[position]``, 0 outside the table; nothing while either is possible.

    ``CONSTANT`` says whether an AllDifferent holds the entries apart.
    """
    r = entry(m.net, p + at.RESULT)
    first = entry(m.net, p + at.START)
    position = entry(m.net, first)
    entries = (entry(m.net, p + at.END) - first) // 2 - 1
    if entry(m.x, position + at.LOW) >= entries or entry(m.x, position + at.HIGH) < 0:
        return tighten(m, r, 0, 0)
    if entry(m.x, position + at.LOW) < 0 or entry(m.x, position + at.HIGH) >= entries:
        if contains(m, r, 0) or entry(m.x, position + at.FROZEN) == at.IGNORED:
            return 1
        if not tighten(m, position, 0, entries - 1):
            return 0
    low, high = entry(m.x, r + at.HIGH) + 1, entry(m.x, r + at.LOW) - 1
    for i in range(entry(m.x, position + at.LOW), entry(m.x, position + at.HIGH) + 1):
        if contains(m, position, i):
            v = entry(m.net, first + 2 + 2 * i)
            if entry(m.x, v + at.LOW) > entry(m.x, r + at.HIGH) or entry(m.x, v + at.HIGH) < entry(
                m.x, r + at.LOW
            ):
                if not remove(m, position, i):
                    return 0
            else:
                low, high = min(low, entry(m.x, v + at.LOW)), max(high, entry(m.x, v + at.HIGH))
    if low > high:
        return entry(m.x, position + at.FROZEN) == at.IGNORED
    if not tighten(m, r, low, high):
        return 0
    if entry(m.x, position + at.LOW) == entry(m.x, position + at.HIGH):
        v = entry(m.net, first + 2 + 2 * entry(m.x, position + at.LOW))
        if not tighten(m, v, entry(m.x, r + at.LOW), entry(m.x, r + at.HIGH)):
            return 0
    if entry(m.net, p + at.CONSTANT) and entry(m.x, r + at.LOW) == entry(m.x, r + at.HIGH):
        return keep_in_place(m, position, r, first + 2, entries)
    return 1


@inner_kernel
def keep_in_place(m: Memory, position: int, r: int, first: int, entries: int) -> Any:
    """Take the result, which is fixed, from the entries that it is not at, where all entries differ."""
    w = entry(m.x, r + at.LOW)
    for i in range(entries):
        v = entry(m.net, first + 2 * i)
        if contains(m, v, w) and not contains(m, position, i) and not remove(m, v, w):
            return 0
    return 1
