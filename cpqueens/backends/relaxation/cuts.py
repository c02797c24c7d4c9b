"""Cuts: rows that hold in every solution, and exclude a vertex of the relaxation that is not of integers.

A sum of rows is written over integers that are not negative: distances from ends, and what is left in rows
that are stated as inequalities. Then its coefficients are rounded, over a divisor, down as far as the rest of
what they have together allows: of 2 x + y <= 7 with divisor 2 follows x + y <= 4, of 2 x + 2 y <= 7 that
x + y <= 3.

All is done for many sums at once, in integers of 64 bits; a sum that has no room in them is left out.

Source: Gomory (1960), "An algorithm for the mixed integer problem"; rounding of stated rows, with divisors
from their coefficients, as in Marchand and Wolsey (2001), "Aggregation and mixed integer rounding to solve
MIPs".
"""

from collections.abc import Iterator
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from cpqueens.backends.relaxation.inequalities import Inequality
from cpqueens.backends.relaxation.program import Coefficients, LinearProgram, Simplex
from cpqueens.language.rows import IntArray, Mask

ROOM = float(1 << 59)
"""No sum is greater."""
ONE = 1 << 14
"""What one is in the multipliers of a basis, which are integers."""
MOST, LARGEST_BASIS, LOOKS = 1 << 19, 600, 80
"""Coefficients of all sums together, rows of a basis, and variables, those farthest from integers, of which a
sum of the basis is looked at."""
TINY = 1e-7
"""What is no pivot."""
DIVISORS = 6
"""Divisors of a stated row: its greatest coefficients of what is not at an end."""
WIDTH = 10
"""Bits of a cut's coefficients: more of them gained nothing, and exact sums have room for so many."""
NEAR, FARTHEST, ALIKE = 1e-2, 1e-3, 0.9
"""How far from integers values are that are cut off, how far from the vertex a cut is, at least, and beyond
which cosine two are the same."""
LONGEST, DENSEST = 40, 8
"""A cut has at most so many variables, and one of so many of all: others make all that follows slow."""
FEWEST, PART = 20, 4
"""Cuts of a round: so many, or one for so many rows."""

Numbers = NDArray[np.float64]


