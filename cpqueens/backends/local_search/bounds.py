"""Bounds of nodes and terms, for the ranges of counters."""

from __future__ import annotations

import numpy as np

from cpqueens.backends.local_search.problem import Function, Ints, Problem

Interval = tuple[int, int]


def term_interval(problem: Problem, t: int, bounds: list[Interval]) -> Interval:
    """Return the bounds of term ``t`` from those of its nodes."""
    terms = problem.terms
    low = high = int(terms.constants[t])
    for e in range(int(terms.start[t]), int(terms.start[t + 1])):
        a = int(terms.coefficients[e])
        lower, upper = bounds[int(terms.nodes[e])]
        low += a * (lower if a > 0 else upper)
        high += a * (upper if a > 0 else lower)
    return low, high


def term_bounds(problem: Problem, terms: Ints, bounds: list[Interval]) -> tuple[Ints, Ints]:
    """Return the bounds of ``terms`` as two arrays."""
    found = np.array([term_interval(problem, t, bounds) for t in terms.tolist()], dtype=np.int64).reshape(
        -1, 2
    )
    return found[:, 0], found[:, 1]


def node_bounds(problem: Problem) -> list[Interval]:
    """Return the bounds of all nodes by interval arithmetic, definitions in order."""
    bounds = list(zip(problem.lower.tolist(), problem.upper.tolist(), strict=True))
    for definition in problem.definitions:
        if definition.truth is not None:
            bounds.append((0, 1))
            continue
        arguments = [term_interval(problem, t, bounds) for t in definition.terms.tolist()]
        if definition.table is not None:
            arguments += [(int(v), int(v)) for v in definition.table]
        bounds.append(_RULES[definition.function](arguments))
    return bounds


def _abs(a: list[Interval]) -> Interval:
    ((low, high),) = a
    return (0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))


def _product(a: list[Interval]) -> Interval:
    corners = [p * q for p in a[0] for q in a[1]]
    return min(corners), max(corners)


def _quotient(a: list[Interval]) -> Interval:
    most = max(abs(a[0][0]), abs(a[0][1]))
    return -most, most


def _remainder(a: list[Interval]) -> Interval:
    return min(0, a[1][0] + 1), max(0, a[1][1] - 1)


def _remainder_truncated(a: list[Interval]) -> Interval:
    most = max(abs(a[1][0]), abs(a[1][1]))
    return (-most if a[0][0] < 0 else 0), (most if a[0][1] > 0 else 0)


def _minimum(a: list[Interval]) -> Interval:
    return min(low for low, _ in a), min(high for _, high in a)


def _maximum(a: list[Interval]) -> Interval:
    return max(low for low, _ in a), max(high for _, high in a)


def _element(a: list[Interval]) -> Interval:
    values = [*a[1:], (0, 0)]  # 0 where the index is outside the array
    return min(low for low, _ in values), max(high for _, high in values)


_RULES = {
    Function.ABS: _abs,
    Function.PRODUCT: _product,
    Function.QUOTIENT: _quotient,
    Function.REMAINDER: _remainder,
    Function.QUOTIENT_TRUNCATED: _quotient,
    Function.REMAINDER_TRUNCATED: _remainder_truncated,
    Function.MINIMUM: _minimum,
    Function.MAXIMUM: _maximum,
    Function.ELEMENT: _element,
}
