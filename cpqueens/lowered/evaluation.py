"""Values and bounds of terms and definitions of a compiled model, in plain Python: slow and obvious."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cpqueens.kernels.local.plain import FARTHEST
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ, GE, LE, NE, Compiled, CompiledDefinition, Terms

MANY_TERMS = 16
"""Terms from which on arrays are worth their trouble."""


def values_of_all(compiled: Compiled, x: IntArray) -> IntArray:
    """Return the values of all variables for the decision variables ``x``."""
    values = np.zeros(compiled.variable_count, dtype=np.int64)
    values[: compiled.decision_count] = x
    for definition in compiled.definitions:
        values[definition.result] = meant(definition, evaluate(definition.terms, values).tolist())
    return values


def evaluate(terms: Terms, values: IntArray) -> IntArray:
    """Return the values of ``terms`` for those of all variables."""
    if len(terms) > MANY_TERMS:
        start = terms.start - terms.start[0]
        added = np.append(0, np.cumsum(terms.coefficient * values[terms.variable]))
        whole: IntArray = terms.constant + added[start[1:]] - added[start[:-1]]
        return whole
    rows = (terms.row(t) for t in range(len(terms)))
    return np.array([c + int(a @ values[v]) for v, a, c in rows], dtype=np.int64)


def meant(definition: CompiledDefinition, a: list[int]) -> int:
    """Return the value of a definition for those of its arguments."""
    if definition.kind == "truth_linear":
        return int(distance(definition.relation, a[0]) == 0)
    return _FUNCTIONS[definition.kind](a)


def _truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_FUNCTIONS: dict[str, Callable[[list[int]], int]] = {
    "abs": lambda a: abs(a[0]),
    "product": lambda a: a[0] * a[1],
    "quotient": lambda a: a[0] // a[1] if a[1] else 0,
    "remainder": lambda a: a[0] % a[1] if a[1] else 0,
    "quotient_truncated": lambda a: _truncated(a[0], a[1]) if a[1] else 0,
    "remainder_truncated": lambda a: a[0] - _truncated(a[0], a[1]) * a[1] if a[1] else 0,
    "minimum": min,
    "maximum": max,
    "element": lambda a: a[1 + a[0]] if 0 <= a[0] < len(a) - 1 else 0,
    "truth_or": lambda a: int(any(a)),
}


def distance(relation: int, difference: int) -> int:
    """Return by how much a difference violates a relation to 0."""
    if relation == EQ:
        return min(abs(difference), FARTHEST)
    if relation == NE:
        return int(difference == 0)
    return min(max(0, -difference if relation == GE else difference), FARTHEST)


# ---- affine expressions as Python numbers, and bounds of what definitions say ----------------------------


Affine = tuple[dict[int, int], int]
"""The coefficients of variables, none of them 0, and a constant."""

Span = tuple[int, int]
"""The least and the greatest value that something may have."""


def affines(terms: Terms) -> list[Affine]:
    """Return all terms, each variable once."""
    variables, coefficients, start = (a.tolist() for a in (terms.variable, terms.coefficient, terms.start))
    rows: list[Affine] = []
    for t, constant in enumerate(terms.constant.tolist()):
        parts: dict[int, int] = {}
        for k in range(start[t], start[t + 1]):
            parts[variables[k]] = parts.get(variables[k], 0) + coefficients[k]
        rows.append(({v: a for v, a in parts.items() if a}, constant))
    return rows


def span_of(row: Affine, low: Sequence[int], high: Sequence[int]) -> Span:
    """Return bounds of an expression by those of its variables."""
    parts, least = row
    most = least
    for v, a in parts.items():
        ends = a * low[v], a * high[v]
        least, most = least + min(ends), most + max(ends)
    return least, most


def holds(relation: int, span: Span) -> bool | None:
    """Say whether all values of a span have this relation to 0 (True), none (False), or some."""
    low, high = span
    if relation == LE:
        return True if high <= 0 else False if low > 0 else None
    if relation == GE:
        return True if low >= 0 else False if high < 0 else None
    equal = True if low == high == 0 else False if low > 0 or high < 0 else None
    return equal if relation == EQ or equal is None else not equal


def define(definition: CompiledDefinition, spans: Sequence[Span]) -> Span:
    """Return bounds of a definition's value by those of its arguments."""
    if all(low == high for low, high in spans):
        value = meant(definition, [low for low, _ in spans])
        return value, value
    if definition.kind == "truth_linear":
        decided = holds(definition.relation, spans[0])
        return (0, 1) if decided is None else (int(decided), int(decided))
    return BOUNDS[definition.kind](spans)


def _absolute(spans: Sequence[Span]) -> Span:
    ((low, high),) = spans
    return max(0, low, -high), max(-low, high)


def _product(spans: Sequence[Span]) -> Span:
    (a, b), (c, d) = spans
    corners = a * c, a * d, b * c, b * d
    return min(corners), max(corners)


def _any(spans: Sequence[Span]) -> Span:
    return int(any(low > 0 for low, _ in spans)), int(any(high > 0 for _, high in spans))


def _quotient(spans: Sequence[Span]) -> Span:
    return _up_to(spans[0])


def _remainder(spans: Sequence[Span]) -> Span:
    return _up_to(spans[1])


def _up_to(span: Span) -> Span:
    most = max(abs(end) for end in span)
    return -most, most


def _element(spans: Sequence[Span]) -> Span:
    """Return bounds of the entries and of 0, the value outside them."""
    return min(0, *(low for low, _ in spans[1:])), max(0, *(high for _, high in spans[1:]))


BOUNDS: dict[str, Callable[[Sequence[Span]], Span]] = {
    "abs": _absolute,
    "element": _element,
    "maximum": lambda spans: (max(low for low, _ in spans), max(high for _, high in spans)),
    "minimum": lambda spans: (min(low for low, _ in spans), min(high for _, high in spans)),
    "product": _product,
    "quotient": _quotient,
    "quotient_truncated": _quotient,
    "remainder": _remainder,
    "remainder_truncated": _remainder,
    "truth_or": _any,
}
"""Bounds of what each kind of definition says, whatever its arguments, also where it has no meaning."""
