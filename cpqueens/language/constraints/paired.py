"""What constraints between two arrays of one length share."""

from typing import Any, ClassVar

from cpqueens.errors import ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.conversion import aligned, as_linears, flat_terms
from cpqueens.language.expressions import LinearArray


class Paired(Constraint):
    """A constraint between ``first`` and ``second``, position by position."""

    fields: ClassVar[tuple[str, ...]] = ("first", "second")
    first: LinearArray
    second: LinearArray

    def __init__(self, first: Any, second: Any) -> None:
        one, other = as_linears(*map(flat_terms, (aligned(first, second), aligned(second, first))))
        if one.size != other.size:
            raise ModelError(f"{self.kind}: two arrays of one length, got {one.size} and {other.size}")
        super().__init__(first=one, second=other)
