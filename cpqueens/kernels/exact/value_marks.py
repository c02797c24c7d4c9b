"""Marked values of one variable, for propagators that find out which values to keep.

Where values have flags, each has a mark behind them; of other variables the bounds are kept.

Values of a variable as the bits of a word, for propagators that look at all values at once.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, remove, tighten
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.instructions import entry, put

WIDEST = 62
"""No two values that are bits of one word are so far apart."""


@inner_kernel
def bits_of(m: Memory, v: int) -> Any:
    """Return v's values as bits, the least of them as bit 0; they are listed, and less than 63 apart."""
    low, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    if entry(m.x, v + at.HOLES) == 0:
        return (1 << (high - low + 1)) - 1
    place, bits = entry(m.x, v + at.FIRST) + low - entry(m.x, v + at.BASE), 0
    for k in range(high - low + 1):
        if entry(m.cells, place + k):
            bits |= 1 << k
    return bits


@inner_kernel
def turned(bits: int, last: int) -> Any:
    """Return the bits 0 .. ``last`` in reverse order."""
    found = 0
    for k in range(last + 1):
        found |= (bits >> k & 1) << (last - k)
    return found


@inner_kernel
def shifted(bits: int, by: int) -> Any:
    """Return bits moved to places that are greater by ``by``; none move further than a word is long."""
    if by >= 0:
        return bits << by if by < WIDEST else 0
    return bits >> -by if by > -WIDEST else 0


@inner_kernel
def remove_bits(m: Memory, v: int, low: int, lost: int) -> Any:
    """Remove the values whose bits are set, the value ``low`` for bit 0."""
    w = low
    while lost:
        if lost & 1 and not remove(m, v, w):
            return 0
        lost >>= 1
        w += 1
    return 1


@inner_kernel
def mark_all(m: Memory, v: int, mark: int) -> None:
    """Mark all values with 1, or none with 0."""
    if entry(m.x, v + at.FIRST) >= 0:
        shift = m.stack[at.MARKS] + entry(m.x, v + at.FIRST) - entry(m.x, v + at.BASE)
        for w in range(entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH) + 1):
            put(m.cells, shift + w, mark)


@inner_kernel
def mark(m: Memory, v: int, value: int) -> None:
    """Mark a value between the bounds."""
    if entry(m.x, v + at.FIRST) >= 0:
        put(m.cells, m.stack[at.MARKS] + entry(m.x, v + at.FIRST) - entry(m.x, v + at.BASE) + value, 1)


@inner_kernel
def keep_marked(m: Memory, v: int, least: int, most: int) -> Any:
    """Keep the marked values, which lie between ``least`` and ``most``."""
    low, high = max(least, entry(m.x, v + at.LOW)), min(most, entry(m.x, v + at.HIGH))
    if not tighten(m, v, least, most):
        return 0
    if entry(m.x, v + at.FIRST) >= 0:
        shift = m.stack[at.MARKS] + entry(m.x, v + at.FIRST) - entry(m.x, v + at.BASE)
        for w in range(low, high + 1):
            if not entry(m.cells, shift + w) and not remove(m, v, w):
                return 0
    return 1
