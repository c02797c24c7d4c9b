"""The same search on three plainer representations: testing each placement, a table, words of free squares.

* ``check``: a placement is tested against the queens placed before it (chronological backtracking).
* ``table``: a two-dimensional table of free squares; a placement takes squares of later rows away and
  notes them on a trail, from which they are restored on the way back.
* ``rowmask``: one word of free squares per later row; the words of each level are saved by copying.

None looks ahead for emptied rows, so all visit the nodes of ``bitmask`` in the same order. They exist to be
compared, in nodes (equal) and in time (not). The arguments are those of `Pattern`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.pattern import Ints, Words
from cpqueens.kernels.search import BASE, DONE, FAILURES, NODES, ROW, PatternSearch, record

_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@kernel
def search_check(
    allowed: Words,
    conflict: Words,
    x: Ints,
    found: NDArray[np.uint8],
    control: Ints,
    out: NDArray[np.uint8],
    budget: int,
) -> Any:
    """Search by testing each placement against those before it; return the solutions written.

    ``x`` (n,) are the columns placed, in the current row the last one tried; ``found`` (n,) says whether a
    row has had a safe column under the rows before it.
    """
    width = conflict.shape[2]
    row = control[ROW]
    end = control[NODES] + budget
    filled = 0
    while control[NODES] < end:
        value = x[row] + 1
        while value < width:
            safe = (allowed[row] >> np.uint64(value)) & _ONE
            for i in range(row):
                if safe == _ZERO:
                    break
                safe &= ~(conflict[i, row, x[i]] >> np.uint64(value))
            if safe != _ZERO:
                break
            value += 1
        if value == width:
            control[FAILURES] += found[row] == 0
            if row == control[BASE]:
                control[ROW] = DONE
                return filled
            row -= 1
            continue
        x[row] = value
        found[row] = 1
        control[NODES] += 1
        if row < x.size - 1:
            row += 1
            x[row] = -1
            found[row] = 0
            continue
        filled = record(x, control, out, filled)
        if filled == out.shape[0] and filled > 0:
            break
    control[ROW] = row
    return filled


@kernel
def search_table(
    starts: NDArray[np.int32],
    blocked: NDArray[np.int32],
    free: NDArray[np.uint8],
    trail: NDArray[np.int32],
    marks: Ints,
    x: Ints,
    found: NDArray[np.uint8],
    control: Ints,
    out: NDArray[np.uint8],
    budget: int,
) -> Any:
    """Search on a table of free squares; return the solutions written to ``out``.

    ``free`` (n, width); ``trail`` (n * width,) lists the squares taken away, those by row i from
    ``marks[i]`` (n + 1,) on; ``starts`` and ``blocked`` are `Pattern.blocked`.
    """
    width = free.shape[1]
    row = control[ROW]
    end = control[NODES] + budget
    filled = 0
    while control[NODES] < end:
        value = x[row]
        if value >= 0:  # the way back: restore what this row took
            for t in range(marks[row], marks[row + 1]):
                free[trail[t] // width, trail[t] % width] = 1
            marks[row + 1] = marks[row]
        value += 1
        while value < width and free[row, value] == 0:
            value += 1
        if value == width:
            control[FAILURES] += found[row] == 0
            if row == control[BASE]:
                control[ROW] = DONE
                return filled
            row -= 1
            continue
        x[row] = value
        found[row] = 1
        control[NODES] += 1
        top = marks[row]
        square = row * width + value
        for t in range(starts[square], starts[square + 1]):
            target = blocked[t]
            if free[target // width, target % width] == 1:
                free[target // width, target % width] = 0
                trail[top] = target
                top += 1
        marks[row + 1] = top
        if row < x.size - 1:
            row += 1
            x[row] = -1
            found[row] = 0
            continue
        filled = record(x, control, out, filled)
        if filled == out.shape[0] and filled > 0:
            break
    control[ROW] = row
    return filled


@kernel
def search_rowmask(
    conflict: Words,
    free: Words,
    x: Ints,
    found: NDArray[np.uint8],
    control: Ints,
    out: NDArray[np.uint8],
    budget: int,
) -> Any:
    """Search on words of free squares; return the solutions written to ``out``.

    ``free[i, j]`` (n, n) is the word of row j >= i under the rows before i; untried columns of row i are
    the bits of ``free[i, i]`` above ``x[i]``.
    """
    width = conflict.shape[2]
    row = control[ROW]
    end = control[NODES] + budget
    filled = 0
    while control[NODES] < end:
        value = x[row] + 1
        while value < width and (free[row, row] >> np.uint64(value)) & _ONE == _ZERO:
            value += 1
        if value == width:
            control[FAILURES] += found[row] == 0
            if row == control[BASE]:
                control[ROW] = DONE
                return filled
            row -= 1
            continue
        x[row] = value
        found[row] = 1
        control[NODES] += 1
        if row < x.size - 1:
            for j in range(row + 1, x.size):
                free[row + 1, j] = free[row, j] & ~conflict[row, j, value]
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


class CheckSearch(_PlacementSearch):
    """Search that tests each placement against the queens placed (strategy ``check``)."""

    def _run(self, out: NDArray[np.uint8], budget: int) -> Any:
        pattern = self.pattern
        return search_check(pattern.allowed, pattern.conflict, self.x, self.found, self.control, out, budget)


class TableSearch(_PlacementSearch):
    """Search on a two-dimensional table of free squares (strategy ``table``)."""

    def _start(self, prefix: list[int], after: list[int] | None) -> None:
        super()._start(prefix, after)
        pattern = self.pattern
        columns = np.arange(pattern.width, dtype=np.uint64)
        self.free = ((pattern.allowed[:, None] >> columns) & _ONE).astype(np.uint8)
        self.trail = np.zeros(self.free.size, dtype=np.int32)
        self.marks = np.zeros(pattern.n + 1, dtype=np.int64)
        starts, blocked = pattern.blocked
        placed = self.control[ROW] + (self.x[self.control[ROW]] >= 0) if self.control[ROW] != DONE else 0
        for row in range(int(placed)):
            square = row * pattern.width + int(self.x[row])
            taken = [t for t in blocked[starts[square] : starts[square + 1]].tolist() if self.free.flat[t]]
            self.free.flat[taken] = 0
            top = int(self.marks[row])
            self.trail[top : top + len(taken)] = taken
            self.marks[row + 1] = top + len(taken)

    def _run(self, out: NDArray[np.uint8], budget: int) -> Any:
        starts, blocked = self.pattern.blocked
        return search_table(
            starts, blocked, self.free, self.trail, self.marks, self.x, self.found, self.control, out,
            budget,
        )  # fmt: skip


class RowmaskSearch(_PlacementSearch):
    """Search on one word of free squares per later row (strategy ``rowmask``)."""

    def _start(self, prefix: list[int], after: list[int] | None) -> None:
        super()._start(prefix, after)
        pattern = self.pattern
        self.free = np.zeros((pattern.n, pattern.n), dtype=np.uint64)
        self.free[0] = pattern.allowed
        for row in range(max(0, int(self.control[ROW]))):
            self.free[row + 1] = self.free[row] & ~pattern.conflict[row, :, self.x[row]]

    def _run(self, out: NDArray[np.uint8], budget: int) -> Any:
        return search_rowmask(self.pattern.conflict, self.free, self.x, self.found, self.control, out, budget)
