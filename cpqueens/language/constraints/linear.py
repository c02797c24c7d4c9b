"""The six linear relations, elementwise over an array of terms."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import IntegerError, ModelError
from cpqueens.language.constraints.base import CODES, Constraint
from cpqueens.language.expressions import BoolArray, LinearArray, Registry
from cpqueens.language.ranges import RELATION
from cpqueens.language.rows import IntArray, Mask, Positions
from cpqueens.language.term import Term
from cpqueens.text.plaintext import shown

OPPOSITE = {"==": "!=", "!=": "==", "<=": ">", ">": "<=", "<": ">=", ">=": "<"}


Sides = tuple[Any, Any]


class Linear(Constraint):
    """``expression relation 0`` for each element; relation is one of ``== != <= < >= >``.

    The violation is the distance to the nearest satisfying value (1 for ``!=``).

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(0, 9, shape=2, name="x")
    >>> m.add(x[0] + 2 * x[1] <= 6)
    >>> m.check({x: [3, 4]}).violations[0].amount
    5

    Parameters
    ----------
    expression
        An array of terms, of any shape.
    relation
        One of ``== != <= < >= >``.

    Raises
    ------
    ModelError
        For an unknown relation, or anything but an array of terms.
    IntegerError
        For values that are not integers where integers are needed.
    """

    __slots__ = ("sides", "sign")
    fields: ClassVar[tuple[str, ...]] = ("expression", "relation")
    most: ClassVar[int] = RELATION
    sign: str
    sides: Sides
    """The left and the right side (None: 0), subtracted when somebody asks."""

    def __init__(self, expression: LinearArray, relation: str) -> None:
        if not isinstance(expression, LinearArray):
            raise IntegerError(f"Linear: an array of terms is needed, got {shown(expression)}")
        if not isinstance(relation, str) or relation not in OPPOSITE:
            raise ModelError(f"relation {shown(relation)}: allowed are {' '.join(OPPOSITE)}")
        self.sides, self.sign = (expression, None), relation

    # relations are made by the ten thousand: frozen only by having nothing else that can be set
    __setattr__ = object.__setattr__  # type: ignore[assignment]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.sides, self.sign = (state["expression"], None), state["relation"]

    def _subtracted(self) -> LinearArray:
        left, right = self.sides
        if right is None:
            return left
        difference = left - right
        self.sides = difference, None
        return difference

    expression: LinearArray = property(_subtracted)  # type: ignore[assignment]
    relation: str = property(operator.attrgetter("sign"))  # type: ignore[assignment]

    @property
    def registry(self) -> Registry:  # type: ignore[override]
        """The model of the expression."""
        return self.sides[0].registry

    @property
    def arguments(self) -> tuple[LinearArray, ...]:
        """The expression."""
        return (self.expression,)

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The shape of the expression."""
        return self.sides[0].shape

    def flattened(self) -> Linear:
        """Return the same relations with shape (size,)."""
        return self if len(self.shape) == 1 else related(self.expression.reshape(-1), self.relation)

    def take(self, rows: Positions) -> Linear:
        """Return the relations at flat positions ``rows``."""
        return related(self.expression._pick(rows), self.relation)

    def element_keys(self) -> list[Any]:
        """Return relation and row for each element, as bytes."""
        return list(self.expression.row_keys(CODES[self.relation]))

    def __getitem__(self, key: Any) -> BoolArray:
        return related(self.expression[key], self.relation)

    def reshape(self, *shape: int | tuple[int, ...]) -> BoolArray:
        """Return the same relations in another shape."""
        return related(self.expression.reshape(*shape), self.relation)

    def __invert__(self) -> BoolArray:
        registry = self.registry
        if registry.has_partial and registry.partial_terms(self.expression).any():
            return super().__invert__()  # where a term is undefined, both relations are false
        return related(self.expression, OPPOSITE[self.relation])

    def single(self) -> Linear | LinearArray | None:
        """Return one relation itself; its Boolean, which is a term, where terms may be undefined."""
        left, right = self.sides
        if not isinstance(left, Term):
            return None
        registry = left.registry
        if registry.has_partial:
            return self.truth()
        reach = registry.span * sum(map(abs, left.coefficient_list)) + abs(left.constant)
        if isinstance(right, Term):
            reach += registry.span * abs(right.coefficient_list[0]) + abs(right.constant)
        elif right is not None:
            reach += abs(right)
        if reach > RELATION:
            self.expression.bounds(RELATION)  # a closer look, which may refuse it
        return self

    def satisfied(self, values: IntArray) -> Mask:
        """Return which relations hold."""
        satisfied: Mask = COMPARED[self.relation](self.expression.evaluate(values), 0)
        return satisfied

    def amounts(self, values: IntArray) -> IntArray:
        """Return the distance of each relation from holding."""
        return AMOUNT[self.relation](self.expression.evaluate(values))


_empty = Linear.__new__


def related(left: LinearArray, relation: str, right: Term | int | None = None) -> Linear:
    """Return ``Linear(left - right, relation)`` of what is known to be right, as comparisons make it."""
    new = _empty(Linear)
    new.sides = left, right
    new.sign = relation
    return new


COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
}
AMOUNT: dict[str, Callable[[IntArray], IntArray]] = {
    "==": np.abs,
    "!=": lambda v: (v == 0).astype(np.int64),
    "<=": lambda v: np.maximum(v, 0),
    "<": lambda v: np.maximum(v + 1, 0),
    ">=": lambda v: np.maximum(-v, 0),
    ">": lambda v: np.maximum(1 - v, 0),
}


def decided(relation: str, low: Any, high: Any) -> tuple[Any, Any]:
    """Return whether relations on a value in low..high are decided by the bounds, and what holds at ``low``.

    For integers and for arrays of them.
    """
    holds = COMPARED[relation]
    value = holds(low, 0)
    return (value == holds(high, 0)) & ((low >= 0) | (high <= 0)), value
