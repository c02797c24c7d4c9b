"""Values of a compiled model's terms and definitions, in plain Python and numpy: slow and obvious."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cpqueens.kernels.local.plain import FARTHEST
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ, GE, NE, Compiled, CompiledDefinition, Terms

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
