"""Terms and truths of constraints as closures from intervals to an interval, exact on single values.

An interval is a pair ``(low, high)``; a truth is one of (0, 0), (0, 1), (1, 1). A closure reads the
intervals of its variables from two lists, one of lower and one of upper ends, at slots that were fixed
when it was made. Intervals may be wider than the true range of values, never narrower; on intervals of
one value each they are exact, so that the same closures decide full assignments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Interval = tuple[int, int]
Closure = Callable[[list[int], list[int]], Interval]
Row = tuple[list[int], list[int], int]
"""A term: variables, coefficients, constant."""

FALSE: Interval = (0, 0)
UNKNOWN: Interval = (0, 1)
TRUE: Interval = (1, 1)


def linear(row: Row, slots: dict[int, int]) -> Closure:
    """Return the closure of a term; single variables, the usual case, get the short forms."""
    variables, coefficients, constant = row
    if not variables:
        fixed = (constant, constant)
        return lambda low, high: fixed
    if len(variables) == 1:
        return _affine(slots[variables[0]], coefficients[0], constant)
    pairs = [(slots[v], a) for v, a in zip(variables, coefficients, strict=True)]
    rising = [(s, a) for s, a in pairs if a > 0]
    falling = [(s, a) for s, a in pairs if a < 0]

    def several(low: list[int], high: list[int]) -> Interval:
        least = most = constant
        for s, a in rising:
            least += a * low[s]
            most += a * high[s]
        for s, a in falling:
            least += a * high[s]
            most += a * low[s]
        return least, most

    return several


def _affine(s: int, a: int, c: int) -> Closure:
    if a == 1 and c == 0:
        return lambda low, high: (low[s], high[s])
    if a > 0:
        return lambda low, high: (a * low[s] + c, a * high[s] + c)
    return lambda low, high: (a * high[s] + c, a * low[s] + c)


# ---- relations ------------------------------------------------------------------------------------------


def _equal(low: int, high: int) -> Interval:
    if low > 0 or high < 0:
        return FALSE
    return TRUE if low == high else UNKNOWN


def _unequal(low: int, high: int) -> Interval:
    if low > 0 or high < 0:
        return TRUE
    return FALSE if low == high else UNKNOWN


def _at_most(low: int, high: int) -> Interval:
    return TRUE if high <= 0 else FALSE if low > 0 else UNKNOWN


def _at_least(low: int, high: int) -> Interval:
    return TRUE if low >= 0 else FALSE if high < 0 else UNKNOWN


def _less(low: int, high: int) -> Interval:
    return TRUE if high < 0 else FALSE if low >= 0 else UNKNOWN


def _greater(low: int, high: int) -> Interval:
    return TRUE if low > 0 else FALSE if high <= 0 else UNKNOWN


RELATIONS: dict[str, Callable[[int, int], Interval]] = {
    "==": _equal,
    "!=": _unequal,
    "<=": _at_most,
    ">=": _at_least,
    "<": _less,
    ">": _greater,
}


# ---- truths of constraints ------------------------------------------------------------------------------


def _relation(terms: Sequence[Closure], relation: str) -> Closure:
    (term,), decide = terms, RELATIONS[relation]
    return lambda low, high: decide(*term(low, high))


def _any(terms: Sequence[Closure], detail: None) -> Closure:
    def truth(low: list[int], high: list[int]) -> Interval:
        known = FALSE
        for term in terms:
            least, most = term(low, high)
            if least >= 1:
                return TRUE
            if most >= 1:
                known = UNKNOWN
        return known

    return truth


def _every(terms: Sequence[Closure], detail: None) -> Closure:
    def truth(low: list[int], high: list[int]) -> Interval:
        known = TRUE
        for term in terms:
            least, most = term(low, high)
            if most <= 0:
                return FALSE
            if least <= 0:
                known = UNKNOWN
        return known

    return truth


def _different(terms: Sequence[Closure], detail: None) -> Closure:
    def truth(low: list[int], high: list[int]) -> Interval:
        seen = set()
        known = TRUE
        for term in terms:
            least, most = term(low, high)
            if least != most:
                known = UNKNOWN
            elif least in seen:
                return FALSE
            else:
                seen.add(least)
        return known

    return truth


def _table(terms: Sequence[Closure], rows: list[tuple[int, ...]]) -> Closure:
    allowed = set(rows)

    def truth(low: list[int], high: list[int]) -> Interval:
        intervals = [term(low, high) for term in terms]
        if all(least == most for least, most in intervals):
            return TRUE if tuple(least for least, _ in intervals) in allowed else FALSE
        for row in rows:
            if all(least <= x <= most for x, (least, most) in zip(row, intervals, strict=True)):
                return UNKNOWN
        return FALSE

    return truth


def _count(terms: Sequence[Closure], relation: str) -> Closure:
    value, number, *counted = terms
    decide = RELATIONS[relation]

    def truth(low: list[int], high: list[int]) -> Interval:
        least, most = value(low, high)
        sure = possible = 0
        for term in counted:
            a, b = term(low, high)
            if a <= most and b >= least:
                possible += 1
                sure += a == b == least == most
        fewest, largest = number(low, high)
        return decide(sure - largest, possible - fewest)

    return truth


TRUTHS: dict[str, Callable[[Sequence[Closure], Any], Closure]] = {
    "AllDifferent": _different,
    "And": _every,
    "Count": _count,
    "Linear": _relation,
    "Or": _any,
    "Table": _table,
}
"""From constraint kind, closures of the terms and a detail to the closure of the truth."""
