"""Random starts: permutations and independent values from the project's own generator."""

from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.random import below
from cpqueens.kernels.search_arena import Ints
from cpqueens.kernels.search_moves import domain_size, domain_value


@kernel
def shuffle(values: Ints, random: Ints) -> None:
    """Shuffle ``values`` uniformly (Fisher and Yates)."""
    for i in range(values.shape[0] - 1, 0, -1):
        j = below(random, i + 1)
        held = values[i]
        values[i] = values[j]
        values[j] = held


@kernel
def random_values(x: Ints, space: Any, random: Ints) -> None:
    """Give each variable outside groups an independent random value of its domain."""
    for v in range(x.shape[0]):
        if space.group[v] < 0:
            size = domain_size(v, space)
            x[v] = domain_value(v, below(random, size), space)
