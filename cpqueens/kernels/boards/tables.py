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

from cpqueens.kernels.boards import search as at
from cpqueens.kernels.boards.pattern import EIGHT, FULL, Ints, Pattern, Words, aligned, spread
from cpqueens.kernels.boards.search import PathSearch, PatternSearch, record
from cpqueens.kernels.jit.decorators import inlined, kernel
from cpqueens.kernels.jit.instructions import add_eight, and_eight, entry, lowest, put, take_eight

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_FULL = np.uint64(FULL)
_MOST = np.uint64(0x7F7F7F7F7F7F7F7F)  # a byte has its highest bit once this is added, unless it was 0
_HIGHEST = np.uint64(0x8080808080808080)


class Checked(NamedTuple):
    """What ``check`` reads: `Pattern.allowed`, and `Pattern.conflict` flat."""

    allowed: Words
    conflict: Words
    width: int


class Attacks(NamedTuple):
    """How many queens placed attack each square, in a byte; one that is not allowed counts 1.

    Row i has the ``words`` from ``i * words`` on, eight columns each; the last group of eight words is filled
    up. ``effects`` is `Pattern.effects`, flat. There are at most 127 rows, so that no byte overflows.
    """

    attacked: Words
    effects: Words
    words: int
    width: int


class Rowmasks(NamedTuple):
    """Words of free squares: ``free[i * rows + j]`` is that of row j >= i under the rows before i.

    ``untried`` (n,) are the columns that each row has still to try. ``leaves`` is `Pattern.leaves`, flat.
    """

    free: Words
    untried: Words
    leaves: Words
    rows: int
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
def attack(row: int, value: int, table: Any) -> None:
    """Count a queen in on all squares of later rows that it attacks."""
    size = table.attacked.size
    effects = (row * table.width + value) * size
    for t in range((row + 1) * table.words & -EIGHT, size, EIGHT):
        add_eight(table.attacked, t, table.effects, effects + t)


@inlined
def attack_no_more(row: int, value: int, table: Any) -> None:
    """Take that back."""
    size = table.attacked.size
    effects = (row * table.width + value) * size
    for t in range((row + 1) * table.words & -EIGHT, size, EIGHT):
        take_eight(table.attacked, t, table.effects, effects + t)


@inlined
def next_in_table(row: int, column: int, table: Any) -> Any:
    """Return the next free column of a row from ``column`` on, -1 for none."""
    first = row * table.words
    seen = _FULL << np.uint64(EIGHT * (column & 7))
    for k in range(column >> 3, table.words):
        free = ~(entry(table.attacked, first + k) + _MOST) & _HIGHEST & seen
        if free != _ZERO:
            return EIGHT * k + (np.int64(lowest(free)) >> 3)
        seen = _FULL
    return -1


@inlined
def enter_next(row: int, value: int, masks: Any) -> Any:
    """Give the next level what a placement leaves of all later rows' words; return that of the next row."""
    rows = masks.rows
    above = row * rows
    leaves = above * masks.width + value * rows
    # that of the next row first: it decides how the search goes on
    here = entry(masks.free, above + row + 1) & entry(masks.leaves, leaves + row + 1)
    for j in range((row + 2) & -EIGHT, rows, EIGHT):
        and_eight(masks.free, above + rows + j, above + j, masks.leaves, leaves + j)
    return here


@kernel
def search_placements(
    checked: Any, table: Any,
    x: Ints, found: NDArray[np.uint8], control: Ints, out: NDArray[np.uint8], budget: int,
) -> Any:  # fmt: skip
    """Search for ``budget`` placements; return the solutions written to ``out``.

    One of the two representations is given, the other is None and leaves no code. ``x`` (n,) are the
    columns placed, in the current row the last one tried; ``found`` (n,) says whether the current row has had
    a safe column under the rows before it.
    """
    row = control[at.ROW]
    base = control[at.BASE]
    nodes = control[at.NODES]
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
            present = entry(x, row)
            if present >= 0 and row < rows - 1:
                attack_no_more(row, present, table)
            value = next_in_table(row, present + 1, table)
        if value < 0:
            failures += fresh
            fresh = False
            row -= 1
            if row < base:
                break
            continue
        put(x, row, value)
        nodes += 1
        if row < rows - 1:
            if table is not None:
                attack(row, value, table)
            put(x, row + 1, -1)
            row += 1
            fresh = True
            continue
        fresh = False
        filled = record(x, control, out, filled)
        if filled == out.shape[0] and filled > 0:
            break
    control[at.ROW] = row if row >= base else at.DONE
    found[max(row, 0)] = not fresh
    control[at.NODES] = nodes
    control[at.FAILURES] += failures
    return filled


