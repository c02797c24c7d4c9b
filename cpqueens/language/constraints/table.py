"""A list of allowed rows."""

import math
from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.constraints.and_ import And
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.or_ import Or
from cpqueens.language.conversion import flat_terms
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, as_listed


class Table(Constraint):
    """The tuple of terms is one of the given rows (Catalogue: in_relation). No rows: false.

    The violation is the smallest number of positions in which the tuple differs from a row (at least 1
    where there is no row).

    >>> from cpqueens import Model, Table
    >>> m = Model()
    >>> x = m.intvar(0, 9, shape=2, name="x")
    >>> m.add(Table(x, [(1, 2), (3, 4), (3, 4)]))
    >>> m.count(solver="python-constraint")
    2
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "rows")
    terms: LinearArray
    rows: IntArray

    def __init__(self, terms: Any, rows: Any) -> None:
        array = flat_terms(terms)
        table = as_listed(rows, "table rows")
        if table.size == 0:
            table = np.zeros((len(table) if array.size == 0 else 0, array.size), dtype=np.int64)
        if table.ndim != 2 or table.shape[1] != array.size:
            raise ModelError(f"a table over {array.size} terms needs rows of {array.size} values")
        super().__init__(terms=array, rows=sorted_rows(table))

    def amounts(self, values: IntArray) -> IntArray:
        """Return the Hamming distance to the nearest row."""
        terms = self.terms.evaluate(values)
        best = np.full(len(values), max(1, terms.shape[1]), dtype=np.int64)
        for row in self.rows:
            best = np.minimum(best, (terms != row).sum(axis=1))
        return best[:, None]

    def simpler(self) -> list[Constraint]:
        """Return that the conjunction of equalities holds for some row."""
        if not self.terms.size:
            return [Or.over(self.terms)] if not len(self.rows) else []
        equal = (self.terms == self.rows).truth()
        return [Or.over(And.over(equal).truth())]


def sorted_rows(table: IntArray) -> IntArray:
    """Return the rows in lexicographic order, each once."""
    if not table.size:
        return np.unique(table, axis=0)
    least = table.min(axis=0)
    spans = [high - low + 1 for low, high in zip(least.tolist(), table.max(axis=0).tolist(), strict=True)]
    if math.prod(spans) < 2**62:  # a row is one number
        places = np.array([math.prod(spans[k + 1 :]) for k in range(len(spans))], dtype=np.int64)
        numbers = np.unique((table - least) @ places)
        return numbers[:, None] // places % np.array(spans) + least
    return np.unique(table, axis=0)
