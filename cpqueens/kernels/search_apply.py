"""Change of the plain layer on acceptance: counters, activities, conflicts, projected errors.

Conflicts are kept so that a random variable in conflict costs O(1): MEMBERS lists the variables whose
projected error is positive, POSITION says where each stands, ERRORS is the error itself (Codognet and
Diaz's projection): the weighted amounts of the violated linear relations of the variable, plus the weight of
each AllDifferent term of it that shares its value. All are parts of the core arena (see search_arena).

A counter changes who is in conflict only on the steps 1 <-> 2. Each counter therefore also keeps the
*sum* of its occupants: with one left, the sum is its number. Occupants are variables here and terms in
the other layers.
"""

from __future__ import annotations

from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.search_arena import (
    ACTIVITY,
    COUNT,
    ERRORS,
    INFO,
    MEMBERS,
    POSITION,
    SCOPE,
    SCOPE_START,
    SUM_OF,
    WEIGHT,
)
from cpqueens.kernels.search_plain import ALL_DIFFERENT, END, WIDTH, Ints, amount


@kernel
def mark(v: int, change: int, arena: Ints) -> None:
    """Add ``change`` to the projected error of ``v`` and keep the list of variables in conflict."""
    error = arena[arena[ERRORS] + v] + change
    arena[arena[ERRORS] + v] = error
    at = arena[POSITION] + v
    if error > 0:
        if arena[at] < 0:
            size = arena[arena[INFO]]  # entry SIZE, the first
            arena[arena[MEMBERS] + size] = v
            arena[at] = size
            arena[arena[INFO]] = size + 1
    elif arena[at] >= 0:
        size = arena[arena[INFO]] - 1
        arena[arena[INFO]] = size
        last = arena[arena[MEMBERS] + size]
        arena[arena[MEMBERS] + arena[at]] = last
        arena[arena[POSITION] + last] = arena[at]
        arena[at] = -1


@kernel
def mark_scope(c: int, change: int, arena: Ints) -> None:
    """Add ``change`` to the projected error of every variable of constraint ``c``."""
    if change != 0:
        scope = arena[SCOPE]
        begin = arena[arena[SCOPE_START] + c]
        end = arena[arena[SCOPE_START] + c + 1]
        for q in range(begin, end):
            mark(arena[scope + q], change, arena)


@kernel
def plain_apply(v: int, old: int, new: int, measure: int, start: Ints, incidences: Ints, arena: Ints) -> Any:
    """Change ``v`` from ``old`` to ``new`` in the plain layer; return the change of weighted violation.

    O(incidences), plus O(scope) for each linear relation whose violation changes.
    """
    total = 0
    counts = arena[COUNT]
    sums = arena[SUM_OF]
    s = start[v]
    while incidences[s] != END:
        c = incidences[s]
        kind = incidences[s + 1]
        a = incidences[s + 2]
        w = arena[arena[WEIGHT] + c]
        if kind == ALL_DIFFERENT:
            k = incidences[s + 3] + a * old
            n1 = arena[counts + k] - 1
            arena[counts + k] = n1
            arena[sums + k] -= v
            error = 0
            if n1 >= 1:
                error -= w
                if n1 == 1:
                    mark(arena[sums + k], -w, arena)
            k = incidences[s + 3] + a * new
            n3 = arena[counts + k]
            if n3 >= 1:
                error += w
                if n3 == 1:
                    mark(arena[sums + k], w, arena)
            arena[counts + k] = n3 + 1
            arena[sums + k] += v
            if error != 0:
                mark(v, error, arena)
            change = n3 - n1 if measure == 1 else (n3 > 0) + 0 - (n1 > 0)
            arena[arena[ACTIVITY] + c] += change
        else:
            at = arena[ACTIVITY] + c
            before = amount(kind, arena[at])
            arena[at] += a * (new - old)
            change = amount(kind, arena[at]) - before
            mark_scope(c, w * change, arena)
        total += w * change
        s += WIDTH
    return total
