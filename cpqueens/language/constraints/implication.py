"""Implication between two 0/1 literals, elementwise."""

from typing import Any

from cpqueens.language.arrays import stack_last
from cpqueens.language.constraints.base import Constraint, Truths
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.constraints.or_ import Or
from cpqueens.language.rows import IntArray


class Implication(Connective):
    """``premise -> conclusion`` for each element; the violation is 1.

    >>> from cpqueens import Implication, Model
    >>> m = Model()
    >>> x = m.intvar(0, 3, shape=2, name="x")
    >>> m.add(Implication(x[0] == 0, x[1] > 1))
    >>> m.count(solver="python-constraint")
    14

    Parameters
    ----------
    premise, conclusion
        Truths or 0/1 terms whose shapes broadcast to that of the constraint.

    Raises
    ------
    ModelError
        For what is no truth, shapes that do not fit, or terms of two models.
    """

    def __init__(self, premise: Any, conclusion: Any) -> None:
        super().__init__(premise, conclusion)

    def satisfied(self, values: IntArray) -> Truths:
        """Return which implications hold."""
        truths = self.values_of_literals(values)
        return (truths[:, :, 0] == 0) | (truths[:, :, 1] == 1)

    def simpler(self) -> list[Constraint]:
        """Return the clause ``not premise or conclusion``."""
        if self.parts is not None:
            return [Or.of((self.parts[0].opposite(), self.parts[1]))]
        premise, conclusion = self.literals[..., 0], self.literals[..., 1]
        return [Or.over(stack_last([1 - premise, conclusion]))]
