"""The absolute value by values: domain consistent where all are listed."""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, contains, next_value, remove
from cpqueens.kernels.jit.decorators import propagator
from cpqueens.kernels.jit.instructions import entry


@propagator
def absolute_values(m: Memory, p: int) -> Any:
    """Prune for "the second variable is the absolute value of the first"."""
    first = entry(m.net, p + at.START)
    x, r = entry(m.net, first), entry(m.net, first + 2)
    for k in range(first, first + 4, 2):
        v = entry(m.net, k)
        w, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
        while w <= high:
            if v == x:
                possible = contains(m, r, abs(w))
            else:
                possible = w >= 0 and (contains(m, x, w) or contains(m, x, -w))
            if not possible and not remove(m, v, w):
                return 0
            w = next_value(m, v, w + 1)
    return 1
