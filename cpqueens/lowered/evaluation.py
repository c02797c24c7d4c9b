"""Values and bounds of terms and definitions of a compiled model, one kind at a time."""

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from cpqueens.kernels.local.plain import FARTHEST
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ, GE, LE, NE, Compiled, DefinitionBlock, Terms


def values_of_all(compiled: Compiled, x: IntArray) -> IntArray:
    """Return the values of all variables for the decision variables ``x``."""
    values = np.zeros(compiled.variable_count, dtype=np.int64)
    values[: compiled.decision_count] = x
    for block in compiled.definitions.blocks:
        arguments = evaluate(block.terms, values).reshape(len(block.results), block.each).T
        values[block.results] = meant(block, list(arguments))
    return values


def evaluate(terms: Terms, values: IntArray) -> IntArray:
    """Return the values of ``terms`` for those of all variables."""
    added = np.append(0, np.cumsum(terms.coefficient * values[terms.variable]))
    return terms.constant + np.diff(added[terms.start])


def meant(block: DefinitionBlock, a: Sequence[IntArray]) -> IntArray:
    """Return the values of definitions for those of their first, second, ... arguments."""
    if block.kind == "truth_linear":
        truth: IntArray = RELATION_OF[block.relation](a[0], 0).astype(np.int64)
        return truth
    return FUNCTIONS[block.kind](a)


RELATION_OF = {EQ: np.equal, NE: np.not_equal, LE: np.less_equal, GE: np.greater_equal}


def _divided(a: Sequence[IntArray], *, truncated: bool, rest: bool) -> IntArray:
    """Return quotients or remainders, 0 where the divisor is."""
    x, y = a
    safe = np.where(y == 0, 1, y)
    quotient = np.sign(x) * np.sign(safe) * (np.abs(x) // np.abs(safe)) if truncated else x // safe
    return np.where(y == 0, 0, x - quotient * safe if rest else quotient)


def _entry(a: Sequence[IntArray]) -> IntArray:
    """Return entries by their positions, 0 outside the table."""
    position, entries = a[0], a[1:]
    inside = (position >= 0) & (position < len(entries))
    place = np.where(inside, position, 0)
    if not any(map(np.ndim, entries)):
        return np.where(inside, np.array(entries)[place], 0)
    place, *entries = np.broadcast_arrays(place, *entries)
    return np.where(inside, np.take_along_axis(np.stack(entries), place[None], axis=0)[0], 0)


FUNCTIONS: dict[str, Callable[[Sequence[IntArray]], IntArray]] = {
    "abs": lambda a: np.abs(a[0]),
    "element": _entry,
    "maximum": lambda a: reduce(np.maximum, a),
    "minimum": lambda a: reduce(np.minimum, a),
    "product": lambda a: a[0] * a[1],
    "quotient": lambda a: _divided(a, truncated=False, rest=False),
    "quotient_truncated": lambda a: _divided(a, truncated=True, rest=False),
    "remainder": lambda a: _divided(a, truncated=False, rest=True),
    "remainder_truncated": lambda a: _divided(a, truncated=True, rest=True),
    "truth_or": lambda a: reduce(np.logical_or, [each != 0 for each in a], np.array(False)).astype(np.int64),
}
"""Definitions as functions of arrays."""


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


def define(definition: DefinitionBlock, spans: Sequence[Span]) -> Span:
    """Return bounds of a definition's value by those of its arguments."""
    if all(low == high for low, high in spans):
        value = int(meant(definition, [np.array(low) for low, _ in spans]))
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
    "quotient": lambda spans: _up_to(spans[0]),
    "quotient_truncated": lambda spans: _up_to(spans[0]),
    "remainder": lambda spans: _up_to(spans[1]),
    "remainder_truncated": lambda spans: _up_to(spans[1]),
    "truth_or": _any,
}
"""Bounds of what each kind of definition says, whatever its arguments, also where it has no meaning."""
