"""Tours through all nodes, from each of several depots, or through some: each node names its successor.

Two permutations, each the inverse of the other.
"""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.arrays import concatenate_rows, stack_last
from cpqueens.language.constraints.all_different import AllDifferent
from cpqueens.language.constraints.base import Constraint, Paired
from cpqueens.language.constraints.connective import Or
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.conversion import flat_terms, listed
from cpqueens.language.expressions import LinearArray, Operand
from cpqueens.language.functions import element, maximum, minimum
from cpqueens.language.rows import IntArray, as_listed
from cpqueens.text.plaintext import shown


class CountsFromOneError(ModelError):
    """The refusal of positions 1 to n where they count from 0."""


class Successors(Constraint):
    """A constraint on the graph with an arc from each position of ``successor`` to its value, from 0."""

    fields: ClassVar[tuple[str, ...]] = ("successor",)
    successor: LinearArray

    def __init__(self, successor: Any) -> None:
        terms = one_for_each(successor, self.kind)
        if terms.width:
            require_from_zero(terms, self.kind, "successors")
        super().__init__(successor=terms)

    def require_sense(self) -> None:
        """Refuse integers from 1 to n, where no condition is around: it would never hold."""
        require_from_zero(self.successor, self.kind, "successors")

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of nodes that nothing leads to, and of cycles beyond one."""
        successor = self.successor.evaluate(values)
        nodes = np.arange(successor.shape[1])
        unreached = [(successor != node).all(axis=1) for node in nodes]
        wrong = self._wrong(np.where((successor >= 0) & (successor < len(nodes)), successor, len(nodes)))
        return np.stack([wrong, *unreached], axis=1).sum(axis=1, keepdims=True)

    def _wrong(self, successor: IntArray) -> IntArray:
        """Return how far cycles are from what they may be; a successor that is no node is their number."""
        raise NotImplementedError

    def permuting(self) -> list[Constraint]:
        """Return that all successors are nodes, each of another one."""
        terms, last = self.successor, self.successor.size - 1
        return [Linear(terms, ">="), Linear(terms - last, "<="), AllDifferent(terms)]

    def clipped(self) -> LinearArray:
        """Return the successors, the nearest node for those that leave the graph."""
        terms, last = self.successor, self.successor.size - 1
        low, high = terms.bounds()
        return terms if low.min() >= 0 and high.max() <= last else minimum(maximum(terms, 0), last)


def one_for_each(successor: Any, kind: str) -> LinearArray:
    """Return the terms for each node in order, given along one axis.

    Raises
    ------
    ModelError
        For arrays of other axes, and for the arcs that other tools take.
    """
    given = listed(successor, kind)
    if isinstance(given, list | tuple) and given and all(isinstance(arc, list | tuple) for arc in given):
        raise ModelError(
            f"{kind}: a successor for each node is needed, no arcs (tail, head, literal): write {kind}(x) "
            "with x = m.intvar(0, n - 1, shape=n), where x[i] == j is the Boolean of the arc from i to j"
        )
    shape = given.shape if isinstance(given, Operand | np.ndarray) else (1,)
    if len(shape) != 1:
        raise ModelError(f"{kind}: one axis, with an element for each node, is needed, got shape {shape}")
    return flat_terms(given, kind)


def require_from_zero(terms: LinearArray, kind: str, what: str) -> None:
    """Refuse an array of variables that are to count positions and have the values 1 to n: they never fit.

    Raises
    ------
    CountsFromOneError
        With what to write instead.
    """
    if terms.width:
        if terms.size < 3 or not terms.are_variables:
            return
        low, high = terms.bounds()
        counting = low.min() == 1 == low.max() and high.min() == terms.size == high.max()
    else:
        counting = terms.size > 1 and np.array_equal(np.sort(terms.constants), np.arange(terms.size) + 1)
    if counting:
        these, fewer = ("variables have the values", "make them with") if terms.width else ("are", "write")
        raise CountsFromOneError(
            f"{kind}: {what} count from 0 to {terms.size - 1}, these {these} 1 to {terms.size}; write x - 1 "
            f"for x, or {fewer} 0 to {terms.size - 1}"
        )


def least_ahead(successor: IntArray) -> IntArray:
    """Return for each node the least node of the cycle that it leads to, (batch, nodes).

    A successor that is no node is the number of nodes, and so is the answer for what leads there.
    """
    batch, nodes = successor.shape
    jump = np.concatenate([successor, np.full((batch, 1), nodes)], axis=1)
    least = np.broadcast_to(np.arange(nodes + 1), jump.shape)
    for _ in range(nodes.bit_length()):  # jumps and looks ahead twice as far as before
        least = np.minimum(least, np.take_along_axis(least, jump, axis=1))
        jump = np.take_along_axis(jump, jump, axis=1)
    ahead: IntArray = np.take_along_axis(least, jump, axis=1)[:, :nodes]
    return ahead


def path(following: LinearArray, first: LinearArray) -> LinearArray:
    """Return ``first`` and what follows it, a successor after the other, as many as there are nodes."""
    nodes = [first]
    while len(nodes) < following.size:
        nodes.append(element(following, nodes[-1]))
    return concatenate_rows([node.reshape(-1) for node in nodes])


class Circuit(Successors):
    """The arcs from each node ``i`` to ``successor[i]`` are one tour through all nodes (Catalogue: circuit).

    Nodes count from 0; a successor that is not a node makes the constraint false. With one node, the tour is
    its arc to itself; without nodes, the constraint is true. The violation is the number of nodes without a
    predecessor plus the number of cycles beyond one.

    With ``depots``, there are as many tours as depots: each node is on the tour of one of them (Catalogue:
    cycle_resource). For several vehicles, give each a separate depot node, where its tour begins and ends; a
    vehicle whose depot leads to itself is not used. ``vehicle[follow] == vehicle`` with
    ``vehicle[:k] == np.arange(k)`` then says which vehicle visits each node. The violation is, summed over
    the cycles, how far their number of depots is from one.

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
        Nodes, one for each tour; without depots there is one tour through all nodes.

    Raises
    ------
    ModelError
        For terms of two models, successors that count from 1, and depots that are not nodes or are listed
        twice.
    IntegerError
        For values that are not integers where integers are needed.
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
            f"Circuit: depots: nodes are needed, got Booleans; write np.flatnonzero({shown(depots)})"
        )
    return tuple(given.tolist())


