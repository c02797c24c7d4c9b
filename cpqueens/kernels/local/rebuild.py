"""Computing every counter, activity, conflict and the cost afresh from the assignment."""

from typing import Any

from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.local import arena as parts, deep as codes, info as at
from cpqueens.kernels.local.apply import mark, mark_scope
from cpqueens.kernels.local.arena import part
from cpqueens.kernels.local.plain import ALL_DIFFERENT, END, WIDTH
from cpqueens.kernels.local.rows import BASE, COUNTER, FORM, VALUE, counter_of, mark_term
from cpqueens.kernels.local.start import start_at_random


@inner_kernel
def enter(k: int, occupant: int, c: int, core: Any, measure: int) -> None:
    """Count ``occupant`` of constraint ``c`` in counter ``k``."""
    arena = core.arena
    before = arena[arena[parts.COUNT] + k]
    if measure == 1:
        arena[arena[parts.ACTIVITY] + c] += before
    elif before > 0:
        arena[arena[parts.ACTIVITY] + c] += 1
    arena[arena[parts.COUNT] + k] = before + 1
    arena[arena[parts.SUM_OF] + k] += occupant


@inner_kernel
def plain_rebuild(core: Any, measure: int) -> None:
    """Clear the shared state and enter the plain layer."""
    arena = core.arena
    for k in range(arena[parts.COUNT], arena[parts.ACTIVITY]):  # counts and sums
        arena[k] = 0
    for v in range(core.x.shape[0]):
        arena[arena[parts.ERRORS] + v] = 0
        arena[arena[parts.POSITION] + v] = -1
    arena[arena[parts.INFO] + at.SIZE] = 0
    for c in range(arena[parts.WEIGHT] - arena[parts.ACTIVITY]):
        arena[arena[parts.ACTIVITY] + c] = arena[arena[parts.CONSTANTS] + c]
    for v in range(core.x.shape[0]):
        s = core.start[v]
        while core.incidences[s] != END:
            c = core.incidences[s]
            product = core.incidences[s + 2] * core.x[v]
            if core.incidences[s + 1] == ALL_DIFFERENT:
                enter(core.incidences[s + 3] + product, v, c, core, measure)
            else:
                arena[arena[parts.ACTIVITY] + c] += product
            s += WIDTH


@inner_kernel
def plain_conflicts(core: Any) -> Any:
    """Mark the conflicts of the plain layer; return the weighted codes.violation."""
    cost = 0
    arena = core.arena
    weight = arena[parts.WEIGHT]
    for v in range(core.x.shape[0]):
        s = core.start[v]
        while core.incidences[s] != END:
            if core.incidences[s + 1] == ALL_DIFFERENT:
                k = core.incidences[s + 3] + core.incidences[s + 2] * core.x[v]
                if arena[arena[parts.COUNT] + k] > 1:
                    mark(v, arena[weight + core.incidences[s]], arena)
            s += WIDTH
    for c in range(arena[parts.WEIGHT] - arena[parts.ACTIVITY]):
        kind = arena[arena[parts.KINDS] + c]
        change = codes.violation(kind, arena[arena[parts.ACTIVITY] + c]) * arena[weight + c]
        cost += change
        mark_scope(c, change, arena)  # AllDifferents have empty scopes: their terms are marked
    return cost


@inner_kernel
def rows_rebuild(core: Any, rows: Any, measure: int) -> None:
    """Enter the terms of the rows layer."""
    constants = part(rows.static, parts.TERM_CONSTANTS)
    owner = part(rows.static, parts.OWNER)
    for t in range(constants.shape[0]):
        rows.terms[t * WIDTH + VALUE] = constants[t]
    for v in range(core.x.shape[0]):
        s = rows.start[v]
        while rows.incidences[s] != END:
            rows.terms[rows.incidences[s + 1] * WIDTH + VALUE] += rows.incidences[s + 2] * core.x[v]
            s += WIDTH
    for t in range(constants.shape[0]):
        f = t * WIDTH
        k = counter_of(rows.terms[f + VALUE], rows.terms[f + BASE], rows.terms[f + FORM])
        rows.terms[f + COUNTER] = k
        enter(k, t, owner[t], core, measure)


