"""What the two lexicographic orders share."""

from typing import ClassVar

import numpy as np

from cpqueens.language.arrays import stack_last
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.constraints.or_ import Or
from cpqueens.language.constraints.paired import Paired
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray


class Lexicographic(Paired):
    """``first`` comes before ``second`` in lexicographic order (Frisch et al. 2002)."""

    strict: ClassVar[bool]

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of positions from the deciding one to the end, where the order fails."""
        first, second = self.first.evaluate(values), self.second.evaluate(values)
        size = first.shape[1]
        differs = first != second
        if not size or not differs.size:
            return np.full((len(values), 1), int(self.strict), dtype=np.int64)
        where = differs.argmax(axis=1)
        rows = np.arange(len(values))
        decided = differs[rows, where]
        fails = np.where(decided, first[rows, where] > second[rows, where], self.strict)
        return np.where(fails, np.where(decided, size - where, 1), 0)[:, None].astype(np.int64)

    def simpler(self) -> list[Constraint]:
        """Return that each position is in order unless an earlier one differs, with chained truths."""
        size = self.first.size
        if not size:
            return [Or.over(self.first)] if self.strict else []
        parts: list[Constraint] = []
        equal_so_far: LinearArray | None = None
        for i in range(size):
            x, y = self.first[i], self.second[i]
            in_order = x < y if self.strict and i == size - 1 else x <= y
            if equal_so_far is None:
                parts.append(Linear(x - y, in_order.relation))  # type: ignore[attr-defined]
            else:
                parts.append(Or.over(stack_last([1 - equal_so_far, in_order.truth()])))
            same = (x == y).truth()
            if equal_so_far is not None:
                same = (equal_so_far + same >= 2).truth()
            equal_so_far = same
        return parts
