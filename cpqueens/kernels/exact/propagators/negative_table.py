"""Negative tables by bit sets: compact table of the rows that are forbidden (domain consistent).

Verhaeghe, Lecoutre and Schaus, "Extending Compact-Table to negative and short tables" (2017): a value goes
when as many rows that are left have it as there are combinations of the other columns' values. The rows lie
as in `propagate_table`, without stars.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, remove, size, word
from cpqueens.kernels.exact.propagators import table as rows
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, popcount


@inner_kernel
def rows_left(m: Memory, p: int) -> Any:
    """Return the number of rows that are left."""
    t, first = entry(m.net, p + at.ROWS), rows.first_row(m, p)
    listed = t + entry(m.net, t + rows.LISTED)
    many = 0
    for k in range(word(m, entry(m.net, p + at.RESULT) + at.WORD_WIDTH * rows.LEFT)):
        many += popcount(word(m, first + at.WORD_WIDTH * entry(m.net, listed + k)))
    return many


@inner_kernel
def rows_with(m: Memory, p: int, mask: int) -> Any:
    """Return the number of rows that are left and in a mask."""
    first, pairs = rows.first_row(m, p), mask + rows.PAIR
    many = 0
    for k in range(pairs, pairs + 2 * entry(m.net, mask + rows.PAIRS), 2):
        many += popcount(word(m, first + at.WORD_WIDTH * entry(m.net, k)) & entry(m.net, k + 1))
    return many


@inner_kernel
def combinations(m: Memory, p: int, column: int, most: int) -> Any:
    """Return the number of combinations of values of all columns but one, or more than ``most``."""
    first = entry(m.net, p + at.START)
    many = 1
    for c in range((entry(m.net, p + at.END) - first) // 2):
        if c != column and many <= most:
            many *= min(size(m, entry(m.net, first + 2 * c)), most + 1)
    return many


@inner_kernel
def lose_values(m: Memory, p: int, c: int, needed: int) -> Any:
    """Remove the values of a column that ``needed`` rows have; return 0 if none is left, 2 if some went."""
    t, v = entry(m.net, p + at.ROWS), entry(m.net, entry(m.net, p + at.START) + 2 * c)
    values = t + entry(m.net, t + rows.HEAD + rows.COLUMN * c + rows.VALUES)
    changed = 1
    for k in range(word(m, rows.count_of(entry(m.net, p + at.RESULT), c))):
        mask = t + entry(m.net, values + k)
        if rows_with(m, p, mask) == needed:
            changed = 2
            if not remove(m, v, entry(m.net, mask + rows.VALUE)):
                return 0
    return changed


@propagator
def negative_table(m: Memory, p: int) -> Any:
    """Remove the values that have forbidden rows only."""
    if not rows.lose_rows(m, p):
        return 1
    most = rows_left(m, p)
    for c in range((entry(m.net, p + at.END) - entry(m.net, p + at.START)) // 2):
        needed = combinations(m, p, c, most)
        changed = lose_values(m, p, c, needed) if needed <= most else 1
        if not changed:
            return 0
        if changed == 2:
            if not rows.lose_rows(m, p):
                return 1
            most = rows_left(m, p)
    return 1
