"""The slow and obvious meaning of a search's state, in numpy and plain Python.

Used by the audit. It evaluates the model's own terms, definitions and constraints; from the kernels'
arrays it takes only which counter stands for which value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cpqueens.backends.local_search.columns import block
from cpqueens.kernels.local import arena
from cpqueens.kernels.local.plain import FARTHEST
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ, GE, NE, Compiled, CompiledDefinition, Terms

if TYPE_CHECKING:
    from cpqueens.backends.local_search.assembler import Entry
    from cpqueens.backends.local_search.layers import Arrays


MANY_TERMS = 16
"""Terms from which on arrays are worth their trouble."""


@dataclass
class Fresh:
    """What the arrays of `Core` should hold."""

    activity: IntArray
    count: IntArray
    sum_of: IntArray
    errors: IntArray
    cost: int


def values_of_all(compiled: Compiled, x: IntArray) -> IntArray:
    """Return the values of all variables for the decision variables ``x``."""
    values = np.zeros(compiled.variable_count, dtype=np.int64)
    values[: compiled.decision_count] = x
    for definition in compiled.definitions:
        values[definition.result] = meant(definition, evaluate(definition.terms, values).tolist())
    return values


def evaluate(terms: Terms, values: IntArray) -> IntArray:
    """Return the values of ``terms`` for those of all variables."""
    if len(terms) > MANY_TERMS:
        start = terms.start - terms.start[0]
        added = np.append(0, np.cumsum(terms.coefficient * values[terms.variable]))
        whole: IntArray = terms.constant + added[start[1:]] - added[start[:-1]]
        return whole
    rows = (terms.row(t) for t in range(len(terms)))
    return np.array([c + int(a @ values[v]) for v, a, c in rows], dtype=np.int64)


def meant(definition: CompiledDefinition, a: list[int]) -> int:
    """Return the value of a definition for those of its arguments."""
    if definition.kind == "truth_linear":
        return int(_distance(definition.relation, a[0]) == 0)
    return _FUNCTIONS[definition.kind](a)


def _truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_FUNCTIONS: dict[str, Callable[[list[int]], int]] = {
    "abs": lambda a: abs(a[0]),
    "product": lambda a: a[0] * a[1],
    "quotient": lambda a: a[0] // a[1] if a[1] else 0,
    "remainder": lambda a: a[0] % a[1] if a[1] else 0,
    "quotient_truncated": lambda a: _truncated(a[0], a[1]) if a[1] else 0,
    "remainder_truncated": lambda a: a[0] - _truncated(a[0], a[1]) * a[1] if a[1] else 0,
    "minimum": min,
    "maximum": max,
    "element": lambda a: a[1 + a[0]] if 0 <= a[0] < len(a) - 1 else 0,
    "truth_or": lambda a: int(any(a)),
}


def _distance(relation: int, difference: int) -> int:
    if relation == EQ:
        return min(abs(difference), FARTHEST)
    if relation == NE:
        return int(difference == 0)
    return min(max(0, -difference if relation == GE else difference), FARTHEST)


def violation(entry: Entry, values: IntArray, measure: int = 0) -> int:
    """Return the violation of a constraint in the engine's measures."""
    a = evaluate(entry.terms, values)
    if entry.kind in ("Linear", "Count"):
        return _distance(entry.relation, _difference(entry, a))
    if entry.kind == "Or":
        return int(not (a != 0).any())
    if entry.rows is not None:
        return int((entry.rows != a).sum(axis=1).min(initial=len(a) + 1))
    _, times = np.unique(a, return_counts=True)
    return int((times * (times - 1) // 2).sum() if measure == 1 else (times - 1).sum())


def _difference(entry: Entry, a: IntArray) -> int:
    """Return what a Linear or a Count compares with 0."""
    return int(a[0]) if entry.kind == "Linear" else int((a[:-1] == entry.value).sum() - a[-1])


def support(compiled: Compiled, terms: Terms) -> set[int]:
    """Return the decision variables that ``terms`` depend on."""
    found: set[int] = set()
    for t in range(len(terms)):
        variables, coefficients, _ = terms.row(t)
        net: dict[int, int] = {}
        for v, coefficient in zip(variables.tolist(), coefficients.tolist(), strict=True):
            net[v] = net.get(v, 0) + coefficient
        for v in (v for v, coefficient in net.items() if coefficient):
            if v < compiled.decision_count:
                found.add(v)
            else:
                found |= support(compiled, compiled.definitions[v - compiled.decision_count].terms)
    return found


def fresh_state(arrays: Arrays, x: IntArray, weight: IntArray, measure: int) -> Fresh:
    """Return what the state should be for ``x``."""
    compiled = arrays.compiled
    constraints, counters = len(arrays.part(arena.ACTIVITY)), len(arrays.part(arena.COUNT))
    values = values_of_all(compiled, x)
    fresh = Fresh(
        np.zeros(constraints, np.int64), np.zeros(counters, np.int64),
        np.zeros(counters, np.int64), np.zeros(compiled.decision_count, np.int64), 0,
    )  # fmt: skip
    for entry in arrays.entries:
        c = entry.number
        amount = violation(entry, values, measure)
        fresh.cost += amount * int(weight[c])
        fresh.activity[c] = _activity(entry, values, amount)
        if entry.kind == "AllDifferent":
            _enter(fresh, arrays, entry, values, int(weight[c]))
        elif amount:
            for v in support(compiled, entry.terms):
                fresh.errors[v] += amount * int(weight[c])
    return fresh


def _activity(entry: Entry, values: IntArray, amount: int) -> int:
    if entry.kind in ("AllDifferent", "Table"):
        return amount
    a = evaluate(entry.terms, values)
    if entry.kind == "Or":
        return int((a != 0).sum())
    return _difference(entry, a) * (-1 if entry.relation == GE else 1)


def _enter(fresh: Fresh, arrays: Arrays, entry: Entry, values: IntArray, weight: int) -> None:
    """Count the terms of an AllDifferent and mark those that share a value."""
    a = evaluate(entry.terms, values)
    counters = arrays.bases[entry.number] + a
    np.add.at(fresh.count, counters, 1)
    np.add.at(fresh.sum_of, counters, arrays.occupants(entry))
    for t in np.flatnonzero(fresh.count[counters] > 1).tolist():
        for v in support(arrays.compiled, block(entry.terms, t, t + 1)):
            fresh.errors[v] += weight