class SubCircuit(Successors):
    """All nodes that are not their own successor are on one tour, or there are none (MiniZinc).

    Nodes count from 0; ``successor[i] == i`` says that the tour leaves node ``i`` out. As in MiniZinc it may
    leave out all nodes; a successor that is not a node makes the constraint false. The violation is the
    number of nodes without a predecessor plus the number of tours beyond one.

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
        For values that are not integers where integers are needed.
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


class Inverse(Paired):
    """``first[i] == j`` if and only if ``second[j] == i``; both count from 0 (Catalogue: inverse).

    The violation is the number of positions of either array that do not point back.

    >>> from cpqueens import Inverse, Model
    >>> m = Model()
    >>> x, y = m.intvar(0, 2, shape=(2, 3), name="x")
    >>> m.add(Inverse(x, y))
    >>> m.count(solver="python-constraint")
    6

    Parameters
    ----------
    first, second
        Terms or integers, both of shape (n,); positions count from 0.

    Raises
    ------
    ModelError
        For lengths that differ, terms of two models, or variables that count from 1. Integers that count from
        1 are refused when the constraint is added to a model; within other constraints it is false.
    IntegerError
        For values that are not integers where integers are needed.
    """

    def __init__(self, first: Any, second: Any) -> None:
        super().__init__(one_for_each(first, "Inverse"), one_for_each(second, "Inverse"))
        for terms in (self.first, self.second):
            if terms.width:
                require_from_zero(terms, "Inverse", "positions")

    def require_sense(self) -> None:
        """Refuse integers from 1 to n, where no condition is around: it would never hold."""
        for terms in (self.first, self.second):
            require_from_zero(terms, "Inverse", "positions")

    @staticmethod
    def _astray(there: IntArray, back: IntArray) -> IntArray:
        size = there.shape[1]
        inside = (there >= 0) & (there < size)
        returned = np.take_along_axis(back, np.where(inside, there, 0), axis=1) if size else back
        wrong: IntArray = (~inside | (returned != np.arange(size))).sum(axis=1)
        return wrong

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of positions that do not point back."""
        first, second = self.first.evaluate(values), self.second.evaluate(values)
        return (self._astray(first, second) + self._astray(second, first))[:, None]

    def simpler(self) -> list[Constraint]:
        """Return the ranges and, for each pair, the equality of the two Booleans."""
        size = self.first.size
        if not size:
            return []
        parts: list[Constraint] = []
        for side in (self.first, self.second):
            parts += [Linear(side, ">="), Linear(side - (size - 1), "<=")]
        positions = np.arange(size)
        there = (self.first.reshape((-1, 1)) == positions).truth()
        back = (self.second == positions[:, None]).truth()
        return [*parts, Linear(there - back, "==")]
