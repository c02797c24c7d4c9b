"""Disjunction: a clause of 0/1 literals, elementwise."""

from cpqueens.language.constraints.base import Truths
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.rows import IntArray


class Or(Connective):
    """At least one literal is true (false for no literals); the violation is 1. Also called a clause.

    >>> from cpqueens import Model, Or
    >>> m = Model()
    >>> a, b = m.boolvar(shape=2, name="a")
    >>> m.add(Or(a, ~b))
    >>> m.count(solver="python-constraint")
    3

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
        """Return which clauses hold."""
        return self.true_literals(values) > 0


Clause = Or
