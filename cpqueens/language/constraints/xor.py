"""Parity of 0/1 literals, elementwise."""

from cpqueens.language.constraints.base import Constraint, Truths
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.rows import IntArray


class Xor(Connective):
    """An odd number of literals is true; the violation is 1.

    >>> from cpqueens import Model, Xor
    >>> m = Model()
    >>> b = m.boolvar(shape=3, name="b")
    >>> m.add(Xor(b))
    >>> m.count(solver="python-constraint")
    4

    Parameters
    ----------
    truths
        Truths or 0/1 terms: one array or list, all elements of which are combined, or several, combined
        elementwise, whose shapes broadcast to that of the constraint.

    Raises
    ------
    ModelError
        For what is no truth, shapes that do not fit, or terms of two models.
    """

    def satisfied(self, values: IntArray) -> Truths:
        """Return which parities are odd."""
        return self.true_literals(values) % 2 == 1

    def simpler(self) -> list[Constraint]:
        """Return ``sum of literals mod 2 == 1``."""
        return [Linear(self.literals.sum(axis=-1) % 2 - 1, "==")]
