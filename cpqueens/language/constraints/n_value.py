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
from cpqueens.text.foreign import no_keyword


class NValue(Constraint):
    """The terms take exactly ``count`` different values (Pachet and Roy 1999; Catalogue: nvalue).

    ``NValue(terms)`` is the number itself, a term, as in ``NValue(x) > 1``. The violation is the
    distance between the two numbers.

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
        An integer or a single term; without it the number itself is returned, a term.

    Raises
    ------
    ModelError
        For a count that is an array.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "count")
    terms: LinearArray
    count: LinearArray

    def __new__(cls, *given: Any, **named: Any) -> Any:
        """Return the number itself, a term, of ``NValue(terms)``: it is compared afterwards."""
        if len(given) + len(named) != 1:
            return super().__new__(cls)
        for name in named.keys() - {"terms"}:
            raise no_keyword("NValue", name, ["terms", "count"])
        (terms,) = (*given, *named.values())
        return _different(flat_terms(terms, "NValue"))

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
        return [Linear(_different(self.terms) - self.count, "==")]


def _different(terms: LinearArray) -> LinearArray:
    """Return how many different values terms take, as a term."""
    low, high = terms.bounds()
    if terms.size and high.max() - low.min() < terms.size:
        equal = terms == np.arange(low.min(), high.max() + 1)[:, None]
        return Or.over(equal.truth()).truth().sum()
    first = [And(terms[:k] != terms[k]).truth() for k in range(terms.size)]
    return sum(first, 0 * terms.sum())
