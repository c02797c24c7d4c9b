"""Values that appear in a given order for the first time."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.arrays import concatenate_rows, stack_last
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import Or
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.conversion import row_of_terms
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, as_listed
from cpqueens.text.plaintext import shown


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
