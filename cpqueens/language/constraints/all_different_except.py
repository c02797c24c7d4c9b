"""All values differ, save some that may repeat."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.language.arrays import stack_last
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.constraints.or_ import Or
from cpqueens.language.conversion import flat_terms
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, as_listed


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
        Terms or integers: an array of any shape, or a list in which arrays may stand beside terms.
    excepted
        The value that may come more than once, or several: integers.

    Raises
    ------
    ModelError
        For terms of two models.
    IntegerError
        For what is no integer, where integers are needed.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "excepted")
    terms: LinearArray
    excepted: tuple[int, ...]

    def __init__(self, terms: Any, excepted: Any = 0) -> None:
        array = flat_terms(terms)
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
