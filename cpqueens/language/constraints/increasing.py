"""An ascending sequence."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from cpqueens.language.constraints.base import Constraint, Truths
from cpqueens.language.conversion import as_linear, registry_of
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray


class Increasing(Constraint):
    """Each term is at most the next, or less if ``strict`` (Catalogue: increasing, strictly_increasing).

    The violation is the number of neighbours in the wrong order.

    >>> from cpqueens import Increasing, Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=2, name="x")
    >>> m.add(Increasing(x, strict=True))
    >>> m.count(solver="python-constraint")
    3
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "strict")
    terms: LinearArray
    strict: bool

    def __init__(self, terms: Any, strict: bool = False) -> None:
        super().__init__(terms=as_linear(registry_of(terms), terms).reshape(-1), strict=bool(strict))

    def _wrong(self, values: IntArray) -> IntArray:
        steps = np.diff(self.terms.evaluate(values), axis=1)
        return (steps < int(self.strict)).sum(axis=1)[:, None].astype(np.int64)

    def satisfied(self, values: IntArray) -> Truths:
        """Return where the sequence ascends."""
        return self._wrong(values) == 0

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of neighbours in the wrong order."""
        return self._wrong(values)

    def simpler(self) -> list[Constraint]:
        """Return one inequality for each pair of neighbours."""
        from cpqueens.language.constraints.linear import Linear

        return [Linear(self.terms[1:] - self.terms[:-1] - int(self.strict), ">=")]
