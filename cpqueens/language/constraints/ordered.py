"""Orders: ascending and descending sequences, lexicographic order, and in which order values come first."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.arrays import concatenate_rows, stack_last
from cpqueens.language.constraints.base import Constraint, Paired
from cpqueens.language.constraints.connective import Or
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.conversion import as_linears, row_of_terms
from cpqueens.language.expressions import LinearArray
from cpqueens.language.ranges import saturated_sum
from cpqueens.language.rows import IntArray, as_listed
from cpqueens.text.parameters import as_switch
from cpqueens.text.plaintext import shown


class Ordered(Constraint):
    """Each term and the next are in order, also different if ``strict``."""

    fields: ClassVar[tuple[str, ...]] = ("terms", "strict")
    sign: ClassVar[int]  # 1 for ascending, -1 for descending
    terms: LinearArray
    strict: bool

    def __init__(self, terms: Any, strict: bool = False) -> None:
        super().__init__(terms=row_of_terms(terms, self.kind), strict=as_switch(strict, "strict"))

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of neighbours in the wrong order."""
        steps = self.sign * np.diff(self.terms.evaluate(values), axis=1)
        return (steps < int(self.strict)).sum(axis=1)[:, None].astype(np.int64)


class Increasing(Ordered):
    """Each term is at most the next, or less if ``strict`` (Catalogue: increasing, strictly_increasing).

    The violation is the number of neighbours in the wrong order.

    >>> from cpqueens import Increasing, Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=2, name="x")
    >>> m.add(Increasing(x, strict=True))
    >>> m.count(solver="python-constraint")
    3

    Parameters
    ----------
    terms
        Terms or integers: an array of any shape, or a list, which may contain arrays.
    strict
        Whether neighbours must differ.

    Raises
    ------
    ModelError
        For terms of two models.
    IntegerError
        For values that are not integers where integers are needed.
    """

    sign: ClassVar[int] = 1

    def simpler(self) -> list[Constraint]:
        """Return one inequality for each pair of neighbours."""
        return [Linear(self.terms[1:] - self.terms[:-1] - int(self.strict), ">=")]


class Decreasing(Ordered):
    """Each term is at least the next, or greater if ``strict`` (Catalogue: decreasing).

    The violation is the number of neighbours in the wrong order.

    >>> from cpqueens import Decreasing, Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=2, name="x")
    >>> m.add(Decreasing(x))
    >>> m.count(solver="python-constraint")
    6

    Parameters
    ----------
    terms
        Terms or integers: an array of any shape, or a list, which may contain arrays.
    strict
        Whether neighbours must differ.

    Raises
    ------
    ModelError
        For terms of two models.
    IntegerError
        For values that are not integers where integers are needed.
    """

    sign: ClassVar[int] = -1

    def simpler(self) -> list[Constraint]:
        """Return one inequality for each pair of neighbours."""
        return [Increasing.make(terms=self.terms[::-1], strict=self.strict)]


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


class ValuePrecede(Constraint):
    """A term has a value only if an earlier one has the value listed before it (Law and Lee 2004).

    It breaks the symmetry of interchangeable values, such as colours. The violation is the number of terms
    that come too early.

    >>> from cpqueens import Model, ValuePrecede
    >>> m = Model()
    >>> x = m.intvar(1, 3, shape=3, name="x")
    >>> m.add(ValuePrecede(x, [1, 2, 3]), x[0] == 1)
    >>> m.count(solver="python-constraint")
    5

    Parameters
    ----------
    terms
        An array of terms, or a list of terms and integers.
    values
        A list of integers, or two or more integers: ``ValuePrecede(x, 1, 2)`` says that the first 1 comes
        before any 2.

    Raises
    ------
    ModelError
        For a value that is listed twice.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "values")
    terms: LinearArray
    values: tuple[int, ...]

    def __init__(self, terms: Any, *values: Any) -> None:
        if len(values) == 1 and isinstance(values[0], int | np.integer | str):
            raise ModelError(f"ValuePrecede: a list of values, or two or more, got {shown(values[0])}")
        array = row_of_terms(terms, "ValuePrecede")
        given = array.registry.numbered(values[0] if len(values) == 1 else list(values))
        chain = tuple(as_listed(given, "values").reshape(-1).tolist())
        if len(set(chain)) != len(chain):
            raise ModelError(f"ValuePrecede: each value once is needed, got {list(chain)}")
        super().__init__(terms=array, values=chain)

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of terms whose value comes before the one listed before it."""
        equal = self.terms.evaluate(values)[:, :, None] == np.array(self.values, dtype=np.int64)
        seen = np.logical_or.accumulate(equal, axis=1)  # (batch, terms, values)
        early: IntArray = (equal[:, :, 1:] & ~seen[:, :, :-1]).sum(axis=(1, 2), dtype=np.int64)
        return early[:, None]

    def simpler(self) -> list[Constraint]:
        """Return that no term has a later value unless its predecessor was seen, with chained Booleans."""
        if not self.terms.size or len(self.values) < 2:
            return []
        equal = (self.terms.reshape((-1, 1)) == np.array(self.values)).truth()
        seen, allowed = equal[0, :-1], []
        for k in range(1, self.terms.size):
            allowed.append(stack_last([1 - equal[k, 1:], seen]).reshape((-1, 2)))
            seen = Or.over(stack_last([seen, equal[k, :-1]])).truth()
        parts: list[Constraint] = [Linear(equal[0, 1:], "==")]
        if allowed:
            parts.append(Or.over(concatenate_rows([a.reshape(-1) for a in allowed]).reshape((-1, 2))))
        return parts
