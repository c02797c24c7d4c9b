"""Moves of the deep layer: evaluation of whole candidate lists, and application on acceptance."""

from typing import Any

from cpqueens.kernels.jit.decorators import inlined, inner_kernel
from cpqueens.kernels.local import arena as parts
from cpqueens.kernels.local import deep as codes
from cpqueens.kernels.local.apply import mark_scope
from cpqueens.kernels.local.arena import Ints
from cpqueens.kernels.local.rows import move_term


@inner_kernel
def deep_deltas(
    v: int, candidates: Ints, size: int, swap: bool, out: Ints, deep: Any, core: Any, measure: int
) -> None:
    """Add to ``out[q]`` the change of weighted violation by each candidate move of ``v``.

    ``candidates`` are variables to swap with (``swap``) or values to take.
    """
    x = core.x
    for q in range(size):
        j = candidates[q] if swap else -1
        d = (x[j] if swap else candidates[q]) - x[v]
        if d != 0:
            codes.propagate(v, d, j, -d, x.shape[0], deep)
            out[q] += codes.deep_delta(deep, core.arena, measure)


@inner_kernel
def commit_definitions(v: int, deep: Any) -> None:
    """Set the values of the definitions that ``v`` reaches from the pending changes."""
    for p in range(deep.reach_start[v], deep.reach_start[v + 1]):
        d = deep.reach[p]
        deep.value[d] = codes.define(d, deep.definitions, deep.terms, deep.pending, deep.data)


@inlined
def apply_activity(c: int, activity: int, deep: Any, arena: Ints) -> Any:
    """Give constraint ``c`` its new activity, mark its variables; return the change of weighted violation."""
    here = arena[parts.ACTIVITY] + c
    before = codes.violation(deep.kinds[c], arena[here])
    arena[here] = activity
    change = (codes.violation(deep.kinds[c], activity) - before) * arena[arena[parts.WEIGHT] + c]
    mark_scope(c, change, arena)
    return change


@inlined
def apply_term(t: int, step: int, deep: Any, arena: Ints, measure: int) -> Any:
    """Add ``step`` to term ``t`` and tell its constraint; return the change of weighted violation."""
    f = t * codes.T_WIDTH
    owner = deep.terms[f + 1]
    c = deep.terms[f + 2]
    old = deep.terms[f]
    here = arena[parts.ACTIVITY] + c
    deep.terms[f] = old + step
    if step == 0 or owner == codes.OWNER_DEFINITION:
        return 0
    if owner == codes.OWNER_TABLE:
        deep.stale[c] = 1
        return 0
    if owner == codes.OWNER_ALL_DIFFERENT:
        k = deep.terms[f + 3] + old
        w = arena[arena[parts.WEIGHT] + c]
        change = move_term(t, k, k + step, w, deep.support_start, deep.support, deep.supports, arena, measure)
        arena[here] += change
        return change * w
    return apply_activity(
        c, arena[here] + codes.activity_change(owner, old, step, deep.terms[f + 3]), deep, arena
    )


@inner_kernel
def deep_apply(v: int, old: int, new: int, deep: Any, core: Any, measure: int) -> Any:
    """Change ``v`` from ``old`` to ``new`` in this layer; return the change of weighted violation."""
    codes.propagate(v, new - old, -1, 0, core.x.shape[0], deep)
    commit_definitions(v, deep)
    total = 0
    size = deep.touched[0]
    for q in range(1, size + 1):
        t = deep.touched[q]
        step = deep.pending[t]
        deep.pending[t] = 0
        deep.seen[t] = 0
        total += apply_term(t, step, deep, core.arena, measure)
    for q in range(1, size + 1):
        c = deep.terms[deep.touched[q] * codes.T_WIDTH + 2]
        if deep.terms[deep.touched[q] * codes.T_WIDTH + 1] == codes.OWNER_TABLE and deep.stale[c] != 0:
            deep.stale[c] = 0
            total += apply_activity(c, codes.table_mismatches(c, deep), deep, core.arena)
    return total
