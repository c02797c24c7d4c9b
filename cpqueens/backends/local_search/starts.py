"""Assignments to start from, random or near a hint, within domains and groups."""

from functools import partial

import numpy as np

from cpqueens.backends.local_search.neighbourhood import Neighbourhood, matching
from cpqueens.kernels.search_start import random_values, shuffle
from cpqueens.kernels.search_state import Space
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled


def _permutation(random: IntArray, size: int) -> IntArray:
    order = np.arange(size, dtype=np.int64)
    shuffle(order, random)
    return order


def random_start(
    x: IntArray, compiled: Compiled, space: Space, neighbourhood: Neighbourhood, random: IntArray
) -> None:
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
            chosen = matching(compiled, group.variables, group.values, partial(_permutation, random))
            assert chosen is not None, "a group has a matching by construction"
            x[group.variables] = chosen
            _set_spare(g, group.values, chosen, space)


def hinted_start(
    x: IntArray,
    compiled: Compiled,
    space: Space,
    neighbourhood: Neighbourhood,
    random: IntArray,
    hint: IntArray,
    given: IntArray,
) -> int:
    """Fill ``x`` from ``hint`` where ``given`` (bool) and possible; return how many entries were kept."""
    random_start(x, compiled, space, neighbourhood, random)
    free = (space.group < 0) & given & (hint >= space.lower) & (hint <= space.upper)
    for v in [v for v in compiled.domains if v < len(x) and free[v]]:
        free[v] = hint[v] in compiled.domains[v]
    x[free] = hint[free]
    for g, group in enumerate(neighbourhood.groups):
        wish = np.where(given[group.variables], hint[group.variables], x[group.variables])
        chosen = _keep_first(wish, group.values, x[group.variables]) if group.uniform else None
        if chosen is None:
            chosen = matching(compiled, group.variables, group.values, None, wish)
            assert chosen is not None, "a group has a matching by construction"
        x[group.variables] = chosen
        _set_spare(g, group.values, chosen, space)
    return int((x[given] == hint[given]).sum())


def _keep_first(wish: IntArray, values: IntArray, fallback: IntArray) -> IntArray:
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


def _set_spare(g: int, values: IntArray, chosen: IntArray, space: Space) -> None:
    space.spare[space.spare_start[g] : space.spare_start[g + 1]] = np.setdiff1d(values, chosen)
