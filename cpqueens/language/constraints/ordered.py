"""Ascending and descending sequences."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.conversion import row_of_terms
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray
from cpqueens.text.parameters import as_switch


class Ordered(Constraint):
    """Each term and the next are in order, also different if ``strict``."""

    fields: ClassVar[tuple[str, ...]] = ("terms", "strict")
    sign: ClassVar[int]  # 1 for ascending, -1 for descending
    terms: LinearArray
    strict: bool

    def __init__(self, terms: Any, strict: bool = False) -> None:
        super().__init__(terms=row_of_terms(terms, self.kind), strict=as_switch(strict, "strict"))

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of neighbours in the wrong order."""
        steps = self.sign * np.diff(self.terms.evaluate(values), axis=1)
        return (steps < int(self.strict)).sum(axis=1)[:, None].astype(np.int64)


class Increasing(Ordered):
    """Each term is at most the next, or less if ``strict`` (Catalogue: increasing, strictly_increasing).

    The violation is the number of neighbours in the wrong order.

    >>> from cpqueens import Increasing, Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=2, name="x")
    >>> m.add(Increasing(x, strict=True))
    >>> m.count(solver="python-constraint")
    3

    Parameters
    ----------
    terms
        Terms or integers: an array of any shape, or a list, which may contain arrays.
    strict
        Whether neighbours must differ.

    Raises
    ------
    ModelError
        For terms of two models.
    IntegerError
        For values that are not integers where integers are needed.
    """

    sign: ClassVar[int] = 1

    def simpler(self) -> list[Constraint]:
        """Return one inequality for each pair of neighbours."""
        return [Linear(self.terms[1:] - self.terms[:-1] - int(self.strict), ">=")]


class Decreasing(Ordered):
    """Each term is at least the next, or greater if ``strict`` (Catalogue: decreasing).

    The violation is the number of neighbours in the wrong order.

    >>> from cpqueens import Decreasing, Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=2, name="x")
    >>> m.add(Decreasing(x))
    >>> m.count(solver="python-constraint")
    6

    Parameters
    ----------
    terms
        Terms or integers: an array of any shape, or a list, which may contain arrays.
    strict
        Whether neighbours must differ.

    Raises
    ------
    ModelError
        For terms of two models.
    IntegerError
        For values that are not integers where integers are needed.
    """

    sign: ClassVar[int] = -1

    def simpler(self) -> list[Constraint]:
        """Return one inequality for each pair of neighbours."""
        return [Increasing.make(terms=self.terms[::-1], strict=self.strict)]
