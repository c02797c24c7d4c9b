"""The arrays of a compiled model and of one search state, and moves over all layers.

`Core` is always there; `Rows` and `Deep` are None for models that do not need them, and Numba then leaves
out (and does not compile) everything that is said about them. See search_plain, search_rows and
search_deep for the layouts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.search_apply import plain_apply
from cpqueens.kernels.search_deep_apply import deep_apply, deep_deltas
from cpqueens.kernels.search_plain import Ints, plain_assign_deltas, plain_swap_deltas
from cpqueens.kernels.search_rows import rows_apply, rows_assign_deltas, rows_swap_deltas


class Core(NamedTuple):
    """Constraints over single variables, and the state that all layers share (int64 throughout)."""

    start: Ints  # (variables + 1,) into incidences
    incidences: Ints
    kinds: Ints  # (constraints,)
    constants: Ints  # (constraints,) activity of nothing
    scope_start: Ints  # (constraints + 1,); empty scopes for AllDifferents
    scope: Ints
    x: Ints  # (variables,)
    count: Ints
    sum_of: Ints
    activity: Ints  # (constraints,)
    weight: Ints  # (constraints,)
    errors: Ints  # (variables,)
    members: Ints  # (variables,)
    position: Ints  # (variables,)
    info: Ints  # see search_info
    best: Ints  # (variables,) the assignment of least cost that was left


class Rows(NamedTuple):
    """AllDifferents over terms of several variables."""

    start: Ints
    incidences: Ints
    terms: Ints
    constants: Ints  # (terms,) value of the linear part for all variables 0
    owner: Ints  # (terms,) constraint
    support_start: Ints
    support: Ints
    scratch: Ints  # old and new counters of one AllDifferent


class Deep(NamedTuple):
    """Constraints of any kind, over definitions too."""

    node_start: Ints
    nodes: Ints
    terms: Ints
    constants: Ints  # (terms,)
    definitions: Ints
    data: Ints
    tables: Ints
    reach_start: Ints
    reach: Ints
    kinds: Ints
    support_start: Ints
    support: Ints
    value: Ints  # (definitions,)
    pending: Ints  # (terms,)
    touched: Ints  # (terms + 1,)
    seen: Ints  # (terms,)
    stale: Ints  # (constraints,)


class Space(NamedTuple):
    """What may be moved: domains, and groups that stay all different by swaps and replacements."""

    lower: Ints  # (variables,)
    upper: Ints
    domain_start: Ints  # (variables + 1,); an empty range: the interval
    domain: Ints  # ascending
    group: Ints  # (variables,) or -1: moves by assignment
    group_start: Ints  # (groups + 1,)
    group_members: Ints
    uniform: Ints  # (groups,) whether all domains are equal, so that every swap is allowed
    spare_start: Ints  # (groups + 1,)
    spare: Ints  # values that no member has


@kernel
def swap_deltas(
    i: int, candidates: Ints, size: int, out: Ints, core: Any, rows: Any, deep: Any, measure: int
) -> None:
    """Set ``out[q]`` to the change of weighted violation by swapping ``i`` and ``candidates[q]``."""
    plain_swap_deltas(
        i, candidates, size, out, core.start, core.incidences, core.x, core.count, core.activity,
        core.weight, measure,
    )  # fmt: skip
    if rows is not None:
        rows_swap_deltas(
            i, candidates, size, out, rows.start, rows.incidences, rows.terms, rows.scratch, core.x,
            core.count, core.weight, measure,
        )  # fmt: skip
    if deep is not None:
        deep_deltas(
            i, candidates, size, True, out, deep, core.x, core.count, core.activity, core.weight, measure
        )


@kernel
def assign_deltas(
    v: int, values: Ints, size: int, out: Ints, core: Any, rows: Any, deep: Any, measure: int
) -> None:
    """Set ``out[q]`` to the change of weighted violation by giving ``values[q]`` to ``v``."""
    plain_assign_deltas(
        v, values, size, out, core.start, core.incidences, core.x, core.count, core.activity, core.weight,
        measure,
    )  # fmt: skip
    if rows is not None:
        rows_assign_deltas(
            v, values, size, out, rows.start, rows.incidences, rows.terms, rows.scratch, core.x, core.count,
            core.weight, measure,
        )  # fmt: skip
    if deep is not None:
        deep_deltas(
            v, values, size, False, out, deep, core.x, core.count, core.activity, core.weight, measure
        )


@kernel
def apply_assign(v: int, new: int, core: Any, rows: Any, deep: Any, measure: int) -> Any:
    """Give ``new`` to ``v`` in every layer; return the change of weighted violation."""
    old = core.x[v]
    if new == old:
        return 0
    total = plain_apply(
        v, old, new, core.start, core.incidences, core.count, core.sum_of, core.activity, core.weight,
        core.scope_start, core.scope, measure, core.errors, core.members, core.position, core.info,
    )  # fmt: skip
    if rows is not None:
        total += rows_apply(
            v, old, new, rows.start, rows.incidences, rows.terms, core.count, core.sum_of, core.activity,
            core.weight, rows.support_start, rows.support, measure, core.errors, core.members,
            core.position, core.info,
        )  # fmt: skip
    if deep is not None:
        total += deep_apply(
            v, old, new, deep, core.count, core.sum_of, core.activity, core.weight, core.scope_start,
            core.scope, measure, core.errors, core.members, core.position, core.info,
        )  # fmt: skip
    core.x[v] = new
    return total


@kernel
def apply_swap(i: int, j: int, core: Any, rows: Any, deep: Any, measure: int) -> Any:
    """Exchange the values of ``i`` and ``j``; return the change of weighted violation."""
    xi = core.x[i]
    xj = core.x[j]
    return apply_assign(i, xj, core, rows, deep, measure) + apply_assign(j, xi, core, rows, deep, measure)