@kernel
def search_masks(masks: Any, x: Ints, stack: Ints, control: Ints, out: NDArray[np.uint8], budget: int) -> Any:
    """Search on words of free squares for ``budget`` placements; return the solutions written to ``out``.

    The first ``control[TOP]`` entries of ``stack`` are the rows before the current one that have columns to
    try: going back is one step, and the only branch that a processor cannot foresee is the one at dead ends.
    """
    row = control[at.ROW]
    top = control[at.TOP]
    nodes = control[at.NODES]
    end = nodes + budget
    last = x.size - 1
    failures = 0
    filled = 0
    word = entry(masks.untried, row)
    while nodes < end:
        if word == _ZERO:
            if top == 0:
                row = at.DONE
                break
            top -= 1
            row = entry(stack, top)
            word = entry(masks.untried, row)
        value: Any = np.int64(lowest(word))
        put(x, row, value)
        nodes += 1
        word &= word - _ONE
        if row == last:
            filled = record(x, control, out, filled)
            if filled == out.shape[0] and filled > 0:
                break
            continue
        put(masks.untried, row, word)
        put(stack, top, row)
        top += word != _ZERO
        word = enter_next(row, value, masks)
        row += 1
        failures += word == _ZERO
    if row != at.DONE:
        put(masks.untried, row, word)
    control[at.ROW] = row
    control[at.TOP] = top
    control[at.NODES] = nodes
    control[at.FAILURES] += failures
    return filled


class _PlacementSearch(PatternSearch):
    """What the first two share: columns placed, and starting from given ones."""

    state: tuple[Checked | None, Attacks | None]

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
                    self.control[at.ROW] = row
                    self.x[row] = max(-1, min(value, pattern.width - 1))
                    self.found[row] = 1
                return
            self.x[row] = value
            self.found[row] = 1
        self.control[at.ROW] = min(len(path), pattern.n - 1)

    def _run(self, out: NDArray[np.uint8], budget: int) -> Any:
        return search_placements(*self.state, self.x, self.found, self.control, out, budget)


class CheckSearch(_PlacementSearch):
    """Search that tests each placement against the queens placed (strategy ``check``)."""

    def _start(self, prefix: list[int], after: list[int] | None) -> None:
        super()._start(prefix, after)
        pattern = self.pattern
        self.state = Checked(pattern.allowed, pattern.conflict.reshape(-1), pattern.width), None


class TableSearch(_PlacementSearch):
    """Search on a two-dimensional table of attacks (strategy ``table``)."""

    def _start(self, prefix: list[int], after: list[int] | None) -> None:
        super()._start(prefix, after)
        pattern = self.pattern
        effects, words = pattern.effects, -(-pattern.width // EIGHT)
        attacked = aligned(effects.shape[2:])
        attacked[: pattern.n * words] = spread(~pattern.allowed, EIGHT * words).reshape(-1)
        for row in range(self._placed()):
            attacked += effects[row, self.x[row]]
        self.state = None, Attacks(attacked, effects.reshape(-1), words, pattern.width)

    def _placed(self) -> int:
        """Return how many rows have a queen."""
        row = int(self.control[at.ROW])
        return 0 if row == at.DONE else row + int(self.x[row] >= 0)


def masks_of(pattern: Pattern) -> Rowmasks:
    """Return the words of a pattern before any placement."""
    n, width, rows = pattern.leaves.shape
    free, untried = aligned((n, rows)), np.zeros(n, dtype=np.uint64)
    free[0, :n] = pattern.allowed
    return Rowmasks(free.reshape(-1), untried, pattern.leaves.reshape(-1), rows, width)


class RowmaskSearch(PathSearch):
    """Search on one word of free squares per later row (strategy ``rowmask``)."""

    def _start(self, prefix: list[int], after: list[int] | None) -> None:
        n = self.pattern.n
        self.masks = masks_of(self.pattern)
        self.free = self.masks.free.reshape(n, -1)
        self.x, self.stack = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self._follow(prefix, after, self.masks.untried)
        rows = np.flatnonzero(self.masks.untried[: max(0, self.control[at.ROW])])
        self.stack[: len(rows)], self.control[at.TOP] = rows, len(rows)

    def _enter(self, row: int) -> int:
        return int(self.free[row, row])

    def _place(self, row: int, value: int) -> None:
        self.x[row] = value
        if row + 1 < self.pattern.n:
            self.free[row + 1] = self.free[row] & self.pattern.leaves[row, value]

    def _run(self, out: NDArray[np.uint8], budget: int) -> Any:
        return search_masks(self.masks, self.x, self.stack, self.control, out, budget)
