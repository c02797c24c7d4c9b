"""Finite domains with a trail: bounds for every variable, flags for each value where they are listed.

A change returns 1, or 0 if the domain would become empty. What a level changed is put back by `restore`:
each variable's bounds are saved once per level, each removed value by its cell.

Everything lies in four arrays (`Memory`): compiling time grows with the number of arrays that functions
hand to each other. A *variable* is the position of its record in ``x``, a *propagator* that of its record
in ``net``; all positions are absolute and never negative, hence `entry` and `put` for them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.entries import entry, put
from cpqueens.kernels.jit import inner_kernel

Ints = NDArray[np.int64]
Flags = NDArray[np.uint8]

# Events that wake a propagator.
FIX, BOUND, DOMAIN = 1, 2, 4

# The record of a variable: bounds, where the flags of its values start in ``cells`` (-1: bounds only) and
# the value of the first flag, whether changes are ignored (strategy ``check``), the level of the last save,
# the events that nobody has seen yet, and where in ``net`` its watches are, its places in AllDifferents,
# those in AllDifferents that have sums among their terms, and the values of a domain too wide for flags,
# ascending (none: every value between the bounds).
LOW, HIGH, FIRST, BASE, FROZEN, STAMP, EVENTS = range(7)
WATCH, WATCH_END, MEMBER, MEMBER_END, PART, PART_END, SPARSE, SPARSE_END, X_WIDTH = range(7, 16)

# The record of a propagator.
KIND, START, END, CONSTANT, RESULT, ROWS, ROWS_END, QUEUED, P_WIDTH = range(9)

# The first places of ``stack``: how far its regions are filled, where they start and end.
TRAIL_TOP, CELLS_TOP, LEVEL, CHANGED_BASE, CHANGED_TOP = range(5)
QUEUE_BASE, QUEUE_END, QUEUE_HEAD, QUEUE_SIZE, MARKS, HEADER = range(5, 11)


class Memory(NamedTuple):
    """All of a search's state.

    ``stack`` has the header, the removed cells, the changed variables, the queue and the trail; ``cells``
    the values' flags, and behind them as many marks that propagators may use.
    """

    x: Ints
    net: Ints
    stack: Ints
    cells: Flags


def copied(m: Memory) -> Memory:
    """Return a memory of its own for another search."""
    return Memory(m.x.copy(), m.net.copy(), m.stack.copy(), m.cells.copy())


@inner_kernel
def save(m: Memory, v: int) -> None:
    """Remember v's bounds, once per level."""
    if entry(m.x, v + STAMP) != m.stack[LEVEL]:
        put(m.x, v + STAMP, m.stack[LEVEL])
        top = m.stack[TRAIL_TOP]
        put(m.stack, top, v)
        put(m.stack, top + 1, entry(m.x, v + LOW))
        put(m.stack, top + 2, entry(m.x, v + HIGH))
        m.stack[TRAIL_TOP] = top + 3


@inner_kernel
def restore(m: Memory, trail_top: int, cells_top: int) -> None:
    """Put back everything that was changed since the trail had these lengths."""
    for k in range(m.stack[CELLS_TOP] - 1, cells_top - 1, -1):
        put(m.cells, entry(m.stack, k), 1)
    for k in range(m.stack[TRAIL_TOP] - 3, trail_top - 1, -3):
        v = entry(m.stack, k)
        put(m.x, v + LOW, entry(m.stack, k + 1))
        put(m.x, v + HIGH, entry(m.stack, k + 2))
    m.stack[CELLS_TOP] = cells_top
    m.stack[TRAIL_TOP] = trail_top
    m.stack[LEVEL] += 1


@inner_kernel
def note(m: Memory, v: int, events: int) -> None:
    """Note that v changed; `propagate` wakes what waits for it."""
    if not entry(m.x, v + EVENTS):
        put(m.stack, m.stack[CHANGED_TOP], v)
        m.stack[CHANGED_TOP] += 1
    if entry(m.x, v + LOW) == entry(m.x, v + HIGH):
        events |= FIX
    put(m.x, v + EVENTS, entry(m.x, v + EVENTS) | events)


@inner_kernel
def sparse_place(m: Memory, v: int, value: int) -> Any:
    """Return the place in ``net`` of the first value of a sparse domain that is at least ``value``."""
    low, high = entry(m.x, v + SPARSE), entry(m.x, v + SPARSE_END)
    while low < high:
        middle = (low + high) // 2
        if entry(m.net, middle) < value:
            low = middle + 1
        else:
            high = middle
    return low


