"""What the elementwise connectives share: 0/1 literals along the last axis."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.expressions import BoolArray, LinearArray, Registry
from cpqueens.language.indexing import plain_positions
from cpqueens.language.rows import IntArray, reshaped
from cpqueens.language.truths import flat_literals, side_by_side


class Connective(Constraint):
    """An elementwise connective of ``literals``, 0/1 terms of shape (*shape, k)."""

    fields: ClassVar[tuple[str, ...]] = ("literals",)
    literals: LinearArray

    def __init__(self, *truths: Any) -> None:
        literals = flat_literals(truths[0]) if len(truths) == 1 else side_by_side(*truths)
        object.__setattr__(self, "literals", literals)

    @classmethod
    def over(cls, literals: LinearArray) -> Self:
        """Return the connective over the last axis of 0/1 terms."""
        return cls.make(literals=literals)

    @property
    def registry(self) -> Registry:  # type: ignore[override]
        """The model of the literals."""
        return self.literals.registry

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """All axes of the literals but the last."""
        return self.literals.shape[:-1]

    def flattened(self) -> Self:
        """Return the same connectives with shape (size,)."""
        return self.over(self.literals.reshape((self.size, self.literals.shape[-1])))

    def take(self, rows: NDArray[np.intp]) -> Self:
        """Return the connectives at flat positions ``rows``, in the shape of ``rows``."""
        index = np.arange(self.literals.size).reshape(self.size, self.literals.shape[-1])
        return self.over(self.literals._pick(index[rows]))

    def element_keys(self) -> list[Any]:
        """Return (kind, rows) for each element."""
        rows = self.literals.keys()
        k = self.literals.shape[-1]
        return [(self.kind, tuple(rows[i * k : (i + 1) * k])) for i in range(self.size)]

    def __getitem__(self, key: Any) -> BoolArray:
        positions = plain_positions(self.shape, key)
        return super().__getitem__(key) if positions is None else self.take(positions)  # None: by terms

    def reshape(self, *shape: int | tuple[int, ...]) -> BoolArray:
        """Return the same connectives in another shape."""
        new = reshaped(self.shape, *shape)
        return self.over(self.literals.reshape((*new, self.literals.shape[-1])))

    def values_of_literals(self, values: IntArray) -> IntArray:
        """Return the values of each element's literals, of shape (batch, size, k)."""
        return self.literals.evaluate(values).reshape(len(values), self.size, self.literals.shape[-1])

    def true_literals(self, values: IntArray) -> IntArray:
        """Return the number of true literals of each element, of shape (batch, size)."""
        total: IntArray = self.values_of_literals(values).sum(axis=2)
        return total

    def amounts(self, values: IntArray) -> IntArray:
        """Return 1 for each element that does not hold."""
        return 1 - self.satisfied(values).astype(np.int64)
