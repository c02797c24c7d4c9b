"""Random starts: permutations and independent values from the project's own generator.

A lot: many runs that differ in their seeds, made one after the other in few calls of a kernel.

A lot knows which run is under way; a call goes on with it, and with those after it, for a number of steps.
What a run begins with is nothing of the one before: each equals the single run of its seed.
"""

from typing import Any, NamedTuple

import numpy as np

from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.jit.random import below, seed_states
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.arena import Ints
from cpqueens.kernels.local.moves import domain_size, domain_value

# entries of a group of `Starts`
MEMBER = 0  # its first one, of MEMBERS
MEMBERS = 1
VALUE = 2  # its first one, of VALUES
VALUES = 3
SPARE = 4  # where the values go that no member gets, -1: nowhere
WIDTH = 5


class Starts(NamedTuple):
    """What gets random values: variables one by one, then groups that share out different ones."""

    free: Ints  # the variables of the former
    groups: Ints  # (groups * WIDTH,)
    members: Ints
    values: Ints
    work: Ints  # room for the values of the largest group


@inner_kernel
def shuffle_first(size: int, values: Ints, random: Ints) -> None:
    """Shuffle the first ``size`` values uniformly (Fisher and Yates)."""
    for i in range(size - 1, 0, -1):
        j = below(random, i + 1)
        held = values[i]
        values[i] = values[j]
        values[j] = held


@kernel
def shuffle(values: Ints, random: Ints) -> None:
    """Shuffle ``values`` uniformly."""
    shuffle_first(values.shape[0], values, random)


@inner_kernel
def start_at_random(starts: Any, x: Ints, space: Any, random: Ints) -> None:
    """Give random values of their domains to all variables that ``starts`` names."""
    for q in range(starts.free.shape[0]):
        v = starts.free[q]
        x[v] = domain_value(v, below(random, domain_size(v, space)), space)
    groups = starts.groups
    for g in range(0, groups.shape[0], WIDTH):
        size = groups[g + VALUES]
        for k in range(size):
            starts.work[k] = starts.values[groups[g + VALUE] + k]
        shuffle_first(size, starts.work, random)
        members = groups[g + MEMBERS]
        for k in range(members):
            x[starts.members[groups[g + MEMBER] + k]] = starts.work[k]
        if groups[g + SPARE] >= 0:
            for k in range(members, size):
                space.spare[groups[g + SPARE] + k - members] = starts.work[k]


@kernel
def fill(starts: Any, x: Ints, space: Any, random: Ints) -> None:
    """Do the same for a driver."""
    start_at_random(starts, x, space, random)


# entries of ``now``
RUN = 0  # the run under way, or the next one
STARTS = 1  # how often it has started, 0: it has not begun
DUE = 2  # whether a start is due
LIMIT = 3  # steps of a run
NOW = 4

# entries of a run's figures
ENDING = 0  # see `search_info`
STEPS = 1
EVALUATIONS = 2
MOVES = 3
RESTARTS = 4
RESETS = 5
HASH = 6
EXTRA = 7  # what only one strategy counts
FIGURES = 8


class Lot(NamedTuple):
    """The runs, and what is known of those that have ended."""

    now: Ints
    random: Ints  # (runs, 4) the generators' states at their beginnings
    figures: Ints  # (runs, FIGURES)
    x: Ints  # (runs, variables) the assignments they ended with


def make_lot(seeds: Ints, variables: int, limit: int | None) -> Lot:
    """Return a lot of which nothing has begun; no run makes more than ``limit`` steps."""
    now = np.zeros(NOW, dtype=np.int64)
    now[DUE], now[LIMIT] = 1, at.NEVER if limit is None else limit
    figures = np.zeros((len(seeds), FIGURES), dtype=np.int64)
    return Lot(now, seed_states(seeds), figures, np.zeros((len(seeds), variables), dtype=np.int64))


@inner_kernel
def goes_on(lot: Any) -> Any:
    """Say whether there is a run that has not ended."""
    return lot.now[RUN] < lot.x.shape[0]


@inner_kernel
def is_due(lot: Any) -> Any:
    """Say whether the run has not begun."""
    return lot.now[STARTS] == 0


@inner_kernel
def left(lot: Any, steps: int) -> Any:
    """Return the steps that a run may still make after so many."""
    return lot.now[LIMIT] - steps


@inner_kernel
def begin(lot: Any, random: Ints) -> Any:
    """Count a start, the first one with the generator as the run's seed has it; return 1, a start's cost."""
    now = lot.now
    if now[STARTS] == 0:
        for k in range(4):
            random[k] = lot.random[now[RUN], k]
    now[STARTS] += 1
    now[DUE] = 0
    return 1


@inner_kernel
def note(lot: Any, code: int, info: Ints, restarts: int, extra: int) -> None:
    """Write down how the run ended."""
    run = lot.now[RUN]
    lot.figures[run, ENDING] = code
    lot.figures[run, STEPS] = info[at.STEPS]
    lot.figures[run, EVALUATIONS] = info[at.EVALUATIONS]
    lot.figures[run, MOVES] = info[at.MOVES]
    lot.figures[run, RESTARTS] = restarts
    lot.figures[run, RESETS] = info[at.RESETS]
    lot.figures[run, HASH] = info[at.HASH]
    lot.figures[run, EXTRA] = extra


@inner_kernel
def leave(lot: Any, x: Ints) -> None:
    """Write down what it ended with, and go on to the next run."""
    now = lot.now
    for v in range(x.shape[0]):
        lot.x[now[RUN], v] = x[v]
    now[RUN] += 1
    now[STARTS] = 0
    now[DUE] = 1
