"""What a constraint says, as keys: two elements of one model with equal keys mean the same.

By its words a connective follows from what is said of its operands.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.constraints.linear import OPPOSITE, Linear
from cpqueens.language.definitions import Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.linear_rows import Row, term_key
from cpqueens.model import Model

_PLAIN = ("AllDifferent", "AllEqual", "Decreasing", "Increasing")
"""Kinds that are conjunctions of relations between their terms, without any further variable."""

_MOST = 10**5
"""Relations up to which such a conjunction is written out."""


class Said:
    """What a model says, and what follows from that by its words alone."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._keys: set[Any] = set()

    def learn(self, constraint: Constraint) -> None:
        """Note what a constraint of the model says; but what it says part by part by `learn_parts`."""
        self._keys.update(keys_of(constraint))
        if constraint.kind in ("And", "Negation"):
            for one in _singly(constraint):
                self._learn_joined(one, True, _DEEPEST)

    def learn_parts(self, constraint: Constraint) -> None:
        """Note the relations of which it is the conjunction."""
        self._keys.update(key for part in parts_of(constraint) for key in keys_of(part))

    def _learn_joined(self, one: Connective, holds: bool, depth: int) -> None:
        """Note what the operands are of a connective that holds, or does not, where that settles them."""
        needs, literals = _literals_of(one)
        if not depth or needs is None or (needs is holds and len(literals) > 1):
            return
        for row, sign in literals:
            value = sign is holds
            self._keys.add(_truth_key(row, value))
            inner, value = self._meaning(row, value)
            if isinstance(inner, Connective):
                self._learn_joined(inner, value, depth - 1)
            if inner is not None and value:
                self._keys.update(key for part in (inner, *parts_of(inner)) for key in keys_of(part))
            elif inner is not None:
                self._keys.update(self._opposite(inner))

    def of(self, constraint: Constraint) -> list[bool]:
        """Say of each element whether it is said, or follows."""
        found = [key in self._keys for key in keys_of(constraint)]
        if isinstance(constraint, Connective) and not all(found):
            return [
                known or self._joined(one, True, _DEEPEST)
                for known, one in zip(found, _singly(constraint), strict=True)
            ]
        return found

    def _joined(self, one: Connective, holds: bool, depth: int) -> bool:
        """Say whether one connective holds, or does not, because of its operands."""
        needs, literals = _literals_of(one)
        if needs is None or not depth:
            return False
        follow = (self._literal(row, sign is holds, depth - 1) for row, sign in literals)
        return (any if needs is holds else all)(follow)

    def _literal(self, row: Row, holds: bool, depth: int) -> bool:
        """Say whether a 0/1 term is 1, or 0, because of what it stands for."""
        if not row[0]:
            return bool(row[2]) is holds
        if _truth_key(row, holds) in self._keys:
            return True
        inner, holds = self._meaning(row, holds)
        if inner is None:
            return False
        keys = keys_of(inner) if holds else self._opposite(inner)
        if keys and keys[0] in self._keys:
            return True
        return isinstance(inner, Connective) and self._joined(inner, holds, depth)

    def _meaning(self, row: Row, holds: bool) -> tuple[Constraint | None, bool]:
        """Return the constraint that holds, or does not, where a literal is 1, or 0; None for a variable."""
        variables, coefficients, constant = row
        made = self._model.producer(variables[0]) if len(variables) == 1 else None
        if made is None or not isinstance(made[0], Truth) or (coefficients[0], constant) not in _LITERALS:
            return None, holds
        return made[0].constraint.take(np.array([made[1]])), holds is (constant == 0)

    def _opposite(self, one: Constraint) -> list[Any]:
        """Return the keys of what holds where a relation does not; none where that may be undefined."""
        if not isinstance(one, Linear) or self._model.partial_terms(one.expression).any():
            return []
        return keys_of(Linear(one.expression, OPPOSITE[one.relation]))


_DEEPEST = 20
"""Connectives within connectives that are looked at."""
_LITERALS = ((1, 0), (-1, 1))
"""Coefficient and constant of a variable, and of its negation."""
_RULES: dict[str, tuple[bool, tuple[bool, ...]]] = {
    "And": (False, (True,)),
    "Implication": (True, (False, True)),
    "Negation": (True, (False,)),
    "Or": (True, (True,)),
}
"""Which truth of it one operand settles (the other one takes all of them), and by which of its truths."""


def _literals_of(one: Connective) -> tuple[bool | None, list[tuple[Row, bool]]]:
    """Return which truth of a single connective one literal settles, and the literals with their signs."""
    if one.kind not in _RULES:
        return None, []
    needs, signs = _RULES[one.kind]
    rows = [(tuple(v), tuple(a), c) for v, a, c in one.literals.rows()]
    signs = signs if len(signs) == len(rows) else signs * len(rows)
    return needs, list(dict.fromkeys(zip(rows, signs, strict=True)))


def _truth_key(row: Row, holds: bool) -> bytes:
    """Return the key of: this 0/1 term is 1, or 0."""
    variables, coefficients, constant = row
    if not holds:
        return term_key(variables, coefficients, constant, 1)
    return term_key(variables, [-a for a in coefficients], holds - constant, 1)


def _singly(constraint: Any) -> Iterator[Connective]:
    """Yield the elements of a connective."""
    flat = constraint.flattened()
    return (flat.take(np.array([k])) for k in range(flat.size))


def keys_of(constraint: Constraint) -> list[Any]:
    """Return one hashable key per element; that of a relation is the same whichever way it is written."""
    if isinstance(constraint, Linear):
        return list(_relations(constraint.expression, constraint.relation))
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


_FORMS = {"<=": (1, 0), "<": (1, 1), ">=": (-1, 0), ">": (-1, 1), "==": (0, 0), "!=": (0, 1)}
"""How a relation becomes ``<= 0``: the sign, and what is added; 0 and a number for what may be turned."""


def _relations(expression: LinearArray, relation: str) -> list[bytes]:
    sign, more = _FORMS[relation]
    if sign:
        return (sign * expression + more).row_keys(sign * sign)
    turned = zip(expression.row_keys(2 + more), (-expression).row_keys(2 + more), strict=True)
    return [min(both) for both in turned]


def _field(value: Any) -> Any:
    if isinstance(value, LinearArray):
        return value.shape, tuple(value.row_keys())
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    return value if isinstance(value, Hashable) else object()
