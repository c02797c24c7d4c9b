"""A descending sequence."""

from typing import ClassVar

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.increasing import Increasing
from cpqueens.language.constraints.ordered import Ordered


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
        Terms or integers: an array of any shape, or a list in which arrays may stand beside terms.
    strict
        Whether neighbours must differ.

    Raises
    ------
    ModelError
        For terms of two models.
    IntegerError
        For what is no integer, where integers are needed.
    """

    sign: ClassVar[int] = -1

    def simpler(self) -> list[Constraint]:
        """Return one inequality for each pair of neighbours."""
        return [Increasing.make(terms=self.terms[::-1], strict=self.strict)]
