"""Simulated annealing: one random move per step, worse ones accepted with probability exp(-change / T)."""

import math
from typing import Any

from cpqueens.kernels.jit.decorators import inlined, inner_kernel, kernel
from cpqueens.kernels.jit.random import below, unit
from cpqueens.kernels.local import arena as parts, info as at
from cpqueens.kernels.local.arena import part
from cpqueens.kernels.local.moves import list_swaps, list_values
from cpqueens.kernels.local.state import assign_deltas, make_move, swap_deltas

# entries of ``heat`` (float64)
TEMPERATURE = 0
COOLING = 1  # factor per step
LOWEST = 2
REHEAT = 3  # temperature to go back to when the lowest is reached
CONFLICTED = 4  # probability of moving a variable in conflict rather than any
STEPS = 5  # of a cooling from the start temperature to the lowest
REHEATED = 6  # share of the start temperature to reheat to
LENGTH = 7
SAMPLED = 64  # moves from whose worsening the start temperature is taken


@inlined
def propose(conflicted: float, s: Any) -> Any:
    """Put a random move into ``s.moves[0]`` and its change into ``s.deltas[0]``; return variable and kind.

    The result is 2 v + 1 for a swap, 2 v for an assignment, -1 if the variable cannot move.
    """
    arena = s.core.arena
    size = arena[arena[parts.INFO] + at.SIZE]
    if size > 0 and unit(s.random) < conflicted:
        v = arena[arena[parts.MEMBERS] + below(s.random, size)]
    else:
        v = below(s.random, s.core.x.shape[0])
    g = s.space.group[v]
    if g >= 0:
        spare = s.space.spare_start[g + 1] - s.space.spare_start[g]
        swaps = s.space.group_start[g + 1] - s.space.group_start[g] - 1
        if spare == 0 or below(s.random, spare + swaps) < swaps:
            if list_swaps(v, 1, s.moves, s.core.x, s.space, s.random) == 0:
                return -1
            swap_deltas(v, s.moves, 1, s.deltas, s.core, s.rows, s.deep, s.measure)
            return 2 * v + 1
    if list_values(v, 1, s.moves, s.core.x, s.space, s.random) == 0:
        return -1
    assign_deltas(v, s.moves, 1, s.deltas, s.core, s.rows, s.deep, s.measure)
    return 2 * v


@inner_kernel
def cool(heat: Any, info: Any) -> None:
    """Lower the temperature by a step, or go back to a higher one from the lowest."""
    heat[TEMPERATURE] *= heat[COOLING]
    if heat[TEMPERATURE] < heat[LOWEST]:
        heat[TEMPERATURE] = heat[REHEAT]
        info[at.RESETS] += 1


@inner_kernel
def anneal_on(steps: int, s: Any, heat: Any) -> Any:
    """Anneal for ``steps`` steps; return how the call ended. ``heat`` is the schedule, see above."""
    info = part(s.core.arena, parts.INFO)
    for _ in range(steps):
        ended = at.next_step(info, 0, True)
        if ended != at.BUDGET:
            return ended
        cool(heat, info)
        choice = propose(heat[CONFLICTED], s)
        if choice < 0:
            continue
        info[at.EVALUATIONS] += 1
        change = s.deltas[0]
        if change <= 0 or unit(s.random) < math.exp(-change / heat[TEMPERATURE]):
            make_move(choice // 2, s.moves[0], choice % 2 == 1, change, s)
    return at.SOLVED if info[at.COST] == 0 else at.BUDGET


@inner_kernel
def sample_changes(number: int, s: Any) -> Any:
    """Return the mean worsening of ``number`` random moves of the current assignment, at least 1."""
    total = 0.0
    worse = 0
    for _ in range(number):
        if propose(0.0, s) >= 0 and s.deltas[0] > 0:
            total += s.deltas[0]
            worse += 1
    return total / worse if worse > 0 else 1.0


@inner_kernel
def heat_up_for(s: Any, heat: Any) -> None:
    """Set the course of ``heat``, of which LOWEST, CONFLICTED, STEPS and REHEATED are given, by sampling."""
    lowest = heat[LOWEST]
    hot = max(sample_changes(SAMPLED, s), 2 * lowest)
    heat[TEMPERATURE] = hot
    heat[COOLING] = math.pow(lowest / hot, 1.0 / heat[STEPS])  # as `**` of numbers, not of arrays
    heat[REHEAT] = max(hot * heat[REHEATED], 2 * lowest)


@kernel
def heat_up(s: Any, heat: Any) -> None:
    """Do the same for a driver."""
    heat_up_for(s, heat)


@kernel
def anneal(steps: int, s: Any, heat: Any) -> Any:
    """Do the same for a driver."""
    return anneal_on(steps, s, heat)
