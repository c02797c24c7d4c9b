"""Rows added up exactly: integers for floating-point multipliers, and what the sum proves.

Any multipliers give a row that holds in every solution, once none is negative where it may not be; rounding
them only loses strength.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from cpqueens.backends.backtracking.rows import Row
from cpqueens.backends.relaxation.inequalities import Ends, Inequality, ends_of, total

LARGEST = 1 << 60
"""No sum of the row's terms is greater, nor a product of one coefficient with such a sum."""
COMMON = 5000
"""The greatest common denominator that is tried, before powers of two."""
BITS = 16
EXACT = 1e-9


def integers(multipliers: Sequence[float], rows: Sequence[Inequality]) -> Iterator[tuple[int, list[int]]]:
    """Yield denominators, ever coarser ones, and integer multipliers, none negative but of equations."""
    clipped = [
        y if math.isfinite(y) and (y > 0 or row.equal) else 0.0
        for y, row in zip(multipliers, rows, strict=True)
    ]
    denominator, near = 1, [Fraction(0)] * len(clipped)
    for k, y in enumerate(clipped):
        near[k] = Fraction(y).limit_denominator(COMMON)
        denominator = math.lcm(denominator, near[k].denominator)
        if denominator > COMMON or abs(float(near[k]) - y) > EXACT * max(1.0, abs(y)):
            break
    else:
        yield denominator, [int(y * denominator) for y in near]
    for bits in range(BITS, -1, -1):
        yield 1 << bits, [round(y * (1 << bits)) for y in clipped]


def combined(rows: Sequence[Inequality], multipliers: Sequence[int]) -> Row:
    """Return the sum of multiples of rows: at most 0 in every solution."""
    return total((y, inequality.row) for y, inequality in zip(multipliers, rows, strict=True) if y)


def least(objective: Row, denominator: int, row: Row, ends: Ends) -> int:
    """Return what the objective is at least where ``row <= 0``, the row's multiplier ``1 / denominator``."""
    low, _ = ends_of(total([(denominator, objective), (1, row)]), ends)
    return -(-low // denominator)


def divided(row: Row) -> Row:
    """Divide a row by the common divisor of its coefficients; its constant is rounded towards what holds."""
    variables, coefficients, constant = row
    divisor = math.gcd(*coefficients) or 1
    return variables, tuple(a // divisor for a in coefficients), -(-constant // divisor)


def fits(row: Row, objective: Row, ends: Ends) -> bool:
    """Say whether the propagators' sums of a row and of the objective stay below `LARGEST`."""
    reach = sum(
        abs(constant)
        + 2 * sum(abs(a) * max(map(abs, (ends[0][v], ends[1][v]))) for v, a in zip(vs, cs, strict=True))
        for vs, cs, constant in (row, objective)
    )
    return max(map(abs, (*row[1], *objective[1])), default=0) * reach <= LARGEST
