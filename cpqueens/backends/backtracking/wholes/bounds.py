"""Implied propagators of linear rows, besides each row's own bounds.

Orders that go round in a circle would let bounds creep towards each other one value at a time: they are
refuted at once. An objective is bounded together with a row that disagrees with it; a row that adds up costs
of a circuit's arcs gets a bound of tours. Without the latter two, on 2026-11-28: knapsacks of 30 and 50 take
63 and 4 times as long, peaceable queens on 5 rows 12 times, and the salesman's tour gr17 is not proved in 4 s
instead of 0.02 s.
"""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from cpqueens.backends.backtracking.rows import LazyRows, Row, TermBuilder
from cpqueens.backends.backtracking.wholes.parts import Propagator
from cpqueens.kernels.exact.propagators import tour_bound as kernel
from cpqueens.language.rows import IntArray, distinct
from cpqueens.lowered.compiled import EQ, GE, LE, NE, Compiled, DefinitionBlock

WIDE = 1 << 12
"""Values of a variable from which on circles are looked for; with fewer, propagation sees them as soon."""

MOST_VARIABLES = 1 << 10
"""Of all differences: each may cost a pass over all of them."""

SIGNS = {EQ: (1, -1), GE: (-1,), LE: (1,)}
"""By what a row with a relation is multiplied to be at most 0."""


def add_circles(differences: LazyRows, parts: TermBuilder) -> None:
    """Add what is false if rows ``x - y + constant <= 0`` on wide domains allow no values at all."""
    signed = differences.picked(np.flatnonzero(differences.relation != NE))
    known = distinct(signed.terms.variable).tolist()
    if len(known) > MOST_VARIABLES or max(parts.spans(known), default=0) <= WIDE:
        return
    arcs: list[tuple[int, int, int]] = []
    for (variables, coefficients, constant), relation in signed:
        for sign in SIGNS[relation]:
            first = coefficients.index(sign)
            arcs.append((variables[first], variables[1 - first], sign * constant))
    if _goes_round(arcs):
        parts.linear(((), (), 1), LE)


def _goes_round(arcs: list[tuple[int, int, int]]) -> bool:
    """Say whether the shortest paths of arcs (to, from, minus length) get ever shorter (Bellman, Ford)."""
    ends, constants = np.array(arcs, dtype=object)[:, :2].astype(np.int64), [arc[2] for arc in arcs]
    numbers, places = np.unique(ends, return_inverse=True)
    if max(map(abs, constants)) > (1 << 62) // MOST_VARIABLES:
        return False
    (to, begin), lengths = places.reshape(-1, 2).T, -np.array(constants, dtype=np.int64)
    distance = np.zeros(len(numbers), dtype=np.int64)
    for _ in range(len(numbers) + 1):
        before = distance.copy()
        np.minimum.at(distance, to, before[begin] + lengths)
        if (distance == before).all():
            return False
    return True


FEWEST = 3
"""Variables on which the row and the objective disagree."""

LARGEST = 1 << 60
"""No product of a coefficient of one with the term of the other is greater."""


def _reach(coefficients: Mapping[int, int], constant: int, parts: TermBuilder) -> int:
    """Return a number that no part of the term's sum exceeds."""
    ends = ((a, max(map(abs, parts.bounds(v)))) for v, a in coefficients.items())
    return abs(constant) + 2 * sum(abs(a) * end for a, end in ends)


