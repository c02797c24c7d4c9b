"""Two permutations, each the inverse of the other."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.constraints.base import Constraint, Truths
from cpqueens.language.conversion import as_linear, registry_of
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray


class Inverse(Constraint):
    """``first[i] == j`` exactly if ``second[j] == i``; both count from 0 (Catalogue: inverse).

    The violation is the number of positions of either array that do not point back.

    >>> from cpqueens import Inverse, Model
    >>> m = Model()
    >>> x, y = m.intvar(0, 2, shape=(2, 3), name="x")
    >>> m.add(Inverse(x, y))
    >>> m.count(solver="python-constraint")
    6
    """

    fields: ClassVar[tuple[str, ...]] = ("first", "second")
    first: LinearArray
    second: LinearArray

    def __init__(self, first: Any, second: Any) -> None:
        registry = registry_of(first, second)
        arrays = [as_linear(registry, side).reshape(-1) for side in (first, second)]
        if arrays[0].size != arrays[1].size:
            raise ModelError(f"Inverse: two arrays of one length, got {arrays[0].size} and {arrays[1].size}")
        super().__init__(first=arrays[0], second=arrays[1])

    @staticmethod
    def _astray(there: IntArray, back: IntArray) -> IntArray:
        size = there.shape[1]
        inside = (there >= 0) & (there < size)
        returned = np.take_along_axis(back, np.where(inside, there, 0), axis=1) if size else back
        wrong: IntArray = (~inside | (returned != np.arange(size))).sum(axis=1)
        return wrong

    def _wrong(self, values: IntArray) -> IntArray:
        first, second = self.first.evaluate(values), self.second.evaluate(values)
        return (self._astray(first, second) + self._astray(second, first))[:, None]

    def satisfied(self, values: IntArray) -> Truths:
        """Return where the arrays are inverse to each other."""
        return self._wrong(values) == 0

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of positions that do not point back."""
        return self._wrong(values)

    def simpler(self) -> list[Constraint]:
        """Return the ranges and, for each pair, the equality of the two truths."""
        from cpqueens.language.constraints.linear import Linear

        size = self.first.size
        if not size:
            return []
        parts: list[Constraint] = []
        for side in (self.first, self.second):
            parts += [Linear(side, ">="), Linear(side - (size - 1), "<=")]
        positions = np.arange(size)
        there = (self.first.reshape((-1, 1)) == positions).truth()
        back = (self.second == positions[:, None]).truth()
        return [*parts, Linear(there - back, "==")]
