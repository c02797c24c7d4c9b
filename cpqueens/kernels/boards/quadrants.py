"""Tables of all non-attacking placements in a quadrant of the board, and the row sets that join them.

Squares of a half are (row, distance), the distance counted from the middle of the board outwards, so that
west and east look alike. A queen there stands on the lines ``row + distance`` (falling towards the
outside) and ``row - distance``. Lines of both halves that meet in the middle are *crossing*; an entry of a
table is one word with a bit for each line occupied:

    bits 0 .. 2 * side - 1    crossing lines row + distance, then row - distance, without the central ones
    the next 2 * central      the ``central`` lines of each direction, which number the entry's bucket
    above                     lines that meet nothing in the other half

A west line ``p = row + distance`` meets the east line ``row - distance = p + gap`` (gap 1, or 2 around a
middle column), so both have the same place, and east entries swap the two directions when matched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

# ---- row sets, the units of counting queens by halves: which rows have their queen in the west half ----


@dataclass(frozen=True, eq=False)
class Units:
    """Row sets in the order in which they are counted.

    ``rows`` (units, 3), int64: rows in the west and rows in the east (as bits), number of the table (see
    `Quadrant`); ``weights`` (units,), int64: how many row sets each stands for.
    """

    rows: NDArray[np.int64]
    weights: NDArray[np.int64]

    def shuffled(self, seed: int | None) -> Units:
        """Return them in a random order."""
        return self.picked(np.random.default_rng(seed).permutation(len(self.weights)))

    def picked(self, numbers: Sequence[int] | NDArray[np.int64]) -> Units:
        """Return some of them."""
        return Units(self.rows[numbers], self.weights[numbers])


def row_sets(board: Layout, allowed: NDArray[np.bool_] | None = None) -> Units:
    """Return the classes of row sets: up to flip and complement without ``allowed``, else all of them.

    An even board has row sets of n / 2 rows; flipped upside down or with west and east exchanged they have
    equally many solutions. An odd one first has the row m of the queen in the middle column, where m and its
    mirror image are one, and flipping is a symmetry only of the middle row.
    """
    if board.n % 2 == 0:
        west = _subsets(board.n, board.half)
        return _classes(board, west, 0, None, allowed)
    low = _subsets(board.n - 1, board.half)
    parts = []
    for table, m in enumerate(middle_rows(board, allowed)):
        west = (low & ((1 << m) - 1)) | (low >> m << (m + 1))
        parts.append(_classes(board, west, table, m, allowed))
    empty = Units(np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.int64))
    return Units(
        np.concatenate([empty.rows, *(p.rows for p in parts)]),
        np.concatenate([empty.weights, *(p.weights for p in parts)]),
    )


def middle_rows(board: Layout, allowed: NDArray[np.bool_] | None = None) -> list[int]:
    """Return the rows that the queen of the middle column of an odd board may have, up to flip."""
    if allowed is None:
        return list(range(board.half + 1))
    return [int(row) for row in np.flatnonzero(allowed[:, board.half])]


def quadrant_builders(
    board: Layout, allowed: NDArray[np.bool_] | None = None, look: Callable[[], None] = lambda: None
) -> list[Callable[[], Quadrant]]:
    """Return functions that build the quadrants north-west, south-west, north-east and south-east.

    Each takes seconds on the largest boards, and calls ``look`` now and then, which may raise. The first two
    only if all is allowed: the east is like the west.
    """
    n, half = board.n, board.half
    cut = (n + 1) // 2
    if allowed is None:
        sides = [np.ones((n, half), dtype=bool)]
    else:
        sides = [allowed[:, :half][:, ::-1], allowed[:, n - half :]]

    def build(first: int, stop: int, side: NDArray[np.bool_]) -> Quadrant:
        table = quadrant(board, first, stop, side, look)
        if n % 2 == 0:
            return table
        taken = [
            (board.middle_lines(m), 1 << half + m - first if first <= m < stop else 0)
            for m in middle_rows(board, allowed)
        ]
        return stack([table.without(lines, key) for lines, key in taken])

    return [partial(build, first, stop, side) for side in sides for first, stop in ((0, cut), (cut, n))]


def _classes(
    board: Layout, west: NDArray[np.int64], table: int, middle: int | None, allowed: NDArray[np.bool_] | None
) -> Units:
    """Return one row set of each class with the size of the class."""
    n = board.n
    everything = ((1 << n) - 1) ^ (0 if middle is None else 1 << middle)
    if allowed is None:
        least = np.minimum(west, everything ^ west)
        if middle is None or 2 * middle == n - 1:
            flipped = _flip(west, n)
            least = np.minimum(least, np.minimum(flipped, everything ^ flipped))
        west, weights = np.unique(least, return_counts=True)
        if middle is not None and 2 * middle != n - 1:
            weights = 2 * weights  # the mirror image of this middle row is left out
    else:
        bits = 1 << np.arange(n)
        can_west = int(bits[allowed[:, : board.half].any(axis=1)].sum())
        can_east = int(bits[allowed[:, n - board.half :].any(axis=1)].sum())
        west = west[(west & ~can_west == 0) & (everything & ~west & ~can_east == 0)]
        weights = np.ones(len(west), dtype=np.int64)
    rows = np.stack([west, everything ^ west, np.full_like(west, table)], axis=1)
    return Units(rows, weights.astype(np.int64))


def _subsets(n: int, size: int) -> NDArray[np.int64]:
    """Return all words of n bits with ``size`` bits set, ascending."""
    words = np.arange(1 << n, dtype=np.int64)
    return words[np.bitwise_count(words) == size]


def _flip(words: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Reverse the n bits of each word."""
    result = np.zeros_like(words)
    for i in range(n):
        result |= (words >> i & 1) << (n - 1 - i)
    return result


