"""What functions and truths may be while their terms lie in intervals, exact on single values.

An interval is a pair ``(low, high)``; a truth is one of (0, 0), (0, 1), (1, 1). Each meaning takes the
intervals of its terms, and a detail that some kinds have. Its interval may be wider than the true range of
values, never narrower; on single values it is exact, so that the same tables decide full assignments.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from cpqueens.language.rows import IntArray

Interval = tuple[int, int]
Meaning = Callable[[Sequence[Interval], Any], Interval]

FALSE: Interval = (0, 0)
UNKNOWN: Interval = (0, 1)
TRUE: Interval = (1, 1)


# ---- functions ------------------------------------------------------------------------------------------


def _rising(function: Callable[[Iterable[int]], int]) -> Meaning:
    """Return the meaning of a function that rises with all of its arguments."""
    return lambda terms, _: (function(low for low, _ in terms), function(high for _, high in terms))


def _extremes(function: Callable[..., int]) -> Meaning:
    """Return the meaning of a function that is monotone in each argument on either side of 0."""

    def meaning(terms: Sequence[Interval], _: None) -> Interval:
        values = [function(*corner) for corner in product(*map(_corners, terms))]
        return min(values), max(values)

    return meaning


def _corners(term: Interval) -> Sequence[int]:
    low, high = term
    return (low,) if low == high else (low, high, *(k for k in (-1, 0, 1) if low < k < high))


def _floored(x: int, y: int) -> int:
    """Return the quotient rounded down, 0 where it is undefined."""
    return x // y if y else 0


def _truncated(x: int, y: int) -> int:
    """Return the quotient rounded towards 0, 0 where it is undefined."""
    if not y:
        return 0
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _remainder(quotient: Callable[[int, int], int], signed: int) -> Meaning:
    """Return the meaning of the remainder with the sign of the argument ``signed``."""

    def meaning(terms: Sequence[Interval], _: None) -> Interval:
        (a, b), (c, d) = terms
        if c == d and c:
            q = quotient(a, c)
            if q == quotient(b, c):  # one period, in which the remainder rises with the dividend
                return a - c * q, b - c * q
        most = max(abs(c), abs(d), 1) - 1
        low, high = terms[signed]
        return -most if low < 0 else 0, most if high > 0 else 0

    return meaning


def _element(terms: Sequence[Interval], _: None) -> Interval:
    (a, b), *entries = terms
    reached = entries[max(a, 0) : max(b + 1, 0)]
    if a < 0 or b >= len(entries):
        reached.append((0, 0))  # the value where the function is undefined
    return min(low for low, _ in reached), max(high for _, high in reached)


# ---- truths ---------------------------------------------------------------------------------------------


RELATIONS: dict[str, Callable[[int, int], Interval]] = {
    "==": lambda low, high: (low == 0 == high, low <= 0 <= high),
    "!=": lambda low, high: (not low <= 0 <= high, not low == 0 == high),
    "<=": lambda low, high: (high <= 0, low <= 0),
    ">=": lambda low, high: (low >= 0, high >= 0),
    "<": lambda low, high: (high < 0, low < 0),
    ">": lambda low, high: (low > 0, high > 0),
}
"""The truth of ``term relation 0`` for a term between two values."""


def _linear(terms: Sequence[Interval], relation: str) -> Interval:
    return RELATIONS[relation](*terms[0])


def _different(terms: Sequence[Interval], _: None) -> Interval:
    known = [low for low, high in terms if low == high]
    if len(set(known)) < len(known):
        return FALSE
    return TRUE if len(known) == len(terms) else UNKNOWN


def _table(terms: Sequence[Interval], rows: IntArray) -> Interval:
    low, high = np.array(terms, dtype=np.int64).reshape(-1, 2).T
    if not ((rows >= low) & (rows <= high)).all(axis=1).any():
        return FALSE
    return TRUE if all(a == b for a, b in terms) else UNKNOWN


def _count(terms: Sequence[Interval], relation: str) -> Interval:
    (least, most), (fewest, largest), *counted = terms
    possible = [(a, b) for a, b in counted if a <= most and b >= least]
    sure = sum(a == b == least == most for a, b in possible)
    return RELATIONS[relation](sure - largest, len(possible) - fewest)


TRUTHS: dict[str, Meaning] = {
    "AllDifferent": _different,
    "And": _rising(partial(min, default=1)),
    "Count": _count,
    "Linear": _linear,
    "Or": _rising(partial(max, default=0)),
    "Table": _table,
}
"""From the kind of a constraint: what its terms' intervals say of its truth."""

MEANINGS: dict[str, Meaning] = TRUTHS | {
    "abs": _extremes(abs),
    "element": _element,
    "judged": lambda terms, judge: judge(terms[0]),
    "maximum": _rising(max),
    "minimum": _rising(min),
    "product": _extremes(lambda x, y: x * y),
    "quotient": _extremes(_floored),
    "quotient_truncated": _extremes(_truncated),
    "remainder": _remainder(_floored, 1),
    "remainder_truncated": _remainder(_truncated, 0),
    "square": _extremes(lambda x: x * x),
}
"""The truths, the definitions by their kinds, squares, and ``judged``: what the detail says of a term."""
