"""Counting queens by meeting in the middle: half boards of row sets, pairs of half boards matched.

A *row set* says which rows have their queen in the west half. For one row set, a west half board (those
rows) and an east half board (the other rows) are a solution when their crossing lines do not meet. Half
boards are sorted into buckets by their central lines; only disjoint buckets are matched. See `quadrants`
for the words, `half_boards` for the first step.

Everything is 64 or 32 bits unsigned; a unit's result is below 2**63 for every n that fits the words.

Matching of west and east half boards: count the pairs whose crossing lines do not meet, bit-sliced.

East half boards are matched 512 at a time. For each crossing line the set of the boards that occupy it is a
row of eight words. A table holds the union of these rows for every choice of lines from each group of six,
so that the east boards in conflict with a west one are five rows or-ed and counted: 3 to 5 ps a pair where
testing pairs one by one, sixteen in a vector, takes 13 to 36.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.boards.quadrants import Starts, Words
from cpqueens.kernels.jit.decorators import inner_kernel, unbounded_kernel
from cpqueens.kernels.jit.instructions import add_conflicts, or_eight, popcount

# ---- half boards of a row set: joined from quadrants, sorted into buckets by their central lines ------
# West half boards of a row set are north quadrants joined with south quadrants on complementary columns that
# share no line; east half boards the same for the other rows. See `quadrants` for the words.

Ints = NDArray[np.int64]
Words32 = NDArray[np.uint32]


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
    # in one bucket each board would wait for the number that the last one wrote
    several = size if buckets > 1 else 0
    # loops instead of array expressions, which would take seconds to compile
    for b in range(buckets):
        counts[b] = 0
    counts[0] = size - several
    for board in boards[:several]:
        counts[(board >> shift) & mask] += 1
    starts[0] = 0
    for b in range(buckets):
        starts[b + 1] = starts[b] + (counts[b] + align - 1) // align * align
        for i in range(starts[b] + counts[b], starts[b + 1]):
            out[i] = 0
        counts[b] = starts[b]
    for i in range(starts[buckets], starts[buckets] + align):
        out[i] = 0
    for i in range(size - several):
        out[i] = np.uint32(boards[i] & lines)
    counts[0] += size - several
    for board in boards[:several]:
        bucket = (board >> shift) & mask
        out[np.uint64(counts[bucket])] = np.uint32(board & lines)
        counts[bucket] += 1
    for b in range(buckets):
        counts[b] -= starts[b]


_ZERO = np.uint64(0)
_ALL = np.uint64(2**64 - 1)
_BOARDS = np.uint64(512)
_HALF_WORD = np.uint64(32)
_EIGHT = np.uint64(8)
_STAGES = np.array(
    [0x0000FFFF0000FFFF, 0x00FF00FF00FF00FF, 0x0F0F0F0F0F0F0F0F, 0x3333333333333333, 0x5555555555555555],
    dtype=np.uint64,
)


@inner_kernel
def slice_bits(words: Words32, size: int, lines: Words) -> None:
    """Transpose blocks of 64 words: bit e of ``lines[32 * block + l]`` is bit l of word e of the block.

    Two 32 x 32 bit matrices at a time, halves swapped recursively (Warren, Hacker's Delight, section 7-3).
    """
    for block in range(size // 64):
        rows = lines[32 * block : 32 * block + 32]
        part = words[64 * block : 64 * block + 64]
        for i in range(32):
            rows[i] = np.uint64(part[i]) | (np.uint64(part[i + 32]) << _HALF_WORD)
        width = 16
        for stage in range(5):
            shift = np.uint64(width)
            mask = _STAGES[stage]
            for start in range(0, 32, 2 * width):
                for i in range(start, start + width):
                    change = ((rows[i] >> shift) ^ rows[i + width]) & mask
                    rows[i + width] ^= change
                    rows[i] ^= change << shift
            width //= 2


class Room(NamedTuple):
    """Room for the half boards of one unit.

    For a ``buffer`` of size s and p = s + 64 * parts + 512, ``west`` and ``east`` need p, ``lines`` p / 2,
    ``blocks`` and ``padding`` p / 64; ``rows`` is (38 * 8,), ``unions`` (5 * 64 * 8,). Starts and counts are
    those of `sort_into_buckets`: for the east in blocks of 64; for the west in fours, each bucket in four
    parts by lines 30 and 31 if there are so many.
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


@inner_kernel
def unite(room: Room, side: int, blocks: Ints) -> None:
    """Fill ``room.unions`` for eight blocks: row m of group g is the union of the lines m of g.

    Lines are named as the west has them: the two directions, of ``side`` lines each, change places. 32 rows
    of ``room.rows`` are those of the lines of the blocks. Row m of the four behind them is the union of the
    lines m of the last two, and of the boards of each block that are none; the four entries behind these say
    how many boards each of these rows leaves.
    """
    rows, table, others = room.rows, room.unions, room.rows[32 * 8 : 37 * 8]
    for k in range(8):
        block = room.lines[32 * blocks[k] : 32 * blocks[k] + 32]
        for line in range(side):
            rows[8 * line + k] = block[side + line]
            rows[8 * (side + line) + k] = block[line]
        for line in range(2 * side, 32):
            rows[8 * line + k] = _ZERO
        others[k] = room.padding[blocks[k]]
        for g in range(5):
            table[512 * g + k] = _ZERO
    for g in range(5):
        for j in range(6):
            row = np.uint64(8 * (6 * g + j))
            first = np.uint64(512 * g)
            to = first + np.uint64(8 << j)
            for _ in range(1 << j):
                or_eight(table, to, first, rows, row)
                first += _EIGHT
                to += _EIGHT
    for k in range(8):
        others[8 + k] = others[k] | rows[8 * 30 + k]
        others[16 + k] = others[k] | rows[8 * 31 + k]
        others[24 + k] = others[8 + k] | rows[8 * 31 + k]
    for m in range(4):
        taken = _ZERO
        for word in others[8 * m : 8 * m + 8]:
            taken += popcount(word)
        others[32 + m] = _BOARDS - taken


@inner_kernel
def conflicts(west: Words32, table: Words, others: Words, sums: Words) -> Any:
    """Return how many of the 512 east boards behind ``table`` conflict with each west word, in sum.

    ``others`` (8,) are in conflict with all. There are a multiple of four words; ``sums`` (8,) is room.
    """
    for k in range(8):
        sums[k] = _ZERO
    for i in range(np.uint64(0), np.uint64(west.size), np.uint64(4)):
        add_conflicts(sums, others, table, west, i)
    total = _ZERO
    for one in sums:
        total += one
    return total


@inner_kernel
def mark_padding(starts: Ints, counts: Ints, padding: Words) -> None:
    """Set the words of ``padding`` (blocks + 1,): which boards of each block, and of one more, are none."""
    for b in range(counts.size):
        for block in range(starts[b] // 64, starts[b + 1] // 64):
            boards = starts[b] + counts[b] - 64 * block
            padding[block] = _ALL << np.uint64(boards) if boards < 64 else _ZERO
    padding[starts[counts.size] // 64] = _ALL


@inner_kernel
def match_group(room: Room, bucket: int) -> Any:
    """Return how many pairs of the west boards of a bucket and the east boards of a table are solutions."""
    parts = room.west_counts.size // room.east_counts.size
    others, sums = room.rows[32 * 8 : 37 * 8], room.rows[37 * 8 :]
    total = _ZERO
    for k in range(parts):
        part = parts * bucket + k
        words = room.west[room.west_starts[part] : room.west_starts[part + 1]]
        taken = others[8 * k : 8 * k + 8]
        total += np.uint64(512 * words.size) - conflicts(words, room.unions, taken, sums)
        # the words that fill up the last four have no lines in the table
        total -= np.uint64(words.size - room.west_counts[part]) * others[32 + k]
    return total


@inner_kernel
def match_buckets(room: Room, side: int, central: int) -> Any:
    """Return how many pairs of half boards are solutions.

    Eight blocks of one east bucket have a table for all west buckets; of the blocks that are left, those that
    one west bucket does not meet are put together.
    """
    starts, blocks = room.east_starts, room.blocks
    mark_padding(starts, room.east_counts, room.padding)
    total = _ZERO
    buckets = room.east_counts.size
    parts = room.west_counts.size // buckets
    for e in range(buckets):
        met = (e >> central) | (e << central) & (buckets - 1)  # as the west numbers the same lines
        for first in range(starts[e] // 64, starts[e + 1] // 64 - 7, 8):
            for k in range(8):
                blocks[k] = first + k
            unite(room, side, blocks[:8])
            for b in range(buckets):
                if met & b == 0:
                    total += match_group(room, b)
    for b in range(buckets):
        if room.west_starts[parts * b] == room.west_starts[parts * (b + 1)]:
            continue
        met = (b >> central) | (b << central) & (buckets - 1)  # as the east numbers the same lines
        found = 0
        for e in range(buckets):
            if met & e == 0:
                end = starts[e + 1] // 64
                for block in range(end - (end - starts[e] // 64) % 8, end):
                    blocks[found] = block
                    found += 1
        while found % 8 != 0:
            blocks[found] = starts[buckets] // 64  # the block of padding behind the others
            found += 1
        for first in range(0, found, 8):
            unite(room, side, blocks[first : first + 8])
            total += match_group(room, b)
    return total


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
        results[unit] = match_buckets(room, side, central)
    return len(units)