Words = NDArray[np.uint64]
Starts = NDArray[np.int32]
Squares = NDArray[np.bool_]

MAX_N = 22  # its 64 lines fill a word; its tables, while they are built, 4 GB
TABLE_LINES = 30  # lines that the table of unions holds


@dataclass(frozen=True)
class Layout:
    """Where each line's bit stands, for a board of n x n cut into halves of ``half`` columns."""

    n: int
    central: int  # central lines of each direction that number the buckets

    @property
    def half(self) -> int:
        """Return the columns of a half; an odd board has one column between the halves."""
        return self.n // 2

    @property
    def gap(self) -> int:
        """Return how many rows a line falls or climbs from one half's first column to the other's."""
        return 1 + self.n % 2

    @property
    def side(self) -> int:
        """Return the crossing lines of one direction without the central ones."""
        return self.n - self.gap - self.central

    @property
    def buckets(self) -> int:
        """Return the number of buckets."""
        return 1 << (2 * self.central)

    @property
    def parts(self) -> int:
        """Return the number of buckets times the parts of each by the lines that no table holds."""
        return self.buckets << max(0, 2 * self.side - TABLE_LINES)

    def falling(self, row: int, distance: int) -> int:
        """Return the bit of the line ``row + distance``."""
        line = row + distance
        if line < self.n - self.gap:
            return self._crossing(line, 0)
        return self._outside + line - (self.n - self.gap)

    def climbing(self, row: int, distance: int) -> int:
        """Return the bit of the line ``row - distance``."""
        line = row - distance - self.gap
        if line >= 0:
            return self._crossing(line, 1)
        return self._outside + self.half + self.gap - 1 - 1 - line

    @property
    def _outside(self) -> int:
        return 2 * (self.side + self.central)

    def _crossing(self, line: int, direction: int) -> int:
        first = self.side // 2
        if line < first:
            return self.side * direction + line
        if line < first + self.central:
            return 2 * self.side + self.central * direction + line - first
        return self.side * direction + line - self.central

    def middle_lines(self, row: int) -> int:
        """Return the bits of the lines through ``row`` of the middle column (odd boards)."""
        # the line row + distance = m - 1 and the line row - distance = m + 1 pass the middle at m
        bits = 0
        if row >= 1:
            bits |= 1 << self.falling(row - 1, 0)
        if row + 1 < self.n:
            bits |= 1 << self.climbing(row + 1, 0)
        return bits


