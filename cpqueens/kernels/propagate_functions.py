"""Propagation of definitions: abs, product, divisions, minimum, maximum, element.

Each function takes the memory and the position of a propagator, prunes, and returns 1, or 0 if the
constraint cannot hold. When all arguments are fixed, the result is fixed too, so that fixing the decision
variables decides everything.
"""

from typing import Any

from cpqueens.kernels import domains as at
from cpqueens.kernels import kinds
from cpqueens.kernels.domains import Memory, contains, remove, tighten
from cpqueens.kernels.entries import entry
from cpqueens.kernels.jit import inner_kernel


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
def product(m: Memory, p: int) -> Any:
    """Prune for ``result == x * y``: the result by the corners, a factor once the rest is fixed."""
    r = entry(m.net, p + at.RESULT)
    x = entry(m.net, entry(m.net, p + at.START))
    y = entry(m.net, entry(m.net, p + at.START) + 2)
    a, b = entry(m.x, x + at.LOW) * entry(m.x, y + at.LOW), entry(m.x, x + at.LOW) * entry(m.x, y + at.HIGH)
    c, d = entry(m.x, x + at.HIGH) * entry(m.x, y + at.LOW), entry(m.x, x + at.HIGH) * entry(m.x, y + at.HIGH)
    low, high = min(min(a, b), min(c, d)), max(max(a, b), max(c, d))
    if x == y and entry(m.x, x + at.LOW) < 0 < entry(m.x, x + at.HIGH):
        low = 0
    if not tighten(m, r, low, high):
        return 0
    if entry(m.x, r + at.LOW) != entry(m.x, r + at.HIGH) or x == y:
        return 1
    value = entry(m.x, r + at.LOW)
    for turn in range(2):
        known, other = (x, y) if turn == 0 else (y, x)
        factor = entry(m.x, known + at.LOW)
        if factor == entry(m.x, known + at.HIGH) and factor != 0:
            quotient = value // factor
            if value % factor != 0 or not contains(m, other, quotient):
                return entry(m.x, other + at.FROZEN)
            if not tighten(m, other, quotient, quotient):
                return 0
    return 1


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
def division(m: Memory, p: int) -> Any:
    """Prune the result of a division once the divisor is fixed: by the dividend's ends, or exactly.

    For a divisor of 0 it is 0; that it has no meaning there is the business of conditions of their own.
    """
    x = entry(m.net, entry(m.net, p + at.START))
    y = entry(m.net, entry(m.net, p + at.START) + 2)
    kind = entry(m.net, p + at.KIND)
    divisor = entry(m.x, y + at.LOW)
    if divisor != entry(m.x, y + at.HIGH):
        return 1
    if divisor == 0:
        return tighten(m, entry(m.net, p + at.RESULT), 0, 0)
    if kind >= kinds.REMAINDER and entry(m.x, x + at.LOW) != entry(m.x, x + at.HIGH):
        return 1
    a, b = divide(kind, entry(m.x, x + at.LOW), divisor), divide(kind, entry(m.x, x + at.HIGH), divisor)
    return tighten(m, entry(m.net, p + at.RESULT), min(a, b), max(a, b))


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
    """Prune for ``result == table[position]``, 0 outside the table; nothing while either is possible."""
    r = entry(m.net, p + at.RESULT)
    first = entry(m.net, p + at.START)
    position = entry(m.net, first)
    entries = (entry(m.net, p + at.END) - first) // 2 - 1
    if entry(m.x, position + at.LOW) >= entries or entry(m.x, position + at.HIGH) < 0:
        return tighten(m, r, 0, 0)
    if entry(m.x, position + at.LOW) < 0 or entry(m.x, position + at.HIGH) >= entries:
        if contains(m, r, 0) or entry(m.x, position + at.FROZEN):
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
        return entry(m.x, position + at.FROZEN)
    if not tighten(m, r, low, high):
        return 0
    if entry(m.x, position + at.LOW) == entry(m.x, position + at.HIGH):
        v = entry(m.net, first + 2 + 2 * entry(m.x, position + at.LOW))
        return tighten(m, v, entry(m.x, r + at.LOW), entry(m.x, r + at.HIGH))
    return 1
