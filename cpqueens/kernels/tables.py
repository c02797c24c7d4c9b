"""The same search on three plainer representations: testing each placement, a table, words of free squares.

* ``check``: a placement is tested against the queens placed before it (chronological backtracking).
* ``table``: a two-dimensional table of free squares; a placement takes squares of later rows away and
  notes them on a trail, from which they are restored on the way back.
* ``rowmask``: one word of free squares per later row; the words of each level are saved by copying.

None looks ahead for emptied rows, so all visit the nodes of ``bitmask`` in the same order. They exist to be
compared, in nodes (equal) and in time (not). The arguments are those of `Pattern`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.jit import inlined, inner_kernel, kernel
from cpqueens.kernels.pattern import Ints, Words
from cpqueens.kernels.search import BASE, DONE, FAILURES, NODES, ROW, PatternSearch, record

_ZERO = np.uint64(0)
_ONE = np.uint64(1)


class Checked(NamedTuple):
    """What ``check`` reads, of `Pattern`."""

    allowed: Words
    conflict: Words


class FreeSquares(NamedTuple):
    """The table of free squares.

    ``free`` (n, width); ``trail`` (n * width,) lists the squares taken away, those by row i from
    ``marks[i]`` (n + 1,) on; ``starts`` and ``blocked`` are `Pattern.blocked`.
    """

    free: NDArray[np.uint8]
    trail: NDArray[np.int32]
    marks: Ints
    starts: NDArray[np.int32]
    blocked: NDArray[np.int32]


class Rowmasks(NamedTuple):
    """Words of free squares: ``free[i, j]`` (n, n) is that of row j >= i under the rows before i.

    Untried columns of row i are the bits of ``free[i, i]`` above the one it has.
    """

    free: Words
    conflict: Words


@inlined
def next_checked(row: int, x: Ints, checked: Any) -> Any:
    """Return the next column of a row that is safe, tested against each row before it; -1 for none."""
    for value in range(x[row] + 1, checked.conflict.shape[2]):
        safe = (checked.allowed[row] >> np.uint64(value)) & _ONE
        for i in range(row):
            if safe == _ZERO:
                break
            safe &= ~(checked.conflict[i, row, x[i]] >> np.uint64(value))
        if safe != _ZERO:
            return value
    return -1


@inlined
def next_in_table(row: int, x: Ints, table: Any) -> Any:
    """Return the next free column of a row, -1 for none, once what the present one took is restored."""
    width = table.free.shape[1]
    if x[row] >= 0:
        for t in range(table.marks[row], table.marks[row + 1]):
            table.free[table.trail[t] // width, table.trail[t] % width] = 1
    for value in range(x[row] + 1, width):
        if table.free[row, value] != 0:
            return value
    return -1


@inner_kernel
def take_squares(row: int, value: int, table: Any) -> None:
    """Take away the squares of later rows that a placement blocks."""
    width = table.free.shape[1]
    top = table.marks[row]
    square = row * width + value
    for t in range(table.starts[square], table.starts[square + 1]):
        target = table.blocked[t]
        if table.free[target // width, target % width] == 1:
            table.free[target // width, target % width] = 0
            table.trail[top] = target
            top += 1
    table.marks[row + 1] = top


@inlined
def next_in_masks(row: int, x: Ints, masks: Any) -> Any:
    """Return the next free column of a row, -1 for none."""
    for value in range(x[row] + 1, masks.conflict.shape[2]):
        if (masks.free[row, row] >> np.uint64(value)) & _ONE != _ZERO:
            return value
    return -1


@kernel
def search_placements(
    checked: Any, table: Any, masks: Any,
    x: Ints, found: NDArray[np.uint8], control: Ints, out: NDArray[np.uint8], budget: int,
) -> Any:  # fmt: skip
    """Search for ``budget`` placements; return the solutions written to ``out``.

    One of the three representations is given, the others are None and leave no code. ``x`` (n,) are the
    columns placed, in the current row the last one tried; ``found`` (n,) says whether a row has had a safe
    column under the rows before it.
    """
    row = control[ROW]
    end = control[NODES] + budget
    filled = 0
    value = -1
    while control[NODES] < end:
        if checked is not None:
            value = next_checked(row, x, checked)
        if table is not None:
            value = next_in_table(row, x, table)
        if masks is not None:
            value = next_in_masks(row, x, masks)
        if value < 0:
            control[FAILURES] += found[row] == 0
            if row == control[BASE]:
                control[ROW] = DONE
                return filled
            row -= 1
            continue
        x[row] = value
        found[row] = 1
        control[NODES] += 1
        if table is not None:
            take_squares(row, value, table)
        if row < x.size - 1:
            if masks is not None:
                for j in range(row + 1, x.size):
                    masks.free[row + 1, j] = masks.free[row, j] & ~masks.conflict[row, j, value]
            row += 1
            x[row] = -1
            found[row] = 0
            continue
        filled = record(x, control, out, filled)
        if filled == out.shape[0] and filled > 0:
            break
    control[ROW] = row
    return filled


class _PlacementSearch(PatternSearch):
    """What the three share: columns placed, and starting from given ones."""

    state: tuple[Checked | None, FreeSquares | None, Rowmasks | None]

    def _start(self, prefix: list[int], after: list[int] | None) -> None:
        pattern = self.pattern
        self.x = np.full(pattern.n, -1, dtype=np.int64)
        self.found = np.zeros(pattern.n, dtype=np.uint8)
        path = prefix if after is None else after
        for row, value in enumerate(path):
            word = int(pattern.allowed[row])
            for i in range(row):
                word &= ~int(pattern.conflict[i, row, self.x[i]])
            if not (0 <= value < pattern.width and word >> value & 1):
                if row >= len(prefix):  # the search goes on behind a value that it would never have taken
                    self.control[ROW] = row
                    self.x[row] = max(-1, min(value, pattern.width - 1))
                    self.found[row] = 1
                return
            self.x[row] = value
            self.found[row] = 1
        self.control[ROW] = min(len(path), pattern.n - 1)

    def _run(self, out: NDArray[np.uint8], budget: int) -> Any:
        return search_placements(*self.state, self.x, self.found, self.control, out, budget)


class CheckSearch(_PlacementSearch):
    """Search that tests each placement against the queens placed (strategy ``check``)."""

    def _start(self, prefix: list[int], after: list[int] | None) -> None:
        super()._start(prefix, after)
        self.state = Checked(self.pattern.allowed, self.pattern.conflict), None, None


class TableSearch(_PlacementSearch):
    """Search on a two-dimensional table of free squares (strategy ``table``)."""

    def _start(self, prefix: list[int], after: list[int] | None) -> None:
        super()._start(prefix, after)
        n, width = self.pattern.n, self.pattern.width
        free = ((self.pattern.allowed[:, None] >> np.arange(width, dtype=np.uint64)) & _ONE).astype(np.uint8)
        trail, marks = np.zeros(free.size, dtype=np.int32), np.zeros(n + 1, dtype=np.int64)
        table = FreeSquares(free, trail, marks, *self.pattern.blocked)
        self.state = None, table, None
        current = int(self.control[ROW])
        for row in range(current + int(self.x[current] >= 0) if current != DONE else 0):
            take_squares(row, int(self.x[row]), table)


class RowmaskSearch(_PlacementSearch):
    """Search on one word of free squares per later row (strategy ``rowmask``)."""

    def _start(self, prefix: list[int], after: list[int] | None) -> None:
        super()._start(prefix, after)
        pattern = self.pattern
        free = np.zeros((pattern.n, pattern.n), dtype=np.uint64)
        free[0] = pattern.allowed
        for row in range(max(0, int(self.control[ROW]))):
            free[row + 1] = free[row] & ~pattern.conflict[row, :, self.x[row]]
        self.state = None, None, Rowmasks(free, pattern.conflict)
