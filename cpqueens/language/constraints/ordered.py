"""What ascending and descending sequences share."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.conversion import row_of_terms
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray
from cpqueens.text.needed import as_switch


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
