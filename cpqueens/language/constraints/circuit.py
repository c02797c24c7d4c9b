"""A tour through all nodes, or one from each depot."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.arrays import stack_last
from cpqueens.language.constraints.all_different import AllDifferent
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.constraints.or_ import Or
from cpqueens.language.constraints.successors import Successors, least_ahead, path
from cpqueens.language.functions import element
from cpqueens.language.rows import IntArray, as_listed
from cpqueens.text.plaintext import shown


class Circuit(Successors):
    """The arcs from each node ``i`` to ``successor[i]`` are one tour through all nodes (Catalogue: circuit).

    Nodes count from 0; a successor that is no node makes it false. Of one node, the tour is its arc to
    itself; of no nodes, it is true. The violation is the number of nodes that nothing leads to, and of
    cycles beyond one.

    With ``depots``, there are as many tours as depots: each node is on the tour of one of them (Catalogue:
    cycle_resource). For several vehicles, give each a node of its own as its depot, where its tour begins and
    ends; a depot that leads to itself is a vehicle that stays there. ``vehicle[follow] == vehicle`` with
    ``vehicle[:k] == np.arange(k)`` then says who comes to each node. The violation counts, for each cycle, by
    how many its depots differ from one.

    >>> from cpqueens import Circuit, Model
    >>> m = Model()
    >>> x = m.intvar(0, 3, shape=4, name="x")
    >>> m.add(Circuit(x))
    >>> m.count(solver="python-constraint")
    6
    >>> m = Model()
    >>> x = m.intvar(0, 3, shape=4, name="x")
    >>> m.add(Circuit(x, depots=[0, 1]))  # two other nodes: who comes to them, and in which order
    >>> m.count(solver="python-constraint")
    6

    Parameters
    ----------
    successor
        Terms or integers, shape (nodes,).
    depots
        Nodes, one for each tour; by default there is one tour, through all nodes.

    Raises
    ------
    ModelError
        For terms of two models, successors that count from 1, and depots that are no nodes or are listed
        twice.
    IntegerError
        For what is no integer, where integers are needed.
    """

    fields: ClassVar[tuple[str, ...]] = ("successor", "depots")
    options: ClassVar[tuple[str, ...]] = ("depots",)
    depots: tuple[int, ...]

    def __init__(self, successor: Any, depots: Any = None) -> None:
        super().__init__(successor)
        many = self.successor.size
        listed = () if depots is None else _nodes(depots)
        wrong = sorted({d for d in listed if not 0 <= d < many or listed.count(d) > 1})
        if wrong or (depots is not None and not listed):
            got = f"{wrong[0]}" if wrong else "none"
            raise ModelError(f"Circuit: depots: different nodes from 0 to {many - 1}, got {got}")
        object.__setattr__(self, "depots", listed if len(listed) > 1 else ())  # of one depot: one tour

    def _wrong(self, successor: IntArray) -> IntArray:
        ahead, nodes = least_ahead(successor), np.arange(successor.shape[1])
        cycles: IntArray = ahead == nodes
        if not self.depots:
            return np.maximum(cycles.sum(axis=1) - 1, 0)
        found = (ahead[:, self.depots][:, :, None] == nodes).sum(axis=1)  # depots that lead to each cycle
        return np.asarray((np.abs(found - 1) * cycles).sum(axis=1))

    def simpler(self) -> list[Constraint]:
        """Return that successors are nodes and differ, and so do all nodes on the path from node 0.

        That no two of more nodes lead to each other follows; it is seen long before the path is known.
        """
        if not self.successor.size:
            return []
        if self.depots:
            return [*self.permuting(), *self._back_to_depots()]
        following = self.clipped()
        parts = [*self.permuting(), AllDifferent(path(following, 0 * self.successor[0]))]
        if following.size > 2:
            parts.append(Linear(element(following, following) - np.arange(following.size), "!="))
        return parts

    def _back_to_depots(self) -> list[Constraint]:
        """Return that each node leads to a depot, by 1, 2, 4, ... steps, and what follows a depot to it."""
        following, depots = self.clipped(), np.array(self.depots)
        others = np.setdiff1d(np.arange(following.size), depots)
        back = Linear(following[depots] - depots, "==")
        if not others.size:
            return [back]
        ahead: list[Any] = [following[k] if k in others else k for k in range(following.size)]
        for _ in range((len(others) - 1).bit_length()):  # at most so many nodes lie before a depot
            ahead = [element(ahead, node) for node in ahead]
        last = stack_last([ahead[k] for k in others])
        leads = Or.over((last.reshape(-1, 1) == depots).truth())
        return [leads, Linear(element(ahead, following[depots]) - depots, "==")]


def _nodes(depots: Any) -> tuple[int, ...]:
    """Return the nodes of a list of depots."""
    given = as_listed(depots, "Circuit: depots")
    if given.ndim != 1:
        raise ModelError(
            f"Circuit: depots: a list with the node of each depot is needed, got {shown(depots)}; for two "
            "vehicles two nodes are their depots, as in depots=[0, 1]"
        )
    if any(isinstance(one, bool | np.bool_) for one in list(depots)):
        raise ModelError(
            f"Circuit: depots: nodes are needed, got truths; write np.flatnonzero({shown(depots)})"
        )
    return tuple(given.tolist())
