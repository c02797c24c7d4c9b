"""Counting queens by meeting in the middle: half boards of row sets, pairs of half boards matched.

A *row set* says which rows have their queen in the west half. For one row set, a west half board (those
rows) and an east half board (the other rows) are a solution when their crossing lines do not meet. Half
boards are sorted into buckets by their central lines; only disjoint buckets are matched. See `quadrants`
for the words, `half_boards` and `matching` for the two steps.

Everything is 64 or 32 bits unsigned; a unit's result is below 2**63 for every n that fits the words.
"""

from typing import Any, NamedTuple

import numpy as np

from cpqueens.kernels.boards.half_boards import Half, Ints, Words32, join, sort_into_buckets
from cpqueens.kernels.boards.matching import match_buckets, slice_bits
from cpqueens.kernels.boards.quadrants import Words
from cpqueens.kernels.jit.decorators import unbounded_kernel


class Room(NamedTuple):
    """Room for the half boards of one unit.

    For a ``buffer`` of size s and p = s + 64 * parts + 512, ``west`` and ``east`` need p, ``lines`` p / 2,
    ``blocks`` and ``padding`` p / 64; the rest as in `match_buckets`.
    """

    buffer: Words
    west: Words32
    east: Words32
    lines: Words
    blocks: Ints
    padding: Words
    rows: Words
    unions: Words
    west_starts: Ints
    west_counts: Ints
    east_starts: Ints
    east_counts: Ints


@unbounded_kernel
def count_units(
    units: Ints,
    first: int,
    west: Half,
    east: Half,
    half: int,
    north_height: int,
    side: int,
    central: int,
    room: Room,
    results: Words,
) -> Any:
    """Count the units from ``first`` on into ``results``; return the first that is not done.

    A unit (row of ``units``) is: rows in the west, rows in the east, number of the quadrants' table. Ends
    early only if ``room.buffer`` is too short for a unit.
    """
    low = (1 << north_height) - 1
    for unit in range(first, len(units)):
        rows, others, table = units[unit, 0], units[unit, 1], units[unit, 2]
        results[unit] = np.uint64(0)
        size = join(west, table, rows & low, rows >> north_height, half, room.buffer)
        if size < 0:
            return unit
        if size == 0:
            continue
        sort_into_buckets(
            room.buffer, size, min(30, 2 * side), 4, room.west_starts, room.west_counts, room.west
        )
        size = join(east, table, others & low, others >> north_height, half, room.buffer)
        if size < 0:
            return unit
        sort_into_buckets(room.buffer, size, 2 * side, 64, room.east_starts, room.east_counts, room.east)
        slice_bits(room.east, room.east_starts[-1] + 64, room.lines)
        results[unit] = match_buckets(
            room.west, room.west_starts, room.west_counts, room.lines, room.east_starts, room.east_counts,
            side, central, room.blocks, room.padding, room.rows, room.unions,
        )  # fmt: skip
    return len(units)
