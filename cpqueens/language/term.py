"""One term in its light form, so that double loops over scalars cost little."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cpqueens.language.arrays import of_one_registry
from cpqueens.language.expressions import BoolArray, LinearArray, Registry
from cpqueens.language.rows import IntArray, as_rows


class Term(LinearArray):
    """One term: an array of shape () whose rows stay Python tuples until arrays are needed."""

    __slots__ = ("_arrays", "coefficient_list", "constant", "variable_list")

    def __init__(
        self,
        registry: Registry,
        variable_list: tuple[int, ...],
        coefficient_list: tuple[int, ...],
        constant: int,
    ) -> None:
        self.registry = registry
        self.variable_list = variable_list
        self.coefficient_list = coefficient_list
        self.constant = constant

    shape = ()

    @property
    def variables(self) -> IntArray:  # type: ignore[override]
        """Variables, of shape (1, width)."""
        return np.array([self.variable_list], dtype=np.int64).reshape(1, -1)

    @property
    def coefficients(self) -> IntArray:  # type: ignore[override]
        """Coefficients, of shape (1, width)."""
        return as_rows([self.coefficient_list]).reshape(1, -1)

    @property
    def constants(self) -> IntArray:  # type: ignore[override]
        """Constants, of shape (1,)."""
        return as_rows([self.constant])

    @property
    def size(self) -> int:
        """Number of elements: one."""
        return 1

    @property
    def width(self) -> int:
        """Number of variables."""
        return len(self.variable_list)

    def bind(self, registry: Registry) -> LinearArray:
        """Return the same term as a term of ``registry``."""
        if registry is self.registry:
            return self
        return Term(registry, self.variable_list, self.coefficient_list, self.constant)

    def rows(self) -> Iterator[tuple[list[int], list[int], int]]:
        """Yield the one element as (variables, coefficients, constant)."""
        yield list(self.variable_list), list(self.coefficient_list), self.constant

    def __reduce__(self) -> tuple[Any, ...]:
        return Term, (self.registry, self.variable_list, self.coefficient_list, self.constant)

    def _add_scaled(self, other: Term, sign: int) -> Term:
        if other.registry is not self.registry:
            left, right = of_one_registry(self, other)
            return left._add_scaled(right, sign)  # type: ignore[attr-defined]
        mine, theirs = self.variable_list, other.variable_list
        constant = self.constant + sign * other.constant
        if len(mine) == 1 == len(theirs) and mine != theirs:
            coefficients = (self.coefficient_list[0], sign * other.coefficient_list[0])
            return Term(self.registry, mine + theirs, coefficients, constant)
        total = dict(zip(mine, self.coefficient_list, strict=True))
        for v, a in zip(theirs, other.coefficient_list, strict=True):
            total[v] = total.get(v, 0) + sign * a
        kept = {v: a for v, a in total.items() if a}
        return Term(self.registry, tuple(kept), tuple(kept.values()), constant)

    def __add__(self, other: Any) -> LinearArray:
        kind = type(other)
        if kind is int:
            return Term(self.registry, self.variable_list, self.coefficient_list, self.constant + other)
        if kind is Term:
            return self._add_scaled(other, 1)
        if isinstance(other, np.integer):
            return self + int(other)
        return LinearArray.__add__(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> LinearArray:
        kind = type(other)
        if kind is int:
            return Term(self.registry, self.variable_list, self.coefficient_list, self.constant - other)
        if kind is Term:
            mine, theirs = self.variable_list, other.variable_list
            if len(mine) == 1 == len(theirs) and mine != theirs and other.registry is self.registry:
                coefficients = (self.coefficient_list[0], -other.coefficient_list[0])
                return Term(self.registry, mine + theirs, coefficients, self.constant - other.constant)
            return self._add_scaled(other, -1)
        if isinstance(other, np.integer):
            return self - int(other)
        return LinearArray.__sub__(self, other)

    def __neg__(self) -> LinearArray:
        return Term(
            self.registry, self.variable_list, tuple(-a for a in self.coefficient_list), -self.constant
        )

    def __mul__(self, other: Any) -> LinearArray:
        if type(other) is int:
            if other == 0:
                return Term(self.registry, (), (), 0)
            scaled = tuple(a * other for a in self.coefficient_list)
            return Term(self.registry, self.variable_list, scaled, self.constant * other)
        return LinearArray.__mul__(self, other)

    __rmul__ = __mul__

    def __ne__(self, other: Any) -> BoolArray:  # type: ignore[override]
        if type(other) is int:
            left = Term(self.registry, self.variable_list, self.coefficient_list, self.constant - other)
            return self.registry.compare(left, "!=")
        if type(other) is Term:
            return self.registry.compare(self - other, "!=")
        return LinearArray.__ne__(self, other)
