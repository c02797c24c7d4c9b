"""A tour through all nodes."""

import numpy as np

from cpqueens.language.constraints.all_different import AllDifferent
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.constraints.successors import Successors, least_ahead, path
from cpqueens.language.functions import element
from cpqueens.language.rows import IntArray


class Circuit(Successors):
    """The arcs from each node ``i`` to ``successor[i]`` are one tour through all nodes (Catalogue: circuit).

    Nodes count from 0; a successor that is no node makes it false. Of one node, the tour is its arc to
    itself; of no nodes, it is true. The violation is the number of nodes that nothing leads to, and of
    cycles beyond one.

    >>> from cpqueens import Circuit, Model
    >>> m = Model()
    >>> x = m.intvar(0, 3, shape=4, name="x")
    >>> m.add(Circuit(x))
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

    def _cycles(self, successor: IntArray) -> IntArray:
        cycles: IntArray = (least_ahead(successor) == np.arange(successor.shape[1])).sum(axis=1)
        return cycles

    def simpler(self) -> list[Constraint]:
        """Return that successors are nodes and differ, and so do all nodes on the path from node 0.

        That no two of more nodes lead to each other follows; it is seen long before the path is known.
        """
        if not self.successor.size:
            return []
        following = self.clipped()
        parts = [*self.permuting(), AllDifferent(path(following, 0 * self.successor[0]))]
        if following.size > 2:
            parts.append(Linear(element(following, following) - np.arange(following.size), "!="))
        return parts
