"""`NValue` for the exact engine."""

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator, WholeKind
from cpqueens.kernels.exact.propagators.different_values import different_data
from cpqueens.language.constraints.count import NValue

MOST_VALUES = 1 << 12
"""Between the least and the greatest value of all terms; with more, each term is compared with the others."""


def _lay_out(constraint: NValue, parts: Parts) -> None:
    terms = parts.variables(constraint.terms)
    bounds = [parts.bounds(v) for v in terms]
    data = different_data(min(low for low, _ in bounds), max(high for _, high in bounds))
    variables = [*terms, *parts.variables(constraint.count)]
    parts.propagator(Propagator("different_values", variables, numbers=data))


def _has_few_values(constraint: NValue) -> bool:
    low, high = constraint.terms.bounds()
    return constraint.terms.size > 0 and int(high.max()) - int(low.min()) < MOST_VALUES


TAKEN = WholeKind(_lay_out, _has_few_values)
