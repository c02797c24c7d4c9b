"""Counting queens by meeting in the middle: half boards from quadrants, pairs of half boards matched.

A *row set* says which rows have their queen in the west half. For one row set, west half boards are north
quadrants joined with south quadrants on complementary columns that share no line; east half boards the same
for the other rows. A west and an east half board are a solution when the crossing lines do not meet: one
AND. Half boards are sorted into buckets by their central lines; only disjoint buckets are matched, the
east ones gathered into one run for eight west words at a time. See `quadrants` for the words.

Everything is 64 or 32 bits unsigned; a unit's result is below 2**63 for every n that fits the words.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.quadrants import Starts, Words

Words32 = NDArray[np.uint32]

_ZERO = np.uint64(0)
_ZERO32 = np.uint32(0)
_SIDE = np.uint32(16)
_BUCKET = np.uint64(32)


@kernel
def join(
    north: Words,
    north_starts: Starts,
    south: Words,
    south_starts: Starts,
    north_rows: int,
    south_rows: int,
    half: int,
    lines: Any,
    buffer: Words,
) -> Any:
    """Write the half boards of a row set into ``buffer``; return how many, -1 if it is too short.

    ``lines`` are occupied already (those of the queen of the middle column).
    """
    full = (1 << half) - 1
    count = 0
    north_base = north_rows << half
    south_base = south_rows << half
    for columns in range(full + 1):
        first = north_starts[north_base + columns]
        stop = north_starts[north_base + columns + 1]
        rest = south_base + (full ^ columns)
        others = south[south_starts[rest] : south_starts[rest + 1]]
        if first == stop or others.size == 0:
            continue
        if count + (stop - first) * others.size > buffer.size:
            return -1
        for i in range(first, stop):
            if north[i] & lines != _ZERO:
                continue
            word = north[i]
            taken = word | lines
            for j in range(others.size):
                buffer[count] = word | others[j]
                count += taken & others[j] == _ZERO
    return count


@kernel
def sort_into_buckets(
    boards: Words, size: int, central: int, swap: bool, starts: NDArray[np.int64], out: Words32
) -> None:
    """Sort the low words of half boards by bucket; bucket b is ``out[starts[b] : starts[b + 1]]``.

    With ``swap`` (east) the two directions change places. ``starts`` has shape (buckets + 1,).
    """
    buckets = starts.size - 1
    side = np.uint64(central)
    mask = np.uint64((1 << central) - 1)
    starts[:] = 0
    for i in range(size):
        a = (boards[i] >> _BUCKET) & mask
        b = (boards[i] >> (_BUCKET + side)) & mask
        starts[np.int64((a << side) | b if swap else (b << side) | a) + 1] += 1
    for b in range(buckets):
        starts[b + 1] += starts[b]
    for i in range(size):
        a = (boards[i] >> _BUCKET) & mask
        b = (boards[i] >> (_BUCKET + side)) & mask
        bucket = np.int64((a << side) | b if swap else (b << side) | a)
        word = np.uint32(boards[i] & np.uint64(0xFFFFFFFF))
        if swap:
            word = (word << _SIDE) | (word >> _SIDE)
        out[starts[bucket]] = word
        starts[bucket] += 1
    for b in range(buckets, 0, -1):
        starts[b] = starts[b - 1]
    starts[0] = 0


@kernel
def match(west: Words32, run: Words32) -> Any:
    """Return how many pairs of ``west`` and ``run`` have no bit in common.

    Eight west words at a time, so that each word of the run is loaded once for eight pairs; the counters
    stay 32-bit, so that the loop is vectorised in full width.
    """
    total = _ZERO
    whole = west.size - west.size % 8
    for i in range(0, whole, 8):
        w0, w1, w2, w3 = west[i], west[i + 1], west[i + 2], west[i + 3]
        w4, w5, w6, w7 = west[i + 4], west[i + 5], west[i + 6], west[i + 7]
        c0 = c1 = c2 = c3 = c4 = c5 = c6 = c7 = _ZERO32
        for j in range(run.size):
            word = run[j]
            c0 = np.uint32(c0 + np.uint32(word & w0 == _ZERO32))
            c1 = np.uint32(c1 + np.uint32(word & w1 == _ZERO32))
            c2 = np.uint32(c2 + np.uint32(word & w2 == _ZERO32))
            c3 = np.uint32(c3 + np.uint32(word & w3 == _ZERO32))
            c4 = np.uint32(c4 + np.uint32(word & w4 == _ZERO32))
            c5 = np.uint32(c5 + np.uint32(word & w5 == _ZERO32))
            c6 = np.uint32(c6 + np.uint32(word & w6 == _ZERO32))
            c7 = np.uint32(c7 + np.uint32(word & w7 == _ZERO32))
        total += np.uint64(c0) + np.uint64(c1) + np.uint64(c2) + np.uint64(c3)
        total += np.uint64(c4) + np.uint64(c5) + np.uint64(c6) + np.uint64(c7)
    for i in range(whole, west.size):
        w = west[i]
        c = _ZERO32
        for j in range(run.size):
            c = np.uint32(c + np.uint32(run[j] & w == _ZERO32))
        total += np.uint64(c)
    return total


@kernel
def match_buckets(
    west: Words32, west_starts: Starts, east: Words32, east_starts: Starts, run: Words32
) -> Any:
    """Return how many pairs of half boards are solutions; ``run`` has room for all of ``east``."""
    total = _ZERO
    buckets = west_starts.size - 1
    for b in range(buckets):
        words = west[west_starts[b] : west_starts[b + 1]]
        if words.size == 0:
            continue
        filled = 0
        for e in range(buckets):
            if b & e == 0:
                part = east[east_starts[e] : east_starts[e + 1]]
                for i in range(part.size):
                    run[filled + i] = part[i]
                filled += part.size
        total += match(words, run[:filled])
    return total


@kernel
def count_units(
    units: NDArray[np.int64],
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
    central: int,
    buffer: Words,
    west: Words32,
    east: Words32,
    run: Words32,
    starts: NDArray[np.int64],
    results: Words,
) -> Any:
    """Count units ``first`` .. ``stop - 1`` into ``results``; return the first that is not done.

    A unit (row of ``units``) is: rows in the west, rows in the east, lines taken by the middle queen. Ends
    early only if ``buffer``, ``west``, ``east`` and ``run`` (same size) are too short for a unit.
    ``starts`` has shape (2, buckets + 1).
    """
    low = (1 << north_height) - 1
    for unit in range(first, stop):
        rows = units[unit, 0]
        others = units[unit, 1]
        lines = np.uint64(units[unit, 2])
        results[unit] = _ZERO
        size = join(
            north_west, north_west_starts, south_west, south_west_starts,
            rows & low, rows >> north_height, half, lines, buffer,
        )  # fmt: skip
        if size < 0:
            return unit
        if size == 0:
            continue
        sort_into_buckets(buffer, size, central, False, starts[0], west)
        size = join(
            north_east, north_east_starts, south_east, south_east_starts,
            others & low, others >> north_height, half, lines, buffer,
        )  # fmt: skip
        if size < 0:
            return unit
        sort_into_buckets(buffer, size, central, True, starts[1], east)
        results[unit] = match_buckets(west, starts[0], east, starts[1], run)
    return stop
