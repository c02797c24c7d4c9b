"""Orders that go round in a circle: bounds would creep towards each other one value at a time."""

from collections.abc import Iterable

import numpy as np

from cpqueens.backends.backtracking.wholes.parts import Parts
from cpqueens.lowered.compiled import EQ, GE, LE

WIDE = 1 << 12
"""Values of a variable from which on circles are looked for; with fewer, propagation sees them as soon."""

MOST_VARIABLES = 1 << 10
"""Of all differences: each may cost a pass over all of them."""

SIGNS = {EQ: (1, -1), GE: (-1,), LE: (1,)}
"""By what a row with a relation is multiplied to be at most 0."""

DIFFERENCES = (1, -1), (-1, 1)
"""Coefficients of two variables, of which one is subtracted from the other."""

Row = tuple[tuple[int, ...], tuple[int, ...], int]


def add_circles(linear: Iterable[tuple[Row, int]], parts: Parts) -> None:
    """Add what is false if rows ``x - y + constant <= 0`` on wide domains allow no values at all."""
    arcs: list[tuple[int, int, int]] = []
    wide = False
    for (variables, coefficients, constant), relation in linear:
        for sign in SIGNS.get(relation, ()) if coefficients in DIFFERENCES else ():
            first = coefficients.index(sign)
            arcs.append((variables[first], variables[1 - first], sign * constant))
            low, high = parts.bounds(variables[0])
            wide = wide or high - low >= WIDE
    if wide and _goes_round(arcs):
        parts.linear(((), (), 1), LE)


def _goes_round(arcs: list[tuple[int, int, int]]) -> bool:
    """Say whether the shortest paths of arcs (to, from, minus length) get ever shorter (Bellman, Ford)."""
    ends, constants = np.array(arcs, dtype=object)[:, :2].astype(np.int64), [arc[2] for arc in arcs]
    numbers, places = np.unique(ends, return_inverse=True)
    if len(numbers) > MOST_VARIABLES or max(map(abs, constants)) > (1 << 62) // MOST_VARIABLES:
        return False
    (to, begin), lengths = places.reshape(-1, 2).T, -np.array(constants, dtype=np.int64)
    distance = np.zeros(len(numbers), dtype=np.int64)
    for _ in range(len(numbers) + 1):
        before = distance.copy()
        np.minimum.at(distance, to, before[begin] + lengths)
        if (distance == before).all():
            return False
    return True
