"""Constraints that may be violated, for a penalty."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.definitions import Truth
from cpqueens.language.rows import IntArray, as_integers

if TYPE_CHECKING:
    from cpqueens.language.expressions import LinearArray, Registry
    from cpqueens.language.store import VariableStore


def as_weights(value: Any) -> IntArray:
    """Return weights of soft constraints.

    Raises
    ------
    ModelError
        If they are not integers, or floats that are, of at least 1.
    """
    weights = as_integers(value, "weight", whole=True)
    if weights.size and int(weights.min()) < 1:
        raise ModelError(f"weight: integers of at least 1 are needed, got {int(weights.min())}")
    return weights


@dataclass(frozen=True)
class Soft:
    """Constraints (elementwise, or one) of which each costs its weight where it does not hold."""

    constraint: Constraint
    truths: LinearArray  # (size,): 1 where it holds
    weights: IntArray  # (size,)
    name: str | None
    source: tuple[str, int] | None

    def bind(self, registry: Registry) -> Soft:
        """Return the same of a copied model."""
        constraint, truths = self.constraint.bind(registry), self.truths.bind(registry)
        return Soft(constraint, truths, self.weights, self.name, self.source)

    @property
    def where(self) -> str:
        """The user's file and line as text, or ''."""
        return f"{self.source[0]}:{self.source[1]}" if self.source else ""

    @property
    def penalties(self) -> LinearArray:
        """What each costs, as terms of shape (size,)."""
        return (1 - self.truths) * self.weights

    def violated(self, values: IntArray, store: VariableStore) -> Iterator[tuple[Constraint, int]]:
        """Yield what does not hold at the values of all variables, (1, variables), and what it costs."""
        for element in np.flatnonzero(self.truths.evaluate(values)[0] == 0).tolist():
            yield self._said(element, store), int(self.weights[element])

    def _said(self, element: int, store: VariableStore) -> Constraint:
        """Return one element as the user said it: what a truth stands for rather than that it is 1."""
        ((variables, coefficients, constant),) = self.truths[[element]].rows()
        produced = store.producer(variables[0]) if len(variables) == 1 else None
        if produced is not None and isinstance(produced[0], Truth) and coefficients == [1] and not constant:
            return produced[0].constraint.take(np.array([produced[1]]))
        return self.constraint.take(np.array([element]))
