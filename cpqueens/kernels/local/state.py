"""The arrays of a compiled model and of one search state, and moves over all layers.

`Core` is always there; `Rows` and `Deep` are None for models that do not need them, and Numba then leaves
out (and does not compile) everything that is said about them: it does so for arguments only, hence the
functions here take the layers one by one. See search_plain, search_rows and search_deep for the layouts.
"""

from typing import Any, NamedTuple

from cpqueens.kernels.jit.decorators import inlined, inner_kernel
from cpqueens.kernels.local import arena as parts, info as at
from cpqueens.kernels.local.apply import plain_apply
from cpqueens.kernels.local.arena import Ints, part
from cpqueens.kernels.local.deep import deep_apply, deep_deltas
from cpqueens.kernels.local.moves import exchange_spare
from cpqueens.kernels.local.plain import plain_assign_deltas, plain_swap_deltas
from cpqueens.kernels.local.rows import rows_apply, rows_deltas


class Core(NamedTuple):
    """Constraints over single variables, and the state that all layers share (int64 throughout)."""

    start: Ints  # (variables + 1,) into incidences
    incidences: Ints
    x: Ints  # (variables,)
    arena: Ints  # see search_arena


class Rows(NamedTuple):
    """AllDifferents over terms of several variables."""

    start: Ints
    incidences: Ints
    terms: Ints
    static: Ints  # see search_arena


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
    supports: Ints  # starts (terms + 1,), then the variables of the terms
    support_start: int  # 0 and the number of starts: where both begin
    support: int
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


class State(NamedTuple):
    """One search: the model's layers, what may be moved, and what all kernels of walks write to."""

    core: Core
    rows: Rows | None
    deep: Deep | None
    space: Space
    moves: Ints  # scratch: the candidates of a step,
    deltas: Ints  # and the changes that they would make; as long as the largest group and room for values
    tabu: Ints  # (variables,) the last step in which it may not move
    events: Ints  # (events, 6) see search_info
    random: Ints
    measure: int  # of AllDifferents, see search_plain


@inner_kernel
def swap_deltas(
    i: int, candidates: Ints, size: int, out: Ints, core: Any, rows: Any, deep: Any, measure: int
) -> None:
    """Set ``out[q]`` to the change of weighted violation by swapping ``i`` and ``candidates[q]``."""
    plain_swap_deltas(i, candidates, size, out, core, measure)
    if rows is not None:
        rows_deltas(i, candidates, size, True, out, rows, core, measure)
    if deep is not None:
        deep_deltas(i, candidates, size, True, out, deep, core, measure)


@inner_kernel
def assign_deltas(
    v: int, values: Ints, size: int, out: Ints, core: Any, rows: Any, deep: Any, measure: int
) -> None:
    """Set ``out[q]`` to the change of weighted violation by giving ``values[q]`` to ``v``."""
    plain_assign_deltas(v, values, size, out, core, measure)
    if rows is not None:
        rows_deltas(v, values, size, False, out, rows, core, measure)
    if deep is not None:
        deep_deltas(v, values, size, False, out, deep, core, measure)


@inner_kernel
def apply_assign(v: int, new: int, core: Any, rows: Any, deep: Any, measure: int) -> Any:
    """Give ``new`` to ``v`` in every layer; return the change of weighted violation."""
    old = core.x[v]
    if new == old:
        return 0
    total = plain_apply(v, old, new, core, measure)
    if rows is not None:
        total += rows_apply(v, old, new, rows, core.arena, measure)
    if deep is not None:
        total += deep_apply(v, old, new, deep, core, measure)
    core.x[v] = new
    return total


@inner_kernel
def apply_swap(i: int, j: int, core: Any, rows: Any, deep: Any, measure: int) -> Any:
    """Exchange the values of ``i`` and ``j``; return the change of weighted violation."""
    xi = core.x[i]
    xj = core.x[j]
    return apply_assign(i, xj, core, rows, deep, measure) + apply_assign(j, xi, core, rows, deep, measure)


# ---- what the steps of all walks are made of: making a move, recording it, keeping the best -----------


@inner_kernel
def keep(cost: int, core: Any) -> None:
    """Keep the assignment, of ``cost``, if it is the best so far."""
    arena = core.arena
    if cost < arena[arena[parts.INFO] + at.SAVED]:
        arena[arena[parts.INFO] + at.SAVED] = cost
        for v in range(core.x.shape[0]):  # a loop compiles ten times faster than a slice assignment
            arena[arena[parts.BEST] + v] = core.x[v]


@inner_kernel
def save(core: Any) -> None:
    """Keep the assignment if it is the best so far; called before it is made worse."""
    keep(core.arena[core.arena[parts.INFO] + at.COST], core)


@inlined
def change_values(v: int, target: int, swap: bool, s: Any) -> Any:
    """Swap ``v`` with variable ``target``, or give it the value ``target``; return the change of cost."""
    if swap:
        return apply_swap(v, target, s.core, s.rows, s.deep, s.measure)
    old = s.core.x[v]
    change = apply_assign(v, target, s.core, s.rows, s.deep, s.measure)
    g = s.space.group[v]
    if g >= 0:
        exchange_spare(old, target, s.space.spare_start[g], s.space.spare_start[g + 1], s.space.spare)
    return change


@inlined
def make_move(v: int, target: int, swap: bool, change: int, s: Any) -> None:
    """Make a move of which the ``change`` of cost is known, count it and record it.

    The assignment is kept before it is made worse, if it is the best so far.
    """
    info = part(s.core.arena, parts.INFO)
    if change > 0:
        save(s.core)
    info[at.COST] += change
    info[at.MOVES] += 1
    change_values(v, target, swap, s)
    kind = at.SWAP if swap else at.MOVE
    if change == 0:
        kind = at.EVENT_SIDEWAYS
    elif change > 0:
        kind = at.ACCEPT
    at.record(s.events, info, kind, v, target, change)


@inlined
def shake(v: int, target: int, swap: bool, s: Any) -> None:
    """Make a move whatever it costs, as a part of a larger event."""
    s.core.arena[s.core.arena[parts.INFO] + at.COST] += change_values(v, target, swap, s)
