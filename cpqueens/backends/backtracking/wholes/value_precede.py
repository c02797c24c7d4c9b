"""`ValuePrecede` for the exact engine."""

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator, WholeKind
from cpqueens.language.constraints.value_precede import ValuePrecede


def _lay_out(constraint: ValuePrecede, parts: Parts) -> None:
    """Add one propagator for each value and the next."""
    variables = parts.variables(constraint.terms)
    for value, later in zip(constraint.values, constraint.values[1:], strict=False):
        parts.propagator(Propagator("value_precede", variables, numbers=(value, later), words=(0,)))


TAKEN = WholeKind(_lay_out)
