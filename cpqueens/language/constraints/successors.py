"""What circuits and subcircuits share: each node names its successor."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.arrays import concatenate_rows
from cpqueens.language.constraints.all_different import AllDifferent
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.conversion import flat_terms, listed
from cpqueens.language.expressions import LinearArray, Operand
from cpqueens.language.functions import element, maximum, minimum
from cpqueens.language.rows import IntArray


class CountsFromOneError(ModelError):
    """The refusal of positions 1 to n where they count from 0."""


class Successors(Constraint):
    """A constraint on the graph with an arc from each position of ``successor`` to its value, from 0."""

    fields: ClassVar[tuple[str, ...]] = ("successor",)
    successor: LinearArray

    def __init__(self, successor: Any) -> None:
        terms = one_for_each(successor, self.kind)
        require_from_zero(terms, self.kind, "successors")
        super().__init__(successor=terms)

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
            "with x = m.intvar(0, n - 1, shape=n), where x[i] == j is the truth of the arc from i to j"
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
        if terms.size < 3 or terms.width > 1 or terms.constants.any() or (terms.coefficients != 1).any():
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
