"""Annealing row after row: for one variable after the other the temperature runs through its whole course.

At each temperature every value of the variable's domain is tried in ascending order. Not worse is taken;
worse by one of two rules. The state of the walk through variables, temperatures and values is in an array,
so that the trajectory depends on the number of steps only; a step is one value tried.
"""

from __future__ import annotations

import math
from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.random import below, unit
from cpqueens.kernels.search_arena import INFO, part
from cpqueens.kernels.search_info import (
    ACCEPT,
    BUDGET,
    COST,
    EVALUATIONS,
    EVENT_SIDEWAYS,
    LEAST,
    MOVE,
    MOVES,
    SOLVED,
    STEPS,
    record,
)
from cpqueens.kernels.search_moves import domain_size, domain_value
from cpqueens.kernels.search_plain import Ints
from cpqueens.kernels.search_state import apply_assign, assign_deltas
from cpqueens.kernels.search_walk import save

# entries of ``place``, where the walk stands
VARIABLE = 0
TEMPERATURE = 1  # index into the course
VALUE = 2  # index into the domain
ANNEALS = 3  # variables whose course is complete
RULE = 4
MEASURE = 5
TESTED = 6  # when it is looked whether this is a solution
LENGTH = 7

EACH_MOVE = 0
EACH_ROW = 1  # after a variable's whole course
EACH_ROUND = 2  # after the course of the last variable

METROPOLIS = 0  # with probability exp(-change / T)
COARSE = 1  # exp(-change / T) above one of 0.0, 0.1, ..., 9.9 at random: ceil(10 exp(-change / T)) of 100


@kernel
def accepts(rule: int, change: int, temperature: float, random: Ints) -> Any:
    """Say whether a worsening move is taken."""
    chance = math.exp(-change / temperature)
    if rule == COARSE:
        return below(random, 100) < 10.0 * chance
    return unit(random) < chance


@kernel
def is_tested(place: Ints) -> Any:
    """Say whether it is looked here whether the assignment is a solution."""
    if place[TESTED] == EACH_MOVE:
        return True
    between = place[VALUE] == 0 and place[TEMPERATURE] == 0
    return between and (place[TESTED] == EACH_ROW or place[VARIABLE] == 0)


@kernel
def rowwise(
    steps: int,
    core: Any,
    rows: Any,
    deep: Any,
    space: Any,
    moves: Ints,
    deltas: Ints,
    place: Ints,
    course: Any,
    tried: Ints,
    taken: Ints,
    events: Ints,
    random: Ints,
) -> Any:
    """Anneal for ``steps`` steps; return how the call ended.

    Parameters
    ----------
    course
        The temperatures (float64).
    tried, taken
        Worsening moves by temperature, of the same length; counted here.
    """
    info = part(core.arena, INFO)
    for _ in range(steps):
        if info[COST] == 0 and is_tested(place):
            return SOLVED
        info[STEPS] += 1
        info[EVALUATIONS] += 1
        v = place[VARIABLE]
        at = place[TEMPERATURE]
        moves[0] = domain_value(v, place[VALUE], space)
        change = 0
        if moves[0] != core.x[v]:
            assign_deltas(v, moves, 1, deltas, core, rows, deep, place[MEASURE])
            change = deltas[0]
            good = change <= 0
            if not good:
                tried[at] += 1
                good = accepts(place[RULE], change, course[at], random)
                taken[at] += good
            if good:
                if change > 0:
                    save(core)
                apply_assign(v, moves[0], core, rows, deep, place[MEASURE])
                info[COST] += change
                info[MOVES] += 1
                kind = MOVE if change < 0 else (EVENT_SIDEWAYS if change == 0 else ACCEPT)
                record(events, info, kind, v, moves[0], change)
                if info[COST] < info[LEAST]:
                    info[LEAST] = info[COST]
        place[VALUE] += 1
        if place[VALUE] == domain_size(v, space):
            place[VALUE] = 0
            place[TEMPERATURE] += 1
            if place[TEMPERATURE] == course.shape[0]:
                place[TEMPERATURE] = 0
                place[ANNEALS] += 1
                place[VARIABLE] = (v + 1) % core.x.shape[0]
    return SOLVED if info[COST] == 0 and is_tested(place) else BUDGET
