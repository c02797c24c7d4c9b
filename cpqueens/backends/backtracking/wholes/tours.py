"""What linear rows get besides bounds where they add up the costs of a circuit's arcs."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from cpqueens.backends.backtracking.wholes.fractional import SIGNS, Row
from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.propagators import tour_bound as kernel
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled, CompiledDefinition

FEWEST, MOST = 5, 128
"""Nodes of a circuit: fewer have few tours, more have too many arcs to be looked at again and again."""

ANYTHING = 1 << 60
"""No part of a row goes beyond this."""


def add_tour_bounds(
    compiled: Compiled, linear: Iterable[tuple[Row, int]], objective: tuple[Row, int] | None, parts: Parts
) -> None:
    """Let circuits look at rows, with their relations, that add up elements at most of the successors.

    ``objective`` is the row that is at most 0, with its propagator's record, of which the constant changes.
    """
    circuits = [w for w in compiled.wholes if w.constraint.kind == "Circuit" and not w.constraint.depots]
    if not circuits:
        return
    elements = {d.result: d for d in compiled.definitions if d.kind == "element" and _is_of_one(d)}
    rows = list(_at_most(linear)) if elements else []
    if objective is not None and elements:
        rows.append(objective)
    which = {result: int(d.terms.row(0)[0][0]) for result, d in elements.items()}
    positions = [[which[v] for v in row[0] if v in which] for row, _ in rows]
    for whole in circuits:
        successors = whole.terms(whole.constraint.successor)
        if not FEWEST <= len(successors) <= MOST or successors.singles(0, len(successors)) is None:
            continue
        nodes = parts.variables(whole.constraint.successor)
        variables, coefficients, shifts = successors.singles(0, len(successors)) or ((), (), ())
        if set(coefficients) == {1} and len(set(variables)) == len(nodes):
            place = {int(v): (k, int(c)) for k, (v, c) in enumerate(zip(variables, shifts, strict=True))}
            for (row, record), mine in zip(rows, positions, strict=True):
                if 2 * len(mine) > len(nodes) and 2 * sum(v in place for v in mine) > len(nodes):
                    _add(row, record, place, elements, nodes, parts)


def _is_of_one(element: CompiledDefinition) -> bool:
    """Say whether an element is one of numbers, at a place that depends on one variable."""
    terms = element.terms
    return len(terms.row(0)[0]) == 1 and terms.start[-1] == terms.start[1]


def _at_most(linear: Iterable[tuple[Row, int]]) -> Iterator[tuple[Row, int]]:
    """Give rows that are at most 0, with -1: their constants stay as they are."""
    for (variables, coefficients, constant), relation in linear:
        for sign in SIGNS.get(relation, ()):
            yield (variables, tuple(sign * a for a in coefficients), sign * constant), -1


def _add(
    row: Row,
    record: int,
    place: Mapping[int, tuple[int, int]],
    elements: Mapping[int, CompiledDefinition],
    nodes: list[int],
    parts: Parts,
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
            events=at.DOMAIN, queue=at.DEAREST,
        )
    )  # fmt: skip


def _costs(
    element: CompiledDefinition, place: Mapping[int, tuple[int, int]], many: int
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
