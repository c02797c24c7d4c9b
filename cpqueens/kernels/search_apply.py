"""Change of the plain layer on acceptance: counters, activities, conflicts, projected errors.

Conflicts are kept so that a random variable in conflict costs O(1): ``members`` lists the variables
whose projected error is positive, ``position`` says where each stands (-1: not in the list), and
``errors`` is the error itself (Codognet and Diaz's projection): the weighted amounts of the violated
linear relations of the variable, plus the weight of each AllDifferent term of it that shares its value.

A counter changes who is in conflict only on the steps 1 <-> 2. Each counter therefore also keeps the
*sum* of its occupants: with one left, the sum is its number. Occupants are variables here and terms in
the other layers.
"""

from __future__ import annotations

from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.search_info import SIZE
from cpqueens.kernels.search_plain import ALL_DIFFERENT, END, WIDTH, Ints, amount



@kernel
def mark(v: int, change: int, errors: Ints, members: Ints, position: Ints, info: Ints) -> None:
    """Add ``change`` to the projected error of ``v`` and keep the list of variables in conflict."""
    errors[v] += change
    if errors[v] > 0:
        if position[v] < 0:
            members[info[SIZE]] = v
            position[v] = info[SIZE]
            info[SIZE] += 1
    elif position[v] >= 0:
        info[SIZE] -= 1
        last = members[info[SIZE]]
        members[position[v]] = last
        position[last] = position[v]
        position[v] = -1


@kernel
def _move(
    v: int,
    old: int,
    new: int,
    weight: int,
    measure: int,
    count: Ints,
    sum_of: Ints,
    errors: Ints,
    members: Ints,
    position: Ints,
    info: Ints,
) -> Any:
    """Move variable ``v`` from counter ``old`` to ``new``; return the change of violation (unweighted)."""
    n1 = count[old] - 1
    count[old] = n1
    sum_of[old] -= v
    if n1 >= 1:
        mark(v, -weight, errors, members, position, info)
        if n1 == 1:
            mark(sum_of[old], -weight, errors, members, position, info)
    n3 = count[new]
    if n3 >= 1:
        if n3 == 1:
            mark(sum_of[new], weight, errors, members, position, info)
        mark(v, weight, errors, members, position, info)
    count[new] = n3 + 1
    sum_of[new] += v
    if measure == 1:
        return n3 - n1
    return (n3 > 0) + 0 - (n1 > 0)


@kernel
def plain_apply(
    v: int,
    old: int,
    new: int,
    start: Ints,
    incidences: Ints,
    count: Ints,
    sum_of: Ints,
    activity: Ints,
    weight: Ints,
    scope_start: Ints,
    scope: Ints,
    measure: int,
    errors: Ints,
    members: Ints,
    position: Ints,
    info: Ints,
) -> Any:
    """Change ``v`` from ``old`` to ``new`` in the plain layer; return the change of weighted violation.

    O(incidences), plus O(scope) for each linear relation whose violation changes.
    """
    total = 0
    s = start[v]
    while incidences[s] != END:
        c = incidences[s]
        kind = incidences[s + 1]
        a = incidences[s + 2]
        w = weight[c]
        if kind == ALL_DIFFERENT:
            base = incidences[s + 3]
            change = _move(
                v, base + a * old, base + a * new, w, measure, count, sum_of,
                errors, members, position, info,
            )  # fmt: skip
            activity[c] += change
        else:
            before = amount(kind, activity[c])
            activity[c] += a * (new - old)
            change = amount(kind, activity[c]) - before
            if change != 0:
                for q in range(scope_start[c], scope_start[c + 1]):
                    mark(scope[q], w * change, errors, members, position, info)
        total += w * change
        s += WIDTH
    return total
