"""Two permutations, each the inverse of the other."""

from typing import Any

import numpy as np

from cpqueens.language.constraints.base import Constraint, Paired
from cpqueens.language.constraints.circuit import one_for_each, require_from_zero
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.rows import IntArray


class Inverse(Paired):
    """``first[i] == j`` if and only if ``second[j] == i``; both count from 0 (Catalogue: inverse).

    The violation is the number of positions of either array that do not point back.

    >>> from cpqueens import Inverse, Model
    >>> m = Model()
    >>> x, y = m.intvar(0, 2, shape=(2, 3), name="x")
    >>> m.add(Inverse(x, y))
    >>> m.count(solver="python-constraint")
    6

    Parameters
    ----------
    first, second
        Terms or integers, both of shape (n,); positions count from 0.

    Raises
    ------
    ModelError
        For lengths that differ, terms of two models, or variables that count from 1. Integers that count from
        1 are refused when the constraint is added to a model; within other constraints it is false.
    IntegerError
        For values that are not integers where integers are needed.
    """

    def __init__(self, first: Any, second: Any) -> None:
        super().__init__(one_for_each(first, "Inverse"), one_for_each(second, "Inverse"))
        for terms in (self.first, self.second):
            if terms.width:
                require_from_zero(terms, "Inverse", "positions")

    def require_sense(self) -> None:
        """Refuse integers from 1 to n, where no condition is around: it would never hold."""
        for terms in (self.first, self.second):
            require_from_zero(terms, "Inverse", "positions")

    @staticmethod
    def _astray(there: IntArray, back: IntArray) -> IntArray:
        size = there.shape[1]
        inside = (there >= 0) & (there < size)
        returned = np.take_along_axis(back, np.where(inside, there, 0), axis=1) if size else back
        wrong: IntArray = (~inside | (returned != np.arange(size))).sum(axis=1)
        return wrong

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of positions that do not point back."""
        first, second = self.first.evaluate(values), self.second.evaluate(values)
        return (self._astray(first, second) + self._astray(second, first))[:, None]

    def simpler(self) -> list[Constraint]:
        """Return the ranges and, for each pair, the equality of the two Booleans."""
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
