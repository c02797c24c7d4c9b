"""A tour through some of the nodes."""

import numpy as np

from cpqueens.language.arrays import stack_last
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.or_ import Or
from cpqueens.language.constraints.successors import Successors, least_ahead, path
from cpqueens.language.functions import minimum
from cpqueens.language.rows import IntArray


class SubCircuit(Successors):
    """The nodes with another successor than themselves are on one tour, or there are none (MiniZinc).

    Nodes count from 0; ``successor[i] == i`` says that the tour leaves node ``i`` out. As in MiniZinc it may
    leave out all; a successor that is no node makes it false. The violation is the number of nodes that
    nothing leads to, and of tours beyond one.

    >>> from cpqueens import Model, SubCircuit
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=3, name="x")
    >>> m.add(SubCircuit(x))
    >>> m.count(solver="python-constraint")
    6

    Parameters
    ----------
    successor
        Terms or integers, shape (nodes,).

    Raises
    ------
    ModelError
        For terms of two models.
    IntegerError
        For what is no integer, where integers are needed.
    """

    def _wrong(self, successor: IntArray) -> IntArray:
        nodes = np.arange(successor.shape[1])
        tours = ((least_ahead(successor) == nodes) & (successor != nodes)).sum(axis=1)
        return np.maximum(tours - 1, 0)

    def simpler(self) -> list[Constraint]:
        """Return that a path from the first node in a tour is not back before all nodes in tours."""
        nodes = np.arange(self.successor.size)
        if not nodes.size:
            return []
        visited = (self.successor != nodes).truth()
        tour = path(self.clipped(), minimum(nodes[-1] - (nodes[-1] - nodes) * visited))
        back = [(tour[1:] != tour[0]).truth(), (visited.sum() <= nodes[1:]).truth()]
        return [*self.permuting(), Or.over(stack_last(back))]
