"""All values are the same."""

from typing import Any

import numpy as np

from cpqueens.language.constraints.base import Constraint, Truths, terms_of
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray


class AllEqual(Constraint):
    """All terms take the same value (Catalogue: all_equal).

    The violation is the smallest number of terms that would have to change.

    >>> from cpqueens import AllEqual, Model
    >>> m = Model()
    >>> x = m.intvar(0, 4, shape=3, name="x")
    >>> m.add(AllEqual(x))
    >>> m.count(solver="python-constraint")
    5

    Parameters
    ----------
    terms
        Terms or integers: an array of any shape, a list (in which arrays may stand beside terms), or one
        by one.

    Raises
    ------
    ModelError
        For terms of two models.
    IntegerError
        For what is no integer, where integers are needed.
    """

    terms: LinearArray

    def __init__(self, *terms: Any) -> None:
        super().__init__(terms=terms_of(terms, "AllEqual"))

    def satisfied(self, values: IntArray) -> Truths:
        """Return where every term equals the first."""
        terms = self.terms.evaluate(values)
        return (terms == terms[:, :1]).all(axis=1)[:, None]

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of terms that differ from the most frequent value."""
        terms = self.terms.evaluate(values)
        if not terms.shape[1]:
            return np.zeros((len(values), 1), dtype=np.int64)
        same = (terms[:, :, None] == terms[:, None, :]).sum(axis=2)
        return (terms.shape[1] - same.max(axis=1))[:, None].astype(np.int64)

    def simpler(self) -> list[Constraint]:
        """Return that neighbours are equal."""
        return [Linear(self.terms[1:] - self.terms[:-1], "==")]
