"""Counting queens by meeting in the middle: half boards of row sets, pairs of half boards matched.

A *row set* says which rows have their queen in the west half. For one row set, a west half board (those
rows) and an east half board (the other rows) are a solution when their crossing lines do not meet. Half
boards are sorted into buckets by their central lines; only disjoint buckets are matched. See `quadrants`
for the words, `half_boards` and `matching` for the two steps.

Everything is 64 or 32 bits unsigned; a unit's result is below 2**63 for every n that fits the words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cpqueens.kernels.half_boards import Ints, Words32, join, sort_into_buckets
from cpqueens.kernels.jit import kernel
from cpqueens.kernels.matching import match_buckets, slice_bits
from cpqueens.kernels.quadrants import Starts, Words

_ZERO = np.uint64(0)


@kernel
def count_units(
    units: Ints,
    first: int,
    stop: int,
    north_west: Words,
    north_west_starts: Starts,
    south_west: Words,
    south_west_starts: Starts,
    north_east: Words,
    north_east_starts: Starts,
    south_east: Words,
    south_east_starts: Starts,
    half: int,
    north_height: int,
    side: int,
    central: int,
    buffer: Words,
    west: Words32,
    east: Words32,
    lines: Words,
    blocks: Ints,
    padding: Words,
    rows: Words,
    union_table: Words,
    west_starts: Ints,
    west_counts: Ints,
    east_starts: Ints,
    east_counts: Ints,
    results: Words,
) -> Any:
    """Count units ``first`` .. ``stop - 1`` into ``results``; return the first that is not done.

    A unit (row of ``units``) is: rows in the west, rows in the east, number of the quadrants' table. Ends
    early only if ``buffer`` is too short for a unit. For a buffer of size s and p = s + 64 * parts + 512,
    ``west`` and ``east`` need p, ``lines`` p / 2, ``blocks`` and ``padding`` p / 64; the rest as in
    `match_buckets`.
    """
    low = (1 << north_height) - 1
    for unit in range(first, stop):
        west_rows = units[unit, 0]
        east_rows = units[unit, 1]
        table = units[unit, 2]
        results[unit] = _ZERO
        size = join(
            north_west, north_west_starts[table], south_west, south_west_starts[table],
            west_rows & low, west_rows >> north_height, half, buffer,
        )  # fmt: skip
        if size < 0:
            return unit
        if size == 0:
            continue
        sort_into_buckets(buffer, size, min(30, 2 * side), 4, west_starts, west_counts, west)
        size = join(
            north_east, north_east_starts[table], south_east, south_east_starts[table],
            east_rows & low, east_rows >> north_height, half, buffer,
        )  # fmt: skip
        if size < 0:
            return unit
        sort_into_buckets(buffer, size, 2 * side, 64, east_starts, east_counts, east)
        slice_bits(east, east_starts[-1] + 64, lines)
        results[unit] = match_buckets(
            west, west_starts, west_counts, lines, east_starts, east_counts, side, central,
            blocks, padding, rows, union_table,
        )  # fmt: skip
    return stop
