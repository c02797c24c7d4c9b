"""Rows of which exactly one is 1: the same solutions, rows that always hold, and which rows are chosen."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from each import each
from searched import compiled, run

from cpqueens import Model, element
from cpqueens.backends.local_search import presolve
from cpqueens.backends.local_search.audit import violation
from cpqueens.backends.local_search.layers import build_arrays
from cpqueens.crosscheck import oracle
from cpqueens.lowered.evaluation import values_of_all
from cpqueens.lowered.neighbourhood import values_of
from cpqueens.lowered.presolve.choices import smaller_model
from cpqueens.lowered.presolve.reduction import Reduced


def solutions(small: Reduced) -> set[tuple[int, ...]]:
    """Return the solutions of a smaller model as those of the larger one, by trying everything."""
    c = small.compiled
    entries = build_arrays(c, frozenset()).entries
    found = set()
    for x in map(np.array, product(*(values_of(c, v).tolist() for v in range(c.decision_count)))):
        whole = small.restored(x)
        assert (small.projected(whole) == x).all()
        if not sum(violation(entry, values_of_all(c, x)) for entry in entries):
            found.add(tuple(whole.tolist()))
    return found


def of(m: Model) -> Reduced | None:
    """Return what becomes of a model, without propagation."""
    c = compiled(m)
    ends = zip(c.lower.tolist(), c.upper.tolist(), strict=True)
    domains = [c.domains.get(v, end) for v, end in enumerate(ends)][: c.decision_count]
    return smaller_model(c, domains)


def with_a_sum(m: Model, x: Any) -> None:
    z = m.intvar(0, 12, name="z")
    m.add(z == (x * np.arange(12).reshape(3, 4)).sum(), z != 9)


MODELS: dict[str, Callable[[Model, Any], None]] = {
    "columns": lambda m, x: m.add(x.sum(axis=0) <= 1),
    "clauses": lambda m, x: m.add(x[0, 0] | x[1, 1], x[0, 2].implies(x[2, 3])),
    "products and elements": lambda m, x: m.add(
        x[0, 0] * x[1, 3] == 0, element([3, 1, 2, 0], x[2] @ np.arange(4)) != 2
    ),
    "a variable beside": lambda m, x: m.add(m.intvar(0, 3, name="y") == x[:, 2].sum()),
    "a sum": with_a_sum,
}


@each("what", MODELS)
def test_the_solutions_are_the_same(what: str) -> None:
    m = Model(what)
    x = m.boolvar((3, 4), name="x")
    m.add(x.sum(axis=1) == 1)
    MODELS[what](m, x)
    small = of(m)
    assert small is not None
    assert [len(members) for members in small.choices] == [4, 4, 4]
    assert small.facts["choices"] == 3
    assert solutions(small) == set(oracle.solve(m).rows)


def squares(n: int, order: int) -> Model:
    """Return an assignment of things to places, whose costs depend on where two of them are."""
    m = Model()
    x = m.boolvar((n, n), name="x")
    both = [x.sum(axis=1) == 1, x.sum(axis=0) == 1]
    m.add(both[order], both[1 - order])
    place = [x[i] @ np.arange(n) for i in range(n)]
    costs = np.random.default_rng(n).integers(0, 50, n * n)
    m.minimize(sum(element(costs.tolist(), n * place[i] + place[(i + 1) % n]) for i in range(n)))
    return m


@pytest.mark.parametrize("order", [0, 1])
def test_rows_whose_members_stand_together_are_chosen(order: int) -> None:
    small = of(squares(5, order))
    assert small is not None
    assert [members.tolist() for members in small.choices] == np.arange(25).reshape(5, 5).tolist()


def test_what_is_chosen_always_holds_and_is_swapped() -> None:
    m = squares(8, 1)
    costs = np.random.default_rng(8).integers(0, 50, (8, 8))
    orders = np.array(list(permutations(range(8))))
    found = run(m, steps=40_000, seed=1)
    assert found.statistics["special"] == "cells"
    assert found.statistics["presolve"]["choices"] == 8
    assert found.objective == costs[orders, np.roll(orders, -1, axis=1)].sum(axis=1).min()


def impossible() -> Model:
    """Return rows of which two cannot be together, in a way that propagation and small trees do not see."""
    m = Model()
    x = m.boolvar((30, 29), name="x")
    m.add(x.sum(axis=1) == 1, x.sum(axis=0) <= 1)
    return m


def test_rows_hold_where_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Left to the walk: the exact engine's searches, which ask the relaxation, soon refute it."""
    monkeypatch.setattr(presolve, "RUNS_PER_NODE", 0)
    found = run(impossible(), steps=60_000)
    assert found.status == "UNKNOWN"
    assert found.statistics["presolve"]["choices"] == 30
    assert found.closest is not None
    assert (np.asarray(found.closest["x"]).sum(axis=1) == 1).all()


def test_a_hint_says_what_is_chosen() -> None:
    m = squares(5, 0)
    small = of(m)
    assert small is not None
    values, counts = np.zeros(25, dtype=np.int64), np.ones(25, dtype=bool)
    values[[3, 7, 11]] = 1
    counts[10:15] = False
    hint, said = small.projected_hint((values, counts))
    assert hint[:2].tolist() == [3, 2]
    assert said.tolist() == [True, True, False, False, False]


OTHERS: dict[str, Callable[[Model, Any], None]] = {
    "rows of which two are 1": lambda m, x: m.add(x.sum(axis=1) == 2),
    "a row among many variables": lambda m, x: m.add(x[0].sum() == 1),
    "an objective under linear rows": lambda m, x: (m.add(x.sum(axis=1) == 1), m.minimize(x[:, 0].sum())),
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_models_stay_as_they_are(what: str) -> None:
    m = Model()
    OTHERS[what](m, m.boolvar((3, 4)))
    small = of(m)
    assert small is None or not small.choices
