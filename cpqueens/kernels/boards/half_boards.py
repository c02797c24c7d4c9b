"""Half boards of a row set: joined from quadrants, sorted into buckets by their central lines.

West half boards of a row set are north quadrants joined with south quadrants on complementary columns that
share no line; east half boards the same for the other rows. See `quadrants` for the words.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.boards.quadrants import Starts, Words
from cpqueens.kernels.jit.decorators import inner_kernel

Ints = NDArray[np.int64]
Words32 = NDArray[np.uint32]

_ZERO = np.uint64(0)


class Half(NamedTuple):
    """The quadrants of one side of the board, several tables each on odd boards (see `Quadrant`)."""

    north: Words
    north_starts: Starts
    south: Words
    south_starts: Starts


@inner_kernel
def join(quadrants: Half, table: int, north_rows: int, south_rows: int, half: int, buffer: Words) -> Any:
    """Write the half boards of a row set into ``buffer``; return how many, -1 if it is too short."""
    full = (1 << half) - 1
    north, south = quadrants.north, quadrants.south
    count = _ZERO
    room = np.uint64(buffer.size)
    ours = quadrants.north_starts[table, north_rows << half : (north_rows + 1 << half) + 1]
    theirs = quadrants.south_starts[table, south_rows << half : (south_rows + 1 << half) + 1]
    stop = ours[0]
    for columns in range(full + 1):
        first = stop
        stop = ours[columns + 1]
        if first == stop:
            continue
        rest = full - columns
        others = south[theirs[rest] : theirs[rest + 1]]
        if others.size == 0:
            continue
        if count + np.uint64((stop - first) * others.size) > room:
            return -1
        for word in north[first:stop]:
            for j in range(others.size):
                buffer[count] = word | others[j]
                count += np.uint64(word & others[j] == _ZERO)
    return np.int64(count)


@inner_kernel
def sort_into_buckets(
    boards: Words, size: int, low: int, align: int, starts: Ints, counts: Ints, out: Words32
) -> None:
    """Sort the ``low`` lower bits of half boards by the bits above them, the number of their bucket.

    Bucket b is ``counts[b]`` words from ``out[starts[b]]`` on; ``counts`` has a power of two of buckets and
    ``starts`` one entry more. Starts are multiples of ``align``; gaps and one more piece of ``align`` words
    are filled with 0. ``out`` needs room for ``size + align * (buckets + 1)``.
    """
    buckets = counts.size
    shift = np.uint64(low)
    mask = np.uint64(buckets - 1)
    lines = np.uint64((1 << low) - 1)
    # loops instead of array expressions, which would take seconds to compile
    for b in range(buckets):
        counts[b] = 0
    for board in boards[:size]:
        counts[(board >> shift) & mask] += 1
    starts[0] = 0
    for b in range(buckets):
        starts[b + 1] = starts[b] + (counts[b] + align - 1) // align * align
        for i in range(starts[b] + counts[b], starts[b + 1]):
            out[i] = 0
        counts[b] = starts[b]
    for i in range(starts[buckets], starts[buckets] + align):
        out[i] = 0
    for board in boards[:size]:
        bucket = (board >> shift) & mask
        out[np.uint64(counts[bucket])] = np.uint32(board & lines)
        counts[bucket] += 1
    for b in range(buckets):
        counts[b] -= starts[b]
