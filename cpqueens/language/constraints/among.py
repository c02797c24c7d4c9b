"""How many terms take a value of a set."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.conversion import as_linears, flat_terms
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, as_listed
from cpqueens.text.foreign import no_keyword


class Among(Constraint):
    """Exactly ``count`` terms take a value in ``values`` (Beldiceanu and Contejean 1994).

    ``Among(terms, values)`` is the number itself, a term, as in ``Among(x, [1, 3]) >= 2``. The violation is
    the distance between the two numbers.

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
        An integer or a single term; without it the number itself is returned, a term.

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

    def __new__(cls, *given: Any, **named: Any) -> Any:
        """Return the number itself, a term, of ``Among(terms, values)``: it is compared afterwards."""
        if len(given) + len(named) != 2:
            return super().__new__(cls)
        for name in named.keys() - {"terms", "values"}:
            raise no_keyword("Among", name, ["terms", "values", "count"])
        return _inside(*given, **named)

    def __init__(self, terms: Any, values: Any, count: Any) -> None:
        array, number = as_linears(flat_terms(terms, "Among"), count)
        if number.shape:
            raise ModelError("Among: count must be a single term or integer")
        super().__init__(terms=array, values=_listed(array, values), count=number)

    def amounts(self, values: IntArray) -> IntArray:
        """Return the distance between the numbers."""
        inside = np.isin(self.terms.evaluate(values), self.values)
        return np.abs(inside.sum(axis=1, keepdims=True) - self.count.evaluate(values))

    def simpler(self) -> list[Constraint]:
        """Return that the truths ``term == value`` over all terms and values sum to the count."""
        return [Linear(_inside(self.terms, self.values) - self.count, "==")]


def _listed(terms: LinearArray, values: Any) -> tuple[int, ...]:
    """Return the values, names as their numbers, each once."""
    return tuple(sorted(set(as_listed(terms.registry.numbered(values), "values").reshape(-1).tolist())))


def _inside(terms: Any, values: Any) -> LinearArray:
    """Return how many terms take a value of the list, as a term."""
    array = flat_terms(terms, "Among")
    chosen = _listed(array, values)
    if not array.size or not chosen:
        return 0 * array.sum()
    return (array.reshape((-1, 1)) == np.array(chosen)).sum()
