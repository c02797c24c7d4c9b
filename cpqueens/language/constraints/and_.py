"""Conjunction of 0/1 literals, elementwise."""

from cpqueens.language.constraints.base import Constraint, Truths
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.constraints.or_ import Or
from cpqueens.language.expressions import BoolArray
from cpqueens.language.rows import IntArray


class And(Connective):
    """Every literal is true; the violation is the number of false literals.

    >>> from cpqueens import And, Model
    >>> m = Model()
    >>> x = m.intvar(0, 3, shape=2, name="x")
    >>> m.add(~And(x == 1))
    >>> m.count(solver="python-constraint")
    15

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

    def __invert__(self) -> BoolArray:
        return self.negated_literals(Or)

    def satisfied(self, values: IntArray) -> Truths:
        """Return which conjunctions hold."""
        return self.true_literals(values) == self.literals.shape[-1]

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of false literals."""
        return self.literals.shape[-1] - self.true_literals(values)

    def simpler(self) -> list[Constraint]:
        """Return ``sum of literals >= k``: one relation, so that its truth needs no further literals."""
        return [Linear(self.literals.sum(axis=-1) - self.literals.shape[-1], ">=")]
