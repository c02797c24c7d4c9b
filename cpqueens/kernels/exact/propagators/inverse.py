"""Two arrays, each the inverse of the other: a value leaves the one where the other cannot point back.

With AllDifferent by matching on either array it is domain consistent (Catalogue: inverse).
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, contains, next_value, remove, tighten
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry


@inner_kernel
def point_back(m: Memory, there: int, back: int, many: int) -> Any:
    """Take from the variables at ``there`` the positions at ``back`` that cannot have theirs."""
    for i in range(many):
        v = entry(m.net, there + 2 * i)
        if not tighten(m, v, 0, many - 1):
            return 0
        w, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
        while w <= high:
            if not contains(m, entry(m.net, back + 2 * w), i) and not remove(m, v, w):
                return 0
            w = next_value(m, v, w + 1)
    return 1


@propagator
def inverse(m: Memory, p: int) -> Any:
    """Prune for two arrays, one after the other, that are inverse."""
    first, end = entry(m.net, p + at.START), entry(m.net, p + at.END)
    many = (end - first) // 4
    second = first + 2 * many
    return point_back(m, first, second, many) and point_back(m, second, first, many)
