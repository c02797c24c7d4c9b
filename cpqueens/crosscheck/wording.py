"""What a constraint says, as keys: two elements of one model with equal keys mean the same."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.expressions import LinearArray
from cpqueens.language.linear_rows import Row

_PLAIN = ("AllDifferent", "AllEqual", "Decreasing", "Increasing")
"""Kinds that are conjunctions of relations between their terms, without any further variable."""

_MOST = 10**5
"""Relations up to which such a conjunction is written out."""


def keys_of(constraint: Constraint) -> list[Any]:
    """Return one hashable key per element; that of a relation is the same whichever way it is written."""
    if isinstance(constraint, Linear):
        return [_relation(row, constraint.relation) for row in constraint.expression.rows()]
    flat = constraint.flattened()
    if type(flat).element_keys is not Constraint.element_keys:
        return flat.element_keys()
    return [(flat.kind, *(_field(getattr(flat, name)) for name in flat.fields))]


def parts_of(constraint: Constraint) -> list[Linear]:
    """Return the relations of which a constraint is the conjunction; none if it is no such."""
    terms = sum(array.size for array in constraint.arguments)
    if constraint.kind not in _PLAIN or terms * terms > 2 * _MOST:
        return []
    parts = constraint.simpler()
    relations = [part.flattened() for part in parts if isinstance(part, Linear)]
    return relations if len(relations) == len(parts) else []


_TURNED = {">": (-1, 1, "<="), ">=": (-1, 0, "<="), "<": (1, 1, "<=")}
"""How a relation becomes one of ``<=``: the sign, what is added, and the relation."""


def _relation(row: Row, relation: str) -> tuple[Any, ...]:
    variables, coefficients, constant = row
    sign, more, name = _TURNED.get(relation, (1, 0, relation))
    pairs = sorted(zip(variables, coefficients, strict=True))
    if name != "<=" and pairs and pairs[0][1] < 0:
        sign = -1
    return (name, sign * constant + more, *((v, sign * a) for v, a in pairs))


def _field(value: Any) -> Any:
    if isinstance(value, LinearArray):
        return value.shape, tuple(value.keys())
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    return value if isinstance(value, Hashable) else object()
