"""Search with used-value words for AllDifferents over sums of variables (strategy ``sums``).

Rows are given columns in order, as in `bitmask`. A term ``c + a[0] x[0] + ... +- x[k]`` is decided by its
last row k: until then it is ``s +- x[k]`` with a known s. Its AllDifferent keeps the values taken so far as a
string of bits; the columns that a term leaves to row k are read off it at s, one word for all columns at
once. Terms with ``-x[k]`` read a second string, which runs the other way. So a Costas array's row costs one
shift for each distance, where forward checking visits every later difference.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.boards.pattern import BACKWARD, FORWARD, GROUP, SIGN, WORD, Ints, Words, layout
from cpqueens.kernels.boards.search import BASE, DONE, FAILURES, NODES, ROW, SOLUTIONS, PathSearch, record
from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.jit.instructions import lowest, popcount

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_BITS = np.uint64(63)


@inner_kernel
def window(used: Words, position: int) -> Any:
    """Return 64 bits of the strings from ``position`` on."""
    word = position >> 6
    shift = np.uint64(position) & _BITS
    return (used[word] >> shift) | ((used[word + 1] << _ONE) << (_BITS - shift))


@inner_kernel
def enter_row(
    row: int, allowed: Words, first: Ints, terms: Ints, constants: Ints, others: Ints, entries: Ints,
    used: Words, x: Ints, sums: Ints,
) -> Any:  # fmt: skip
    """Compute what each of the row's terms is without its last row; return the columns left."""
    safe = allowed[row]
    for t in range(first[row], first[row + 1]):
        s = constants[t]
        for e in range(others[t], others[t + 1]):
            s += entries[e, 1] * x[entries[e, 0]]
        sums[t] = s
        sign = terms[t, SIGN]
        taken = window(used, terms[t, FORWARD] + s if sign > 0 else terms[t, BACKWARD] - s)
        u = t - 1
        while u >= first[row] and terms[u, GROUP] == terms[t, GROUP]:
            gap = sums[u] - s
            if terms[u, SIGN] == sign:
                if gap == 0:
                    return _ZERO
            elif gap % 2 == 0 and 0 <= sign * (gap // 2) < WORD:
                taken |= _ONE << np.uint64(sign * (gap // 2))
            u -= 1
        safe &= ~taken
    return safe


@inner_kernel
def flip_row(row: int, column: Any, first: Ints, terms: Ints, sums: Ints, used: Words) -> None:
    """Enter the values of the row's terms into the strings, or take them out again."""
    for t in range(first[row], first[row + 1]):
        value = sums[t] + terms[t, SIGN] * column
        position = terms[t, FORWARD] + value
        used[position >> 6] ^= _ONE << (np.uint64(position) & _BITS)
        if terms[t, BACKWARD] >= 0:
            position = terms[t, BACKWARD] - value
            used[position >> 6] ^= _ONE << (np.uint64(position) & _BITS)


@kernel
def search_sums(
    allowed: Words, first: Ints, terms: Ints, constants: Ints, others: Ints, entries: Ints,
    used: Words, sums: Ints, untried: Words, x: Ints, control: Ints, out: NDArray[np.uint8], budget: int,
) -> Any:  # fmt: skip
    """Search for ``budget`` placements; return the solutions written to ``out``.

    ``untried`` (n,) has the columns left to each row of the path, ``x`` (n,) its columns, -1 where none is
    placed; for the rest see `SumLayout`.
    """
    last = allowed.size - 1
    row = control[ROW]
    end = control[NODES] + budget
    filled = 0
    while True:
        if x[row] >= 0:
            flip_row(row, x[row], first, terms, sums, used)
            x[row] = -1
        left = untried[row]
        if left == _ZERO:
            if row == control[BASE]:
                control[ROW] = DONE
                return filled
            row -= 1
            continue
        if row == last and out.shape[0] == 0:
            found: Any = np.int64(popcount(left))
            control[SOLUTIONS] += found
            control[NODES] += found
            untried[row] = _ZERO
            continue
        untried[row] = left & (left - _ONE)
        column = np.int64(lowest(left))
        control[NODES] += 1
        if row == last:
            x[row] = column
            filled = record(x, control, out, filled)
            x[row] = -1
            if filled == out.shape[0]:
                break
            continue
        x[row] = column
        flip_row(row, column, first, terms, sums, used)
        safe = enter_row(row + 1, allowed, first, terms, constants, others, entries, used, x, sums)
        if safe == _ZERO:
            control[FAILURES] += 1
            continue
        row += 1
        untried[row] = safe
        if control[NODES] >= end:
            break
    control[ROW] = row
    return filled


class SumsSearch(PathSearch):
    """Search with used-value words."""

    def _start(self, prefix: list[int], after: list[int] | None) -> None:
        n = self.pattern.n
        plan = layout(self.pattern)
        self.plan = (plan.first, plan.terms, plan.constants, plan.others, plan.entries)
        self.used = np.zeros(plan.words, dtype=np.uint64)
        self.sums = np.zeros(len(plan.terms), dtype=np.int64)
        self.untried = np.zeros(n, dtype=np.uint64)
        self.x = np.full(n, -1, dtype=np.int64)
        self._follow(prefix, after, self.untried)

    def _enter(self, row: int) -> int:
        return int(enter_row(row, self.pattern.allowed, *self.plan, self.used, self.x, self.sums))

    def _place(self, row: int, value: int) -> None:
        if row + 1 < self.pattern.n:
            self.x[row] = value
            flip_row(row, value, *self.plan[:2], self.sums, self.used)

    def _run(self, out: NDArray[np.uint8], budget: int) -> Any:
        arrays = (self.used, self.sums, self.untried, self.x)
        return search_sums(self.pattern.allowed, *self.plan, *arrays, self.control, out, budget)
