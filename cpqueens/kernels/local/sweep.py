"""Sweeps over the pairs of a group that swap whatever lowers the cost (Sosic and Gu 1990, QS1)."""

from typing import Any

from cpqueens.kernels.jit.decorators import inlined, inner_kernel, kernel
from cpqueens.kernels.local import arena as parts
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.arena import part
from cpqueens.kernels.local.moves import allowed
from cpqueens.kernels.local.state import swap_deltas
from cpqueens.kernels.local.step import make_move

CHUNK = 4096  # partners evaluated at once; the first that is better is taken


@inlined
def list_partners(i: int, first: int, end: int, s: Any) -> Any:
    """List those of the members ``first`` to ``end - 1`` that ``i`` may swap with; return how many.

    Only pairs of which one is in conflict; all later ones if ``i`` is.
    """
    position = part(s.core.arena, parts.POSITION)
    x = s.core.x
    size = 0
    for q in range(first, end):
        j = s.space.group_members[q]
        if position[i] < 0 and position[j] < 0:
            continue
        if allowed(j, x[i], s.space) and allowed(i, x[j], s.space):
            s.moves[size] = j
            size += 1
    return size


@inner_kernel
def first_better(size: int, deltas: Any, info: Any) -> Any:
    """Return the first of ``size`` moves that lowers the cost, -1 if there is none."""
    for q in range(size):
        info[at.EVALUATIONS] += 1
        if deltas[q] < 0:
            return q
    return -1


@inner_kernel
def sweep_on(steps: int, s: Any) -> Any:
    """Sweep ``steps`` variables, each against all later ones of its group; return how the call ended.

    LOCAL_OPTIMUM: a whole pass made no swap. ``info[POSITION]`` and ``info[INNER]`` are where the pass
    stands, ``info[EXTRA]`` the number of its swaps. A call may end within the partners of one variable.
    """
    info = part(s.core.arena, parts.INFO)
    members = s.space.group_members
    left = info[at.WORK]
    for _ in range(steps):
        if info[at.COST] == 0:
            return at.SOLVED
        here = info[at.POSITION]
        if here == 0 and info[at.INNER] == 0:
            info[at.EXTRA] = 0
        i = members[here]
        end = s.space.group_start[s.space.group[i] + 1]
        first = max(info[at.INNER], here + 1)
        while first < end:
            if left <= 0:
                info[at.INNER] = first
                return at.BUDGET
            stop = min(end, first + CHUNK)
            left -= stop - first
            size = list_partners(i, first, stop, s)
            swap_deltas(i, s.moves, size, s.deltas, s.core, s.rows, s.deep, s.measure)
            q = first_better(size, s.deltas, info)
            if q < 0:
                first = stop
                continue
            make_move(i, s.moves[q], True, s.deltas[q], s)
            info[at.EXTRA] += 1
            if info[at.COST] == 0:
                return at.SOLVED
            while members[first] != s.moves[q]:
                first += 1
            first += 1
        info[at.INNER] = 0
        info[at.STEPS] += 1
        info[at.POSITION] = (here + 1) % members.shape[0]
        if info[at.POSITION] == 0 and info[at.EXTRA] == 0:
            return at.LOCAL_OPTIMUM
    return at.BUDGET


@kernel
def sweep(steps: int, s: Any) -> Any:
    """Do the same for a driver."""
    return sweep_on(steps, s)
