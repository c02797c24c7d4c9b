"""The kinds of constraints that the exact engine takes as they are."""

from collections.abc import Mapping

from cpqueens.backends.backtracking.wholes import value_precede
from cpqueens.backends.backtracking.wholes.parts import WholeKind
from cpqueens.language.constraints.base import Constraint

WHOLES: Mapping[str, WholeKind] = {
    "ValuePrecede": value_precede.TAKEN,
}
"""By kind of constraint."""


def takes(constraint: Constraint) -> bool:
    """Say whether the engine takes a plain constraint as it is."""
    kind = WHOLES.get(constraint.kind)
    return kind is not None and kind.when(constraint)
