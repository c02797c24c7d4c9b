"""Candidate moves of one variable, within its domain and its group."""

from typing import Any

from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.random import below
from cpqueens.kernels.local.arena import Ints


@inner_kernel
def allowed(v: int, value: int, space: Any) -> Any:
    """Say whether ``value`` is in the domain of ``v``; O(log) for domains with holes."""
    if value < space.lower[v] or value > space.upper[v]:
        return False
    low = space.domain_start[v]
    high = space.domain_start[v + 1]
    if low == high:
        return True
    while high - low > 1:
        middle = (low + high) // 2
        if space.domain[middle] <= value:
            low = middle
        else:
            high = middle
    return space.domain[low] == value


@inner_kernel
def domain_size(v: int, space: Any) -> Any:
    """Return the number of values of ``v``."""
    holes = space.domain_start[v + 1] - space.domain_start[v]
    return holes if holes > 0 else space.upper[v] - space.lower[v] + 1


@inner_kernel
def domain_value(v: int, index: int, space: Any) -> Any:
    """Return the value of ``v`` with the given index, in ascending order."""
    if space.domain_start[v + 1] > space.domain_start[v]:
        return space.domain[space.domain_start[v] + index]
    return space.lower[v] + index


@inner_kernel
def span(v: int, room: int, space: Any) -> Any:
    """Return how many values ``v`` may take, its own included: all of an interval, no more than ``room``.

    0 for another variable: its values have to be listed.
    """
    if space.group[v] >= 0 or space.domain_start[v + 1] > space.domain_start[v]:
        return 0
    size = space.upper[v] - space.lower[v] + 1
    return size if size <= room else 0


@inner_kernel
def list_swaps(v: int, sample: int, candidates: Ints, x: Ints, space: Any, random: Ints) -> Any:
    """Write the variables that ``v`` may swap with; return how many.

    ``sample`` > 0 asks for so many random ones (repetition possible) instead of the whole group.
    """
    g = space.group[v]
    if g < 0:
        return 0
    first = space.group_start[g]
    size = space.group_start[g + 1] - first
    number = size
    if 0 < sample < size:
        number = sample
    free = space.uniform[g] == 1
    listed = 0
    for q in range(number):
        j = space.group_members[first + (q if number == size else below(random, size))]
        if j != v and (free or (allowed(j, x[v], space) and allowed(v, x[j], space))):
            candidates[listed] = j
            listed += 1
    return listed


@inner_kernel
def list_values(v: int, sample: int, candidates: Ints, x: Ints, space: Any, random: Ints) -> Any:
    """Write the values that ``v`` may take, its own excluded: spare ones in a group; return how many.

    Where there are more than ``sample`` (if positive) or than fit, so many random ones are taken.
    """
    g = space.group[v]
    cap = candidates.shape[0]
    if 0 < sample < cap:
        cap = sample
    size = space.spare_start[g + 1] - space.spare_start[g] if g >= 0 else domain_size(v, space)
    number = min(size, cap)
    listed = 0
    for q in range(number):
        index = q if number == size else below(random, size)
        if g >= 0:
            value = space.spare[space.spare_start[g] + index]
            if not allowed(v, value, space):
                continue
        else:
            value = domain_value(v, index, space)
        if value != x[v]:
            candidates[listed] = value
            listed += 1
    return listed


@inner_kernel
def exchange_spare(old: int, new: int, first: int, end: int, spare: Ints) -> None:
    """Put ``old`` into a group's spare values ``spare[first:end]`` in place of ``new``; O(their number)."""
    for s in range(first, end):
        if spare[s] == new:
            spare[s] = old
            return
