"""Lists of allowed rows, with stars for any value, and of forbidden rows."""

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from cpqueens.language.arrays import concatenate_rows
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import And, Or
from cpqueens.language.constraints.table_rows import by_stars, has_stars, mismatches, table_rows
from cpqueens.language.conversion import flat_terms
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray


class Table(Constraint):
    """The tuple of terms is one of the given rows (Catalogue: in_relation). Without rows it is false.

    An entry ``"*"`` (`cpqueens.ANY`) allows any value; a table with such entries is of the kind `ShortTable`.
    The violation is the smallest number of positions in which the tuple differs from a row (at least 1
    if there is no row).

    >>> from cpqueens import Model, Table
    >>> m = Model()
    >>> x = m.intvar(0, 9, shape=2, name="x")
    >>> m.add(Table(x, [(1, 2), (3, 4), (3, 4)]))
    >>> m.count(solver="python-constraint")
    2

    Parameters
    ----------
    terms
        Terms or integers, shape (columns,).
    rows
        Allowed rows of integers (or names, where the terms have names), shape (rows, columns).

    Raises
    ------
    ModelError
        For rows of another length, or terms of two models.
    IntegerError
        For values that are not integers where integers are needed.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "rows")
    terms: LinearArray
    rows: IntArray

    def __init__(self, terms: Any, rows: Any) -> None:
        array = flat_terms(terms, "Table")
        super().__init__(terms=array, rows=table_rows(rows, array))

    @cached_property
    def kind(self) -> str:
        """``Table``, which backends may know, or ``ShortTable`` where there are stars."""
        return "ShortTable" if has_stars(self.rows) else "Table"

    def amounts(self, values: IntArray) -> IntArray:
        """Return the Hamming distance to the nearest row."""
        terms = self.terms.evaluate(values)
        best = np.full(len(values), max(1, terms.shape[1]), dtype=np.int64)
        for wrong in mismatches(terms, self.rows):
            best = np.minimum(best, wrong.sum(axis=2).min(axis=1))
        return best[:, None]

    def simpler(self) -> list[Constraint]:
        """Return that the conjunction of equalities holds for some row."""
        if not self.terms.size:
            return [Or.over(self.terms)] if not len(self.rows) else []
        equal = [(self.terms._pick(columns) == rows).truth() for columns, rows in by_stars(self.rows)]
        return [Or.over(concatenate_rows([And.over(truths).truth() for truths in equal]))]


class ShortTable(Table):
    """The tuple of terms is one of the given rows, where ``"*"`` matches any value (Jefferson et al. 2013).

    The violation is the smallest number of positions in which the tuple differs from a row (at least 1
    if there is no row). A `Table` takes such rows too.

    >>> from cpqueens import ANY, Model, ShortTable
    >>> m = Model()
    >>> x = m.intvar(0, 9, shape=2, name="x")
    >>> m.add(ShortTable(x, [(1, ANY), ("*", 4)]))
    >>> m.count(solver="python-constraint")
    19

    Parameters
    ----------
    terms
        An array of k terms, or a list of terms and integers.
    rows
        Rows of k integers or ``"*"`` (`cpqueens.ANY`), as lists or as an array of objects.

    Raises
    ------
    ModelError
        For rows of another length, or anything else in them.
    """


class NegativeTable(Constraint):
    """The tuple of terms is none of the given rows. Without rows it is true.

    The violation is the number of rows that the tuple equals.

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
        array = flat_terms(terms, self.kind)
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