@inner_kernel
def tighten(m: Memory, v: int, low: int, high: int) -> Any:
    """Remove all values outside ``low``..``high``: the one place where bounds change."""
    if low <= entry(m.x, v + LOW) and high >= entry(m.x, v + HIGH):
        return 1
    if entry(m.x, v + FROZEN):
        return 1
    low, high = max(low, entry(m.x, v + LOW)), min(high, entry(m.x, v + HIGH))
    if entry(m.x, v + FIRST) >= 0:
        shift = entry(m.x, v + FIRST) - entry(m.x, v + BASE)
        while low <= high and not entry(m.cells, shift + low):
            low += 1
        while low <= high and not entry(m.cells, shift + high):
            high -= 1
    elif low <= high and entry(m.x, v + SPARSE) < entry(m.x, v + SPARSE_END):
        # both places are in the domain: the old bounds are values of it
        low = entry(m.net, sparse_place(m, v, low))
        high = entry(m.net, sparse_place(m, v, high + 1) - 1)
    if low > high:
        return 0
    save(m, v)
    put(m.x, v + LOW, low)
    put(m.x, v + HIGH, high)
    note(m, v, BOUND | DOMAIN)
    return 1


@inner_kernel
def remove(m: Memory, v: int, value: int) -> Any:
    """Remove one value; inside the bounds of a variable without listed values nothing happens."""
    low, high = entry(m.x, v + LOW), entry(m.x, v + HIGH)
    if low < value < high:
        if entry(m.x, v + FIRST) >= 0 and not entry(m.x, v + FROZEN):
            cell = entry(m.x, v + FIRST) + value - entry(m.x, v + BASE)
            if entry(m.cells, cell):
                put(m.cells, cell, 0)
                put(m.stack, m.stack[CELLS_TOP], cell)
                m.stack[CELLS_TOP] += 1
                note(m, v, DOMAIN)
        return 1
    if value == low:
        low += 1
    elif value == high:
        high -= 1
    return tighten(m, v, low, high)


@inner_kernel
def contains(m: Memory, v: int, value: int) -> Any:
    """Say whether ``value`` is in v's domain."""
    if value < entry(m.x, v + LOW) or value > entry(m.x, v + HIGH):
        return 0
    if entry(m.x, v + FIRST) < 0:
        if entry(m.x, v + SPARSE) == entry(m.x, v + SPARSE_END):
            return 1
        return 1 if entry(m.net, sparse_place(m, v, value)) == value else 0
    return entry(m.cells, entry(m.x, v + FIRST) + value - entry(m.x, v + BASE))


@inner_kernel
def next_value(m: Memory, v: int, value: int) -> Any:
    """Return the first of v's values from ``value`` on, or one that is greater than all of them.

    ``value`` is not below v's least one; of a sparse domain every number counts.
    """
    if entry(m.x, v + FIRST) >= 0:
        shift = entry(m.x, v + FIRST) - entry(m.x, v + BASE)
        high = entry(m.x, v + HIGH)
        while value <= high and not entry(m.cells, shift + value):
            value += 1
    return value


@inner_kernel
def size(m: Memory, v: int) -> Any:
    """Return the number of values that v has left."""
    many = 0
    for w in range(entry(m.x, v + LOW), entry(m.x, v + HIGH) + 1):
        many += contains(m, v, w)
    return many


@inner_kernel
def enqueue(m: Memory, p: int) -> None:
    """Queue a propagator unless it waits already."""
    if not entry(m.net, p + QUEUED):
        put(m.net, p + QUEUED, 1)
        place = m.stack[QUEUE_HEAD] + m.stack[QUEUE_SIZE]
        if place >= m.stack[QUEUE_END]:
            place -= m.stack[QUEUE_END] - m.stack[QUEUE_BASE]
        put(m.stack, place, p)
        m.stack[QUEUE_SIZE] += 1


@inner_kernel
def dequeue(m: Memory) -> Any:
    """Take the propagator that waits longest."""
    head = m.stack[QUEUE_HEAD]
    p = entry(m.stack, head)
    put(m.net, p + QUEUED, 0)
    m.stack[QUEUE_HEAD] = m.stack[QUEUE_BASE] if head + 1 == m.stack[QUEUE_END] else head + 1
    m.stack[QUEUE_SIZE] -= 1
    return p


@inner_kernel
def forget(m: Memory) -> None:
    """Empty the queue and the list of changes, after a failure."""
    while m.stack[QUEUE_SIZE] > 0:
        dequeue(m)
    for k in range(m.stack[CHANGED_BASE], m.stack[CHANGED_TOP]):
        put(m.x, entry(m.stack, k) + EVENTS, 0)
    m.stack[CHANGED_TOP] = m.stack[CHANGED_BASE]
