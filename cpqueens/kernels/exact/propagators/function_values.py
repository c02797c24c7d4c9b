"""Products, divisions, elements: by values, once few are left; then consistent.

Each pair of values of the arguments, or each position in the table, says what the result must be; where it
can be that, all are supported. The bounds of larger domains are the business of `propagate_functions`, run
first. As in Bessiere and Regin (1997), "Arc consistency for general constraint networks", supports are looked
for by values, here for all at once.

The arguments are the function's and then its result; ``CONSTANT`` is the function's kind, ``ROWS`` the table
of an element of constants. One of variables has none: these lie between the position, which is within the
table from the start, and the result.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.domains import Memory, contains, next_value, remove, size, tighten
from cpqueens.kernels.exact.propagators.functions import divide
from cpqueens.kernels.exact.value_marks import keep_marked, mark, mark_all
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry

FEW_PAIRS = 128
"""Pairs of values that are looked at; with more, nothing is done."""

FEW_ENTRIES = 8
"""Positions, times values of the result, up to which an element of variables is looked at."""

MANY_PLACES = 64
"""Positions up to which one is looked at whose result is known, as in "x[place] = 7": a board of 8 x 8."""

_NONE = 1 << 62


@inner_kernel
def value_of(m: Memory, p: int, a: int, b: int) -> Any:
    """Return the function's value: 0 for a divisor of 0, and outside the table."""
    kind = entry(m.net, p + at.CONSTANT)
    if kind == kinds.PRODUCT:
        return a * b
    if kind == kinds.ELEMENT:
        place = entry(m.net, p + at.ROWS) + a
        return entry(m.net, place) if a >= 0 and place < entry(m.net, p + at.ROWS_END) else 0
    return 0 if b == 0 else divide(kind, a, b)


@inner_kernel
def mark_common(m: Memory, y: int, r: int, own: int) -> Any:
    """Mark the values of r that y has too, of y itself with ``own``; return the least and the greatest."""
    least, most = _NONE, -_NONE
    b, top = entry(m.x, y + at.LOW), entry(m.x, y + at.HIGH)
    while b <= top:
        if contains(m, r, b):
            mark(m, y if own else r, b)
            least, most = min(least, b), max(most, b)
        b = next_value(m, y, b + 1)
    return least, most


@inner_kernel
def places_of_value(m: Memory, first: int, x: int, value: int) -> Any:
    """Take from the position x where the entry cannot have a value, which the one that is left has."""
    a, high = entry(m.x, x + at.LOW), entry(m.x, x + at.HIGH)
    while a <= high:
        if not contains(m, entry(m.net, first + 2 + 2 * a), value) and not remove(m, x, a):
            return 0
        a = next_value(m, x, a + 1)
    a = entry(m.x, x + at.LOW)
    return a < entry(m.x, x + at.HIGH) or tighten(m, entry(m.net, first + 2 + 2 * a), value, value)


@inner_kernel
def element_of_variables(m: Memory, first: int, last: int) -> Any:
    """Prune for "the last argument is the one at the position that the first says, of those between them"."""
    x, r = entry(m.net, first), entry(m.net, last)
    places, values = size(m, x), size(m, r)
    if values == 1 and places <= MANY_PLACES:
        return places_of_value(m, first, x, entry(m.x, r + at.LOW))
    if places * values > FEW_ENTRIES:
        return 1
    mark_all(m, x, 0)
    mark_all(m, r, 0)
    least, most = _NONE, -_NONE
    only = 0
    a, high = entry(m.x, x + at.LOW), entry(m.x, x + at.HIGH)
    while a <= high:
        y = entry(m.net, first + 2 + 2 * a)
        low, top = mark_common(m, y, r, 0)
        if low <= top:
            mark(m, x, a)
            least, most = min(least, low), max(most, top)
            only = y
        a = next_value(m, x, a + 1)
    if least > most:
        return 0
    if not keep_marked(m, r, least, most):
        return 0
    if not keep_marked(m, x, entry(m.x, x + at.LOW), entry(m.x, x + at.HIGH)):
        return 0
    if entry(m.x, x + at.LOW) < entry(m.x, x + at.HIGH):
        return 1
    mark_all(m, only, 0)
    low, top = mark_common(m, only, r, 1)
    return keep_marked(m, only, low, top) if low <= top else 0


@propagator
def function_values(m: Memory, p: int) -> Any:
    """Prune for "the last argument is the function of those before it"."""
    first, last = entry(m.net, p + at.START), entry(m.net, p + at.END) - 2
    if entry(m.net, p + at.CONSTANT) == kinds.ELEMENT and entry(m.net, p + at.ROWS) == entry(
        m.net, p + at.ROWS_END
    ):
        return element_of_variables(m, first, last)
    x, y, r = entry(m.net, first), entry(m.net, last - 2), entry(m.net, last)
    same = x == y
    if size(m, x) * (1 if same else size(m, y)) > FEW_PAIRS:
        return 1
    mark_all(m, x, 0)
    mark_all(m, y, 0)
    mark_all(m, r, 0)
    least, most = _NONE, -_NONE
    a, high = entry(m.x, x + at.LOW), entry(m.x, x + at.HIGH)
    while a <= high:
        b, top = entry(m.x, y + at.LOW), entry(m.x, y + at.HIGH)
        if same:
            b = top = a
        while b <= top:
            value = value_of(m, p, a, b)
            if contains(m, r, value):
                mark(m, x, a)
                mark(m, y, b)
                mark(m, r, value)
                least, most = min(least, value), max(most, value)
            b = next_value(m, y, b + 1)
        a = next_value(m, x, a + 1)
    if least > most:
        return 0
    if not keep_marked(m, r, least, most):
        return 0
    if not keep_marked(m, x, entry(m.x, x + at.LOW), entry(m.x, x + at.HIGH)):
        return 0
    return 1 if same else keep_marked(m, y, entry(m.x, y + at.LOW), entry(m.x, y + at.HIGH))
