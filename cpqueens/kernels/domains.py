"""Finite domains with a trail: bounds for every variable, flags for each value where they are listed.

A change returns 1, or 0 if the domain would become empty. What a level changed is put back by `restore`:
each variable's bounds are saved once per level, each removed value by its cell.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.jit import kernel

Ints = NDArray[np.int64]
Flags = NDArray[np.uint8]

# Events that wake a propagator.
FIX, BOUND, DOMAIN = 1, 2, 4

# Places in `Store.control`.
TRAIL_TOP, CELLS_TOP, STAMP, FIXED_TOP, FIXED_DONE, QUEUE_HEAD, QUEUE_SIZE = range(7)


class Store(NamedTuple):
    """Domains, trail and queue of one search.

    ``first[v]`` is where the flags of v's values start in ``cells`` (value ``base[v]`` first), -1 for a
    variable that has bounds only. ``frozen`` variables take no change (see strategy ``check``).
    """

    low: Ints
    high: Ints
    size: Ints
    first: Ints
    base: Ints
    cells: Flags
    frozen: Flags
    stamp: Ints
    trail: Ints  # (capacity, 4): variable, low, high, size
    removed: Ints  # cells in the order of their removal
    fixed: Ints  # variables in the order in which they became fixed
    queue: Ints
    queued: Flags
    watch_start: Ints
    watch: Ints  # (incidences, 2): propagator, events
    control: Ints


@kernel
def save(s: Store, v: int) -> None:
    """Remember v's bounds, once per level."""
    if s.stamp[v] != s.control[STAMP]:
        s.stamp[v] = s.control[STAMP]
        top = s.control[TRAIL_TOP]
        s.trail[top, 0] = v
        s.trail[top, 1] = s.low[v]
        s.trail[top, 2] = s.high[v]
        s.trail[top, 3] = s.size[v]
        s.control[TRAIL_TOP] = top + 1


@kernel
def restore(s: Store, trail_top: int, cells_top: int) -> None:
    """Put back everything that was changed since the trail had these lengths."""
    for k in range(s.control[CELLS_TOP] - 1, cells_top - 1, -1):
        s.cells[s.removed[k]] = 1
    for k in range(s.control[TRAIL_TOP] - 1, trail_top - 1, -1):
        v = s.trail[k, 0]
        s.low[v] = s.trail[k, 1]
        s.high[v] = s.trail[k, 2]
        s.size[v] = s.trail[k, 3]
    s.control[CELLS_TOP] = cells_top
    s.control[TRAIL_TOP] = trail_top
    s.control[STAMP] += 1


@kernel
def wake(s: Store, v: int, events: int) -> None:
    """Queue the propagators that wait for one of these events on v."""
    if s.low[v] == s.high[v]:
        events |= FIX
        s.fixed[s.control[FIXED_TOP]] = v
        s.control[FIXED_TOP] += 1
    for k in range(s.watch_start[v], s.watch_start[v + 1]):
        if s.watch[k, 1] & events:
            p = s.watch[k, 0]
            if not s.queued[p]:
                s.queued[p] = 1
                place = s.control[QUEUE_HEAD] + s.control[QUEUE_SIZE]
                if place >= len(s.queue):
                    place -= len(s.queue)
                s.queue[place] = p
                s.control[QUEUE_SIZE] += 1


@kernel
def set_low(s: Store, v: int, value: int) -> Any:
    """Remove all values below ``value``."""
    if value <= s.low[v] or s.frozen[v]:
        return 1
    if value > s.high[v]:
        return 0
    save(s, v)
    if s.first[v] < 0:
        s.size[v] -= value - s.low[v]
        s.low[v] = value
    else:
        shift = s.first[v] - s.base[v]
        gone = 0
        for w in range(s.low[v], value):
            gone += s.cells[shift + w]
        s.size[v] -= gone
        if s.size[v] <= 0:
            return 0
        while not s.cells[shift + value]:
            value += 1
        s.low[v] = value
    wake(s, v, BOUND | DOMAIN)
    return 1


@kernel
def set_high(s: Store, v: int, value: int) -> Any:
    """Remove all values above ``value``."""
    if value >= s.high[v] or s.frozen[v]:
        return 1
    if value < s.low[v]:
        return 0
    save(s, v)
    if s.first[v] < 0:
        s.size[v] -= s.high[v] - value
        s.high[v] = value
    else:
        shift = s.first[v] - s.base[v]
        gone = 0
        for w in range(value + 1, s.high[v] + 1):
            gone += s.cells[shift + w]
        s.size[v] -= gone
        if s.size[v] <= 0:
            return 0
        while not s.cells[shift + value]:
            value -= 1
        s.high[v] = value
    wake(s, v, BOUND | DOMAIN)
    return 1


@kernel
def remove(s: Store, v: int, value: int) -> Any:
    """Remove one value; inside the bounds of a variable without listed values nothing happens."""
    if value < s.low[v] or value > s.high[v] or s.frozen[v]:
        return 1
    if value == s.low[v]:
        return set_low(s, v, value + 1)
    if value == s.high[v]:
        return set_high(s, v, value - 1)
    if s.first[v] < 0:
        return 1
    cell = s.first[v] + value - s.base[v]
    if s.cells[cell]:
        save(s, v)
        s.cells[cell] = 0
        s.removed[s.control[CELLS_TOP]] = cell
        s.control[CELLS_TOP] += 1
        s.size[v] -= 1
        wake(s, v, DOMAIN)
    return 1


@kernel
def contains(s: Store, v: int, value: int) -> Any:
    """Say whether ``value`` is in v's domain."""
    if value < s.low[v] or value > s.high[v]:
        return 0
    if s.first[v] < 0:
        return 1
    return s.cells[s.first[v] + value - s.base[v]]


@kernel
def assign(s: Store, v: int, value: int) -> Any:
    """Remove all values but ``value``."""
    if not contains(s, v, value):
        return s.frozen[v]
    if not set_low(s, v, value):
        return 0
    return set_high(s, v, value)


@kernel
def forget(s: Store) -> None:
    """Empty the queues, after a failure."""
    while s.control[QUEUE_SIZE] > 0:
        head = s.control[QUEUE_HEAD]
        s.queued[s.queue[head]] = 0
        s.control[QUEUE_HEAD] = 0 if head + 1 == len(s.queue) else head + 1
        s.control[QUEUE_SIZE] -= 1
    s.control[FIXED_TOP] = 0
    s.control[FIXED_DONE] = 0
