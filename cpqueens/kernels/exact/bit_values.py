"""Values of a variable as the bits of a word, for propagators that look at all values at once."""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, remove
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.entries import entry


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
def remove_bits(m: Memory, v: int, low: int, lost: int) -> Any:
    """Remove the values whose bits are set, the value ``low`` for bit 0."""
    w = low
    while lost:
        if lost & 1 and not remove(m, v, w):
            return 0
        lost >>= 1
        w += 1
    return 1
