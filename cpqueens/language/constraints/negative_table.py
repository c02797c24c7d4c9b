"""A list of forbidden rows."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.or_ import Or
from cpqueens.language.constraints.table_rows import by_stars, mismatches, table_rows
from cpqueens.language.conversion import flat_terms
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray


class NegativeTable(Constraint):
    """The tuple of terms is none of the given rows. No rows: true.

    The violation is the number of rows that it is.

    >>> from cpqueens import Model, NegativeTable
    >>> m = Model()
    >>> x = m.intvar(0, 9, shape=2, name="x")
    >>> m.add(NegativeTable(x, [(1, 2), (3, "*")]))
    >>> m.count(solver="python-constraint")
    89

    Parameters
    ----------
    terms
        An array of k terms, or a list of terms and integers.
    rows
        Rows of k integers, as lists or as an array; ``"*"`` (`cpqueens.ANY`) in a row is any value.

    Raises
    ------
    ModelError
        For rows of another length, or anything else in them.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "rows")
    terms: LinearArray
    rows: IntArray

    def __init__(self, terms: Any, rows: Any) -> None:
        array = flat_terms(terms)
        super().__init__(terms=array, rows=table_rows(rows, array))

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of rows that the tuple is."""
        terms = self.terms.evaluate(values)
        met = np.zeros(len(values), dtype=np.int64)
        for wrong in mismatches(terms, self.rows):
            met += (~wrong.any(axis=2)).sum(axis=1)
        return met[:, None]

    def simpler(self) -> list[Constraint]:
        """Return one clause for each row: some term has another value."""
        return [Or.over((self.terms._pick(columns) != rows).truth()) for columns, rows in by_stars(self.rows)]
