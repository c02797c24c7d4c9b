"""Move deltas of constraints over single variables: AllDifferent(a*x + b) and linear relations.

This is the fast layer of local search: queens, magic squares, Latin squares and graph colouring need
nothing else. A variable lists its *incidences*, four numbers each, sorted by constraint and closed by
a sentinel, so that the two lists of a swap are walked together without looking at their lengths:

    constraint, kind, coefficient, base

An AllDifferent counts how many of its terms have each value; the counter of a term is number
``base + coefficient * x``. A linear relation keeps its activity (the sum with its constant, compared
with 0). Evaluating a move only reads; `plain_apply` is called on acceptance only.

Violation is the *surplus* of an AllDifferent (terms minus distinct values) or, with ``measure`` 1, its
*pairs* of equal terms; a linear relation is violated by its distance.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import inlined, inner_kernel
from cpqueens.kernels.jit.instructions import entry
from cpqueens.kernels.local import arena as parts
from cpqueens.kernels.local.arena import Ints

WIDTH = 4  # numbers per incidence
END = 1 << 60  # the sentinel's constraint

ALL_DIFFERENT = 0
EQUAL = 1
AT_MOST = 2  # activity <= 0
NOT_EQUAL = 3

FARTHEST = 2**31  # weighted and added up, distances of huge values would leave 64 bits


@inner_kernel
def amount(kind: int, activity: int) -> Any:
    """Return the violation of ``activity`` op 0, op given by ``kind``: the distance, at most `FARTHEST`."""
    if kind == EQUAL:
        return min(abs(activity), FARTHEST)
    if kind == AT_MOST:
        return min(max(activity, 0), FARTHEST)
    return 1 if activity == 0 else 0


@inlined
def change_of_one(s: int, old: int, new: int, incidences: Ints, arena: Ints, measure: int) -> Any:
    """Return the change of weighted violation of a constraint when its variable at ``s`` takes ``new``."""
    c = entry(incidences, s)
    kind = entry(incidences, s + 1)
    a = entry(incidences, s + 2)
    if kind == ALL_DIFFERENT:
        base = entry(arena, parts.COUNT) + entry(incidences, s + 3)
        n1 = entry(arena, base + a * old)
        n3 = entry(arena, base + a * new)
        change = n3 - n1 + 1 if measure == 1 else (n3 > 0) + 0 - (n1 > 1)
    else:
        before = entry(arena, entry(arena, parts.ACTIVITY) + c)
        change = amount(kind, before + a * (new - old)) - amount(kind, before)
    return change * entry(arena, entry(arena, parts.WEIGHT) + c)


@inlined
def change_of_both(p: int, r: int, xi: int, xj: int, incidences: Ints, arena: Ints, measure: int) -> Any:
    """Return the change of weighted violation of a constraint when two of its variables swap.

    ``p`` and ``r`` are the incidences of the variables that have ``xi`` and ``xj``.
    """
    c = entry(incidences, p)
    kind = entry(incidences, p + 1)
    a = entry(incidences, p + 2)
    b = entry(incidences, r + 2)
    if kind == ALL_DIFFERENT:
        count = entry(arena, parts.COUNT)
        k1 = entry(incidences, p + 3) + a * xi
        k2 = entry(incidences, r + 3) + b * xj
        k3 = entry(incidences, p + 3) + a * xj
        k4 = entry(incidences, r + 3) + b * xi
        n1 = entry(arena, count + k1)
        n2 = entry(arena, count + k2) - (k2 == k1)
        n3 = entry(arena, count + k3) - (k3 == k1) - (k3 == k2)
        n4 = entry(arena, count + k4) - (k4 == k1) - (k4 == k2) + (k4 == k3)
        if measure == 0:
            change = 0 + (n3 > 0) + (n4 > 0) - (n1 > 1) - (n2 > 1)
        else:
            change = n3 + n4 - (n1 - 1) - (n2 - 1)
    else:
        before = entry(arena, entry(arena, parts.ACTIVITY) + c)
        change = amount(kind, before + (a - b) * (xj - xi)) - amount(kind, before)
    return change * entry(arena, entry(arena, parts.WEIGHT) + c)


@inner_kernel
def plain_swap_deltas(i: int, candidates: Ints, size: int, out: Ints, core: Any, measure: int) -> None:
    """Set ``out[q]`` to the change of weighted violation by swapping ``i`` and ``candidates[q]``.

    ``size`` candidates are evaluated, in O(incidences of both) each.
    """
    incidences = core.incidences
    arena = core.arena
    xi = entry(core.x, i)
    first = entry(core.start, i)
    for q in range(size):
        j = entry(candidates, q)
        xj = entry(core.x, j)
        p = first
        r = entry(core.start, j)
        delta = 0
        while xi != xj:
            c = entry(incidences, p)
            e = entry(incidences, r)
            if c == e:
                if c == END:
                    break
                delta += change_of_both(p, r, xi, xj, incidences, arena, measure)
                p += WIDTH
                r += WIDTH
            # else only one of the two is in the constraint: an assignment, as far as it can see
            elif c < e:
                delta += change_of_one(p, xi, xj, incidences, arena, measure)
                p += WIDTH
            else:
                delta += change_of_one(r, xj, xi, incidences, arena, measure)
                r += WIDTH
        out[q] = delta


@inner_kernel
def plain_assign_deltas(v: int, values: Ints, size: int, out: Ints, core: Any, measure: int) -> None:
    """Set ``out[q]`` to the change of weighted violation by giving ``values[q]`` to variable ``v``."""
    incidences = core.incidences
    arena = core.arena
    old = entry(core.x, v)
    for q in range(size):
        out[q] = 0
    s = entry(core.start, v)
    while entry(incidences, s) != END:
        # `change_of_one`, with all that is common to the values before the loop
        c = entry(incidences, s)
        kind = entry(incidences, s + 1)
        a = entry(incidences, s + 2)
        w = entry(arena, entry(arena, parts.WEIGHT) + c)
        if kind == ALL_DIFFERENT:
            base = entry(arena, parts.COUNT) + entry(incidences, s + 3)
            n1 = entry(arena, base + a * old)
            for q in range(size):
                new = entry(values, q)
                if new != old:
                    n3 = entry(arena, base + a * new)
                    change = n3 - n1 + 1 if measure == 1 else (n3 > 0) + 0 - (n1 > 1)
                    out[q] += change * w
        else:
            before = entry(arena, entry(arena, parts.ACTIVITY) + c)
            violated = amount(kind, before)
            for q in range(size):
                out[q] += (amount(kind, before + a * (entry(values, q) - old)) - violated) * w
        s += WIDTH


@inner_kernel
def plain_span_deltas(v: int, low: int, size: int, out: Ints, core: Any, measure: int) -> None:
    """Do the same for the ``size`` values from ``low`` on, of which one may be the variable's own.

    They lie side by side in counters, so that the processor takes several at once.
    """
    incidences = core.incidences
    arena = core.arena
    old = entry(core.x, v)
    for q in range(size):
        out[q] = 0
    s = entry(core.start, v)
    while entry(incidences, s) != END:
        c = entry(incidences, s)
        kind = entry(incidences, s + 1)
        a = entry(incidences, s + 2)
        w = entry(arena, entry(arena, parts.WEIGHT) + c)
        base = entry(arena, parts.COUNT) + entry(incidences, s + 3)
        if kind == ALL_DIFFERENT and a == 1 and w == 1 and measure == 0:
            first = base + low
            lost = (entry(arena, base + old) > 1) + 0
            for q in range(size):
                out[q] += (entry(arena, first + q) > 0) - lost
        elif kind == ALL_DIFFERENT and a == 1 and w == 1:
            first = base + low
            lost = entry(arena, base + old) - 1
            for q in range(size):
                out[q] += entry(arena, first + q) - lost
        else:
            for q in range(size):
                if low + q != old:
                    out[q] += change_of_one(s, old, low + q, incidences, arena, measure)
        s += WIDTH
