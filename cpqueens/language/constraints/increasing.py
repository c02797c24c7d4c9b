"""An ascending sequence."""

from typing import ClassVar

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.constraints.ordered import Ordered


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

    sign: ClassVar[int] = 1

    def simpler(self) -> list[Constraint]:
        """Return one inequality for each pair of neighbours."""
        return [Linear(self.terms[1:] - self.terms[:-1] - int(self.strict), ">=")]
