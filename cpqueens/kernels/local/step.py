"""What the steps of all walks are made of: making a move, recording it, keeping the best."""

from typing import Any

from cpqueens.kernels.jit.decorators import inlined, inner_kernel
from cpqueens.kernels.local import arena as parts
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.arena import part
from cpqueens.kernels.local.moves import exchange_spare
from cpqueens.kernels.local.state import apply_assign, apply_swap


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
