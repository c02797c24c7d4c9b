"""A linear equation of two or three terms by values, once their domains are small: domain consistent.

Each pair of values of two variables says what the third must be; where it can be that, all three are
supported. The bounds of larger domains are the business of the row itself (`propagate_rows`), which is run
first. As in Bessiere and Regin (1997), "Arc consistency for general constraint networks", supports are
looked for by values, here for all at once.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, next_value, size
from cpqueens.kernels.exact.value_marks import keep_marked, mark, mark_all
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, put

FEW_PAIRS = 128
"""Pairs of values that are looked at; with more, nothing is done."""


@inner_kernel
def largest(m: Memory, first: int, end: int) -> Any:
    """Return the argument with the most values; 0 if not all are listed, or the others make many pairs."""
    pairs, most, found = 1, 0, 0
    for k in range(first, end, 2):
        v = entry(m.net, k)
        many = size(m, v)
        if entry(m.x, v + at.FIRST) < 0:
            return 0
        if many > most:
            pairs *= max(most, 1)
            most, found = many, k
        else:
            pairs *= many
        if pairs > FEW_PAIRS:
            return 0
    return found


@inner_kernel
def shift_of(m: Memory, v: int) -> Any:
    """Return where the cell of value 0 would be, of a listed domain."""
    return entry(m.x, v + at.FIRST) - entry(m.x, v + at.BASE)


@inner_kernel
def meets(m: Memory, z: int, a: int, shift: int, rest: int) -> Any:
    """Mark the value of z for which ``a * z + rest`` is 0; say whether z can have it."""
    w = -rest * a  # the quotient, where the coefficient is 1 or -1
    if a * a != 1:  # a division takes as long as all the rest
        if rest % a != 0:
            return 0
        w = -rest // a
    if w < entry(m.x, z + at.LOW) or w > entry(m.x, z + at.HIGH) or not entry(m.cells, shift + w):
        return 0
    put(m.cells, m.stack[at.MARKS] + shift + w, 1)
    return 1


@inner_kernel
def mark_pairs(m: Memory, p: int, x: int, y: int, last: int) -> None:
    """Mark what each value of x, and of y if there is one, supports and is supported by."""
    end = entry(m.net, p + at.END)
    v, z, a = entry(m.net, x), entry(m.net, last), entry(m.net, last + 1)
    shift = shift_of(m, z)
    w, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    while w <= high:
        rest = entry(m.net, p + at.CONSTANT) + entry(m.net, x + 1) * w
        if y >= end:
            found = meets(m, z, a, shift, rest)
        else:
            other, b = entry(m.net, y), entry(m.net, y + 1)
            own, behind, found = shift_of(m, other), m.stack[at.MARKS], 0
            for u in range(entry(m.x, other + at.LOW), entry(m.x, other + at.HIGH) + 1):
                if entry(m.cells, own + u) and meets(m, z, a, shift, rest + b * u):
                    put(m.cells, behind + own + u, 1)
                    found = 1
        if found:
            mark(m, v, w)
        w = next_value(m, v, w + 1)


@propagator
def equation_values(m: Memory, p: int) -> Any:
    """Prune for "the term is 0" of two or three variables."""
    first, end = entry(m.net, p + at.START), entry(m.net, p + at.END)
    last = largest(m, first, end)
    if last == 0:
        return 1
    for k in range(first, end, 2):
        mark_all(m, entry(m.net, k), 0)
    x = first if first != last else first + 2
    mark_pairs(m, p, x, x + 2 if x + 2 != last else x + 4, last)
    for k in range(first, end, 2):
        v = entry(m.net, k)
        if not keep_marked(m, v, entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)):
            return 0
    return 1
