"""Comparing the incremental state with a fresh computation; the first difference is an error."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cpqueens.backends.local_search.assembler import Entry
from cpqueens.backends.local_search.layers import Arrays
from cpqueens.kernels.local import arena, info as at
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import GE, Compiled, Terms
from cpqueens.lowered.evaluation import affines, distance, evaluate, values_of_all

# ---- the slow and obvious meaning of a search's state, in numpy and plain Python ----------------------
# Used by the audit. It evaluates the model's own terms, definitions and constraints; from the kernels'
# arrays it takes only which counter stands for which value.


@dataclass
class Fresh:
    """What the arrays of `Core` should hold."""

    activity: IntArray
    count: IntArray
    sum_of: IntArray
    errors: IntArray
    cost: int


def violation(entry: Entry, values: IntArray, measure: int = 0) -> int:
    """Return the violation of a constraint in the engine's measures."""
    a = evaluate(entry.terms, values)
    if entry.kind in ("Linear", "Count"):
        return distance(entry.relation, _difference(entry, a))
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
    for parts, _ in affines(terms):
        for v in parts:
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
        for v in support(arrays.compiled, entry.terms.part(t, t + 1)):
            fresh.errors[v] += weight


class AuditError(AssertionError):
    """The incremental state differs from what it should be."""


def check_state(arrays: Arrays, measure: int, events: Any) -> None:
    """Compare every activity, violation, counter, error, index set and the cost with a fresh computation.

    Raises
    ------
    AuditError
        Naming step, last recorded move, constraint or variable, expected and found.
    """
    part, info = arrays.part, arrays.part(arena.INFO)
    fresh = fresh_state(arrays, arrays.core.x, part(arena.WEIGHT), measure)
    recorded = int(info[at.RECORDED])
    last = f"event {events[recorded - 1].tolist()}" if recorded else "no event recorded"
    where = f"step {info[at.STEPS]}, {last}"
    _compare(where, "activity of constraint", fresh.activity, part(arena.ACTIVITY))
    _compare(where, "counter", fresh.count, part(arena.COUNT))
    _compare(where, "sum of occupants of counter", fresh.sum_of, part(arena.SUM_OF))
    _compare(where, "error of variable", fresh.errors, part(arena.ERRORS))
    _compare(where, "cost", np.array([fresh.cost]), info[[at.COST]])
    _check_index(where, fresh, part(arena.MEMBERS)[: int(info[at.SIZE])], part(arena.POSITION))


def _compare(where: str, what: str, expected: Any, found: Any) -> None:
    wrong = np.flatnonzero(expected != found)
    if len(wrong):
        k = int(wrong[0])
        raise AuditError(f"{where}: {what} {k}: expected {int(expected[k])}, found {int(found[k])}")


def _check_index(where: str, fresh: Fresh, members: IntArray, positions: IntArray) -> None:
    expected = np.flatnonzero(fresh.errors > 0)
    if not np.array_equal(np.sort(members), expected):
        raise AuditError(
            f"{where}: conflicted variables: expected {expected.tolist()}, found {sorted(members)}"
        )
    position = np.full(len(positions), -1)
    position[members] = np.arange(len(members))
    _compare(where, "position of variable", position, positions)
