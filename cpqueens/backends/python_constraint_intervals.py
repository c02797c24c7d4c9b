"""Every function and truth as a closure from intervals to an interval, exact on single values.

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


# ---- functions ------------------------------------------------------------------------------------------


def _abs(terms: Sequence[Closure], detail: None) -> Closure:
    (term,) = terms

    def function(low: list[int], high: list[int]) -> Interval:
        a, b = term(low, high)
        if a >= 0:
            return a, b
        return (-b, -a) if b <= 0 else (0, max(-a, b))

    return function


def _product(terms: Sequence[Closure], is_square: bool) -> Closure:
    x, y = terms

    def square(low: list[int], high: list[int]) -> Interval:
        a, b = x(low, high)
        if a >= 0:
            return a * a, b * b
        return (b * b, a * a) if b <= 0 else (0, max(a * a, b * b))

    def function(low: list[int], high: list[int]) -> Interval:
        a, b = x(low, high)
        c, d = y(low, high)
        corners = (a * c, a * d, b * c, b * d)
        return min(corners), max(corners)

    return square if is_square else function


def truncated(x: int, y: int) -> int:
    """Return the quotient rounded towards 0."""
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _quotient_by(divide: Callable[[int, int], int]) -> Callable[[Sequence[Closure], None], Closure]:
    """Return the maker of a quotient, which is monotone in both arguments on either side of divisor 0."""

    def make(terms: Sequence[Closure], detail: None) -> Closure:
        x, y = terms

        def function(low: list[int], high: list[int]) -> Interval:
            a, b = x(low, high)
            c, d = y(low, high)
            ends = [k for k in {c, d, 1, -1} if k != 0 and c <= k <= d]
            values = [divide(k, end) for end in ends for k in (a, b)]
            if c <= 0 <= d:
                values.append(0)  # the value where the function is undefined
            return min(values), max(values)

        return function

    return make


def _remainder(terms: Sequence[Closure], detail: None) -> Closure:
    x, y = terms

    def function(low: list[int], high: list[int]) -> Interval:
        a, b = x(low, high)
        c, d = y(low, high)
        if c == d:
            if c == 0:
                return 0, 0
            if a // c == b // c:  # one period, in which the remainder rises with x
                return a % c, b % c
        return min(0, c + 1), max(0, d - 1)

    return function


def _remainder_truncated(terms: Sequence[Closure], detail: None) -> Closure:
    x, y = terms

    def function(low: list[int], high: list[int]) -> Interval:
        a, b = x(low, high)
        c, d = y(low, high)
        if c == d == 0:
            return 0, 0
        if c == d and (a >= 0 or b <= 0) and truncated(a, c) == truncated(b, c):
            return a - c * truncated(a, c), b - c * truncated(b, c)
        most = max(abs(c), abs(d), 1) - 1
        return (0 if a >= 0 else -min(most, -a)), (0 if b <= 0 else min(most, b))

    return function


def _minimum(terms: Sequence[Closure], detail: None) -> Closure:
    def function(low: list[int], high: list[int]) -> Interval:
        intervals = [term(low, high) for term in terms]
        return min(a for a, _ in intervals), min(b for _, b in intervals)

    return function


def _maximum(terms: Sequence[Closure], detail: None) -> Closure:
    def function(low: list[int], high: list[int]) -> Interval:
        intervals = [term(low, high) for term in terms]
        return max(a for a, _ in intervals), max(b for _, b in intervals)

    return function


def _element(terms: Sequence[Closure], detail: None) -> Closure:
    position, *entries = terms
    last = len(entries) - 1

    def function(low: list[int], high: list[int]) -> Interval:
        a, b = position(low, high)
        intervals = [entry(low, high) for entry in entries[max(a, 0) : max(b + 1, 0)]]
        if a < 0 or b > last:
            intervals.append((0, 0))  # the value where the function is undefined
        return min(k for k, _ in intervals), max(k for _, k in intervals)

    return function


MAKERS: dict[str, Callable[[Sequence[Closure], Any], Closure]] = {
    "AllDifferent": _different,
    "And": _every,
    "Count": _count,
    "Linear": _relation,
    "Or": _any,
    "Table": _table,
    "abs": _abs,
    "element": _element,
    "maximum": _maximum,
    "minimum": _minimum,
    "product": _product,
    "quotient": _quotient_by(lambda x, y: x // y),
    "quotient_truncated": _quotient_by(truncated),
    "remainder": _remainder,
    "remainder_truncated": _remainder_truncated,
}
"""From kind, closures of the terms and a detail to the closure of the whole."""
