"""All values differ, differ save some that may repeat, or are the same."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from cpqueens.language.arrays import of_variables, stack_last
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import Or
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.conversion import flat_terms
from cpqueens.language.expressions import LinearArray, Registry
from cpqueens.language.rows import IntArray, Mask, as_listed
from cpqueens.language.term import Term

_FEW = 40  # terms that are compared pair by pair; of more, the distinct values are counted
_BITS = 64  # values that are told apart by their bits in one word
_MANY = 500  # terms from which a pass over each row in turn is faster than sorting all rows at once
_SPREAD = 8  # a range of values per term up to which each value has its mark; wider ones are sorted


class _TermsOfList:
    """The variables that were listed as an array, made when somebody asks; else the terms are given."""

    def __get__(self, single: AllDifferent, owner: type[AllDifferent]) -> LinearArray:
        assert single.listed is not None
        registry, variables = single.listed
        made = single.__dict__["terms"] = of_variables(registry, np.array(variables), (len(variables),))
        return made


def _listed(given: Any) -> tuple[Registry, list[int]] | None:
    """Return the model and the variables of a list of nothing but variables of one model; else None."""
    if type(given) not in (list, tuple) or not given or type(given[0]) is not Term:
        return None
    registry = given[0].registry
    found = [
        t.variable_list[0]
        for t in given
        if type(t) is Term and t.coefficient_list == (1,) and t.constant == 0 and t.registry is registry
    ]
    return (registry, found) if len(found) == len(given) else None


class AllDifferent(Constraint):
    """The terms take pairwise different values (Lauriere 1978; Global Constraint Catalogue: alldifferent).

    The violation is the number of terms minus the number of distinct values. Without terms, or with one,
    the constraint is true; with the same term twice it is false.

    >>> from cpqueens import AllDifferent, Model
    >>> m = Model()
    >>> x = m.intvar(1, 3, shape=3, name="x")
    >>> m.add(AllDifferent(x))
    >>> m.count(solver="python-constraint")
    6

    Parameters
    ----------
    terms
        Terms or integers: an array of any shape, a list (which may contain arrays), or single
        arguments.

    Raises
    ------
    ModelError
        For terms of two models.
    IntegerError
        For values that are not integers where integers are needed.
    """

    terms: LinearArray = _TermsOfList()  # type: ignore[assignment]
    listed: tuple[Registry, list[int]] | None = None
    """The model and the variables, where a list of these was given: the terms are made when asked for."""

    def __init__(self, *terms: Any) -> None:
        given = terms[0] if len(terms) == 1 else terms
        listed = _listed(given)
        if listed is None:
            super().__init__(terms=flat_terms(given, "AllDifferent"))
        else:
            object.__setattr__(self, "listed", listed)

    @property
    def registry(self) -> Registry:  # type: ignore[override]
        """The model of the terms."""
        return super().registry if self.listed is None else self.listed[0]

    @property
    def ranged(self) -> tuple[LinearArray, ...]:
        """The terms, unless they are variables, whose domains are in range."""
        return self.arguments if self.listed is None else ()

    def satisfied(self, values: IntArray) -> Mask:
        """Return where no two terms are equal."""
        return self.holds(values)[:, None]

    def holds(self, values: IntArray) -> Mask:
        """Return the same for the one element that there is, of shape (batch,)."""
        terms = self.terms.evaluate(values)
        if len(values) == 1 and terms.shape[1] < _MANY:
            row = terms[0].tolist()
            return np.array([len(set(row)) == len(row)])
        columns = terms.T
        if len(columns) > 4 and columns.size:
            low, high = int(columns.min()), int(columns.max())
            if high - low < _BITS:  # different values are as many bits
                kind = np.uint32 if high - low < _BITS // 2 else np.uint64
                places: Any = columns.astype(kind)  # of the last bits their distances are right, too
                places -= np.int64(low).astype(kind)
                bits = np.bitwise_or.reduce(np.left_shift(kind(1), places, out=places), axis=0)
                return np.bitwise_count(bits) == len(columns)
        if len(columns) > _FEW:
            return _distinct(columns.T) == len(columns)
        good = np.ones(len(values), dtype=bool)
        for apart in range(1, len(columns)):
            good &= np.logical_and.reduce(columns[apart:] != columns[:-apart], axis=0)
        return good

    def amounts(self, values: IntArray) -> IntArray:
        """Return the surplus."""
        matrix = self.terms.evaluate(values)
        return (matrix.shape[1] - _distinct(matrix))[:, None]

    def simpler(self) -> list[Constraint]:
        """Return one disequality for each pair of terms."""
        first, second = np.triu_indices(self.terms.size, 1)
        return [Linear(self.terms._pick(first) - self.terms._pick(second), "!=")]


def _distinct(matrix: IntArray) -> IntArray:
    """Return the number of distinct values of each row, of shape (rows,).

    Where the values lie close together a row takes a mark per value, O(terms + range); else it is sorted.
    """
    rows, width = matrix.shape
    if not rows or not width:
        return np.zeros(rows, dtype=np.int64)
    low, high = int(matrix.min()), int(matrix.max())
    if width < _MANY or high - low >= _SPREAD * width:
        ordered = np.sort(matrix, axis=1)
        return 1 + np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1)
    found = np.zeros(rows, dtype=np.int64)
    marks = np.empty(high - low + 1, dtype=bool)
    for k, row in enumerate(matrix):
        marks.fill(False)
        marks[row - low] = True
        found[k] = np.count_nonzero(marks)
    return found


class AllDifferentExcept(Constraint):
    """Terms are pairwise different unless their value is excepted (Catalogue: alldifferent_except_0).

    The violation is the surplus among the values that are not excepted.

    >>> from cpqueens import AllDifferentExcept, Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=2, name="x")
    >>> m.add(AllDifferentExcept(x, 0))
    >>> m.count(solver="python-constraint")
    7

    Parameters
    ----------
    terms
        Terms or integers: an array of any shape, or a list, which may contain arrays.
    excepted
        The value, or a list of values, that may occur more than once.

    Raises
    ------
    ModelError
        For terms of two models.
    IntegerError
        For values that are not integers where integers are needed.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "excepted")
    terms: LinearArray
    excepted: tuple[int, ...]

    def __init__(self, terms: Any, excepted: Any = 0) -> None:
        array = flat_terms(terms, "AllDifferentExcept")
        listed = as_listed(array.registry.numbered(excepted), "excepted values")
        super().__init__(terms=array, excepted=tuple(sorted(set(listed.reshape(-1).tolist()))))

    def amounts(self, values: IntArray) -> IntArray:
        """Return the surplus of the values that are not excepted."""
        sorted_values = np.sort(self.terms.evaluate(values), axis=1)
        same = sorted_values[:, 1:] == sorted_values[:, :-1]
        counted = ~np.isin(sorted_values[:, 1:], self.excepted)
        return (same & counted).sum(axis=1)[:, None].astype(np.int64)

    def simpler(self) -> list[Constraint]:
        """Return, for each pair, that it differs or its first value is excepted."""
        first, second = np.triu_indices(self.terms.size, 1)
        left, right = self.terms._pick(first), self.terms._pick(second)
        if not first.size:
            return [Linear(left, "==")]
        literals = [(left != right).truth(), *((left == value).truth() for value in self.excepted)]
        return [Or.over(stack_last(literals))]


