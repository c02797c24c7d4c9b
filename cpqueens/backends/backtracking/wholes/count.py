"""`Count` and `Among` for the exact engine: how many terms have a value of a set."""

from collections.abc import Iterable

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator, WholeKind
from cpqueens.language.constraints.count import Among, Count
from cpqueens.language.expressions import LinearArray
from cpqueens.lowered.compiled import RELATIONS


def add_number(parts: Parts, terms: LinearArray, values: Iterable[int], number: int) -> None:
    """Add that so many terms as a variable says have one of these values."""
    variables = [*parts.variables(terms), number]
    parts.propagator(Propagator("among", variables, numbers=sorted(values)))


def _lay_out_among(constraint: Among, parts: Parts) -> None:
    (number,) = parts.variables(constraint.count)
    add_number(parts, constraint.terms, constraint.values, number)


def _lay_out_count(constraint: Count, parts: Parts) -> None:
    """Add the number itself where it is equal to a term; else a variable that is compared with the term."""
    (number,) = parts.variables(constraint.count)
    if constraint.relation != "==":
        limit, (relation, shift) = number, RELATIONS[constraint.relation]
        number = parts.new_variable(0, constraint.terms.size)
        parts.linear(((number, limit), (1, -1), shift), relation)
    add_number(parts, constraint.terms, [int(constraint.value.constants[0])], number)


def _counts_a_number(constraint: Count) -> bool:
    return not constraint.value.coefficients.any()


AMONG = WholeKind(_lay_out_among)
COUNT = WholeKind(_lay_out_count, _counts_a_number)
