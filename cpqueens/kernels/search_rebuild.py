"""Computing every counter, activity, conflict and the cost afresh from the assignment."""

from __future__ import annotations

from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.search_apply import mark
from cpqueens.kernels.search_deep import (
    OWNER_ALL_DIFFERENT,
    OWNER_DEFINITION,
    OWNER_TABLE,
    T_WIDTH,
    activity_change,
    define,
    mismatches,
)
from cpqueens.kernels.search_deep_apply import mark_scope
from cpqueens.kernels.search_info import COST, SIZE
from cpqueens.kernels.search_plain import ALL_DIFFERENT, END, WIDTH, amount
from cpqueens.kernels.search_rows import BASE, COUNTER, FORM, VALUE, counter_of, mark_term


@kernel
def enter(k: int, occupant: int, c: int, core: Any, measure: int) -> None:
    """Count ``occupant`` of constraint ``c`` in counter ``k``."""
    before = core.count[k]
    if measure == 1:
        core.activity[c] += before
    elif before > 0:
        core.activity[c] += 1
    core.count[k] = before + 1
    core.sum_of[k] += occupant


@kernel
def plain_rebuild(core: Any, measure: int) -> None:
    """Clear the shared state and enter the plain layer."""
    for k in range(core.count.shape[0]):
        core.count[k] = 0
        core.sum_of[k] = 0
    for v in range(core.x.shape[0]):
        core.errors[v] = 0
        core.position[v] = -1
    core.info[SIZE] = 0
    for c in range(core.kinds.shape[0]):
        core.activity[c] = core.constants[c]
    for v in range(core.x.shape[0]):
        s = core.start[v]
        while core.incidences[s] != END:
            c = core.incidences[s]
            product = core.incidences[s + 2] * core.x[v]
            if core.incidences[s + 1] == ALL_DIFFERENT:
                enter(core.incidences[s + 3] + product, v, c, core, measure)
            else:
                core.activity[c] += product
            s += WIDTH


@kernel
def plain_conflicts(core: Any) -> Any:
    """Mark the conflicts of the plain layer; return the weighted violation."""
    cost = 0
    for v in range(core.x.shape[0]):
        s = core.start[v]
        while core.incidences[s] != END:
            c = core.incidences[s]
            if core.incidences[s + 1] == ALL_DIFFERENT:
                k = core.incidences[s + 3] + core.incidences[s + 2] * core.x[v]
                if core.count[k] > 1:
                    mark(v, core.weight[c], core.errors, core.members, core.position, core.info)
            s += WIDTH
    for c in range(core.kinds.shape[0]):
        kind = core.kinds[c]
        if kind == ALL_DIFFERENT:
            cost += core.activity[c] * core.weight[c]
        elif kind <= 3:
            change = amount(kind, core.activity[c]) * core.weight[c]
            cost += change
            mark_scope(
                c, change, core.scope_start, core.scope, core.errors, core.members, core.position, core.info
            )
        else:
            change = (core.activity[c] == 0 if kind == 4 else core.activity[c]) * core.weight[c]
            cost += change
            mark_scope(
                c, change, core.scope_start, core.scope, core.errors, core.members, core.position, core.info
            )
    return cost


@kernel
def rows_rebuild(core: Any, rows: Any, measure: int) -> None:
    """Enter the terms of the rows layer."""
    for t in range(rows.constants.shape[0]):
        rows.terms[t * WIDTH + VALUE] = rows.constants[t]
    for v in range(core.x.shape[0]):
        s = rows.start[v]
        while rows.incidences[s] != END:
            rows.terms[rows.incidences[s + 1] * WIDTH + VALUE] += rows.incidences[s + 2] * core.x[v]
            s += WIDTH
    for t in range(rows.constants.shape[0]):
        f = t * WIDTH
        k = counter_of(rows.terms[f + VALUE], rows.terms[f + BASE], rows.terms[f + FORM])
        rows.terms[f + COUNTER] = k
        enter(k, t, rows.owner[t], core, measure)


@kernel
def rows_conflicts(core: Any, rows: Any) -> None:
    """Mark the conflicts of the rows layer."""
    for t in range(rows.constants.shape[0]):
        if core.count[rows.terms[t * WIDTH + COUNTER]] > 1:
            mark_term(
                t, core.weight[rows.owner[t]], rows.support_start, rows.support, core.errors, core.members,
                core.position, core.info,
            )  # fmt: skip


@kernel
def spread(node: int, value: int, deep: Any) -> None:
    """Add a node's value to its terms."""
    for s in range(deep.node_start[node], deep.node_start[node + 1], 2):
        deep.terms[deep.nodes[s] * T_WIDTH] += deep.nodes[s + 1] * value


@kernel
def deep_rebuild(core: Any, deep: Any, measure: int) -> None:
    """Evaluate all definitions and enter the terms of the deep layer."""
    n = core.x.shape[0]
    for c in range(deep.stale.shape[0]):
        deep.stale[c] = 0
    for t in range(deep.constants.shape[0]):
        deep.pending[t] = 0
        deep.seen[t] = 0
        deep.terms[t * T_WIDTH] = deep.constants[t]
    for v in range(n):
        spread(v, core.x[v], deep)
    for d in range(deep.value.shape[0]):
        deep.value[d] = define(d, deep.definitions, deep.terms, deep.pending, deep.data)
        spread(n + d, deep.value[d], deep)
    for t in range(deep.constants.shape[0]):
        f = t * T_WIDTH
        owner = deep.terms[f + 1]
        c = deep.terms[f + 2]
        if owner == OWNER_ALL_DIFFERENT:
            enter(deep.terms[f + 3] + deep.terms[f], t, c, core, measure)
        elif owner == OWNER_TABLE:
            g = c * 4
            core.activity[c] = mismatches(
                deep.tables[g], deep.tables[g + 1], deep.tables[g + 2], deep.tables[g + 3],
                deep.terms, deep.pending, deep.data,
            )  # fmt: skip
        elif owner != OWNER_DEFINITION:
            # a value that differs from base, then the step to the true one
            away = deep.terms[f + 3] + 1 if owner == 3 or owner == 6 else 0
            core.activity[c] += activity_change(owner, away, deep.terms[f] - away, deep.terms[f + 3])


@kernel
def deep_conflicts(core: Any, deep: Any) -> None:
    """Mark the conflicts of the deep layer's AllDifferents."""
    for t in range(deep.constants.shape[0]):
        f = t * T_WIDTH
        if deep.terms[f + 1] == OWNER_ALL_DIFFERENT and core.count[deep.terms[f + 3] + deep.terms[f]] > 1:
            mark_term(
                t, core.weight[deep.terms[f + 2]], deep.support_start, deep.support, core.errors,
                core.members, core.position, core.info,
            )  # fmt: skip


@kernel
def rebuild(core: Any, rows: Any, deep: Any, measure: int) -> Any:
    """Compute the whole state from ``core.x``; return and store the cost. O(all incidences)."""
    plain_rebuild(core, measure)
    if rows is not None:
        rows_rebuild(core, rows, measure)
    if deep is not None:
        deep_rebuild(core, deep, measure)
    cost = plain_conflicts(core)
    if rows is not None:
        rows_conflicts(core, rows)
    if deep is not None:
        deep_conflicts(core, deep)
    core.info[COST] = cost
    return cost


