"""AllDifferent by Hall intervals: the ends of all domains occur in solutions within the ends of the others.

After Lopez-Ortiz, Quimper, Tromp and van Beek (2003), "A fast and simple algorithm for bounds consistency of
the alldifferent constraint", whose names these are: an interval that has as many values as terms lie in it (a
Hall interval) is closed to all others. Least values are raised here; greatest ones are lowered by
the same code on the negated terms.

``ROWS`` is where `hall_data` lies: a header, and for each sign the order of the terms by least and by
greatest value, kept since it changes little; then the critical capacities. Places count from ``ROWS``.
"""

from collections.abc import Sequence
from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, tighten
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.entries import entry, put

# The header: number of terms, where the orders begin, and where the ends.
TERMS, ORDERS, ENDS, HEADER = range(4)

# A term: variable, coefficient and constant; its least and greatest value and their ranks among all ends.
VARIABLE, FACTOR, SHIFT, LOW, HIGH, LOW_RANK, HIGH_RANK, TERM = range(8)

# An end of intervals: the value, the next that is not full, the values to the one before that are free, and
# the Hall interval around it.
BOUND, TREE, FREE, HALL, END = range(5)


def hall_data(terms: Sequence[tuple[int, int, int]]) -> list[int]:
    """Return the data for terms (variable's position, coefficient, constant)."""
    many = len(terms)
    orders = HEADER + TERM * many
    nodes = [number for term in terms for number in (*term, *[0] * (TERM - 3))]
    places = range(HEADER, orders, TERM)
    return [many, orders, orders + 4 * many, *nodes, *[*places] * 4, *[0] * END * (2 * many + 2)]


@inner_kernel
def sort_by(m: Memory, data: int, order: int, field: int) -> None:
    """Sort the terms of an order by a field, by insertion."""
    for k in range(order + 1, order + entry(m.net, data + TERMS)):
        node = entry(m.net, k)
        key = entry(m.net, data + node + field)
        j = k
        while j > order and entry(m.net, data + entry(m.net, j - 1) + field) > key:
            put(m.net, j, entry(m.net, j - 1))
            j -= 1
        put(m.net, j, node)


@inner_kernel
def last_along(m: Memory, ends: int, field: int, rank: int) -> Any:
    """Follow pointers up to the one that points no higher."""
    while entry(m.net, ends + END * rank + field) > rank:
        rank = entry(m.net, ends + END * rank + field)
    return rank


@inner_kernel
def shorten(m: Memory, ends: int, field: int, rank: int, last: int, aim: int) -> None:
    """Let all pointers on the path from ``rank`` to ``last`` point to ``aim``."""
    while rank != last:
        place = ends + END * rank + field
        rank = entry(m.net, place)
        put(m.net, place, aim)


@inner_kernel
def read_terms(m: Memory, data: int, sign: int) -> None:
    """Read the least and greatest values of the terms, or of the negated ones."""
    for node in range(data + HEADER, data + entry(m.net, data + ORDERS), TERM):
        v = entry(m.net, node + VARIABLE)
        a = sign * entry(m.net, node + FACTOR)
        low, high = a * entry(m.x, v + at.LOW), a * entry(m.x, v + at.HIGH)
        shift = sign * entry(m.net, node + SHIFT)
        put(m.net, node + LOW, min(low, high) + shift)
        put(m.net, node + HIGH, max(low, high) + shift)


@inner_kernel
def rank_ends(m: Memory, data: int, by_low: int, by_high: int) -> Any:
    """Rank all least values and all greatest ones plus 1 from 1 on; return how many ranks there are."""
    many = entry(m.net, data + TERMS)
    ends = data + entry(m.net, data + ENDS)
    low = entry(m.net, data + entry(m.net, by_low) + LOW)
    last = low - 2
    put(m.net, ends + BOUND, last)
    i = j = rank = 0
    while j < many:
        node = data + entry(m.net, by_high + j)
        value = entry(m.net, node + HIGH) + 1
        is_low = i < many and low <= value
        if is_low:
            node, value = data + entry(m.net, by_low + i), low
        if value != last:
            rank += 1
            last = value
            put(m.net, ends + END * rank + BOUND, value)
        put(m.net, node + (LOW_RANK if is_low else HIGH_RANK), rank)
        if is_low:
            i += 1
            if i < many:
                low = entry(m.net, data + entry(m.net, by_low + i) + LOW)
        else:
            j += 1
    put(m.net, ends + END * (rank + 1) + BOUND, last + 2)
    for k in range(1, rank + 2):
        place = ends + END * k
        put(m.net, place + TREE, k - 1)
        put(m.net, place + HALL, k - 1)
        put(m.net, place + FREE, entry(m.net, place + BOUND) - entry(m.net, place - END + BOUND))
    return rank


@inner_kernel
def at_least(m: Memory, node: int, sign: int, value: int) -> Any:
    """Give a term, or the negated one, at least this value."""
    v = entry(m.net, node + VARIABLE)
    a = sign * entry(m.net, node + FACTOR)
    rest = value - sign * entry(m.net, node + SHIFT)
    if a > 0:
        return tighten(m, v, -(-rest // a), entry(m.x, v + at.HIGH))
    return tighten(m, v, entry(m.x, v + at.LOW), rest // a)


@inner_kernel
def raise_least(m: Memory, data: int, sign: int) -> Any:
    """Raise least values out of Hall intervals, the terms in the order of their greatest values."""
    many = entry(m.net, data + TERMS)
    ends = data + entry(m.net, data + ENDS)
    by_low = data + entry(m.net, data + ORDERS) + (0 if sign > 0 else 2 * many)
    by_high = by_low + many
    read_terms(m, data, sign)
    sort_by(m, data, by_low, LOW)
    sort_by(m, data, by_high, HIGH)
    rank_ends(m, data, by_low, by_high)
    for k in range(by_high, by_high + many):
        node = data + entry(m.net, k)
        x, y = entry(m.net, node + LOW_RANK), entry(m.net, node + HIGH_RANK)
        z = last_along(m, ends, TREE, x + 1)
        j = entry(m.net, ends + END * z + TREE)
        put(m.net, ends + END * z + FREE, entry(m.net, ends + END * z + FREE) - 1)
        if entry(m.net, ends + END * z + FREE) == 0:
            put(m.net, ends + END * z + TREE, z + 1)
            z = last_along(m, ends, TREE, z + 1)
            put(m.net, ends + END * z + TREE, j)
        shorten(m, ends, TREE, x + 1, z, z)
        room = entry(m.net, ends + END * z + BOUND) - entry(m.net, ends + END * y + BOUND)
        if entry(m.net, ends + END * z + FREE) < room:
            return 0
        if entry(m.net, ends + END * x + HALL) > x:
            w = last_along(m, ends, HALL, entry(m.net, ends + END * x + HALL))
            if not at_least(m, node, sign, entry(m.net, ends + END * w + BOUND)):
                return 0
            shorten(m, ends, HALL, x, w, w)
        if entry(m.net, ends + END * z + FREE) == room:
            shorten(m, ends, HALL, entry(m.net, ends + END * y + HALL), j - 1, y)
            put(m.net, ends + END * y + HALL, j - 1)
    return 1


@propagator
def all_different_ends(m: Memory, p: int) -> Any:
    """Take the ends of domains out of Hall intervals."""
    data = entry(m.net, p + at.ROWS)
    for sign in (1, -1):
        if not raise_least(m, data, sign):
            return 0
    return 1