class AllEqual(Constraint):
    """All terms take the same value (Catalogue: all_equal).

    The violation is the smallest number of terms that would have to change.

    >>> from cpqueens import AllEqual, Model
    >>> m = Model()
    >>> x = m.intvar(0, 4, shape=3, name="x")
    >>> m.add(AllEqual(x))
    >>> m.count(solver="python-constraint")
    5

    Parameters
    ----------
    terms
        Terms or integers: an array of any shape, a list (which may contain arrays), or single
        arguments.

    Raises
    ------
    ModelError
        For terms of two models.
    IntegerError
        For values that are not integers where integers are needed.
    """

    terms: LinearArray

    def __init__(self, *terms: Any) -> None:
        super().__init__(terms=flat_terms(terms[0] if len(terms) == 1 else terms, "AllEqual"))

    def satisfied(self, values: IntArray) -> Mask:
        """Return where every term equals the first."""
        terms = self.terms.evaluate(values)
        return (terms == terms[:, :1]).all(axis=1)[:, None]

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of terms that differ from the most frequent value."""
        terms = self.terms.evaluate(values)
        if not terms.shape[1]:
            return np.zeros((len(values), 1), dtype=np.int64)
        same = (terms[:, :, None] == terms[:, None, :]).sum(axis=2)
        return (terms.shape[1] - same.max(axis=1))[:, None].astype(np.int64)

    def simpler(self) -> list[Constraint]:
        """Return that neighbours are equal."""
        return [Linear(self.terms[1:] - self.terms[:-1], "==")]