def layout(n: int) -> Layout:
    """Return the layout for n, with the number of central lines that was fastest (measured).

    At most 32 lines may be left, so `halves` has words of 32 bits: 22 needs five, and 4,096 parts.
    """
    central = 0 if n <= 17 else 2 if n <= 19 else 3 if n <= 21 else 5
    return Layout(n, max(0, min(central, n - 1 - n % 2)))


@dataclass(frozen=True, eq=False)
class Quadrant:
    """All non-attacking placements of any number of queens in some rows of a half.

    ``entries[starts[t, k] : starts[t, k + 1]]`` are those of table t with key ``k = rows << half | columns``;
    bit 0 of ``rows`` is the quadrant's first row. An odd board has a table for each row that its middle
    queen may have, t being its place in the list of these rows, without what that queen attacks.
    """

    entries: Words
    starts: Starts

    def without(self, lines: int, key: int) -> Quadrant:
        """Return the first table without entries on any of ``lines`` or with any bit of ``key`` in theirs."""
        starts = self.starts[0]
        free = self.entries & np.uint64(lines) == 0
        if key:
            free &= np.repeat(np.arange(len(starts) - 1) & key == 0, np.diff(starts))
        kept = np.concatenate(([0], np.cumsum(free, dtype=np.int32)))
        return Quadrant(self.entries[free], kept[starts].astype(np.int32)[None, :])


def stack(quadrants: Sequence[Quadrant]) -> Quadrant:
    """Join quadrants of one table each to one of as many tables."""
    offsets = np.cumsum([0, *(len(q.entries) for q in quadrants)])
    shifted = [q.starts + np.int32(first) for q, first in zip(quadrants, offsets, strict=False)]
    return Quadrant(np.concatenate([q.entries for q in quadrants]), np.concatenate(shifted))


def quadrant(
    board: Layout, first: int, stop: int, squares: Squares, look: Callable[[], None] = lambda: None
) -> Quadrant:
    """Build the table of rows ``first`` .. ``stop - 1``; ``squares`` (n, half) says which are allowed.

    Row by row: the placements so far, and each of them with a queen in each safe column of the row. ``look``
    is called between the steps, and ends them by raising.
    """
    lines = np.zeros(1, dtype=np.uint64)
    keys = np.zeros(1, dtype=np.int32)
    for row in range(first, stop):
        new_lines, new_keys = [lines], [keys]
        for column in np.flatnonzero(squares[row]).tolist():
            look()
            taken = np.uint64(1 << board.falling(row, column) | 1 << board.climbing(row, column))
            free = (lines & taken) == 0
            free &= keys & np.int32(1 << column) == 0
            safe = free.nonzero()[0]  # which NumPy takes twice as quick as by a mask
            new_lines.append(lines.take(safe) | taken)
            new_keys.append(keys.take(safe) | np.int32(1 << column | 1 << (board.half + row - first)))
        lines, keys = np.concatenate(new_lines), np.concatenate(new_keys)
    look()
    # by the lower 16 bits, then by the others: NumPy's stable sort is a radix sort for 16 bits only
    order = np.argsort(keys.astype(np.uint16), kind="stable")
    bits = board.half + stop - first
    if bits > 16:
        order = order[np.argsort((keys[order] >> 16).astype(np.uint16), kind="stable")]
    counts = np.bincount(keys, minlength=1 << bits)
    return Quadrant(lines.take(order), np.concatenate(([0], np.cumsum(counts))).astype(np.int32)[None, :])
