"""Search with conflict masks: one word per AllDifferent, shifted from row to row (strategy ``bitmask``).

After Richards (1997), "Backtracking algorithms in MCPL using bit patterns and recursion", and many before:
the safe columns of a row are the allowed ones outside all masks, the lowest is ``x & -x``. Two kernels: the
three masks of queens in registers, and any `Pattern`. Each lists or, given an ``out`` without rows, counts
(then the last row is one population count). A stack entry is a row's untried columns and its masks.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.boards import search as at
from cpqueens.kernels.boards.pattern import FULL, KEEP_LEFT, KEEP_RIGHT, LEFT, MEMBER, RIGHT, Ints, Words
from cpqueens.kernels.boards.search import PathSearch, record
from cpqueens.kernels.jit.decorators import inlined, inner_kernel, kernel
from cpqueens.kernels.jit.instructions import lowest, popcount

_ZERO = np.uint64(0)
_ONE, _TWO, _THREE = np.uint64(1), np.uint64(2), np.uint64(3)


@inlined
def load(stack: Words, place: Any) -> Any:
    """Return an entry of the stack of queens."""
    word = place << _TWO
    return stack[word], stack[word + _ONE], stack[word + _TWO], stack[word + _THREE]


@inlined
def store(stack: Words, place: Any, untried: Any, columns: Any, left: Any, right: Any) -> None:
    """Set an entry of the stack of queens."""
    word = place << _TWO
    stack[word] = untried
    stack[word + _ONE] = columns
    stack[word + _TWO] = left
    stack[word + _THREE] = right


@inlined
def chosen(first: Any, second: Any, mask: Any) -> Any:
    """Return the first word where the mask has zeros, and the second one where it has ones."""
    return first ^ (first ^ second) & mask


@inner_kernel
def write_solutions(untried: Any, columns: Any, placed: Words, out: NDArray[np.uint8], filled: int) -> Any:
    """Write solutions, one for each column left to the last row; return what is still left, and filled."""
    last = np.int64(placed.size - 2)
    placed[last] = columns
    while untried != _ZERO and filled < out.shape[0]:
        rest = untried & (untried - _ONE)
        after = columns | (untried ^ rest)
        untried = rest
        for r in range(last, np.int64(-1), np.int64(-1)):
            before = placed[r]
            out[filled, r] = lowest(after ^ before)
            after = before
        filled += 1
    return untried, filled


@kernel
def search_queens(
    allowed: Words, stack: Words, placed: Words, control: Ints, out: NDArray[np.uint8], budget: int
) -> Any:
    """Search the queens pattern for ``budget`` placements; return the solutions written to ``out``.

    ``stack`` (n + 1, 4): untried columns, and the masks of columns, of diagonals that go left, and right.
    Its ``control[TOP]`` entries are the rows with anything untried; the entry behind them is the current
    row. ``placed`` (n + 1,): the columns taken when each row of the current path was entered.

    A row without further columns is not kept on the stack, so that going back is one step: to the row itself
    where it has further columns, else to the entry before it. Which of these, and whether it goes back at
    all, is chosen by masks, because no processor foresees where dead ends are.
    """
    last = np.uint64(allowed.size - 1)
    top = np.uint64(control[at.TOP])
    listing = out.shape[0] > 0
    nodes = failures = solutions = filled = 0
    untried, columns, left, right = load(stack, top)
    while True:
        row = popcount(columns)
        if row == last:
            if listing:
                before = filled
                untried, filled = write_solutions(untried, columns, placed, out, filled)
                found = filled - before
            else:
                found = np.int64(popcount(untried))
                untried = _ZERO
            solutions += found
            nodes += found
            if top == _ZERO or (listing and filled == out.shape[0]):
                break
            top -= _ONE
            untried, columns, left, right = load(stack, top)
            continue
        earlier, old_columns, old_left, old_right = load(stack, top - np.uint64(top != _ZERO))
        rest = untried & (untried - _ONE)
        bit = untried ^ rest
        nodes += 1
        store(stack, top, rest, columns, left, right)
        placed[row] = columns
        further = np.uint64(rest != _ZERO)
        stay = np.uint64(-np.int64(further))
        new_columns = columns | bit
        new_left = (left | bit) << _ONE
        new_right = (right | bit) >> _ONE
        safe = allowed[row + _ONE] & ~(new_columns | new_left | new_right)
        dead = np.uint64(safe == _ZERO)
        back = np.uint64(-np.int64(dead))
        failures += safe == _ZERO
        if top + further < dead:
            untried = _ZERO
            break
        top = top + further - dead
        untried = safe | (rest | earlier & ~stay) & back
        columns = chosen(new_columns, chosen(old_columns, columns, stay), back)
        left = chosen(new_left, chosen(old_left, left, stay), back)
        right = chosen(new_right, chosen(old_right, right, stay), back)
        if nodes >= budget:
            break
    store(stack, top, untried, columns, left, right)
    control[at.TOP] = top
    control[at.ROW] = at.DONE if top == _ZERO and untried == _ZERO else np.int64(popcount(columns))
    control[at.NODES] += nodes
    control[at.FAILURES] += failures
    control[at.SOLUTIONS] += solutions
    return filled


@kernel
def search_pattern(
    allowed: Words, steps: Words, near: Words,
    stack: Words, x: Ints, control: Ints, out: NDArray[np.uint8], budget: int,
) -> Any:  # fmt: skip
    """Search any pattern for ``budget`` placements; return the solutions written to ``out``.

    ``steps`` (n, masks, 5) and ``near`` (n, depth, width) are those of `Pattern`; ``stack`` (n, 1 + masks)
    holds untried columns and masks, ``x`` (n,) the columns placed.
    """
    last = allowed.size - 1
    row = control[at.ROW]
    masks = steps.shape[1]
    depth = near.shape[1]
    end = control[at.NODES] + budget
    filled = 0
    while True:
        untried = stack[row, 0]
        if untried == _ZERO:
            if row == control[at.BASE]:
                control[at.ROW] = at.DONE
                return filled
            row -= 1
            continue
        if row == last and out.shape[0] == 0:
            found: Any = np.int64(popcount(untried))
            control[at.SOLUTIONS] += found
            control[at.NODES] += found
            stack[row, 0] = _ZERO
            continue
        rest = untried & (untried - _ONE)
        bit = untried ^ rest
        stack[row, 0] = rest
        x[row] = np.int64(lowest(bit))
        control[at.NODES] += 1
        if row == last:
            filled = record(x, control, out, filled)
            if filled == out.shape[0]:
                break
            continue
        taken = _ZERO
        for k in range(masks):
            mask = stack[row, 1 + k] | (bit & steps[row, k, MEMBER])
            mask = ((mask << steps[row, k, LEFT]) & steps[row, k, KEEP_LEFT]) | (
                (mask >> steps[row, k, RIGHT]) & steps[row, k, KEEP_RIGHT]
            )
            stack[row + 1, 1 + k] = mask
            taken |= mask & steps[row + 1, k, MEMBER]
        for d in range(min(depth, row + 1)):
            taken |= near[row + 1, d, x[row - d]]
        safe = allowed[row + 1] & ~taken
        if safe == _ZERO:
            control[at.FAILURES] += 1
            continue
        row += 1
        stack[row, 0] = safe
        if control[at.NODES] >= end:
            break
    control[at.ROW] = row
    return filled


class BitmaskSearch(PathSearch):
    """Search with conflict masks: the queens kernel where the pattern is queens, else the general one."""

    def _start(self, prefix: list[int], after: list[int] | None) -> None:
        pattern = self.pattern
        if pattern.is_queens:
            self.steps, self.near = _queens_masks(pattern.n)
        else:
            self.steps, self.near = pattern.steps, pattern.near
        self.stack = np.zeros((pattern.n, 1 + self.steps.shape[1]), dtype=np.uint64)
        self.x = np.zeros(pattern.n, dtype=np.int64)
        self._follow(prefix, after, self.stack[:, 0])
        if pattern.is_queens:
            self._drop_finished_rows(len(prefix))

    def _enter(self, row: int) -> int:
        taken = 0
        for k in range(self.steps.shape[1]):
            taken |= int(self.stack[row, 1 + k]) & int(self.steps[row, k, MEMBER])
        for d in range(min(self.near.shape[1], row)):
            taken |= int(self.near[row, d, self.x[row - 1 - d]])
        return int(self.pattern.allowed[row]) & ~taken

    def _place(self, row: int, value: int) -> None:
        self.x[row] = value
        for k in range(self.steps.shape[1] if row + 1 < self.pattern.n else 0):
            member, left, keep_left, right, keep_right = (int(w) for w in self.steps[row, k])
            mask = int(self.stack[row, 1 + k]) | (1 << value & member)
            self.stack[row + 1, 1 + k] = (mask << left & keep_left) | (mask >> right & keep_right)

    def _drop_finished_rows(self, base: int) -> None:
        """Bring the stack of rows into the form of `search_queens`."""
        self.placed = np.zeros(self.pattern.n + 1, dtype=np.uint64)
        self.placed[:-1] = self.stack[:, 1]
        rows = self.stack[base : int(self.control[at.ROW]) + 1]
        rows = rows[rows[:, 0] != 0]
        self.stack = np.zeros(4 * (self.pattern.n + 1), dtype=np.uint64)
        self.stack[: rows.size] = rows.reshape(-1)
        self.control[at.TOP] = max(0, len(rows) - 1)
        if len(rows) == 0:
            self.control[at.ROW] = at.DONE

    def _run(self, out: NDArray[np.uint8], budget: int) -> Any:
        if self.pattern.is_queens:
            return search_queens(self.pattern.allowed, self.stack, self.placed, self.control, out, budget)
        return search_pattern(
            self.pattern.allowed, self.steps, self.near, self.stack, self.x, self.control, out, budget
        )


def _queens_masks(n: int) -> tuple[Words, Words]:
    """Return the steps of columns, left and right diagonals, as `search_queens` has them built in.

    Besides, there are no conflicts that these do not carry, see `Pattern.near`.
    """
    steps, near = np.zeros((n, 3, 5), dtype=np.uint64), np.zeros((n, 0, n), dtype=np.uint64)
    steps[:, :, MEMBER] = FULL
    steps[:, :, 1:] = (0, FULL, 0, 0), (1, FULL, 0, 0), (0, 0, 1, FULL)
    return steps, near
