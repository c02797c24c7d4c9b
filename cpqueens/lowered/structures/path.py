"""One permutation, and all differences along a path through its variables: all-interval series."""

from dataclasses import dataclass

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled, Singles
from cpqueens.lowered.structures.shifted_permutation import is_alone, is_over_all, least_value, single_terms


@dataclass(frozen=True, eq=False)
class PathPermutation:
    """The variables in the ``order`` of a path, all different, as are the differences along it."""

    order: IntArray
    low: int

    @property
    def size(self) -> int:
        """How many variables there are."""
        return len(self.order)


def find(compiled: Compiled) -> PathPermutation | None:
    """Return the model as a permutation along a path of differences, None if it is anything else.

    The differences, all different, are terms |u - v| (plus a constant common to all) whose pairs form a path
    through all variables.
    """
    n = compiled.decision_count
    low = least_value(compiled.lower, compiled.upper, n)
    if n < 3 or low is None or not is_alone(compiled) or len(compiled.linear):
        return None
    different = list(single_terms(compiled))
    plain = [is_over_all(found, n) for found in different]
    if sorted(plain) != [False, True]:
        return None
    order = _path(compiled, different[plain.index(False)])
    return None if order is None else PathPermutation(order, low)


def _path(compiled: Compiled, differences: Singles | None) -> IntArray | None:
    n = compiled.decision_count
    if differences is None or len(differences[0]) != n - 1:
        return None
    variables, coefficients, constants = differences
    if (coefficients != coefficients[0]).any() or (constants != constants[0]).any():
        return None
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for variable in variables.tolist() if abs(coefficients[0]) == 1 else ():
        pair = _pair(compiled, variable)
        if pair is None:
            return None
        u, v = pair
        neighbours[u].append(v)
        neighbours[v].append(u)
    ends = [v for v in range(n) if len(neighbours[v]) == 1]
    if len(ends) != 2:
        return None
    order, previous = [ends[0]], -1
    while len(order) < n:
        further = [w for w in neighbours[order[-1]] if w != previous]
        if len(further) != 1:
            return None
        previous = order[-1]
        order.append(further[0])
    return np.array(order, dtype=np.int64)


def _pair(compiled: Compiled, variable: int) -> tuple[int, int] | None:
    """Return u and v of a defined variable |u - v|, else None."""
    n = compiled.decision_count
    if variable < n or compiled.definitions[variable - n].kind != "abs":
        return None
    variables, coefficients, constant = compiled.definitions[variable - n].terms.row(0)
    if constant != 0 or sorted(coefficients.tolist()) != [-1, 1]:
        return None
    u, v = variables.tolist()
    return (u, v) if u != v and max(u, v) < n else None
