"""Annealing row after row: for one variable after the other the temperature runs through its whole course.

At each temperature every value of the variable's domain is tried in ascending order. Not worse is taken;
worse by one of two rules. The state of the walk through variables, temperatures and values is in an array,
so that the trajectory depends on the number of steps only; a step is one value tried.
"""

import math
from typing import Any

from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.jit.random import below, unit
from cpqueens.kernels.local import arena as parts, info as at
from cpqueens.kernels.local.arena import Ints, part
from cpqueens.kernels.local.moves import domain_size, domain_value
from cpqueens.kernels.local.state import assign_deltas, make_move

# entries of ``place``, where the walk stands
VARIABLE = 0
TEMPERATURE = 1  # index into the course
VALUE = 2  # index into the domain
ANNEALS = 3  # variables whose course is complete
RULE = 4
TESTED = 5  # when it is looked whether this is a solution
LENGTH = 6

EACH_MOVE = 0
EACH_ROW = 1  # after a variable's whole course
EACH_ROUND = 2  # after the course of the last variable

METROPOLIS = 0  # with probability exp(-change / T)
COARSE = 1  # exp(-change / T) above one of 0.0, 0.1, ..., 9.9 at random: ceil(10 exp(-change / T)) of 100


@inner_kernel
def accepts(rule: int, change: int, temperature: float, random: Ints) -> Any:
    """Say whether a worsening move is taken."""
    chance = math.exp(-change / temperature)
    if rule == COARSE:
        return below(random, 100) < 10.0 * chance
    return unit(random) < chance


@inner_kernel
def is_tested(place: Ints) -> Any:
    """Say whether it is looked here whether the assignment is a solution."""
    if place[TESTED] == EACH_MOVE:
        return True
    between = place[VALUE] == 0 and place[TEMPERATURE] == 0
    return between and (place[TESTED] == EACH_ROW or place[VARIABLE] == 0)


@inner_kernel
def advance(size: int, temperatures: int, variables: int, place: Ints) -> None:
    """Go on to the next value of ``size``, then to the next temperature, then to the next variable."""
    place[VALUE] += 1
    if place[VALUE] == size:
        place[VALUE] = 0
        place[TEMPERATURE] += 1
    if place[TEMPERATURE] == temperatures:
        place[TEMPERATURE] = 0
        place[ANNEALS] += 1
        place[VARIABLE] = (place[VARIABLE] + 1) % variables


@inner_kernel
def rowwise_on(steps: int, s: Any, place: Ints, course: Any, tried: Ints, taken: Ints) -> Any:
    """Anneal for ``steps`` steps; return how the call ended.

    Parameters
    ----------
    course
        The temperatures (float64).
    tried, taken
        Worsening moves by temperature, of the same length; counted here.
    """
    info = part(s.core.arena, parts.INFO)
    for _ in range(steps):
        if info[at.COST] == 0 and is_tested(place):
            return at.SOLVED
        info[at.STEPS] += 1
        info[at.EVALUATIONS] += 1
        v = place[VARIABLE]
        t = place[TEMPERATURE]
        s.moves[0] = domain_value(v, place[VALUE], s.space)
        if s.moves[0] != s.core.x[v]:
            assign_deltas(v, s.moves, 1, s.deltas, s.core, s.rows, s.deep, s.measure)
            change = s.deltas[0]
            good = change <= 0
            if not good:
                tried[t] += 1
                good = accepts(place[RULE], change, course[t], s.random)
                taken[t] += good
            if good:
                make_move(v, s.moves[0], False, change, s)
        advance(domain_size(v, s.space), course.shape[0], s.core.x.shape[0], place)
    return at.SOLVED if info[at.COST] == 0 and is_tested(place) else at.BUDGET


@kernel
def rowwise(steps: int, s: Any, place: Ints, course: Any, tried: Ints, taken: Ints) -> Any:
    """Do the same for a driver."""
    return rowwise_on(steps, s, place, course, tried, taken)
