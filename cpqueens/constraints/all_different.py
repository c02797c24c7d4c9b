"""All values differ."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from cpqueens.constraints.base import Constraint, Truths, terms_of
from cpqueens.expressions import LinearArray
from cpqueens.rows import IntArray

_FEW = 40  # terms that are compared pair by pair; more are sorted


class AllDifferent(Constraint):
    """The terms take pairwise different values (Lauriere 1978; Global Constraint Catalogue: alldifferent).

    The violation is the surplus: the number of terms minus the number of distinct values. With no or one
    term it is true; with the same term twice it cannot hold.

    >>> from cpqueens import AllDifferent, Model
    >>> m = Model()
    >>> x = m.intvar(1, 3, shape=3, name="x")
    >>> m.add(AllDifferent(x))
    >>> m.count(solver="python-constraint")
    6
    """

    fields: ClassVar[tuple[str, ...]] = ("terms",)
    terms: LinearArray

    def __init__(self, *terms: Any) -> None:
        super().__init__(terms=terms_of(terms, "AllDifferent"))

    def satisfied(self, values: IntArray) -> Truths:
        """Return where no two terms are equal."""
        columns = self.terms.evaluate(values).T
        if len(columns) <= _FEW:
            good = np.ones(len(values), dtype=bool)
            for apart in range(1, len(columns)):
                good &= np.logical_and.reduce(columns[apart:] != columns[:-apart], axis=0)
            return good[:, None]
        sorted_values = np.sort(columns.T, axis=1)
        return (sorted_values[:, 1:] != sorted_values[:, :-1]).all(axis=1)[:, None]

    def amounts(self, values: IntArray) -> IntArray:
        """Return the surplus."""
        sorted_values = np.sort(self.terms.evaluate(values), axis=1)
        return (sorted_values[:, 1:] == sorted_values[:, :-1]).sum(axis=1)[:, None].astype(np.int64)

    def simpler(self) -> list[Constraint]:
        """Return one disequality for each pair of terms."""
        from cpqueens.constraints.linear import Linear

        first, second = np.triu_indices(self.terms.size, 1)
        return [Linear(self.terms._pick(first) - self.terms._pick(second), "!=")]
