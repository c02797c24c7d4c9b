"""The slow and obvious meaning of a compiled problem's state, in numpy and plain Python.

Used by the audit. It evaluates the problem's own terms, definitions and constraints; from the compiled
arrays it takes only which counter stands for which value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.backends.local_search.problem import Constraint, Definition, Function, Ints, Kind, Problem
from cpqueens.kernels import search_arena as arena
from cpqueens.kernels.search_plain import FARTHEST

if TYPE_CHECKING:
    from cpqueens.backends.local_search.layers import Compiled


@dataclass
class Fresh:
    """What the arrays of `Core` should hold."""

    activity: Ints
    count: Ints
    sum_of: Ints
    errors: Ints
    cost: int


def node_values(problem: Problem, x: Ints) -> Ints:
    """Return the values of all nodes for the decision variables ``x``."""
    values = np.zeros(problem.size + len(problem.definitions), dtype=np.int64)
    values[: problem.size] = x
    for d, definition in enumerate(problem.definitions):
        values[problem.size + d] = _define(definition, problem, values)
    return values


def evaluate(problem: Problem, terms: Ints, values: Ints) -> Ints:
    """Return the values of the terms numbered ``terms``."""
    t = problem.terms
    return np.array(
        [
            int(t.constants[k]) + int(t.coefficients[a:b] @ values[t.nodes[a:b]])
            for k in terms.tolist()
            for a, b in [(int(t.start[k]), int(t.start[k + 1]))]
        ],
        dtype=np.int64,
    )


def _define(definition: Definition, problem: Problem, values: Ints) -> int:
    if definition.truth is not None:
        return int(violation(definition.truth, problem, values) == 0)
    a = evaluate(problem, definition.terms, values).tolist()
    function = definition.function
    if function == Function.ELEMENT:
        array = a[1:] if definition.table is None else list(definition.table)
        return int(array[a[0]]) if 0 <= a[0] < len(array) else 0
    if function in DIVISIONS and a[1] == 0:
        return 0
    rules: dict[Function, Any] = {
        Function.ABS: lambda: abs(a[0]),
        Function.PRODUCT: lambda: a[0] * a[1],
        Function.QUOTIENT: lambda: a[0] // a[1],
        Function.REMAINDER: lambda: a[0] % a[1],
        Function.QUOTIENT_TRUNCATED: lambda: _truncated(a[0], a[1]),
        Function.REMAINDER_TRUNCATED: lambda: a[0] - _truncated(a[0], a[1]) * a[1],
        Function.MINIMUM: lambda: min(a),
        Function.MAXIMUM: lambda: max(a),
    }
    return int(rules[function]())


DIVISIONS = (
    Function.QUOTIENT,
    Function.REMAINDER,
    Function.QUOTIENT_TRUNCATED,
    Function.REMAINDER_TRUNCATED,
)


def _truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _distance(relation: str, difference: int) -> int:
    if relation == "==":
        return min(abs(difference), FARTHEST)
    if relation == "!=":
        return int(difference == 0)
    if relation in (">", ">="):
        difference = -difference
    return min(max(0, difference + (relation in ("<", ">"))), FARTHEST)


def violation(constraint: Constraint, problem: Problem, values: Ints, measure: int = 0) -> int:
    """Return the violation of a constraint in the engine's measures."""
    a = evaluate(problem, constraint.terms, values)
    if constraint.kind == Kind.LINEAR:
        return _distance(constraint.relation, int(a[0]))
    if constraint.kind == Kind.CLAUSE:
        return int(not (a != 0).any())
    if constraint.kind == Kind.COUNT:
        return _distance(constraint.relation, int((a[:-1] == constraint.value).sum() - a[-1]))
    if constraint.kind == Kind.TABLE:
        rows = np.asarray(constraint.rows, dtype=np.int64).reshape(-1, len(a))
        return int((rows != a).sum(axis=1).min(initial=len(a) + 1))
    _, times = np.unique(a, return_counts=True)
    return int((times * (times - 1) // 2).sum() if measure == 1 else (times - 1).sum())


def support(problem: Problem, terms: Ints) -> set[int]:
    """Return the decision variables that ``terms`` depend on."""
    found: set[int] = set()
    t = problem.terms
    for k in terms.tolist():
        a, b = int(t.start[k]), int(t.start[k + 1])
        net: dict[int, int] = {}
        for node, coefficient in zip(t.nodes[a:b].tolist(), t.coefficients[a:b].tolist(), strict=True):
            net[node] = net.get(node, 0) + coefficient
        for node in (node for node, coefficient in net.items() if coefficient):
            if node < problem.size:
                found.add(node)
            else:
                definition = problem.definitions[node - problem.size]
                truth = definition.truth
                found |= support(problem, definition.terms if truth is None else truth.terms)
    return found


def with_limit(problem: Problem, limit: int) -> Problem:
    """Return the problem whose last constraint demands an objective of at most ``limit``."""
    assert problem.objective is not None
    constants = problem.terms.constants.copy()
    constants[problem.constraints[-1].terms[0]] = constants[problem.objective] - limit
    return replace(problem, terms=replace(problem.terms, constants=constants))


def fresh_state(compiled: Compiled, x: Ints, weight: Ints, measure: int, limit: int | None = None) -> Fresh:
    """Return what the state should be for ``x``, with an objective of at most ``limit`` if one is given."""
    problem = compiled.problem if limit is None else with_limit(compiled.problem, limit)
    constraints, counters = len(compiled.part(arena.ACTIVITY)), len(compiled.part(arena.COUNT))
    values = node_values(problem, x)
    fresh = Fresh(
        np.zeros(constraints, np.int64), np.zeros(counters, np.int64),
        np.zeros(counters, np.int64), np.zeros(problem.size, np.int64), 0,
    )  # fmt: skip
    for entry in compiled.entries:
        constraint, c = entry.constraint, entry.number
        amount = violation(constraint, problem, values, measure)
        fresh.cost += amount * int(weight[c])
        if constraint.kind == Kind.ALL_DIFFERENT:
            fresh.activity[c] = amount
            _enter(fresh, compiled, entry, values, int(weight[c]))
            continue
        fresh.activity[c] = _activity(constraint, problem, values, amount)
        if amount:
            for v in support(problem, constraint.terms):
                fresh.errors[v] += amount * int(weight[c])
    return fresh


def _activity(constraint: Constraint, problem: Problem, values: Ints, amount: int) -> int:
    a = evaluate(problem, constraint.terms, values)
    if constraint.kind == Kind.TABLE:
        return amount
    if constraint.kind == Kind.CLAUSE:
        return int((a != 0).sum())
    difference = (
        int(a[0]) if constraint.kind == Kind.LINEAR else int((a[:-1] == constraint.value).sum() - a[-1])
    )
    relation = constraint.relation
    return (-difference if relation in (">", ">=") else difference) + (relation in ("<", ">"))


def _enter(fresh: Fresh, compiled: Compiled, entry: Any, values: Ints, weight: int) -> None:
    """Count the terms of an AllDifferent and mark those that share a value."""
    problem, constraint = compiled.problem, entry.constraint
    a = evaluate(problem, constraint.terms, values)
    occupants = compiled.occupants(entry)
    base = compiled.bases[entry.number]
    np.add.at(fresh.count, base + a, 1)
    np.add.at(fresh.sum_of, base + a, occupants)
    shared = fresh.count[base + a] > 1
    for t in constraint.terms[shared].tolist():
        for v in support(problem, np.array([t])):
            fresh.errors[v] += weight
