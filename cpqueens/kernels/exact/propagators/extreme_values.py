"""Minimum and maximum by values, at first and once few are left: consistent then, however many arguments.

What is said here of the maximum holds of the minimum upside down. As all arguments but one may take their
least values, of which the greatest is the floor,

* the result may be any of its values from the floor on that some argument has;
* an argument may have what the result may be, and all that is less than the greatest value that the result
  and *another* argument may have. So gaps of the result are gaps of an argument only above that value, and
  only of the one argument that alone has the result's greatest value.

The conditions are those of Beldiceanu (2001), "Pruning for the minimum constraint family and for the number
of distinct values constraint family". Bounds are the business of `propagate_functions.extreme`, run first:
it leaves nothing to do where the result is fixed, or without gaps and within the bounds of an argument
without gaps. Otherwise, of each value of the result the argument that had it the last time is asked first, a
residual support as of Lecoutre and Hemery (2007), "A study of residual supports in arc consistency".

The arguments are the function's and then its result; ``CONSTANT`` is the function's kind. ``ROWS`` has 1 once
all values have been looked at, 0 at first, and then for each value that the result had at first a number:
which argument had it.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.domains import Memory, contains, remove, tighten
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, put

FEW_VALUES = 128
"""Values of the result, gaps included, that are looked at each time; more only the first time."""


@inner_kernel
def has_argument(m: Memory, p: int, last: int, w: int) -> Any:
    """Say whether an argument has a value of the result, which is the argument at ``last``."""
    first = entry(m.net, p + at.START)
    place = entry(m.net, p + at.ROWS) + 1 + w - entry(m.x, entry(m.net, last) + at.BASE)
    if contains(m, entry(m.net, first + entry(m.net, place)), w):
        return 1
    for k in range(first, last, 2):
        if contains(m, entry(m.net, k), w):
            put(m.net, place, k - first)
            return 1
    return 0


@inner_kernel
def remove_from_result(m: Memory, p: int, last: int) -> Any:
    """Remove what no argument has; both ends some argument has."""
    r = entry(m.net, last)
    for w in range(entry(m.x, r + at.LOW), entry(m.x, r + at.HIGH) + 1):
        if contains(m, r, w) and not has_argument(m, p, last, w) and not remove(m, r, w):
            return 0
    return 1


@inner_kernel
def remove_from_holder(m: Memory, first: int, last: int, sign: int, holder: int) -> Any:
    """Remove what neither is the result nor may be below it, of the argument that has its outermost value."""
    top, bottom = (at.HIGH, at.LOW) if sign > 0 else (at.LOW, at.HIGH)
    r = entry(m.net, last)
    least, most = sign * entry(m.x, r + bottom), sign * entry(m.x, r + top)
    other = least - 1
    for k in range(first, last, 2):
        v = entry(m.net, k)
        w = min(most, sign * entry(m.x, v + top))
        while v != holder and w > other:
            if contains(m, v, sign * w) and contains(m, r, sign * w):
                other = w
            w -= 1
    if other < least:  # the holder is the result
        low, high = (least, most) if sign > 0 else (-most, -least)
        if not tighten(m, holder, low, high):
            return 0
    for w in range(most - 1, other, -1):
        if not contains(m, r, sign * w) and not remove(m, holder, sign * w):
            return 0
    return 1


@propagator
def extreme_values(m: Memory, p: int) -> Any:
    """Prune for "the last argument is the minimum, or the maximum, of those before it"."""
    first, last = entry(m.net, p + at.START), entry(m.net, p + at.END) - 2
    r, begun = entry(m.net, last), entry(m.net, p + at.ROWS)
    more = entry(m.x, r + at.HIGH) - entry(m.x, r + at.LOW)
    if more == 0 or (more >= FEW_VALUES and entry(m.net, begun)):
        return 1
    put(m.net, begun, 1)
    sign = 1 if entry(m.net, p + at.CONSTANT) == kinds.MAXIMUM else -1
    top = at.HIGH if sign > 0 else at.LOW
    most = sign * entry(m.x, r + top)
    covered, holder, holders = 0, -1, 0
    for k in range(first, last, 2):
        v = entry(m.net, k)
        if sign * entry(m.x, v + top) >= most:
            if entry(m.x, v + at.HOLES) == 0 and entry(m.x, v + at.SPARSE) == entry(m.x, v + at.SPARSE_END):
                if entry(m.x, r + at.HOLES) == 0:
                    return 1
                covered = 1
            if v != holder:
                holder = v
                holders += 1
    if not covered and not remove_from_result(m, p, last):
        return 0
    return remove_from_holder(m, first, last, sign, holder) if holders == 1 else 1
