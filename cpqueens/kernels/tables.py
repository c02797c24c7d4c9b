"""The same search on three plainer representations: testing each placement, a table, words of free squares.

* ``check``: a placement is tested against the queens placed before it (chronological backtracking).
* ``table``: a two-dimensional table says by how many queens each square of the rows to come is attacked; a
  placement adds to it, and takes that back on the way back.
* ``rowmask``: one word of free squares per later row; the words of each level are saved by copying.

None looks ahead for emptied rows, so all visit the nodes of ``bitmask`` in the same order. They exist to be
compared, in nodes (equal) and in time (not). The arguments are those of `Pattern`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.bits import lowest
from cpqueens.kernels.entries import entry, put
from cpqueens.kernels.jit import inlined, kernel
from cpqueens.kernels.pattern import Ints, Words
from cpqueens.kernels.search import BASE, DONE, FAILURES, NODES, ROW, PatternSearch, record

_ZERO = np.uint64(0)
_ONE = np.uint64(1)


class Checked(NamedTuple):
    """What ``check`` reads: `Pattern.allowed`, and `Pattern.conflict` flat."""

    allowed: Words
    conflict: Words
    width: int


class Attacks(NamedTuple):
    """How many queens placed attack each square, row * width + column; one that is not allowed counts 1.

    ``starts`` and ``blocked`` are `Pattern.blocked`; ``attacked`` has entries for what fills its lists up.
    """

    attacked: NDArray[np.int32]
    starts: NDArray[np.int32]
    blocked: NDArray[np.int32]
    width: int


class Rowmasks(NamedTuple):
    """Words of free squares: ``free[i * n + j]`` is that of row j >= i under the rows before i.

    That of row i itself, ``free[i * n + i]``, has the columns still to be tried. ``leaves`` is what a
    placement leaves of the words of all rows, see `Pattern.leaves`.
    """

    free: Words
    leaves: Words
    width: int


@inlined
def next_checked(row: int, x: Ints, checked: Any) -> Any:
    """Return the next column of a row that is safe, tested against each row before it; -1 for none."""
    width = checked.width
    allowed = entry(checked.allowed, row)
    for value in range(entry(x, row) + 1, width):
        if (allowed >> np.uint64(value)) & _ONE == _ZERO:
            continue
        words = row * width  # those of row 0 for this row, by column
        i = 0
        while i < row and (entry(checked.conflict, words + entry(x, i)) >> np.uint64(value)) & _ONE == _ZERO:
            words += x.size * width
            i += 1
        if i == row:
            return value
    return -1


@inlined
def count_attacks(square: int, change: int, table: Any) -> None:
    """Add ``change`` to the attacks on all squares of later rows that a queen on a square attacks."""
    for t in range(entry(table.starts, square), entry(table.starts, square + 1)):
        target = entry(table.blocked, t)
        put(table.attacked, target, entry(table.attacked, target) + change)


@inlined
def next_in_table(row: int, x: Ints, table: Any) -> Any:
    """Return the next free column of a row, -1 for none, once the present one attacks no more."""
    first = row * table.width
    present = entry(x, row)
    if present >= 0:
        count_attacks(first + present, -1, table)
    for value in range(present + 1, table.width):
        if entry(table.attacked, first + value) == 0:
            return value
    return -1


@inlined
def next_in_masks(row: int, rows: int, masks: Any) -> Any:
    """Return the next free column of a row, which is tried now, -1 for none."""
    place = row * rows + row
    word = entry(masks.free, place)
    if word == _ZERO:
        return -1
    put(masks.free, place, word & (word - _ONE))
    return np.int64(lowest(word))


@inlined
def copy_masks(row: int, value: int, rows: int, masks: Any) -> None:
    """Give the next level the words of all later rows, less what a placement forbids."""
    above = row * rows
    leaves = (row * masks.width + value) * rows
    for j in range(row + 1, rows):
        put(masks.free, above + rows + j, entry(masks.free, above + j) & entry(masks.leaves, leaves + j))


@kernel
def search_placements(
    checked: Any, table: Any, masks: Any,
    x: Ints, found: NDArray[np.uint8], control: Ints, out: NDArray[np.uint8], budget: int,
) -> Any:  # fmt: skip
    """Search for ``budget`` placements; return the solutions written to ``out``.

    One of the three representations is given, the others are None and leave no code. ``x`` (n,) are the
    columns placed, in the current row the last one tried; ``found`` (n,) says whether the current row has had
    a safe column under the rows before it.
    """
    row = control[ROW]
    base = control[BASE]
    nodes = control[NODES]
    end = nodes + budget
    rows = x.size
    fresh = entry(found, row) == 0
    failures = 0
    filled = 0
    value = -1
    while nodes < end:
        if checked is not None:
            value = next_checked(row, x, checked)
        if table is not None:
            value = next_in_table(row, x, table)
        if masks is not None:
            value = next_in_masks(row, rows, masks)
        if value < 0:
            failures += fresh
            fresh = False
            row -= 1
            if row < base:
                break
            continue
        put(x, row, value)
        nodes += 1
        if table is not None:
            count_attacks(row * table.width + value, 1, table)
        if row < rows - 1:
            if masks is not None:
                copy_masks(row, value, rows, masks)
            else:
                put(x, row + 1, -1)
            row += 1
            fresh = True
            continue
        fresh = False
        filled = record(x, control, out, filled)
        if filled == out.shape[0] and filled > 0:
            break
    control[ROW] = row if row >= base else DONE
    found[max(row, 0)] = not fresh
    control[NODES] = nodes
    control[FAILURES] += failures
    return filled


class _PlacementSearch(PatternSearch):
    """What the three share: columns placed, and starting from given ones."""

    state: tuple[Checked | None, Attacks | None, Rowmasks | None]

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
        pattern = self.pattern
        self.state = Checked(pattern.allowed, pattern.conflict.reshape(-1), pattern.width), None, None


class TableSearch(_PlacementSearch):
    """Search on a two-dimensional table of attacks (strategy ``table``)."""

    def _start(self, prefix: list[int], after: list[int] | None) -> None:
        super()._start(prefix, after)
        width = self.pattern.width
        free = self.pattern.allowed[:, None] >> np.arange(width, dtype=np.uint64) & _ONE
        starts, blocked = self.pattern.blocked
        attacked = np.zeros(int(blocked.max(initial=free.size)) + 1, dtype=np.int32)
        attacked[: free.size] = 1 - free.reshape(-1).astype(np.int32)
        for row in range(self._placed()):
            square = row * width + int(self.x[row])
            np.add.at(attacked, blocked[starts[square] : starts[square + 1]], 1)
        self.state = None, Attacks(attacked, starts, blocked, width), None

    def _placed(self) -> int:
        """Return how many rows have a queen."""
        row = int(self.control[ROW])
        return 0 if row == DONE else row + int(self.x[row] >= 0)


class RowmaskSearch(_PlacementSearch):
    """Search on one word of free squares per later row (strategy ``rowmask``)."""

    def _start(self, prefix: list[int], after: list[int] | None) -> None:
        super()._start(prefix, after)
        n, width = self.pattern.n, self.pattern.width
        free, leaves = np.zeros((n, n), dtype=np.uint64), self.pattern.leaves
        free[0] = self.pattern.allowed
        for row in range(int(self.control[ROW]) + 1):
            if row > 0:
                free[row] = free[row - 1] & leaves[row - 1, self.x[row - 1]]
            above = int(self.x[row]) + 1
            free[row, row] = np.uint64(int(free[row, row]) >> above << above)
        self.state = None, None, Rowmasks(free.reshape(-1), leaves.reshape(-1), width)
