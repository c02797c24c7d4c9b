"""`Inverse` for the exact engine."""

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator, WholeKind
from cpqueens.language.constraints.inverse import Inverse


def _lay_out(constraint: Inverse, parts: Parts) -> None:
    """Add that each points back to the other, and that both are permutations."""
    first, second = parts.variables(constraint.first), parts.variables(constraint.second)
    parts.propagator(Propagator("inverse", [*first, *second]))
    parts.all_different([((v,), (1,), 0) for v in first])


TAKEN = WholeKind(_lay_out)
