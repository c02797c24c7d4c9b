"""How many different values terms take: bounds of the number, and pruning where it is at one of them.

After Beldiceanu (2001), "Pruning for the minimum constraint family and for the number of distinct values
constraint family". Besides the values that are taken, terms that can have none of these need as many as there
are disjoint ones among their intervals. There are at most as many as values are left, and as are taken and
terms are open.

``ROWS`` is where `different_data` lies: the least value, then a record for each value.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, next_value, remove, tighten
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, put

# The header, and a value: how many terms may have it, the last of them, whether one is fixed to it.
BASE, HEADER = range(2)
MANY, LAST, TAKEN, VALUE = range(4)


def different_data(low: int, high: int) -> list[int]:
    """Return the data for terms with values ``low``..``high``."""
    return [low, *[0] * VALUE * (high - low + 1)]


@inner_kernel
def value_place(m: Memory, p: int, w: int) -> Any:
    """Return the record of a value."""
    data = entry(m.net, p + at.ROWS)
    return data + HEADER + VALUE * (w - entry(m.net, data + BASE))


@inner_kernel
def read_values(m: Memory, p: int, first: int, end: int) -> Any:
    """Read who may have which value; return how many are taken, how many terms are open."""
    for k in range(entry(m.net, p + at.ROWS) + HEADER, entry(m.net, p + at.ROWS_END)):
        put(m.net, k, 0)
    taken = open_terms = 0
    for k in range(first, end, 2):
        v = entry(m.net, k)
        w, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
        if w == high:
            taken += 1 - entry(m.net, value_place(m, p, w) + TAKEN)
            put(m.net, value_place(m, p, w) + TAKEN, 1)
        else:
            open_terms += 1
        while w <= high:
            place = value_place(m, p, w)
            put(m.net, place + MANY, entry(m.net, place + MANY) + 1)
            put(m.net, place + LAST, v)
            w = next_value(m, v, w + 1)
    return taken, open_terms


@inner_kernel
def values_possible(m: Memory, p: int) -> Any:
    """Return how many values some term may have."""
    possible = 0
    for k in range(entry(m.net, p + at.ROWS) + HEADER, entry(m.net, p + at.ROWS_END), VALUE):
        possible += entry(m.net, k + MANY) > 0
    return possible


@inner_kernel
def needs_another(m: Memory, p: int, v: int) -> Any:
    """Say whether a term can have no value that is taken."""
    w, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    while w <= high:
        if entry(m.net, value_place(m, p, w) + TAKEN):
            return 0
        w = next_value(m, v, w + 1)
    return 1


@inner_kernel
def values_needed(m: Memory, p: int, first: int, end: int) -> Any:
    """Return how many values terms need besides those taken: greedily, the interval that ends first."""
    needed = 0
    start = entry(m.net, entry(m.net, p + at.ROWS) + BASE)
    while True:
        found, nearest = 0, 0
        for k in range(first, end, 2):
            v = entry(m.net, k)
            high = entry(m.x, v + at.HIGH)
            if entry(m.x, v + at.LOW) >= start and (not found or high < nearest) and needs_another(m, p, v):
                found, nearest = 1, high
        if not found:
            return needed
        needed += 1
        start = nearest + 1


@inner_kernel
def keep_taken(m: Memory, p: int, v: int, taken: int) -> Any:
    """Leave a term only values that are taken, or only those that are not."""
    w, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    while w <= high:
        if entry(m.net, value_place(m, p, w) + TAKEN) != taken and not remove(m, v, w):
            return 0
        w = next_value(m, v, w + 1)
    return 1


@inner_kernel
def fix_single(m: Memory, p: int) -> Any:
    """Give values that all must occur to the only terms that may have them."""
    base = entry(m.net, entry(m.net, p + at.ROWS) + BASE)
    first = entry(m.net, p + at.ROWS) + HEADER
    for place in range(first, entry(m.net, p + at.ROWS_END), VALUE):
        w = base + (place - first) // VALUE
        if entry(m.net, place + MANY) == 1 and not tighten(m, entry(m.net, place + LAST), w, w):
            return 0
    return 1


@propagator
def different_values(m: Memory, p: int) -> Any:
    """Prune for "the variables from START on have as many different values as the last of them says"."""
    first, end = entry(m.net, p + at.START), entry(m.net, p + at.END) - 2
    number = entry(m.net, end)
    taken, open_terms = read_values(m, p, first, end)
    possible = values_possible(m, p)
    needed = values_needed(m, p, first, end)
    if not tighten(m, number, taken + needed, min(possible, taken + open_terms)):
        return 0
    is_full = entry(m.x, number + at.HIGH) == taken
    if is_full or entry(m.x, number + at.LOW) == taken + open_terms:
        for k in range(first, end, 2):
            v = entry(m.net, k)
            if entry(m.x, v + at.LOW) < entry(m.x, v + at.HIGH) and not keep_taken(m, p, v, is_full):
                return 0
    return fix_single(m, p) if entry(m.x, number + at.LOW) == possible else 1
