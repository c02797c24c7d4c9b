"""What linear rows get besides bounds where an objective wants of their variables what they do not."""

from collections.abc import Iterable, Mapping

from cpqueens.backends.backtracking.wholes.differences import SIGNS, Row
from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator
from cpqueens.kernels.exact import domains as at
from cpqueens.lowered.compiled import LE

FEWEST = 3
"""Variables on which the row and the objective disagree."""

LARGEST = 1 << 60
"""No product of a coefficient of one with the term of the other is greater."""


def _reach(coefficients: Mapping[int, int], constant: int, parts: Parts) -> int:
    """Return a number that no part of the term's sum exceeds."""
    ends = ((a, max(map(abs, parts.bounds(v)))) for v, a in coefficients.items())
    return abs(constant) + 2 * sum(abs(a) * end for a, end in ends)


def add_fractional_bounds(
    linear: Iterable[tuple[Row, int]], objective: Row, record: int, parts: Parts
) -> None:
    """Let rows with their relations look at the objective, minimised by the propagator at ``record``.

    They are those which disagree with it on several variables, and have most of its variables.
    """
    costs = dict(zip(*objective[:2], strict=True))
    for (variables, coefficients, constant), relation in linear:
        if 2 * len(variables) < len(costs):
            continue
        for sign in SIGNS.get(relation, ()):
            own = {v: sign * a for v, a in zip(variables, coefficients, strict=True)}
            shared = own.keys() & costs.keys()
            disputed = [v for v in shared if own[v] * costs[v] < 0]
            if len(disputed) < FEWEST or 2 * len(shared) < len(costs):
                continue
            most = max(map(abs, [*own.values(), *costs.values()]))
            reach = _reach(own, constant, parts) + _reach(costs, objective[2], parts)
            if most * reach <= LARGEST:
                _add(own, costs, disputed, sign * constant, record, parts)


def add_proved_row(row: Row, objective: Row, record: int, parts: Parts) -> None:
    """Let a row, at most 0 in every solution, bound the objective, minimised by the propagator at ``record``.

    Where the objective is one variable the row contains it, and says all by itself.
    """
    variables, coefficients, constant = row
    parts.linear(row, LE)
    if len(objective[0]) > 1:
        own, costs = dict(zip(variables, coefficients, strict=True)), dict(zip(*objective[:2], strict=True))
        disputed = [v for v in own.keys() & costs.keys() if own[v] * costs[v] < 0]
        _add(own, costs, disputed, constant, record, parts)


def _add(
    own: dict[int, int], costs: dict[int, int], disputed: list[int], constant: int, record: int, parts: Parts
) -> None:
    """Add the propagator, the disputed variables by ascending price of what they take off."""
    from fractions import Fraction

    disputed.sort(key=lambda v: (Fraction(abs(costs[v]), abs(own[v])), v))
    variables = [*disputed, *sorted((own.keys() | costs.keys()) - set(disputed))]
    numbers = [len(disputed), record, *(costs.get(v, 0) for v in variables)]
    coefficients = [own.get(v, 0) for v in variables]
    parts.propagator(
        Propagator("fractional_bound", variables, coefficients, numbers, constant, events=at.BOUND)
    )
