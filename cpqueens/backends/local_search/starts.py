"""Assignments to start from, random or near a hint, within domains and groups."""

from __future__ import annotations

import numpy as np

from cpqueens.backends.local_search.neighbourhood import Neighbourhood, matching
from cpqueens.backends.local_search.problem import Ints, Problem
from cpqueens.kernels.search_start import random_values, shuffle
from cpqueens.kernels.search_state import Space


class Shuffler:
    """Random permutations from the search's own generator state."""

    def __init__(self, random: Ints) -> None:
        self.random = random

    def permutation(self, size: int) -> Ints:
        """Return a uniformly random permutation of 0 .. size - 1."""
        order = np.arange(size, dtype=np.int64)
        shuffle(order, self.random)
        return order


def random_start(x: Ints, problem: Problem, space: Space, neighbourhood: Neighbourhood, random: Ints) -> None:
    """Fill ``x`` at random: a permutation per group, independent values elsewhere; set the spare values."""
    if len(neighbourhood.groups) == 0 or (space.group < 0).any():
        random_values(x, space, random)
    for g, group in enumerate(neighbourhood.groups):
        if group.uniform:
            values = group.values.copy()
            shuffle(values, random)
            members = len(group.variables)
            x[group.variables] = values[:members]
            space.spare[space.spare_start[g] : space.spare_start[g + 1]] = values[members:]
        else:
            chosen = matching(problem, group.variables, group.values, Shuffler(random))
            assert chosen is not None, "a group has a matching by construction"
            x[group.variables] = chosen
            _set_spare(g, group.values, chosen, space)


def hinted_start(
    x: Ints,
    problem: Problem,
    space: Space,
    neighbourhood: Neighbourhood,
    random: Ints,
    hint: Ints,
    given: Ints,
) -> int:
    """Fill ``x`` from ``hint`` where ``given`` (bool) and possible; return how many entries were kept."""
    random_start(x, problem, space, neighbourhood, random)
    free = (space.group < 0) & given & (hint >= problem.lower) & (hint <= problem.upper)
    for v in [v for v in problem.domains if free[v]]:
        free[v] = hint[v] in problem.domains[v]
    x[free] = hint[free]
    for g, group in enumerate(neighbourhood.groups):
        wish = np.where(given[group.variables], hint[group.variables], x[group.variables])
        chosen = _keep_first(wish, group.values, x[group.variables]) if group.uniform else None
        if chosen is None:
            chosen = matching(problem, group.variables, group.values, None, wish)
            assert chosen is not None, "a group has a matching by construction"
        x[group.variables] = chosen
        _set_spare(g, group.values, chosen, space)
    return int((x[given] == hint[given]).sum())


def _keep_first(wish: Ints, values: Ints, fallback: Ints) -> Ints:
    """Return distinct values: the first wish for each value is granted, the others get what is left."""
    chosen = fallback.copy()
    legal = np.isin(wish, values)
    _, first = np.unique(wish, return_index=True)
    granted = np.zeros(len(wish), dtype=bool)
    granted[first] = True
    granted &= legal
    left = np.setdiff1d(values, wish[granted])
    own = np.isin(fallback, left)
    rest = ~granted
    chosen[granted] = wish[granted]
    keep = rest & own
    left = np.setdiff1d(left, fallback[keep])
    others = rest & ~own
    chosen[others] = left[: int(others.sum())]
    return chosen


def _set_spare(g: int, values: Ints, chosen: Ints, space: Space) -> None:
    space.spare[space.spare_start[g] : space.spare_start[g + 1]] = np.setdiff1d(values, chosen)
