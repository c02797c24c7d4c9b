"""How many different values there are."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.constraints.and_ import And
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.constraints.or_ import Or
from cpqueens.language.conversion import as_linears, flat_terms
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray


class NValue(Constraint):
    """The terms take exactly ``count`` different values (Pachet and Roy 1999; Catalogue: nvalue).

    The violation is the distance between the two numbers.

    >>> from cpqueens import Model, NValue
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=3, name="x")
    >>> m.add(NValue(x, 2))
    >>> m.count(solver="python-constraint")
    18

    Parameters
    ----------
    terms
        An array of terms, or a list of terms and integers.
    count
        An integer or a single term: for "at most" or "at least" a variable of such bounds.

    Raises
    ------
    ModelError
        For a count that is an array.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "count")
    terms: LinearArray
    count: LinearArray

    def __init__(self, terms: Any, count: Any) -> None:
        array, number = as_linears(flat_terms(terms), count)
        if number.shape:
            raise ModelError("NValue: count must be a single term or integer")
        super().__init__(terms=array, count=number)

    def amounts(self, values: IntArray) -> IntArray:
        """Return the distance between the numbers."""
        terms = np.sort(self.terms.evaluate(values), axis=1)
        different = (terms[:, 1:] != terms[:, :-1]).sum(axis=1, keepdims=True) + min(1, terms.shape[1])
        return np.abs(different - self.count.evaluate(values))

    def simpler(self) -> list[Constraint]:
        """Return that so many values are taken, or, if there are many, that so many terms are new."""
        low, high = self.terms.bounds()
        if self.terms.size and high.max() - low.min() < self.terms.size:
            equal = self.terms == np.arange(low.min(), high.max() + 1)[:, None]
            return [Linear(Or.over(equal.truth()).truth().sum() - self.count, "==")]
        first = [And(self.terms[:k] != self.terms[k]).truth() for k in range(self.terms.size)]
        return [Linear(sum(first, 0 * self.count) - self.count, "==")]
