"""Lexicographic order, strict or not, of two rows of terms and of rows in sequence."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.arrays import stack_last
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import Or
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.constraints.paired import Paired
from cpqueens.language.conversion import as_linears
from cpqueens.language.expressions import LinearArray
from cpqueens.language.ranges import saturated_sum
from cpqueens.language.rows import IntArray


class Lexicographic(Paired):
    """``first`` comes before ``second`` in lexicographic order (Frisch et al. 2002)."""

    strict: ClassVar[bool]

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of positions from the deciding one to the end, where the order fails."""
        first, second = self.first.evaluate(values), self.second.evaluate(values)
        size = first.shape[1]
        differs = first != second
        if not size or not differs.size:
            return np.full((len(values), 1), int(self.strict), dtype=np.int64)
        where = differs.argmax(axis=1)
        rows = np.arange(len(values))
        decided = differs[rows, where]
        fails = np.where(decided, first[rows, where] > second[rows, where], self.strict)
        return np.where(fails, np.where(decided, size - where, 1), 0)[:, None].astype(np.int64)

    def simpler(self) -> list[Constraint]:
        """Return that each position is in order unless an earlier one differs, with chained Booleans."""
        size = self.first.size
        if not size:
            return [Or.over(self.first)] if self.strict else []
        parts: list[Constraint] = []
        equal_so_far: LinearArray | None = None
        for i in range(size):
            x, y = self.first[i], self.second[i]
            in_order = x < y if self.strict and i == size - 1 else x <= y
            if equal_so_far is None:
                parts.append(Linear(x - y, in_order.relation))  # type: ignore[attr-defined]
            else:
                parts.append(Or.over(stack_last([1 - equal_so_far, in_order.truth()])))
            same = (x == y).truth()
            if equal_so_far is not None:
                same = (equal_so_far + same >= 2).truth()
            equal_so_far = same
        return parts


class LexLess(Lexicographic):
    """``first`` is lexicographically less than ``second`` (Catalogue: lex_less).

    The violation is the number of positions from the one that decides to the end.

    >>> from cpqueens import LexLess, Model
    >>> m = Model()
    >>> x, y = m.intvar(0, 1, shape=(2, 2), name="x")
    >>> m.add(LexLess(x, y))
    >>> m.count(solver="python-constraint")
    6

    Parameters
    ----------
    first, second
        Terms or integers, both of shape (n,).

    Raises
    ------
    ModelError
        For lengths that differ, or terms of two models.
    IntegerError
        For values that are not integers where integers are needed.
    """

    strict: ClassVar[bool] = True


class LexLessEqual(Lexicographic):
    """``first`` is lexicographically at most ``second`` (Catalogue: lex_lesseq).

    The violation is the number of positions from the one that decides to the end.

    >>> from cpqueens import LexLessEqual, Model
    >>> m = Model()
    >>> x, y = m.intvar(0, 1, shape=(2, 2), name="x")
    >>> m.add(LexLessEqual(x, y))
    >>> m.count(solver="python-constraint")
    10

    Parameters
    ----------
    first, second
        Terms or integers, both of shape (n,).

    Raises
    ------
    ModelError
        For lengths that differ, or terms of two models.
    IntegerError
        For values that are not integers where integers are needed.
    """

    strict: ClassVar[bool] = False


class LexChain(Constraint):
    """Each row of ``matrix`` comes before the next one (Carlsson and Beldiceanu 2002)."""

    fields: ClassVar[tuple[str, ...]] = ("matrix",)
    order: ClassVar[type[Lexicographic]]
    matrix: LinearArray

    def __init__(self, matrix: Any) -> None:
        (rows,) = as_linears(matrix)
        if rows.ndim != 2:
            raise ModelError(
                f"{self.kind}: rows of one length are needed, got an array of shape {rows.shape}"
            )
        super().__init__(matrix=rows)

    def _pairs(self) -> list[Constraint]:
        return [self.order(self.matrix[k], self.matrix[k + 1]) for k in range(len(self.matrix) - 1)]

    def amounts(self, values: IntArray) -> IntArray:
        """Return the summed violations of all neighbours' orders."""
        nothing = np.zeros((len(values), 1), dtype=np.int64)
        parts = [nothing, *(pair.amounts(values) for pair in self._pairs())]
        return saturated_sum(np.concatenate(parts, axis=1))[:, None]

    def simpler(self) -> list[Constraint]:
        """Return the orders of all neighbours."""
        return self._pairs()


class LexChainLess(LexChain):
    """Each row of a matrix is lexicographically less than the next (Catalogue: lex_chain_less).

    The violation is that of `LexLess`, summed over all rows and their next ones.

    >>> from cpqueens import LexChainLess, Model
    >>> m = Model()
    >>> x = m.intvar(0, 1, shape=(3, 2), name="x")
    >>> m.add(LexChainLess(x))
    >>> m.count(solver="python-constraint")
    4

    Parameters
    ----------
    matrix
        An array of terms of shape (rows, columns), or a list of rows of one length.

    Raises
    ------
    ModelError
        For any other shape.
    """

    order: ClassVar[type[Lexicographic]] = LexLess


class LexChainLessEqual(LexChain):
    """Each row of a matrix is lexicographically at most the next (Catalogue: lex_chain_lesseq).

    The violation is that of `LexLessEqual`, summed over all rows and their next ones.

    >>> from cpqueens import LexChainLessEqual, Model
    >>> m = Model()
    >>> x = m.intvar(0, 1, shape=(3, 2), name="x")
    >>> m.add(LexChainLessEqual(x))
    >>> m.count(solver="python-constraint")
    20

    Parameters
    ----------
    matrix
        An array of terms of shape (rows, columns), or a list of rows of one length.

    Raises
    ------
    ModelError
        For any other shape.
    """

    order: ClassVar[type[Lexicographic]] = LexLessEqual
