"""How many terms have a value of a set: domain consistent where no variable occurs twice.

After Beldiceanu and Contejean (1994), "Introducing global constraints in CHIP"; `Count` is the case of one
value.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, contains, first_from, remove, size, tighten
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry

# Of a variable: no value is in the set, some are, all are.
OUTSIDE, OPEN, INSIDE = 0, 1, 2


@inner_kernel
def side(m: Memory, p: int, v: int) -> Any:
    """Say whether a variable's value is in the set."""
    many = 0
    for k in range(entry(m.net, p + at.ROWS), entry(m.net, p + at.ROWS_END)):
        many += contains(m, v, entry(m.net, k))
    if many == 0:
        return OUTSIDE
    return INSIDE if many == size(m, v) else OPEN


@inner_kernel
def is_listed(m: Memory, p: int, value: int) -> Any:
    """Say whether a value is in the set, whose values ascend."""
    end = entry(m.net, p + at.ROWS_END)
    place = first_from(m, entry(m.net, p + at.ROWS), end, value)
    return 1 if place < end and entry(m.net, place) == value else 0


@inner_kernel
def leave_out(m: Memory, p: int, v: int) -> Any:
    """Take the values of the set from a variable."""
    for k in range(entry(m.net, p + at.ROWS), entry(m.net, p + at.ROWS_END)):
        if not remove(m, v, entry(m.net, k)):
            return 0
    return 1


@inner_kernel
def keep(m: Memory, p: int, v: int) -> Any:
    """Leave a variable only values of the set, some of which it has: it loses what lies between them."""
    low, high = entry(m.x, v + at.HIGH) + 1, entry(m.x, v + at.LOW) - 1
    for k in range(entry(m.net, p + at.ROWS), entry(m.net, p + at.ROWS_END)):
        value = entry(m.net, k)
        if contains(m, v, value):
            low, high = min(low, value), value
    if not tighten(m, v, low, high):
        return 0
    if entry(m.x, v + at.FIRST) >= 0:
        for w in range(low + 1, high):
            if not is_listed(m, p, w) and not remove(m, v, w):
                return 0
    return 1


@propagator
def among(m: Memory, p: int) -> Any:
    """Prune for "so many variables from START on have a value of ROWS as the last of them says"."""
    first, end = entry(m.net, p + at.START), entry(m.net, p + at.END) - 2
    number = entry(m.net, end)
    inside = possible = 0
    for k in range(first, end, 2):
        where = side(m, p, entry(m.net, k))
        inside += where == INSIDE
        possible += where != OUTSIDE
    if not tighten(m, number, inside, possible):
        return 0
    is_full, is_needed = entry(m.x, number + at.HIGH) == inside, entry(m.x, number + at.LOW) == possible
    if inside == possible or not (is_full or is_needed):
        return 1
    for k in range(first, end, 2):
        v = entry(m.net, k)
        if side(m, p, v) == OPEN and not (leave_out(m, p, v) if is_full else keep(m, p, v)):
            return 0
    return 1
