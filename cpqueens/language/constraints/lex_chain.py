"""What chains of lexicographic orders share."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.lexicographic import Lexicographic
from cpqueens.language.conversion import as_linears
from cpqueens.language.expressions import LinearArray
from cpqueens.language.ranges import saturated_sum
from cpqueens.language.rows import IntArray


class LexChain(Constraint):
    """Each row of ``matrix`` comes before the next one (Carlsson and Beldiceanu 2002)."""

    fields: ClassVar[tuple[str, ...]] = ("matrix",)
    order: ClassVar[type[Lexicographic]]
    matrix: LinearArray

    def __init__(self, matrix: Any) -> None:
        (rows,) = as_linears(matrix)
        if rows.ndim != 2:
            raise ModelError(
                f"{self.kind}: rows of one length are needed, got an array of shape {rows.shape}"
            )
        super().__init__(matrix=rows)

    def _pairs(self) -> list[Constraint]:
        return [self.order(self.matrix[k], self.matrix[k + 1]) for k in range(len(self.matrix) - 1)]

    def amounts(self, values: IntArray) -> IntArray:
        """Return the summed violations of all neighbours' orders."""
        nothing = np.zeros((len(values), 1), dtype=np.int64)
        parts = [nothing, *(pair.amounts(values) for pair in self._pairs())]
        return saturated_sum(np.concatenate(parts, axis=1))[:, None]

    def simpler(self) -> list[Constraint]:
        """Return the orders of all neighbours."""
        return self._pairs()
