"""Sweeps over the pairs of a group that swap whatever lowers the cost (Sosic and Gu 1990, QS1)."""

from __future__ import annotations

from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.search_arena import INFO, part
from cpqueens.kernels.search_arena import POSITION as IN_CONFLICT
from cpqueens.kernels.search_info import (
    BUDGET,
    COST,
    EVALUATIONS,
    EXTRA,
    INNER,
    LEAST,
    LOCAL_OPTIMUM,
    MOST,
    MOVES,
    POSITION,
    SOLVED,
    STEPS,
    SWAP,
    record,
)
from cpqueens.kernels.search_moves import allowed
from cpqueens.kernels.search_plain import Ints
from cpqueens.kernels.search_state import apply_swap, swap_deltas

CHUNK = 4096  # partners evaluated at once; the first that is better is taken


@kernel
def sweep(
    steps: int,
    core: Any,
    rows: Any,
    deep: Any,
    space: Any,
    moves: Ints,
    deltas: Ints,
    measure: int,
    events: Ints,
    random: Ints,
) -> Any:
    """Sweep ``steps`` variables, each against all later ones of its group; return how the call ended.

    LOCAL_OPTIMUM: a whole pass made no swap. ``info[POSITION]`` and ``info[INNER]`` are where the pass
    stands, ``info[EXTRA]`` the number of its swaps. A call may end within the partners of one variable.
    """
    info = part(core.arena, INFO)
    position = part(core.arena, IN_CONFLICT)
    total = space.group_members.shape[0]
    left = MOST
    for _ in range(steps):
        if info[COST] == 0:
            return SOLVED
        at = info[POSITION]
        if at == 0 and info[INNER] == 0:
            info[EXTRA] = 0
        i = space.group_members[at]
        end = space.group_start[space.group[i] + 1]
        first = max(info[INNER], at + 1)
        while first < end:
            if left <= 0:
                info[INNER] = first
                return BUDGET
            stop = min(end, first + CHUNK)
            left -= stop - first
            # only pairs of which one is in conflict; all later ones if i is
            size = 0
            for q in range(first, stop):
                j = space.group_members[q]
                if position[i] < 0 and position[j] < 0:
                    continue
                if not (allowed(j, core.x[i], space) and allowed(i, core.x[j], space)):
                    continue
                moves[size] = j
                size += 1
            swap_deltas(i, moves, size, deltas, core, rows, deep, measure)
            taken = -1
            for q in range(size):
                info[EVALUATIONS] += 1
                if deltas[q] < 0:
                    taken = q
                    break
            if taken < 0:
                first = stop
                continue
            j = moves[taken]
            apply_swap(i, j, core, rows, deep, measure)
            info[COST] += deltas[taken]
            info[MOVES] += 1
            info[EXTRA] += 1
            record(events, info, SWAP, i, j, deltas[taken])
            if info[COST] == 0:
                return SOLVED
            while space.group_members[first] != j:
                first += 1
            first += 1
        info[INNER] = 0
        info[STEPS] += 1
        if info[COST] < info[LEAST]:
            info[LEAST] = info[COST]
        info[POSITION] = at + 1
        if at + 1 == total:
            info[POSITION] = 0
            if info[EXTRA] == 0:
                return LOCAL_OPTIMUM
    return BUDGET
