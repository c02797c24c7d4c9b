"""Random starts: permutations and independent values from the project's own generator."""

from typing import Any, NamedTuple

from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.jit.random import below
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
