"""Half boards of a row set: joined from quadrants, sorted into buckets by their central lines.

West half boards of a row set are north quadrants joined with south quadrants on complementary columns that
share no line; east half boards the same for the other rows. See `quadrants` for the words.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.quadrants import BUCKET, Starts, Words

Ints = NDArray[np.int64]
Words32 = NDArray[np.uint32]

PAD = np.uint32(1 << 31)  # a word that fills a gap: line 31 is no line of the board

_ZERO = np.uint64(0)
_LOW = np.uint64(2**32 - 1)
_BUCKET = np.uint64(BUCKET)


@kernel
def join(
    north: Words,
    north_starts: Starts,
    south: Words,
    south_starts: Starts,
    north_rows: int,
    south_rows: int,
    half: int,
    buffer: Words,
) -> Any:
    """Write the half boards of a row set into ``buffer``; return how many, -1 if it is too short."""
    full = (1 << half) - 1
    count = _ZERO
    room = np.uint64(buffer.size)
    ours = north_starts[north_rows << half : (north_rows + 1 << half) + 1]
    theirs = south_starts[south_rows << half : (south_rows + 1 << half) + 1]
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


@kernel
def sort_into_buckets(
    boards: Words, size: int, align: int, starts: Ints, counts: Ints, out: Words32
) -> None:
    """Sort the low words of half boards by bucket; bucket b is ``counts[b]`` words from ``starts[b]`` on.

    ``starts`` (buckets + 1,) are multiples of ``align``; gaps and one more piece of ``align`` words are
    filled with `PAD`. ``out`` needs room for ``size + align * (buckets + 1)``.
    """
    buckets = counts.size
    mask = np.uint64(buckets - 1)
    counts[:] = 0
    for board in boards[:size]:
        counts[np.uint64((board >> _BUCKET) & mask)] += 1
    starts[0] = 0
    for b in range(buckets):
        starts[b + 1] = starts[b] + (counts[b] + align - 1) // align * align
        for i in range(starts[b] + counts[b], starts[b + 1]):
            out[i] = PAD
    out[starts[buckets] : starts[buckets] + align] = PAD
    counts[:] = starts[:buckets]
    for board in boards[:size]:
        bucket = np.uint64((board >> _BUCKET) & mask)
        out[np.uint64(counts[bucket])] = np.uint32(board & _LOW)
        counts[bucket] += 1
    counts[:] -= starts[:buckets]
