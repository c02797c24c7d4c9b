"""The one range of all arithmetic: what a model may hold, and why nothing that is made of it wraps around.

**The rule.** The *reach* of a term is the most that its parts can add up to, whatever their signs: the sum of
``|a| * max(1, |x|)`` over its variables plus the size of its constant. It is at most `LIMIT`, wherever the
term stands: in a global constraint, as an argument of a function, plain, reified or negated, in the
objective. So are the bounds of every variable, the values of every function, and every number that a
constraint lists, as in the rows of a table. What the meaning of a constraint adds up, as the start and the
duration of a task, is held to it as well (`Constraint.ranged`). Any two such terms can be compared: a
relation, which holds the difference of its sides, reaches at most `RELATION`.

**Why nothing wraps.**

* A term's partial sums, in any order, stay within its reach, and so do its coefficients.
* Differences of two terms (relations, orders, AllDifferent, decompositions, distances) stay within
  `RELATION`, strict ones, which are shifted by 1, within `DIFFERENCE`; a `Scratch` accepts terms up to there.
* A propagator adds such a difference to a variable's bound, or one objective to another and to a bound: less
  than ``3 * LIMIT + 3``. Local search adds to an activity what one or two variables change of it: at most
  ``2 * DIFFERENCE``. Both are less than 2**63.
* Sums of many such numbers, as in the violation of many constraints, saturate (`saturated_sum`).

CP-SAT takes sums up to `DIFFERENCE` in one constraint, which is where the number comes from, and limits the
ranges of all its variables together, which is for its backend to say. python-constraint computes with
integers of any size.
"""

import numpy as np
from numpy.typing import NDArray

from cpqueens.errors import ModelError

IntArray = NDArray[np.int64]
Mask = NDArray[np.bool_]
"""Which ones of something."""
Positions = NDArray[np.intp]

Columns = tuple[IntArray, IntArray, IntArray]
"""Terms, one a row: variables and coefficients, both (size, width), and constants, (size,)."""

LIMIT = 2**61 - 1
"""The largest reach of a term, and the largest size of a bound and of a listed number."""

RELATION = 2 * LIMIT
"""The largest reach of a linear relation."""

DIFFERENCE = RELATION + 1
"""The largest reach of a difference of two terms, strict or not: 2**62 - 1."""

ALLOWED = f"allowed are integers up to 2^61 - 1 = {LIMIT} in size"
ALLOWED_DIFFERENCE = "allowed are differences of integers up to 2^61 - 1 in size"

_NEAR = 1 - 2.0**-20  # of a limit: sums of floats may be wrong by less, so nearer ones are added up exactly


class OutOfRange(ModelError):  # noqa: N818 - says what is wrong, as the others do
    """A term, a bound or a listed number leaves the range; ``row`` is the term's place in its array."""

    def __init__(self, message: str, row: int = 0) -> None:
        super().__init__(message)
        self.row = row


def size_text(number: int) -> str:
    """Return a number as text, long ones by their size."""
    return str(number) if abs(number) < 2**64 else f"about 2^{abs(number).bit_length()} in size"


def require_in_range(values: IntArray, what: str) -> IntArray:
    """Return ``values``, numbers that are bounds or stand in a constraint.

    Raises
    ------
    OutOfRange
        If one is larger than `LIMIT` in size.
    """
    if values.size:
        worst = max(int(values.max()), int(values.min()), key=abs)
        if abs(worst) > LIMIT:
            raise OutOfRange(f"{what}: {worst} is out of range; {ALLOWED}")
    return values


def reach(terms: Columns, lower: IntArray, upper: IntArray) -> NDArray[np.float64]:
    """Return the reach of each row, (size,), rounded; ``lower`` and ``upper`` are those of all variables."""
    variables, coefficients, constants = terms
    low, high = lower[variables].astype(np.float64), upper[variables].astype(np.float64)
    sizes = np.maximum(1.0, np.maximum(np.abs(low), np.abs(high)))
    parts = np.abs(coefficients.astype(np.float64)) * sizes
    total: NDArray[np.float64] = parts.sum(axis=1) + np.abs(constants.astype(np.float64))
    return total


def require_reach(terms: Columns, lower: IntArray, upper: IntArray, most: int = LIMIT) -> None:
    """Check the reach of each row.

    Raises
    ------
    OutOfRange
        If one is larger than ``most``.
    """
    variables, coefficients, constants = terms
    near = reach(terms, lower, upper) > most * _NEAR
    for row in np.flatnonzero(near).tolist() if near.any() else ():
        parts = zip(coefficients[row].tolist(), variables[row].tolist(), strict=True)
        total = abs(int(constants[row]))
        total += sum(abs(a) * max(1, abs(int(lower[v])), abs(int(upper[v]))) for a, v in parts if a)
        if total > most:
            raise OutOfRange(f"a term may reach {size_text(total)}", row)


def require_product(first: tuple[IntArray, IntArray], second: tuple[IntArray, IntArray]) -> None:
    """Check the products of two terms, given their bounds.

    Raises
    ------
    OutOfRange
        If one may be larger than `LIMIT` in size.
    """
    sizes = [np.maximum(np.abs(low * 1.0), np.abs(high * 1.0)) for low, high in (first, second)]
    for row in np.flatnonzero(sizes[0] * sizes[1] > LIMIT * _NEAR).tolist():
        left, right = (max(abs(int(low[row])), abs(int(high[row]))) for low, high in (first, second))
        if left * right > LIMIT:
            text = f"a product may reach {size_text(left * right)}"
            raise OutOfRange(f"{text}; {ALLOWED}; narrow its variables")


def saturated_sum(amounts: IntArray) -> IntArray:
    """Return the sums of the rows, (batch,), of numbers of at least 0: `DIFFERENCE` where they are larger.

    A sum that wrapped to 0 would make a violated constraint look satisfied.
    """
    width = amounts.shape[1]
    if amounts.size and width * int(amounts.max()) > DIFFERENCE:
        total = np.zeros(len(amounts), dtype=np.int64)
        for column in amounts.T:
            total += np.minimum(column, DIFFERENCE - total)
        return total
    plain: IntArray = amounts.sum(axis=1)
    return plain
