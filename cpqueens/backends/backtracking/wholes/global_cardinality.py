"""`GlobalCardinality` for the exact engine."""

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator, WholeKind
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.propagators.cardinality import ANY, NEVER, cardinality_data
from cpqueens.language.constraints.count import GlobalCardinality
from cpqueens.lowered.compiled import EQ, GE, LE

MOST_VALUES = 1 << 12
"""Between the least and the greatest value of all terms; with more, each value is counted apart."""


def numbers_of(constraint: GlobalCardinality, parts: Parts) -> list[int]:
    """Return for each value a variable that is to say how often it occurs."""
    if constraint.counts.ndim == 1:
        return parts.variables(constraint.counts)
    lower, upper = parts.variables(constraint.counts[:, 0]), parts.variables(constraint.counts[:, 1])
    numbers = [parts.new_variable(0, constraint.terms.size) for _ in lower]
    for limits, relation in ((lower, GE), (upper, LE)):
        for number, limit in zip(numbers, limits, strict=True):
            parts.linear(((number, limit), (1, -1), 0), relation)
    return numbers


def _lay_out(constraint: GlobalCardinality, parts: Parts) -> None:
    """Add one propagator over the terms and the numbers; what no term can be occurs never."""
    terms = parts.variables(constraint.terms)
    bounds = [parts.bounds(v) for v in terms]
    low, high = min(low for low, _ in bounds), max(high for _, high in bounds)
    places = dict.fromkeys(range(low, high + 1), NEVER if constraint.closed else ANY)
    numbers = numbers_of(constraint, parts)
    for value, number in zip(constraint.values, numbers, strict=True):
        if value in places:
            places[value] = number * at.X_WIDTH
        else:
            parts.linear(((number,), (1,), 0), EQ)
    data = cardinality_data([v * at.X_WIDTH for v in terms], low, high, places)
    parts.propagator(Propagator("cardinality", [*terms, *numbers], numbers=data))


def _has_few_values(constraint: GlobalCardinality) -> bool:
    low, high = constraint.terms.bounds()
    return constraint.terms.size > 0 and int(high.max()) - int(low.min()) < MOST_VALUES


TAKEN = WholeKind(_lay_out, _has_few_values)
