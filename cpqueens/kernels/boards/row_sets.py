"""Row sets, the units of counting queens by halves: which rows have their queen in the west half."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.boards.quadrants import Layout, Quadrant, quadrant, stack


@dataclass(frozen=True, eq=False)
class Units:
    """Row sets in the order in which they are counted.

    ``rows`` (units, 3), int64: rows in the west and rows in the east (as bits), number of the table (see
    `Quadrant`); ``weights`` (units,), int64: how many row sets each stands for.
    """

    rows: NDArray[np.int64]
    weights: NDArray[np.int64]


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
    bits = np.zeros(1 << n, dtype=np.int8)
    for i in range(n):
        bits[1 << i : 2 << i] = bits[: 1 << i] + 1
    return words[bits == size]


def _flip(words: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Reverse the n bits of each word."""
    result = np.zeros_like(words)
    for i in range(n):
        result |= (words >> i & 1) << (n - 1 - i)
    return result
