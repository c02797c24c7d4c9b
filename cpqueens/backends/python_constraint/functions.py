"""The functions that define variables, as closures from intervals to an interval, exact on single values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cpqueens.backends.python_constraint.intervals import Closure, Interval


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


def _value(terms: Sequence[Closure], detail: None) -> Closure:
    return terms[0]


def _judged(terms: Sequence[Closure], judge: Callable[[Interval], Interval]) -> Closure:
    (term,) = terms
    return lambda low, high: judge(term(low, high))


FUNCTIONS: dict[str, Callable[[Sequence[Closure], Any], Closure]] = {
    "abs": _abs,
    "element": _element,
    "judged": _judged,
    "maximum": _maximum,
    "minimum": _minimum,
    "product": _product,
    "quotient": _quotient_by(lambda x, y: x // y),
    "quotient_truncated": _quotient_by(truncated),
    "remainder": _remainder,
    "remainder_truncated": _remainder_truncated,
    "value": _value,
}
"""From kind, closures of the arguments and a detail to the closure of the function.

Besides the definitions: ``value`` is its argument, ``judged`` what the detail says of its interval.
"""
