"""Moves of the deep layer: evaluation of whole candidate lists, and application on acceptance."""

from __future__ import annotations

from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.search_apply import mark_scope
from cpqueens.kernels.search_arena import ACTIVITY, WEIGHT
from cpqueens.kernels.search_deep import (
    OWNER_ALL_DIFFERENT,
    OWNER_DEFINITION,
    OWNER_TABLE,
    T_WIDTH,
    activity_change,
    deep_delta,
    define,
    mismatches,
    propagate,
    violation,
)
from cpqueens.kernels.search_plain import Ints
from cpqueens.kernels.search_rows import move_term


@kernel
def deep_deltas(
    v: int,
    candidates: Ints,
    size: int,
    swap: bool,
    out: Ints,
    deep: Any,
    x: Ints,
    arena: Ints,
    measure: int,
) -> None:
    """Add to ``out[q]`` the change of weighted violation by each candidate move of ``v``.

    ``candidates`` are variables to swap with (``swap``) or values to take.
    """
    n = x.shape[0]
    for q in range(size):
        if swap:
            j = candidates[q]
            di = x[j] - x[v]
        else:
            j = -1
            di = candidates[q] - x[v]
        if di == 0:
            continue
        propagate(
            v, di, j, -di, n, deep.node_start, deep.nodes, deep.terms, deep.reach_start, deep.reach,
            deep.definitions, deep.data, deep.value, deep.pending, deep.touched, deep.seen,
        )  # fmt: skip
        out[q] += deep_delta(
            n, deep.node_start, deep.terms, deep.kinds, deep.tables, deep.data, deep.pending, deep.touched,
            deep.seen, deep.stale, arena, measure,
        )  # fmt: skip


@kernel
def commit_definitions(v: int, deep: Any) -> None:
    """Set the values of the definitions that ``v`` reaches from the pending changes."""
    for p in range(deep.reach_start[v], deep.reach_start[v + 1]):
        d = deep.reach[p]
        deep.value[d] = define(d, deep.definitions, deep.terms, deep.pending, deep.data)


@kernel
def deep_apply(
    v: int,
    old: int,
    new: int,
    n: int,
    deep: Any,
    arena: Ints,
    measure: int,
) -> Any:
    """Change ``v`` from ``old`` to ``new`` in this layer; return the change of weighted violation."""
    activity = arena[ACTIVITY]
    weight = arena[WEIGHT]
    propagate(
        v, new - old, -1, 0, n, deep.node_start, deep.nodes, deep.terms, deep.reach_start, deep.reach,
        deep.definitions, deep.data, deep.value, deep.pending, deep.touched, deep.seen,
    )  # fmt: skip
    commit_definitions(v, deep)
    total = 0
    size = deep.touched[0]
    for q in range(1, size + 1):
        t = deep.touched[q]
        f = t * T_WIDTH
        step = deep.pending[t]
        owner = deep.terms[f + 1]
        c = deep.terms[f + 2]
        before_value = deep.terms[f]
        deep.terms[f] = before_value + step
        deep.pending[t] = 0
        deep.seen[t] = 0
        if step == 0 or owner == OWNER_DEFINITION:
            continue
        if owner == OWNER_ALL_DIFFERENT:
            k = deep.terms[f + 3] + before_value
            change = move_term(
                t, k, k + step, arena[weight + c], measure, deep.support_start, deep.support,
                deep.supports, arena,
            )  # fmt: skip
            arena[activity + c] += change
            total += change * arena[weight + c]
        elif owner == OWNER_TABLE:
            deep.stale[c] = 1
        else:
            before = violation(deep.kinds[c], arena[activity + c])
            arena[activity + c] += activity_change(owner, before_value, step, deep.terms[f + 3])
            change = (violation(deep.kinds[c], arena[activity + c]) - before) * arena[weight + c]
            total += change
            mark_scope(c, change, arena)
    for q in range(1, size + 1):
        f = deep.touched[q] * T_WIDTH
        c = deep.terms[f + 2]
        if deep.terms[f + 1] == OWNER_TABLE and deep.stale[c] != 0:
            deep.stale[c] = 0
            g = c * 4
            now = mismatches(
                deep.tables[g], deep.tables[g + 1], deep.tables[g + 2], deep.tables[g + 3],
                deep.terms, deep.pending, deep.data,
            )  # fmt: skip
            change = (now - arena[activity + c]) * arena[weight + c]
            arena[activity + c] = now
            total += change
            mark_scope(c, change, arena)
    return total
