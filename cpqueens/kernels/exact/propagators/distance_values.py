"""The absolute value of a difference, or a sum, of two variables of few values: domain consistent, by bits.

Each value of one variable shifts the values of the other one to where the distance has them: as they are,
and turned round for what lies below 0. As in Bessiere and Regin (1997), "Arc consistency for general
constraint networks", supports are looked for by values, here for all values of a variable at once.

The arguments are the two variables, with coefficients 1 or -1, and their distance; ``CONSTANT`` is added to
the sum of the two before the sign goes. No two values of an argument, and no value of the distance and one
of the sum, are `WIDEST` apart.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.exact.value_marks import bits_of, remove_bits, shifted, turned
from cpqueens.kernels.jit.decorators import propagator
from cpqueens.kernels.jit.instructions import entry


@propagator
def distance_values(m: Memory, p: int) -> Any:
    """Prune for "the third variable is the absolute value of the sum of the two before it"."""
    outer = entry(m.net, p + at.START)
    inner, last = outer + 2, outer + 4
    x, y, d = entry(m.net, outer), entry(m.net, inner), entry(m.net, last)
    if entry(m.x, x + at.HIGH) - entry(m.x, x + at.LOW) > entry(m.x, y + at.HIGH) - entry(m.x, y + at.LOW):
        outer, inner = inner, outer
        x, y = y, x
    slope = entry(m.net, inner + 1)
    x_low, y_low, d_low = entry(m.x, x + at.LOW), entry(m.x, y + at.LOW), entry(m.x, d + at.LOW)
    y_high = entry(m.x, y + at.HIGH)
    x_bits, y_bits, d_bits = bits_of(m, x), bits_of(m, y), bits_of(m, d)
    y_turned = turned(y_bits, y_high - y_low)
    x_lost = y_found = y_below = d_found = 0
    rest = slope * (entry(m.net, p + at.CONSTANT) + entry(m.net, outer + 1) * x_low)
    step = slope * entry(m.net, outer + 1)
    k, left = 0, x_bits
    while left:
        if left & 1:
            up, down = rest + y_low - d_low, -rest - y_high - d_low
            above, below = shifted(y_bits, up) & d_bits, shifted(y_turned, down) & d_bits
            y_found |= shifted(above, -up)
            y_below |= shifted(below, -down)
            d_found |= above | below
            if not above | below:
                x_lost |= 1 << k
        rest += step
        left >>= 1
        k += 1
    y_lost = y_bits & ~(y_found | turned(y_below, y_high - y_low))
    if x_lost and not remove_bits(m, x, x_low, x_lost):
        return 0
    if y_lost and not remove_bits(m, y, y_low, y_lost):
        return 0
    d_lost = d_bits & ~d_found
    return remove_bits(m, d, d_low, d_lost) if d_lost else 1
