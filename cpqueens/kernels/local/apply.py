"""Change of the plain layer on acceptance: counters, activities, conflicts, projected errors.

Conflicts are kept so that a random variable in conflict costs O(1): MEMBERS lists the variables whose
projected error is positive, POSITION says where each stands, ERRORS is the error itself (Codognet and
Diaz's projection): the weighted amounts of the violated linear relations of the variable, plus the weight of
each AllDifferent term of it that shares its value. All are parts of the core arena (see search_arena).

A counter changes who is in conflict only on the steps 1 <-> 2. Each counter therefore also keeps the
*sum* of its occupants: with one left, the sum is its number. Occupants are variables here and terms in
the other layers.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import inlined, inner_kernel
from cpqueens.kernels.local import arena as parts
from cpqueens.kernels.local.arena import Ints
from cpqueens.kernels.local.plain import ALL_DIFFERENT, END, WIDTH, amount


@inner_kernel
def mark(v: int, change: int, arena: Ints) -> None:
    """Add ``change`` to the projected error of ``v`` and keep the list of variables in conflict."""
    error = arena[arena[parts.ERRORS] + v] + change
    arena[arena[parts.ERRORS] + v] = error
    at = arena[parts.POSITION] + v
    if error > 0:
        if arena[at] < 0:
            size = arena[arena[parts.INFO]]  # entry SIZE, the first
            arena[arena[parts.MEMBERS] + size] = v
            arena[at] = size
            arena[arena[parts.INFO]] = size + 1
    elif arena[at] >= 0:
        size = arena[arena[parts.INFO]] - 1
        arena[arena[parts.INFO]] = size
        last = arena[arena[parts.MEMBERS] + size]
        arena[arena[parts.MEMBERS] + arena[at]] = last
        arena[arena[parts.POSITION] + last] = arena[at]
        arena[at] = -1


@inner_kernel
def mark_scope(c: int, change: int, arena: Ints) -> None:
    """Add ``change`` to the projected error of every variable of constraint ``c``."""
    if change != 0:
        scope = arena[parts.SCOPE]
        begin = arena[arena[parts.SCOPE_START] + c]
        end = arena[arena[parts.SCOPE_START] + c + 1]
        for q in range(begin, end):
            mark(arena[scope + q], change, arena)


@inlined
def move_occupant(occupant: int, old: int, new: int, arena: Ints) -> Any:
    """Move an occupant from counter ``old`` to ``new``; return how many others it leaves and meets.

    Where it leaves or meets one, the counter's sum says which.
    """
    counts = arena[parts.COUNT]
    sums = arena[parts.SUM_OF]
    left = arena[counts + old] - 1
    met = arena[counts + new]
    arena[counts + old] = left
    arena[sums + old] -= occupant
    arena[counts + new] = met + 1
    arena[sums + new] += occupant
    return left, met


@inlined
def change_of_violation(left: int, met: int, measure: int) -> Any:
    """Return the change of an AllDifferent's violation when a term leaves some others and meets some."""
    return met - left if measure == 1 else (met > 0) + 0 - (left > 0)


@inlined
def plain_move(v: int, old: int, new: int, weight: int, arena: Ints, measure: int) -> Any:
    """Move variable ``v`` from counter ``old`` to ``new``; return the change of violation (unweighted)."""
    left, met = move_occupant(v, old, new, arena)
    if left == 1:
        mark(arena[arena[parts.SUM_OF] + old], -weight, arena)
    if met == 1:
        mark(arena[arena[parts.SUM_OF] + new] - v, weight, arena)
    error = ((met > 0) + 0 - (left > 0)) * weight
    if error != 0:
        mark(v, error, arena)
    return change_of_violation(left, met, measure)


@inner_kernel
def plain_apply(v: int, old: int, new: int, core: Any, measure: int) -> Any:
    """Change ``v`` from ``old`` to ``new`` in the plain layer; return the change of weighted violation.

    O(incidences), plus O(scope) for each linear relation whose violation changes.
    """
    incidences = core.incidences
    arena = core.arena
    total = 0
    s = core.start[v]
    while incidences[s] != END:
        c = incidences[s]
        kind = incidences[s + 1]
        a = incidences[s + 2]
        w = arena[arena[parts.WEIGHT] + c]
        here = arena[parts.ACTIVITY] + c
        if kind == ALL_DIFFERENT:
            base = incidences[s + 3]
            change = plain_move(v, base + a * old, base + a * new, w, arena, measure)
            arena[here] += change
        else:
            before = amount(kind, arena[here])
            arena[here] += a * (new - old)
            change = amount(kind, arena[here]) - before
            mark_scope(c, w * change, arena)
        total += w * change
        s += WIDTH
    return total