def cuts(program: LinearProgram, simplex: Simplex) -> list[Inequality]:
    """Return what excludes the vertex of a program, the farthest from it first, none like another."""
    x, (lower, upper) = simplex.vertex, program.ends
    if (np.abs(x - np.rint(x)) <= NEAR).all():
        return []
    rows = program.coefficients
    is_upper = x - lower > upper - x
    ends, signs = np.where(is_upper, upper, lower), np.where(is_upper, -1, 1)
    both = chain(_of_basis(program, x), _stated(rows, (np.abs(x - ends) > NEAR)[rows.column]))
    sums = list(islice(both, MOST // len(rows.row)))
    multipliers = np.array([each for each, _ in sums]).reshape(-1, len(rows.constants))
    divisors = np.array([divisor for _, divisor in sums], dtype=np.int64)
    fits = _reach(rows, multipliers, divisors, np.maximum(np.abs(lower), np.abs(upper)) + 1.0) < ROOM
    found = _coarse(
        *_rounded(rows, multipliers[fits].astype(np.int64), divisors[fits], ends, signs), ends, signs
    )
    return list(_chosen(program, x, *found, max(FEWEST, len(rows.constants) // PART)))


def _reach(rows: Coefficients, multipliers: Numbers, divisors: IntArray, farthest: Numbers) -> Numbers:
    """Return how great a sum may be on the way, where no value is greater than these."""
    each = np.abs(rows.constants).astype(np.float64)
    np.add.at(each, rows.row, np.abs(rows.coefficient) * farthest[rows.column])
    rounded = np.abs(multipliers) + 2 * divisors[:, None] * (multipliers != 0)
    reach: Numbers = (rounded * each).sum(axis=1) + 2 * divisors * farthest.sum()
    return reach


def _of_basis(program: LinearProgram, x: Numbers) -> Iterator[tuple[Numbers, int]]:
    """Yield sums that have of all basic variables one that is no integer, `ONE` times, and their divisor."""
    tight, basic = program.basis()
    if len(tight) != len(basic) or len(tight) > LARGEST_BASIS:
        return
    rows = program.coefficients
    place, number = np.full(len(rows.constants), -1), np.full(len(x), -1)
    place[tight], number[basic] = np.arange(len(tight)), np.arange(len(tight))
    column, row = number[rows.column], place[rows.row]
    within = (column >= 0) & (row >= 0)
    matrix = np.zeros((len(tight), len(tight)))
    matrix[column[within], row[within]] = rows.coefficient[within]
    parts = np.abs(x - np.rint(x))[basic]
    asked = [k for k in np.argsort(-parts, kind="stable")[:LOOKS].tolist() if parts[k] > NEAR]
    for each in np.rint(_solved(matrix, asked) * ONE):
        multipliers = np.zeros(len(place))
        multipliers[tight] = each
        yield from ((sign * multipliers, ONE) for sign in (1, -1))


def _solved(matrix: Numbers, asked: list[int]) -> Numbers:
    """Return the columns of a square matrix's inverse that are asked for, as rows; none where it is singular.

    Sparse ones are meant, column by column, the emptiest first. LAPACK's threads wait for each other for ten
    times as long on a busy machine.
    """
    size = len(matrix)
    table = np.hstack((matrix, np.eye(size)[:, asked]))
    is_open, place = np.ones(size, dtype=bool), np.zeros(size, dtype=np.int64)
    for column in np.argsort((matrix != 0).sum(axis=0), kind="stable").tolist():
        pivot = int(np.where(is_open, np.abs(table[:, column]), 0.0).argmax())
        if abs(table[pivot, column]) < TINY:
            return np.zeros((0, size))
        is_open[pivot], place[column] = False, pivot
        table[pivot] /= table[pivot, column]
        others = np.flatnonzero(table[:, column])
        others = others[others != pivot]
        table[others] -= np.outer(table[others, column], table[pivot])
    return table[place, size:].T


def _stated(rows: Coefficients, is_counted: Mask) -> Iterator[tuple[Numbers, int]]:
    """Yield rows as they are, and with the other sign, with each of their divisors."""
    pairs = np.stack((rows.row, np.abs(rows.coefficient)))[:, is_counted]
    pairs = np.unique(pairs[:, pairs[1] > 1], axis=1).T
    for k in np.unique(pairs[:, 0]):
        for divisor in pairs[pairs[:, 0] == k, 1][-DIVISORS:].tolist():
            for sign in (1, -1):
                multipliers = np.zeros(len(rows.constants))
                multipliers[k] = sign
                yield multipliers, divisor


def _rounded(
    rows: Coefficients, multipliers: IntArray, divisors: IntArray, ends: IntArray, signs: IntArray
) -> tuple[IntArray, IntArray]:
    """Return coefficients and constants of what follows from sums of rows; 0 where there is no remainder."""
    sums = rows.added(multipliers)
    room = -multipliers @ rows.constants - sums @ ends
    whole, part = np.divmod(room, divisors)
    rest = np.where(part, divisors - part, 0)

    def rounded(coefficients: IntArray) -> IntArray:
        times, more = np.divmod(coefficients, divisors[:, None])
        return times * rest[:, None] + np.where(part[:, None], np.maximum(0, more - part[:, None]), 0)

    distances = rounded(sums * signs) * signs
    left = rounded(np.where(rows.equal, 0, multipliers))
    return distances - rows.added(left), -distances @ ends - left @ rows.constants - whole * rest


def _coarse(
    coefficients: IntArray, constants: IntArray, ends: IntArray, signs: IntArray
) -> tuple[IntArray, IntArray]:
    """Return rows with shorter coefficients, which follow: those of distances may be rounded down."""
    widths = np.frexp(np.abs(coefficients).max(axis=1, initial=0).astype(np.float64))[1]
    shifts = np.maximum(widths.astype(np.int64) - WIDTH, 0)
    shorter = (coefficients * signs >> shifts[:, None]) * signs
    room = -constants - coefficients @ ends >> shifts
    return shorter, -room - shorter @ ends


def _chosen(
    program: LinearProgram, x: Numbers, coefficients: IntArray, constants: IntArray, most: int
) -> Iterator[Inequality]:
    """Yield the farthest of these rows as long as no other is like it, but for dense ones."""
    lengths = np.maximum(np.linalg.norm(coefficients, axis=1), 1.0)
    is_sparse = np.count_nonzero(coefficients, axis=1) <= LONGEST + len(x) // DENSEST
    distances = np.where(is_sparse, coefficients @ x + constants, 0.0) / lengths
    chosen = np.zeros((0, len(x)))
    for k in np.argsort(-distances, kind="stable").tolist():
        if distances[k] <= FARTHEST or len(chosen) == most:
            return
        way = coefficients[k] / lengths[k]
        if (chosen @ way <= ALIKE).all():
            chosen = np.vstack((chosen, way))
            used = np.flatnonzero(coefficients[k])
            variables = tuple(program.columns[used].tolist())
            yield Inequality((variables, tuple(coefficients[k][used].tolist()), constants.item(k)))