def add_fractional_bounds(
    linear: Iterable[tuple[Row, int]], objective: Row, record: int, parts: TermBuilder
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


def add_proved_row(row: Row, objective: Row, record: int, parts: TermBuilder) -> None:
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
    own: dict[int, int],
    costs: dict[int, int],
    disputed: list[int],
    constant: int,
    record: int,
    parts: TermBuilder,
) -> None:
    """Add the propagator, the disputed variables by ascending price of what they take off."""
    # exact: quotients of numbers below 2^62 that are not equal differ by more than 2^-124
    disputed.sort(key=lambda v: ((abs(costs[v]) << 128) // abs(own[v]), v))
    variables = [*disputed, *sorted((own.keys() | costs.keys()) - set(disputed))]
    numbers = [len(disputed), record, *(costs.get(v, 0) for v in variables)]
    coefficients = [own.get(v, 0) for v in variables]
    parts.propagator(Propagator("fractional_bound", variables, coefficients, numbers, constant))


FEWEST_NODES, MOST_NODES = 5, 128
"""Nodes of a circuit: fewer have few tours, more have too many arcs to be looked at again and again."""

ANYTHING = 1 << 60
"""No part of a row goes beyond this."""


def add_tour_bounds(
    compiled: Compiled,
    linear: Iterable[tuple[Row, int]],
    objective: tuple[Row, int] | None,
    parts: TermBuilder,
) -> None:
    """Let circuits look at rows, with their relations, that add up elements at most of the successors.

    ``objective`` is the row that is at most 0, with its propagator's record, of which the constant changes.
    """
    circuits = [w for w in compiled.wholes if w.constraint.kind == "Circuit" and not w.constraint.depots]
    if not circuits:
        return
    elements = {d.result: d for d in compiled.definitions if d.is_table}
    rows = list(_at_most(linear)) if elements else []
    if objective is not None and elements:
        rows.append(objective)
    which = {result: int(d.terms.row(0)[0][0]) for result, d in elements.items()}
    positions = [[which[v] for v in row[0] if v in which] for row, _ in rows]
    for whole in circuits:
        successors = whole.terms(whole.constraint.successor)
        if (
            not FEWEST_NODES <= len(successors) <= MOST_NODES
            or successors.singles(0, len(successors)) is None
        ):
            continue
        nodes = parts.variables(whole.constraint.successor)
        variables, coefficients, shifts = successors.singles(0, len(successors)) or ((), (), ())
        if set(coefficients) == {1} and len(set(variables)) == len(nodes):
            place = {int(v): (k, int(c)) for k, (v, c) in enumerate(zip(variables, shifts, strict=True))}
            for (row, record), mine in zip(rows, positions, strict=True):
                if 2 * len(mine) > len(nodes) and 2 * sum(v in place for v in mine) > len(nodes):
                    _add_tour_bound(row, record, place, elements, nodes, parts)


def _at_most(linear: Iterable[tuple[Row, int]]) -> Iterator[tuple[Row, int]]:
    """Give rows that are at most 0, with -1: their constants stay as they are."""
    for (variables, coefficients, constant), relation in linear:
        for sign in SIGNS.get(relation, ()):
            yield (variables, tuple(sign * a for a in coefficients), sign * constant), -1


def _add_tour_bound(
    row: Row,
    record: int,
    place: Mapping[int, tuple[int, int]],
    elements: Mapping[int, DefinitionBlock],
    nodes: list[int],
    parts: TermBuilder,
) -> None:
    """Add the propagator for a row with costs of most of the arcs, if they fit."""
    costs = np.zeros((len(nodes), len(nodes)), dtype=object)
    rest = []
    for v, a in zip(row[0], row[1], strict=True):
        mine = _costs(elements[v], place, len(nodes)) if v in elements else None
        if mine is None:
            rest.append((v, a))
        else:
            k, values = mine
            costs[k] += np.array([0 if value is None else a * value for value in values], dtype=object)
    reach = abs(row[2]) + sum(abs(a) * max(map(abs, parts.bounds(v))) for v, a in rest)
    if abs(costs).max() > kernel.LARGEST or reach > ANYTHING:
        return
    many = len(nodes)
    numbers = [many, record, *[0] * (kernel.ROOM * many), *(costs.reshape(-1) * kernel.SCALE)]
    constant = row[2] if record < 0 else 0
    variables, coefficients = [*nodes, *(v for v, _ in rest)], [*[1] * many, *(a for _, a in rest)]
    parts.propagator(
        Propagator(
            "tour_bound", variables, coefficients, [*numbers, *[0] * (2 * many * many)], constant,
        )
    )  # fmt: skip


def _costs(
    element: DefinitionBlock, place: Mapping[int, tuple[int, int]], many: int
) -> tuple[int, list[int | None]] | None:
    """Return the node whose successor an element depends on, and its value for each successor.

    A value is None where the element has none; all is None where it depends on no successor.
    """
    terms = element.terms
    variables, coefficients, shift = terms.row(0)
    table: IntArray = terms.constant[1:]
    if int(variables[0]) not in place:
        return None
    k, c = place[int(variables[0])]
    positions = [int(coefficients[0]) * (node - c) + shift for node in range(many)]
    return k, [int(table[q]) if 0 <= q < len(table) else None for q in positions]
