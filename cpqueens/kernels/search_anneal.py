"""Simulated annealing: one random move per step, worse ones accepted with probability exp(-change / T)."""

from __future__ import annotations

import math
from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.random import below, unit
from cpqueens.kernels.search_arena import INFO, MEMBERS, part
from cpqueens.kernels.search_info import (
    ACCEPT,
    BUDGET,
    COST,
    EVALUATIONS,
    EVENT_SIDEWAYS,
    LEAST,
    MOVE,
    MOVES,
    RESETS,
    SIZE,
    SOLVED,
    STALL,
    STALLED,
    STEPS,
    SWAP,
    record,
)
from cpqueens.kernels.search_moves import exchange_spare, list_swaps, list_values
from cpqueens.kernels.search_plain import Ints
from cpqueens.kernels.search_state import apply_assign, apply_swap, assign_deltas, swap_deltas
from cpqueens.kernels.search_walk import save

# entries of ``heat`` (float64)
TEMPERATURE = 0
COOLING = 1  # factor per step
LOWEST = 2
REHEAT = 3  # temperature to go back to when the lowest is reached
CONFLICTED = 4  # probability of moving a variable in conflict rather than any
MAX_STALL = 5  # steps without a new least cost that end the run, 0: never
MEASURE = 6
LENGTH = 8


@kernel
def propose(
    conflicted: float,
    core: Any,
    rows: Any,
    deep: Any,
    space: Any,
    moves: Ints,
    deltas: Ints,
    measure: int,
    random: Ints,
) -> Any:
    """Put a random move into ``moves[0]`` and its change into ``deltas[0]``; return variable and kind.

    The result is 2 v for a swap, 2 v + 1 for an assignment, -1 if the variable cannot move.
    """
    arena = core.arena
    size = arena[arena[INFO] + SIZE]
    if size > 0 and unit(random) < conflicted:
        v = arena[arena[MEMBERS] + below(random, size)]
    else:
        v = below(random, core.x.shape[0])
    g = space.group[v]
    swaps = 0
    if g >= 0:
        spare = space.spare_start[g + 1] - space.spare_start[g]
        swaps = space.group_start[g + 1] - space.group_start[g] - 1
        if spare == 0 or below(random, spare + swaps) < swaps:
            if list_swaps(v, 1, moves, core.x, space, random) == 0:
                return -1
            swap_deltas(v, moves, 1, deltas, core, rows, deep, measure)
            return 2 * v
    if list_values(v, 1, moves, core.x, space, random) == 0:
        return -1
    assign_deltas(v, moves, 1, deltas, core, rows, deep, measure)
    return 2 * v + 1


@kernel
def anneal(
    steps: int,
    core: Any,
    rows: Any,
    deep: Any,
    space: Any,
    moves: Ints,
    deltas: Ints,
    heat: Any,
    events: Ints,
    random: Ints,
) -> Any:
    """Anneal for ``steps`` steps; return how the call ended. ``heat`` is the schedule, see above."""
    info = part(core.arena, INFO)
    measure = int(heat[MEASURE])
    for _ in range(steps):
        if info[COST] == 0:
            return SOLVED
        if info[COST] < info[LEAST]:
            info[LEAST] = info[COST]
            info[STALL] = 0
        elif heat[MAX_STALL] > 0 and info[STALL] >= heat[MAX_STALL]:
            save(core)
            return STALLED
        info[STALL] += 1
        info[STEPS] += 1
        temperature = heat[TEMPERATURE] * heat[COOLING]
        if temperature < heat[LOWEST]:
            temperature = heat[REHEAT]
            info[RESETS] += 1
        heat[TEMPERATURE] = temperature
        choice = propose(heat[CONFLICTED], core, rows, deep, space, moves, deltas, measure, random)
        if choice < 0:
            continue
        info[EVALUATIONS] += 1
        change = deltas[0]
        if change > 0 and unit(random) >= math.exp(-change / temperature):
            continue
        v = choice // 2
        if change > 0:
            save(core)
        info[COST] += change
        info[MOVES] += 1
        kind = SWAP
        if choice % 2 == 0:
            apply_swap(v, moves[0], core, rows, deep, measure)
        else:
            kind = MOVE
            old = core.x[v]
            apply_assign(v, moves[0], core, rows, deep, measure)
            exchange_spare(v, old, moves[0], space)
        if change == 0:
            kind = EVENT_SIDEWAYS
        elif change > 0:
            kind = ACCEPT
        record(events, info, kind, v, moves[0], change)
    return SOLVED if info[COST] == 0 else BUDGET


@kernel
def sample_changes(
    number: int,
    core: Any,
    rows: Any,
    deep: Any,
    space: Any,
    moves: Ints,
    deltas: Ints,
    measure: int,
    random: Ints,
) -> Any:
    """Return the mean worsening of ``number`` random moves of the current assignment, at least 1."""
    total = 0.0
    worse = 0
    for _ in range(number):
        if propose(0.0, core, rows, deep, space, moves, deltas, measure, random) >= 0 and deltas[0] > 0:
            total += deltas[0]
            worse += 1
    return total / worse if worse > 0 else 1.0
