"""Rectangles put one by one into the lowest gap of a skyline: a tree of decisions, in slices.

What stands so far ends above in a *skyline*: widths from the left, each with a height. In each node the
lowest of them (of equals the leftmost) is filled from its left end by a rectangle that fits, in the order
that is given, and last of all it is left empty up to its lower neighbour, as long as no more is wasted than
there is to spare. Where nothing may be wasted that visits all packings there are.

``boxes`` has width, height, least and greatest x, least and greatest y of each; ``corner`` the x and y of
each that stands. A level of ``levels`` (of `WIDTH` entries) has which choice comes next, what was put (-1:
nothing, a gap was left empty), what is wasted, how many parts its skyline has, then their widths and heights.

Source: the skyline, or bottom-left gap, of Burke, Kendall and Whitwell, "A new placement heuristic for the
orthogonal stock-cutting problem", Operations Research 52(4), 2004; as a tree of squares in decreasing order,
Duijvestijn's search is described in Bouwkamp and Duijvestijn, "Catalogue of simple perfect squared squares of
orders 21 through 25", 1992.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.jit.instructions import entry, put
from cpqueens.kernels.local import info

Ints = NDArray[np.int64]
BOX = 6
BOX_WIDTH, BOX_HEIGHT, BOX_LEFT, BOX_RIGHT, BOX_LOW, BOX_HIGH = range(BOX)
NEXT, PUT, WASTE, PARTS, SKYLINE = range(5)
NODES = info.STEPS
DEPTH, STANDING, LEFT, TOP, SPARE = range(info.LENGTH, info.LENGTH + 5)
INFO = info.LENGTH + 5


class Skyline(NamedTuple):
    """The rectangles, and the state of a search."""

    boxes: Ints
    order: Ints
    used: Ints
    corner: Ints
    levels: Ints
    info: Ints


@inner_kernel
def width_of(s: Any) -> Any:
    """Return the entries of a level: skylines have at most one part more than there are rectangles."""
    return SKYLINE + 2 * (s.order.shape[0] + 2)


@inner_kernel
def lowest(s: Any, level: int) -> Any:
    """Return which part of a level's skyline is the lowest, and where it begins."""
    best = 0
    begins = 0
    at = 0
    for k in range(entry(s.levels, level + PARTS)):
        if k > 0 and entry(s.levels, level + SKYLINE + 2 * k + 1) < entry(
            s.levels, level + SKYLINE + 2 * best + 1
        ):
            best = k
            begins = at
        at += entry(s.levels, level + SKYLINE + 2 * k)
    return best, begins


@inner_kernel
def add_part(s: Any, level: int, width: int, height: int) -> None:
    """Go on with a skyline."""
    last = level + SKYLINE + 2 * (entry(s.levels, level + PARTS) - 1)
    if entry(s.levels, level + PARTS) > 0 and entry(s.levels, last + 1) == height:
        put(s.levels, last, entry(s.levels, last) + width)
    else:
        put(s.levels, last + 2, width)
        put(s.levels, last + 3, height)
        put(s.levels, level + PARTS, entry(s.levels, level + PARTS) + 1)


@inner_kernel
def descend(s: Any, level: int, part: int, width: int, height: int, waste: int) -> None:
    """Begin the next level: the first ``width`` of a part of this one's skyline is as high as ``height``."""
    below = level + width_of(s)
    put(s.levels, below + NEXT, 0)
    put(s.levels, below + WASTE, waste)
    put(s.levels, below + PARTS, 0)
    for k in range(entry(s.levels, level + PARTS)):
        wide = entry(s.levels, level + SKYLINE + 2 * k)
        high = entry(s.levels, level + SKYLINE + 2 * k + 1)
        if k == part:
            add_part(s, below, width, height)
            wide -= width
        if wide > 0:
            add_part(s, below, wide, high)
    s.info[DEPTH] += 1


@inner_kernel
def next_that_fits(s: Any, level: int, wide: int, x: int, y: int) -> Any:
    """Return the place in the order of the next rectangle that fits, or their number."""
    k = entry(s.levels, level + NEXT)
    while k < s.order.shape[0]:
        one = entry(s.order, k)
        box = BOX * one
        if (
            entry(s.used, one) == 0
            and entry(s.boxes, box + BOX_WIDTH) <= wide
            and entry(s.boxes, box + BOX_LEFT) <= x
            and x <= entry(s.boxes, box + BOX_RIGHT)
            and entry(s.boxes, box + BOX_LOW) <= y
            and y <= entry(s.boxes, box + BOX_HIGH)
        ):
            return k
        k += 1
    return k


@inner_kernel
def rise_to(s: Any, level: int, part: int) -> Any:
    """Return how high the lower neighbour of a part is, or the top."""
    height = s.info[TOP]
    at = level + SKYLINE + 2 * part + 1
    if part > 0:
        height = min(height, entry(s.levels, at - 2))
    if part + 1 < entry(s.levels, level + PARTS):
        height = min(height, entry(s.levels, at + 2))
    return height


@inner_kernel
def go_back(s: Any) -> Any:
    """Take away what was put last; return whether there is something else to try."""
    s.info[DEPTH] -= 1
    if s.info[DEPTH] < 0:
        return False
    last = entry(s.levels, s.info[DEPTH] * width_of(s) + PUT)
    if last >= 0:
        put(s.used, last, 0)
        s.info[STANDING] -= 1
    return True


@kernel
def pack(nodes: int, s: Skyline) -> int:
    """Search so many nodes; return 1 if all rectangles stand, 2 if there is nothing left to try."""
    n = s.order.shape[0]
    for _ in range(nodes):
        if s.info[STANDING] == n:
            return 1
        s.info[NODES] += 1
        level = s.info[DEPTH] * width_of(s)
        part, begins = lowest(s, level)
        wide = entry(s.levels, level + SKYLINE + 2 * part)
        y = entry(s.levels, level + SKYLINE + 2 * part + 1)
        waste = entry(s.levels, level + WASTE)
        x = s.info[LEFT] + begins
        k = next_that_fits(s, level, wide, x, y)
        put(s.levels, level + NEXT, k + 1)
        if k < n:
            one = entry(s.order, k)
            put(s.levels, level + PUT, one)
            put(s.used, one, 1)
            put(s.corner, 2 * one, x)
            put(s.corner, 2 * one + 1, y)
            s.info[STANDING] += 1
            high = y + entry(s.boxes, BOX * one + BOX_HEIGHT)
            descend(s, level, part, entry(s.boxes, BOX * one + BOX_WIDTH), high, waste)
            continue
        high = rise_to(s, level, part)
        more = waste + wide * (high - y)
        if k == n and high > y and more <= s.info[SPARE]:
            put(s.levels, level + PUT, -1)
            descend(s, level, part, wide, high, more)
        elif not go_back(s):
            return 2
    return 1 if s.info[STANDING] == n else 0
