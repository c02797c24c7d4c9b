"""Negation of a 0/1 literal, elementwise."""

from typing import Any

from cpqueens.language.constraints.base import Constraint, Truths
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.constraints.or_ import Or
from cpqueens.language.rows import IntArray
from cpqueens.language.truths import Literals, side_by_side


class Negation(Connective):
    """The literal is false; the violation is 1. ``~constraint`` makes one.

    >>> from cpqueens import AllDifferent, Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=2, name="x")
    >>> m.add(~AllDifferent(x))
    >>> m.count(solver="python-constraint")
    3

    Parameters
    ----------
    truth
        A truth or a 0/1 term, or an array of them.

    Raises
    ------
    ModelError
        For what is no truth.
    """

    def __init__(self, truth: Any) -> None:
        object.__setattr__(self, "literals", side_by_side(truth))

    def __invert__(self) -> Any:
        return Literals(self.literals[..., 0] if self.parts is None else self.parts[0])

    def satisfied(self, values: IntArray) -> Truths:
        """Return where the literal is false."""
        return self.true_literals(values) == 0

    def simpler(self) -> list[Constraint]:
        """Return the clause of the one negated literal."""
        return [self.negated_literals(Or)]
