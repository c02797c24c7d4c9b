"""The walk: choose a variable, evaluate its moves, take the best one or escape.

One kernel carries min-conflicts, tabu search, Adaptive Search and weighted (breakout) search; they differ
in ``parameters``, an int64 array, see the names below. Probabilities are numbers out of 2**32.
"""

from __future__ import annotations

from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.random import below, draw
from cpqueens.kernels.search_arena import ACTIVITY, BEST, ERRORS, INFO, KINDS, MEMBERS, WEIGHT, part
from cpqueens.kernels.search_deep import violation
from cpqueens.kernels.search_info import (
    ACCEPT,
    BUDGET,
    COST,
    EVALUATIONS,
    EVENT_SIDEWAYS,
    FROZEN,
    LEAST,
    LEAST_VIOLATION,
    MOVE,
    MOVES,
    RESET,
    RESETS,
    SAVED,
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
from cpqueens.kernels.search_rebuild import rebuild
from cpqueens.kernels.search_state import apply_assign, apply_swap, assign_deltas, swap_deltas

# entries of ``parameters``
CHOICE = 0  # of the variable: RANDOM_CONFLICTED, WORST, ANY
SAMPLE = 1  # candidates per step, 0: all
PLATEAU = 2  # probability of taking an equal move
NOISE = 3  # probability of taking a worsening best move
FREEZE = 4  # steps for which a variable without a good move is frozen
TENURE = 5  # steps for which a moved variable is tabu
TENURE_SPREAD = 6  # plus a random number below this
RESET_LIMIT = 7  # frozen variables that cause a reset
RESET_SIZE = 8  # variables moved at random by a reset
MAX_STALL = 9  # steps without progress that end the walk, 0: never; see STALL in search_info
BUMP = 10  # added to the weights of violated constraints in a local minimum
MEASURE = 11
RANDOM_CHOICE = 12  # probability of any variable instead of the chosen one
LENGTH = 16

RANDOM_CONFLICTED = 0
WORST = 1
ANY = 2


@kernel
def choose(core: Any, tabu: Ints, parameters: Ints, random: Ints) -> Any:
    """Return the variable to move."""
    arena = core.arena
    size = arena[arena[INFO] + SIZE]
    n = core.x.shape[0]
    choice = parameters[CHOICE]
    if choice == ANY or size == 0:
        return below(random, n)
    if parameters[RANDOM_CHOICE] > 0 and draw(random) < parameters[RANDOM_CHOICE]:
        return below(random, n)
    if choice == RANDOM_CONFLICTED:
        return arena[arena[MEMBERS] + below(random, size)]
    worst = -1
    most = -1
    ties = 0
    now = arena[arena[INFO] + STEPS]
    errors = arena[ERRORS]
    members = arena[MEMBERS]
    for q in range(size):
        v = arena[members + q]
        error = arena[errors + v]
        if error < most or tabu[v] > now:
            continue
        if error > most:
            most = error
            ties = 0
        ties += 1
        if ties == 1 or below(random, ties) == 0:
            worst = v
    if worst < 0:
        return arena[arena[MEMBERS] + below(random, size)]
    return worst


@kernel
def keep(cost: int, core: Any) -> None:
    """Keep the assignment, of ``cost``, if it is the best so far."""
    arena = core.arena
    if cost < arena[arena[INFO] + SAVED]:
        arena[arena[INFO] + SAVED] = cost
        for v in range(core.x.shape[0]):  # a loop compiles ten times faster than a slice assignment
            arena[arena[BEST] + v] = core.x[v]


@kernel
def save(core: Any) -> None:
    """Keep the assignment if it is the best so far; called before it is made worse."""
    keep(core.arena[core.arena[INFO] + COST], core)


@kernel
def bump_weights(amount: int, core: Any, rows: Any, deep: Any, measure: int) -> None:
    """Add ``amount`` to the weight of each violated constraint (breakout, Morris 1993).

    Growing weights let the cost fall for ever below what it was a moment ago, so that it says nothing about
    progress: here, in a local minimum, the violation itself does.
    """
    arena = core.arena
    total = 0
    for c in range(arena[WEIGHT] - arena[ACTIVITY]):
        violated = violation(arena[arena[KINDS] + c], arena[arena[ACTIVITY] + c])
        if violated > 0:
            total += violated
            arena[arena[WEIGHT] + c] += amount
    if total < arena[arena[INFO] + LEAST_VIOLATION]:
        arena[arena[INFO] + LEAST_VIOLATION] = total
        arena[arena[INFO] + STALL] = 0
    keep(total, core)
    arena[arena[INFO] + LEAST] = rebuild(core, rows, deep, measure)


@kernel
def random_move(
    v: int, core: Any, rows: Any, deep: Any, space: Any, moves: Ints, measure: int, random: Ints
) -> None:
    """Move ``v`` at random within its group or its domain, and record it in the cost."""
    listed = list_swaps(v, 1, moves, core.x, space, random)
    if listed > 0:
        core.arena[core.arena[INFO] + COST] += apply_swap(v, moves[0], core, rows, deep, measure)
        return
    listed = list_values(v, 1, moves, core.x, space, random)
    if listed > 0:
        old = core.x[v]
        core.arena[core.arena[INFO] + COST] += apply_assign(v, moves[0], core, rows, deep, measure)
        exchange_spare(v, old, moves[0], space)


@kernel
def reset(
    core: Any,
    rows: Any,
    deep: Any,
    space: Any,
    tabu: Ints,
    moves: Ints,
    parameters: Ints,
    events: Ints,
    random: Ints,
) -> None:
    """Move some variables at random and thaw all."""
    save(core)
    info = part(core.arena, INFO)
    info[RESETS] += 1
    info[FROZEN] = 0
    for v in range(tabu.shape[0]):
        tabu[v] = 0
    for _ in range(parameters[RESET_SIZE]):
        v = below(random, core.x.shape[0])
        random_move(v, core, rows, deep, space, moves, parameters[MEASURE], random)
    record(events, info, RESET, 0, parameters[RESET_SIZE], 0)


@kernel
def pick(
    swaps: int, total: int, moves: Ints, deltas: Ints, tabu: Ints, aspiration: int, now: int, random: Ints
) -> Any:
    """Return the index of a uniformly random best candidate, -1 if all are tabu.

    A tabu partner is allowed only if the move leads below ``aspiration`` (a change of cost).
    """
    best = -1
    least = 0
    ties = 0
    for q in range(total):
        delta = deltas[q]
        if ties > 0 and delta > least:
            continue
        if q < swaps and tabu[moves[q]] > now and delta >= aspiration:
            continue
        if ties == 0 or delta < least:
            least = delta
            ties = 0
        ties += 1
        if ties == 1 or below(random, ties) == 0:
            best = q
    return best


@kernel
def walk(
    steps: int,
    core: Any,
    rows: Any,
    deep: Any,
    space: Any,
    tabu: Ints,
    moves: Ints,
    deltas: Ints,
    parameters: Ints,
    events: Ints,
    random: Ints,
) -> Any:
    """Walk for at most ``steps`` steps; return how the call ended (see search_info).

    ``moves`` and ``deltas`` are scratch of the same length: the largest group plus the room for values.
    """
    info = part(core.arena, INFO)
    measure = parameters[MEASURE]
    for _ in range(steps):
        if info[COST] == 0:
            return SOLVED
        if info[COST] < info[LEAST]:
            info[LEAST] = info[COST]
            if parameters[BUMP] == 0:
                info[STALL] = 0
        if parameters[MAX_STALL] > 0 and info[STALL] >= parameters[MAX_STALL]:
            save(core)
            return STALLED
        info[STALL] += 1
        info[STEPS] += 1
        now = info[STEPS]
        v = choose(core, tabu, parameters, random)
        swaps = list_swaps(v, parameters[SAMPLE], moves, core.x, space, random)
        total = swaps
        if swaps > 0:
            swap_deltas(v, moves, swaps, deltas, core, rows, deep, measure)
        if space.group[v] < 0 or space.spare_start[space.group[v] + 1] > space.spare_start[space.group[v]]:
            values = list_values(v, parameters[SAMPLE], moves[swaps:], core.x, space, random)
            assign_deltas(v, moves[swaps:], values, deltas[swaps:], core, rows, deep, measure)
            total += values
        info[EVALUATIONS] += total
        q = pick(swaps, total, moves, deltas, tabu, info[LEAST] - info[COST], now, random)
        accepted = False
        if q >= 0:
            delta = deltas[q]
            if delta < 0:
                accepted = True
            elif delta == 0:
                accepted = parameters[PLATEAU] > 0 and draw(random) < parameters[PLATEAU]
            else:
                accepted = parameters[NOISE] > 0 and draw(random) < parameters[NOISE]
        if accepted:
            if delta > 0:
                save(core)
            info[MOVES] += 1
            info[COST] += delta
            target = moves[q]
            kind = MOVE
            if q < swaps:
                kind = SWAP
                apply_swap(v, target, core, rows, deep, measure)
            else:
                old = core.x[v]
                apply_assign(v, target, core, rows, deep, measure)
                exchange_spare(v, old, target, space)
            if parameters[TENURE_SPREAD] > 0:
                tabu[v] = now + parameters[TENURE] + 1 + below(random, parameters[TENURE_SPREAD])
                if q < swaps:
                    tabu[target] = now + parameters[TENURE] + 1 + below(random, parameters[TENURE_SPREAD])
            if delta == 0:
                kind = EVENT_SIDEWAYS
            elif delta > 0:
                kind = ACCEPT
            record(events, info, kind, v, target, delta)
            continue
        if parameters[FREEZE] > 0:
            tabu[v] = now + parameters[FREEZE] + 1
            info[FROZEN] += 1
            if info[FROZEN] > parameters[RESET_LIMIT]:
                reset(core, rows, deep, space, tabu, moves, parameters, events, random)
        if parameters[BUMP] > 0:
            bump_weights(parameters[BUMP], core, rows, deep, measure)
    return SOLVED if info[COST] == 0 else BUDGET
