"""Assignments to start from, random or near a hint, within domains and groups."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.kernels.local.start import Starts, fill, shuffle
from cpqueens.kernels.local.state import Space
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled, offsets
from cpqueens.lowered.neighbourhood import Neighbourhood, SwapGroup, matching

Start = Fixed | tuple[int, SwapGroup]
"""What is given random values together: by a kernel, which takes `Starts`; or a group with its number, whose
members have different domains."""

NONE = np.zeros(0, dtype=np.int64)
NO_START = Fixed(Starts(*[NONE] * 5))


def all_starts(neighbourhood: Neighbourhood, space: Space, keeps_spare: bool = True) -> list[Start]:
    """Return what a random start is made of, in its order; it sets spare values if the search has groups."""
    spare, free = space if keeps_spare else None, np.flatnonzero(space.group < 0)
    together: list[tuple[int, SwapGroup]] = []
    parts: list[Start] = []
    for g, group in enumerate(neighbourhood.groups):
        if group.uniform:
            together.append((g, group))
            continue
        if together or len(free):
            parts.append(Fixed(_starts(free, together, spare)))
        parts.append((g, group))
        free, together = NONE, []
    if together or len(free):
        parts.append(Fixed(_starts(free, together, spare)))
    return parts


def _starts(free: IntArray, groups: list[tuple[int, SwapGroup]], space: Space | None) -> Starts:
    if not groups:
        return Starts(free, NONE, NONE, NONE, NONE)
    sizes = [len(group.variables) for _, group in groups], [len(group.values) for _, group in groups]
    first = [offsets(size)[:-1] for size in sizes]
    spare = np.array([-1 if space is None else space.spare_start[g] for g, _ in groups], dtype=np.int64)
    table = np.array([first[0], sizes[0], first[1], sizes[1], spare], dtype=np.int64)
    members = np.concatenate([group.variables for _, group in groups])
    values = np.concatenate([group.values for _, group in groups])
    work = np.zeros(max(sizes[1]), dtype=np.int64)
    return Starts(free, table.T.reshape(-1), members, values, work)


def random_start(
    starts: Sequence[Start], x: IntArray, compiled: Compiled, space: Space, random: IntArray
) -> None:
    """Fill ``x`` at random: a permutation per group, independent values elsewhere; set the spare values."""
    for start in starts:
        if isinstance(start, Fixed):
            fill(start, x, space, random)
            continue
        g, group = start
        chosen = matching(compiled, group.variables, group.values, partial(_permutation, random))
        assert chosen is not None, "a group has a matching by construction"
        x[group.variables] = chosen
        if len(space.spare):
            _set_spare(g, group.values, chosen, space)


def _permutation(random: IntArray, size: int) -> IntArray:
    order = np.arange(size, dtype=np.int64)
    shuffle(order, random)
    return order


def hinted_start(
    x: IntArray,
    compiled: Compiled,
    space: Space,
    neighbourhood: Neighbourhood,
    random: IntArray,
    hint: IntArray,
    given: IntArray,
    starts: Sequence[Start],
) -> int:
    """Fill ``x`` from ``hint`` where ``given`` and possible, else by ``starts``; return how many are kept."""
    random_start(starts, x, compiled, space, random)
    free = (space.group < 0) & given & (hint >= space.lower) & (hint <= space.upper)
    for v, values in compiled.domains.items():
        if v < len(x) and free[v]:
            free[v] = hint[v] in values
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
