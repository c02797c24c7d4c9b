"""Whole-neighbourhood scans: every assignment of every variable is evaluated, one move is made."""

from __future__ import annotations

from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.random import below
from cpqueens.kernels.search_arena import INFO, part
from cpqueens.kernels.search_info import (
    BUDGET,
    COST,
    EVALUATIONS,
    EVENT_SIDEWAYS,
    LEAST,
    LOCAL_OPTIMUM,
    MOST,
    MOVE,
    MOVES,
    PLATEAU_LIMIT,
    RESET,
    SIDEWAYS,
    SOLVED,
    STEPS,
    record,
)
from cpqueens.kernels.search_moves import domain_size, domain_value, list_values
from cpqueens.kernels.search_plain import Ints
from cpqueens.kernels.search_state import apply_assign, assign_deltas
from cpqueens.kernels.search_walk import save

# entries of ``parameters``
TIES = 0  # LAST scanned or RANDOM
SHOULDER = 1  # what is done when the best move is only equal
MAX_SIDEWAYS = 2  # consecutive sideways moves allowed
MEASURE = 3
LENGTH = 4

LAST = 0
RANDOM = 1

# entries of ``found``: the best neighbour so far, and where its scan stands
VARIABLE = 0  # -1: none yet
VALUE = 1
CHANGE = 2
NEXT = 3  # the variable to go on with
TIED = 4  # neighbours as good as the best
LEFT = 5  # evaluations that this call may still make
FOUND = 6  # its length

GO_ON = 0  # take the equal move (and count it)
TAKE_AND_SHAKE = 1  # take it, then give one random variable a random value (the code of A1)
JUMP = 2  # make a uniformly random move instead (the text of A1)


@kernel
def random_neighbour(
    core: Any, rows: Any, deep: Any, space: Any, measure: int, other: bool, random: Ints
) -> None:
    """Give a random variable a random value (another one than it has, if ``other``)."""
    v = below(random, core.x.shape[0])
    size = domain_size(v, space)
    value = domain_value(v, below(random, size), space)
    while other and size > 1 and value == core.x[v]:
        value = domain_value(v, below(random, size), space)
    core.arena[core.arena[INFO] + COST] += apply_assign(v, value, core, rows, deep, measure)


@kernel
def best_neighbour(
    core: Any,
    rows: Any,
    deep: Any,
    space: Any,
    moves: Ints,
    deltas: Ints,
    ties: int,
    measure: int,
    random: Ints,
    found: Ints,
) -> Any:
    """Set ``found`` to variable (-1: no move), value and change of the best assignment of all.

    Returns 0 if the call's evaluations are used up before the scan is done; the next call goes on with it.
    """
    equal = found[TIED]
    if found[NEXT] == 0:
        found[VARIABLE] = -1
        equal = 0
    for v in range(found[NEXT], core.x.shape[0]):
        if found[LEFT] <= 0:
            found[NEXT] = v
            found[TIED] = equal
            return 0
        size = list_values(v, 0, moves, core.x, space, random)
        assign_deltas(v, moves, size, deltas, core, rows, deep, measure)
        core.arena[core.arena[INFO] + EVALUATIONS] += size
        found[LEFT] -= size
        for q in range(size):
            if equal > 0 and deltas[q] > found[CHANGE]:
                continue
            if equal == 0 or deltas[q] < found[CHANGE]:
                equal = 0
            equal += 1
            if ties == LAST or equal == 1 or below(random, equal) == 0:
                found[VARIABLE] = v
                found[VALUE] = moves[q]
                found[CHANGE] = deltas[q]
    found[NEXT] = 0
    return 1


@kernel
def climb(
    steps: int,
    core: Any,
    rows: Any,
    deep: Any,
    space: Any,
    moves: Ints,
    deltas: Ints,
    found: Ints,
    parameters: Ints,
    events: Ints,
    random: Ints,
) -> Any:
    """Climb for at most ``steps`` moves; return how the call ended.

    LOCAL_OPTIMUM: every neighbour is worse. PLATEAU_LIMIT: too many sideways moves in a row.
    """
    info = part(core.arena, INFO)
    measure = parameters[MEASURE]
    found[LEFT] = MOST
    for _ in range(steps):
        if info[COST] == 0:
            return SOLVED
        ties = parameters[TIES]
        if found[LEFT] <= 0 or not best_neighbour(
            core, rows, deep, space, moves, deltas, ties, measure, random, found
        ):
            return BUDGET
        change = found[CHANGE]
        if found[VARIABLE] < 0 or change > 0:
            save(core)
            return LOCAL_OPTIMUM
        if change == 0:
            if parameters[SHOULDER] == GO_ON and info[SIDEWAYS] >= parameters[MAX_SIDEWAYS]:
                save(core)
                return PLATEAU_LIMIT
            info[SIDEWAYS] += 1
        else:
            info[SIDEWAYS] = 0
        info[STEPS] += 1
        info[MOVES] += 1
        if change == 0 and parameters[SHOULDER] == JUMP:
            save(core)
            random_neighbour(core, rows, deep, space, measure, True, random)
            record(events, info, RESET, 0, 1, 0)
        else:
            apply_assign(found[VARIABLE], found[VALUE], core, rows, deep, measure)
            info[COST] += change
            record(
                events, info, EVENT_SIDEWAYS if change == 0 else MOVE, found[VARIABLE], found[VALUE], change
            )
            if change == 0 and parameters[SHOULDER] == TAKE_AND_SHAKE and info[COST] > 0:
                save(core)
                random_neighbour(core, rows, deep, space, measure, False, random)
                record(events, info, RESET, 0, 1, 0)
        if info[COST] < info[LEAST]:
            info[LEAST] = info[COST]
    return SOLVED if info[COST] == 0 else BUDGET
