"""Truths that are 0/1 terms, and what users write as truths."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.arrays import broadcast_all, concatenate_rows, mixed, stack_last
from cpqueens.language.conversion import aligned, as_linear, listed, registry_of
from cpqueens.language.expressions import OPERATIONS, BoolArray, LinearArray, Operand, Registry
from cpqueens.language.term import Term

_LITERAL = "literal"  # see `pending.Form`
_SHORT = 8
"""Operands; of longer disjunctions the truth is one literal of those around them."""


class Literals(BoolArray):
    """An array of truths given by 0/1 terms (Boolean variables, their negations, truth values)."""

    __slots__ = ("registry", "shape", "terms")

    def __init__(self, terms: LinearArray) -> None:
        low, high = _span(terms)
        if low < 0 or high > 1:
            raise ModelError(
                f"a term with values {low}..{high} is not Boolean; compare it, as in x != 0; beside & | ~ a "
                "comparison is in parentheses, as in (x > 1) & (y > 2)"
            )
        self.registry = terms.registry
        self.shape = terms.shape
        self.terms = terms

    @classmethod
    def known(cls, terms: LinearArray) -> Self:
        """Return the truths of terms that are known to be such."""
        new = cls.__new__(cls)
        new.registry, new.shape, new.terms = terms.registry, terms.shape, terms
        return new

    def truth(self) -> LinearArray:
        """Return the 0/1 terms themselves."""
        return self.terms

    def single(self) -> Term | None:
        """Return the one 0/1 term."""
        return self.terms.single() if type(self.terms) is Term else None

    def __invert__(self) -> BoolArray:
        return Literals.known(self.terms.opposite() if type(self.terms) is Term else 1 - self.terms)


def _span(terms: LinearArray) -> tuple[int, int]:
    """Return the least and the largest value that terms may have; 0 and 0 for none."""
    if type(terms) is Term:
        return terms.ends()[:2]
    low, high = terms.bounds()
    return (int(low.min()), int(high.max())) if terms.size else (0, 0)


def as_truth(registry: Registry, value: Any) -> BoolArray:
    """Return ``value`` (truths, 0/1 terms, bools, sequences of these) as a `BoolArray`.

    A 0/1 term that may be undefined, such as ``element(b, k)``, becomes the truth that it is 1: false where
    it is undefined. So literals are always defined.
    """
    if isinstance(value, BoolArray):
        if value.registry is registry or registry.unbound:
            return value
        if not value.registry.unbound:
            raise mixed()
    if registry.unbound:
        registry = registry_of(value)
    literals = Literals(as_linear(registry, value, "truth"))
    if registry.has_partial and registry.partial_terms(literals.terms).any():
        return OPERATIONS.related(literals.terms - 1, ">=")
    return literals


def as_literals(*values: Any) -> list[LinearArray]:
    """Return the 0/1 terms of each value, as `as_truth` reads it, of the one model that is found in them."""
    values = tuple(listed(aligned(value, *values), "truth") for value in values)
    registry = registry_of(*values)
    return [as_truth(registry, value).truth() for value in values]


def flat_literals(value: Any) -> LinearArray:
    """Return the 0/1 terms of ``value``, (size,); in lists arrays of any shape may stand beside truths."""
    value = listed(value, "truth")
    if isinstance(value, list | tuple) and any(isinstance(part, Operand) and part.shape for part in value):
        return concatenate_rows([literals.reshape(-1) for literals in as_literals(*value)])
    return as_literals(value)[0].reshape(-1)


def side_by_side(*values: Any) -> LinearArray:
    """Return the 0/1 terms of values that broadcast to one shape, along a new last axis."""
    return stack_last(broadcast_all(*as_literals(*values)))


def singles(values: Iterable[Any]) -> tuple[Any, ...] | None:
    """Return single truths of one model, see `Operand.single`; None for anything else, which takes longer."""
    found: list[Any] = []
    registry = None
    for value in values:
        if type(value) is Literals:
            value = value.terms  # most are single ones
        if type(value) is not Term or value.known_literal is None:
            value = value.single() if isinstance(value, Operand) else None
            if value is None:
                return None
        if value.registry is not registry:
            if registry is not None:
                return None
            registry = value.registry
        found.append(value)
    return None if registry is None or registry.unbound else tuple(found)


def connect(kind: str, *values: Any) -> BoolArray:
    """Return the elementwise connective ``kind`` of truths that broadcast to one shape."""
    operands = singles(values)
    if operands is not None:
        return OPERATIONS.connectives[kind].of(operands)
    parts, form = [], []
    for value in values:
        inner = _operands(value) if kind == "or" else None
        parts += [value] if inner is None else inner
        form.append(_LITERAL if inner is None else value.form or (type(value), *[_LITERAL] * len(inner)))
    literals = side_by_side(*parts)
    found = OPERATIONS.connectives[kind].over(literals)
    if len(parts) > len(values):
        found = type(found).nested(literals, (type(found), *form))
    return found


def _operands(value: Any) -> list[Any] | None:
    """Return the operands of an array of short disjunctions, which one around takes over; else None."""
    if not isinstance(value, BoolArray) or not value.shape or getattr(value, "kind", None) != "Or":
        return None
    literals: LinearArray = value.literals  # type: ignore[attr-defined]
    if literals.shape[-1] > _SHORT:
        return None
    places = np.arange(literals.size).reshape(literals.shape)
    return [Literals.known(literals._pick(places[..., k])) for k in range(literals.shape[-1])]
