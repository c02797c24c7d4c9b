"""The walk: choose a variable, evaluate its moves, take the best one or escape.

One kernel carries min-conflicts, tabu search, Adaptive Search and weighted (breakout) search; they differ
in ``parameters``, an int64 array, see the names below. Probabilities are numbers out of 2**32.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import inlined, inner_kernel, kernel
from cpqueens.kernels.jit.random import below, draw
from cpqueens.kernels.local import arena as parts, info as at
from cpqueens.kernels.local.arena import Ints, part
from cpqueens.kernels.local.deep import violation
from cpqueens.kernels.local.moves import list_swaps, list_values
from cpqueens.kernels.local.rebuild import recompute
from cpqueens.kernels.local.state import assign_deltas, keep, make_move, save, shake, swap_deltas

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
STALL = 9  # steps without progress that end the walk, 0: never; see STALL in search_info
BUMP = 10  # added to the weights of violated constraints in a local minimum
RANDOM_CHOICE = 11  # probability of any variable instead of the chosen one
LENGTH = 16

RANDOM_CONFLICTED = 0
WORST = 1
ANY = 2


@inner_kernel
def worst(now: int, tabu: Ints, arena: Ints, random: Ints) -> Any:
    """Return a random one of the variables with the largest error that are not tabu, -1 if all are."""
    found = -1
    most = -1
    ties = 0
    for q in range(arena[arena[parts.INFO] + at.SIZE]):
        v = arena[arena[parts.MEMBERS] + q]
        error = arena[arena[parts.ERRORS] + v]
        if error < most or tabu[v] > now:
            continue
        if error > most:
            most = error
            ties = 0
        ties += 1
        if ties == 1 or below(random, ties) == 0:
            found = v
    return found


@inner_kernel
def choose(core: Any, tabu: Ints, parameters: Ints, random: Ints) -> Any:
    """Return the variable to move."""
    arena = core.arena
    size = arena[arena[parts.INFO] + at.SIZE]
    choice = parameters[CHOICE]
    if choice == ANY or size == 0:
        return below(random, core.x.shape[0])
    if parameters[RANDOM_CHOICE] > 0 and draw(random) < parameters[RANDOM_CHOICE]:
        return below(random, core.x.shape[0])
    if choice == WORST:
        v = worst(arena[arena[parts.INFO] + at.STEPS], tabu, arena, random)
        if v >= 0:
            return v
    return arena[arena[parts.MEMBERS] + below(random, size)]


@inner_kernel
def bump_weights(amount: int, core: Any, rows: Any, deep: Any, measure: int) -> None:
    """Add ``amount`` to the weight of each violated constraint (breakout, Morris 1993).

    Growing weights let the cost fall for ever below what it was a moment ago, so that it says nothing about
    progress: here, in a local minimum, the violation itself does.
    """
    arena = core.arena
    info = part(arena, parts.INFO)
    total = 0
    for c in range(arena[parts.WEIGHT] - arena[parts.ACTIVITY]):
        violated = violation(arena[arena[parts.KINDS] + c], arena[arena[parts.ACTIVITY] + c])
        if violated > 0:
            total += violated
            arena[arena[parts.WEIGHT] + c] += amount
    if total < info[at.LEAST_VIOLATION]:
        info[at.LEAST_VIOLATION] = total
        info[at.STALL] = 0
    keep(total, core)
    info[at.LEAST] = recompute(core, rows, deep, measure)


@inner_kernel
def random_move(v: int, s: Any) -> None:
    """Move ``v`` at random within its group or its domain, if it can."""
    swap = list_swaps(v, 1, s.moves, s.core.x, s.space, s.random) > 0
    if swap or list_values(v, 1, s.moves, s.core.x, s.space, s.random) > 0:
        shake(v, s.moves[0], swap, s)


@inner_kernel
def reset(size: int, s: Any) -> None:
    """Move ``size`` variables at random and thaw all."""
    save(s.core)
    info = part(s.core.arena, parts.INFO)
    info[at.RESETS] += 1
    info[at.FROZEN] = 0
    for v in range(s.tabu.shape[0]):
        s.tabu[v] = 0
    for _ in range(size):
        random_move(below(s.random, s.core.x.shape[0]), s)
    at.record(s.events, info, at.RESET, 0, size, 0)


@inner_kernel
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


@inlined
def evaluate(v: int, sample: int, s: Any) -> Any:
    """List the moves of ``v`` with their changes; return how many are swaps, which come first, and in all."""
    swaps = list_swaps(v, sample, s.moves, s.core.x, s.space, s.random)
    total = swaps
    if swaps > 0:
        swap_deltas(v, s.moves, swaps, s.deltas, s.core, s.rows, s.deep, s.measure)
    g = s.space.group[v]
    if g < 0 or s.space.spare_start[g + 1] > s.space.spare_start[g]:
        moves = s.moves[swaps:]
        values = list_values(v, sample, moves, s.core.x, s.space, s.random)
        assign_deltas(v, moves, values, s.deltas[swaps:], s.core, s.rows, s.deep, s.measure)
        total += values
    s.core.arena[s.core.arena[parts.INFO] + at.EVALUATIONS] += total
    return swaps, total


@inner_kernel
def is_accepted(change: int, parameters: Ints, random: Ints) -> Any:
    """Say whether the best move is made: always if it is better, else with its probability."""
    if change < 0:
        return True
    chance = parameters[PLATEAU] if change == 0 else parameters[NOISE]
    return chance > 0 and draw(random) < chance


@inner_kernel
def forbid(v: int, now: int, tabu: Ints, parameters: Ints, random: Ints) -> None:
    """Make a variable that moved tabu."""
    if parameters[TENURE_SPREAD] > 0:
        tabu[v] = now + parameters[TENURE] + 1 + below(random, parameters[TENURE_SPREAD])


@inner_kernel
def walk_on(steps: int, s: Any, parameters: Ints) -> Any:
    """Walk for at most ``steps`` steps; return how the call ended (see search_info)."""
    info = part(s.core.arena, parts.INFO)
    left = info[at.WORK]
    for _ in range(steps):
        if left <= 0:
            return at.BUDGET
        ended = at.next_step(info, parameters[STALL], parameters[BUMP] == 0)
        if ended != at.BUDGET:
            return ended
        now = info[at.STEPS]
        v = choose(s.core, s.tabu, parameters, s.random)
        swaps, total = evaluate(v, parameters[SAMPLE], s)
        aspiration = info[at.LEAST] - info[at.COST]
        q = pick(swaps, total, s.moves, s.deltas, s.tabu, aspiration, now, s.random)
        if q >= 0 and is_accepted(s.deltas[q], parameters, s.random):
            make_move(v, s.moves[q], q < swaps, s.deltas[q], s)
            forbid(v, now, s.tabu, parameters, s.random)
            if q < swaps:
                forbid(s.moves[q], now, s.tabu, parameters, s.random)
            continue
        if parameters[FREEZE] > 0:
            s.tabu[v] = now + parameters[FREEZE] + 1
            info[at.FROZEN] += 1
            if info[at.FROZEN] > parameters[RESET_LIMIT]:
                reset(parameters[RESET_SIZE], s)
                left -= s.core.x.shape[0]
        if parameters[BUMP] > 0:
            left -= s.core.arena[parts.WEIGHT] - s.core.arena[parts.ACTIVITY]
            bump_weights(parameters[BUMP], s.core, s.rows, s.deep, s.measure)
    return at.SOLVED if info[at.COST] == 0 else at.BUDGET


@kernel
def walk(steps: int, s: Any, parameters: Ints) -> Any:
    """Do the same for a driver."""
    return walk_on(steps, s, parameters)
