"""How many terms take a value of a set."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.conversion import as_linears, flat_terms
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, as_listed


class Among(Constraint):
    """Exactly ``count`` terms take a value in ``values`` (Beldiceanu and Contejean 1994).

    The violation is the distance between the two numbers.

    >>> from cpqueens import Among, Model
    >>> m = Model()
    >>> x = m.intvar(0, 3, shape=2, name="x")
    >>> m.add(Among(x, [1, 3], 1))
    >>> m.count(solver="python-constraint")
    8

    Parameters
    ----------
    terms
        Terms or integers: an array of any shape, or a list in which arrays may stand beside terms.
    values
        Integers (or names, where the terms have names); duplicates count once.
    count
        An integer or a single term.

    Raises
    ------
    ModelError
        For a count of another shape, or terms of two models.
    IntegerError
        For what is no integer, where integers are needed.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "values", "count")
    terms: LinearArray
    values: tuple[int, ...]
    count: LinearArray

    def __init__(self, terms: Any, values: Any, count: Any) -> None:
        array, number = as_linears(flat_terms(terms, "Among"), count)
        if number.shape:
            raise ModelError("Among: count must be a single term or integer")
        chosen = tuple(sorted(set(as_listed(array.registry.numbered(values), "values").reshape(-1).tolist())))
        super().__init__(terms=array, values=chosen, count=number)

    def amounts(self, values: IntArray) -> IntArray:
        """Return the distance between the numbers."""
        inside = np.isin(self.terms.evaluate(values), self.values)
        return np.abs(inside.sum(axis=1, keepdims=True) - self.count.evaluate(values))

    def simpler(self) -> list[Constraint]:
        """Return that the truths ``term == value`` over all terms and values sum to the count."""
        if not self.terms.size or not self.values:
            return [Linear(-self.count, "==")]
        inside = (self.terms.reshape((-1, 1)) == np.array(self.values)).sum()
        return [Linear(inside - self.count, "==")]