@inner_kernel
def rows_conflicts(core: Any, rows: Any) -> None:
    """Mark the conflicts of the rows layer."""
    arena = core.arena
    static = rows.static
    owner = part(static, parts.OWNER)
    for t in range(owner.shape[0]):
        if arena[arena[parts.COUNT] + rows.terms[t * WIDTH + COUNTER]] > 1:
            w = arena[arena[parts.WEIGHT] + owner[t]]
            mark_term(t, w, static[parts.SUPPORT_START], static[parts.SUPPORT], static, arena)


@inner_kernel
def spread(node: int, value: int, deep: Any) -> None:
    """Add a node's value to its terms."""
    for s in range(deep.node_start[node], deep.node_start[node + 1], 2):
        deep.terms[deep.nodes[s] * codes.T_WIDTH] += deep.nodes[s + 1] * value


@inner_kernel
def deep_rebuild(core: Any, deep: Any, measure: int) -> None:
    """Evaluate all definitions and enter the terms of the deep layer."""
    n = core.x.shape[0]
    for c in range(deep.stale.shape[0]):
        deep.stale[c] = 0
    for t in range(deep.constants.shape[0]):
        deep.pending[t] = 0
        deep.seen[t] = 0
        deep.terms[t * codes.T_WIDTH] = deep.constants[t]
    for v in range(n):
        spread(v, core.x[v], deep)
    for d in range(deep.value.shape[0]):
        deep.value[d] = codes.define(d, deep.definitions, deep.terms, deep.pending, deep.data)
        spread(n + d, deep.value[d], deep)
    for t in range(deep.constants.shape[0]):
        f = t * codes.T_WIDTH
        owner = deep.terms[f + 1]
        c = deep.terms[f + 2]
        if owner == codes.OWNER_ALL_DIFFERENT:
            enter(deep.terms[f + 3] + deep.terms[f], t, c, core, measure)
        elif owner == codes.OWNER_TABLE:
            core.arena[core.arena[parts.ACTIVITY] + c] = codes.table_mismatches(c, deep)
        elif owner != codes.OWNER_DEFINITION:
            # a value that differs from base, then the step to the true one
            away = deep.terms[f + 3] + 1 if owner == 3 or owner == 6 else 0
            core.arena[core.arena[parts.ACTIVITY] + c] += codes.activity_change(
                owner, away, deep.terms[f] - away, deep.terms[f + 3]
            )


@inner_kernel
def deep_conflicts(core: Any, deep: Any) -> None:
    """Mark the conflicts of the deep layer's AllDifferents."""
    arena = core.arena
    for t in range(deep.constants.shape[0]):
        f = t * codes.T_WIDTH
        if deep.terms[f + 1] != codes.OWNER_ALL_DIFFERENT:
            continue
        if arena[arena[parts.COUNT] + deep.terms[f + 3] + deep.terms[f]] > 1:
            w = arena[arena[parts.WEIGHT] + deep.terms[f + 2]]
            mark_term(t, w, deep.support_start, deep.support, deep.supports, arena)


@inner_kernel
def recompute(core: Any, rows: Any, deep: Any, measure: int) -> Any:
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
    core.arena[core.arena[parts.INFO] + at.COST] = cost
    return cost


@inner_kernel
def begin_afresh(starts: Any, s: Any) -> None:
    """Give the variables that ``starts`` names random values, and begin a new descent from there."""
    start_at_random(starts, s.core.x, s.space, s.random)
    for v in range(s.tabu.shape[0]):
        s.tabu[v] = 0
    cost = recompute(s.core, s.rows, s.deep, s.measure)
    info = part(s.core.arena, parts.INFO)
    info[at.LEAST] = cost
    info[at.LEAST_VIOLATION] = at.NEVER
    info[at.STALL] = 0
    info[at.FROZEN] = 0
    info[at.SIDEWAYS] = 0
    info[at.POSITION] = 0
    info[at.INNER] = 0


@kernel
def begin(starts: Any, s: Any) -> None:
    """Do the same for a driver."""
    begin_afresh(starts, s)
