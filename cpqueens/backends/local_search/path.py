"""Models that are a permutation along a path of absolute differences, all different: found here."""

from __future__ import annotations

from typing import Any

import numpy as np

from cpqueens.backends.local_search.neighbourhood import plain_scope
from cpqueens.backends.local_search.problem import Constraint, Function, Ints, Kind, Problem


def find_path(problem: Problem) -> Ints | None:
    """Return the variables in the order of the path if the model is exactly this pattern, else None.

    The pattern: n variables with one interval of n values, all different, and one further AllDifferent over
    n - 1 terms |u - v| (plus a constant common to all) whose pairs form a path through all variables.
    """
    n = problem.size
    if n < 3 or problem.domains or problem.objective is not None or len(problem.constraints) != 2:
        return None
    low = int(problem.lower[0])
    if (problem.lower != low).any() or (problem.upper != low + n - 1).any():
        return None
    scopes = [plain_scope(problem, c) for c in problem.constraints]
    kept = [k for k, scope in enumerate(scopes) if scope is not None and len(scope) == n]
    if len(kept) != 1:
        return None
    return _path(problem, problem.constraints[1 - kept[0]])


def _path(problem: Problem, constraint: Constraint) -> Ints | None:
    n, terms = problem.size, problem.terms
    if constraint.kind != Kind.ALL_DIFFERENT or len(constraint.terms) != n - 1:
        return None
    neighbours: list[list[int]] = [[] for _ in range(n)]
    outer: set[Any] = set()
    for t in constraint.terms.tolist():
        pair = _pair(problem, t)
        if pair is None:
            return None
        u, v, sign = pair
        outer.add((sign, int(terms.constants[t])))
        neighbours[u].append(v)
        neighbours[v].append(u)
    ends = [v for v in range(n) if len(neighbours[v]) == 1]
    if len(outer) != 1 or len(ends) != 2:
        return None
    order, previous = [ends[0]], -1
    while len(order) < n:
        further = [w for w in neighbours[order[-1]] if w != previous]
        if len(further) != 1:
            return None
        previous = order[-1]
        order.append(further[0])
    return np.array(order, dtype=np.int64)


def _pair(problem: Problem, t: int) -> tuple[int, int, int] | None:
    """Return u, v and the sign of a term sign * |u - v| + constant, else None."""
    terms, n = problem.terms, problem.size
    entry = int(terms.start[t])
    if (
        int(terms.start[t + 1]) - entry != 1
        or int(terms.nodes[entry]) < n
        or abs(terms.coefficients[entry]) != 1
    ):
        return None
    definition = problem.definitions[int(terms.nodes[entry]) - n]
    if definition.function != Function.ABS:
        return None
    argument = int(definition.terms[0])
    a, b = int(terms.start[argument]), int(terms.start[argument + 1])
    if b - a != 2 or terms.constants[argument] != 0 or sorted(terms.coefficients[a:b].tolist()) != [-1, 1]:
        return None
    u, v = (int(node) for node in terms.nodes[a:b])
    return (u, v, int(terms.coefficients[entry])) if u != v and max(u, v) < n else None
