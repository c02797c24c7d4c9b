"""AllDifferents over sums, and variables without listed values, whose domains are halved."""

from __future__ import annotations

import random

import pytest
from seeds import seeds

from cpqueens import AllDifferent, Model, Status
from cpqueens.backends.backtracking import memory
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model

FORWARD = "backtracking:forward"


def solutions(model: Model) -> list[tuple[int, ...]]:
    """Return all solutions by brute force."""
    return [tuple(row) for row in oracle.solve(model).solutions.tolist()]


def listed(model: Model, solver: str = FORWARD) -> list[tuple[int, ...]]:
    """Return all solutions as the engine delivers them."""
    outcome = model.enumerate(solver=solver)
    assert outcome.complete
    return [tuple(row) for row in outcome.solutions.matrix.tolist()]


def random_sums(seed: int) -> Model:
    """Return AllDifferents whose terms are sums of 0 to 3 variables, parts in common included."""
    source = random.Random(seed)
    m = Model("sums")
    low = source.randint(-2, 1)
    x = m.intvar(low, low + source.randint(1, 4), shape=4, name="x")
    for _ in range(source.randint(1, 3)):
        terms = []
        for _ in range(source.randint(2, 5)):
            chosen = source.sample(range(4), source.choice((0, 1, 2, 2, 2, 3)))
            parts = [source.choice((-2, -1, 1, 1)) * x[i] for i in chosen]
            terms.append(sum(parts, 0 * x[0] + source.randint(-3, 3)))
        m.add(AllDifferent(terms))
    return m


@seeds(range(80))
def test_all_different_sums_have_the_solutions_of_brute_force(seed: int) -> None:
    model = random_sums(seed)
    expected = solutions(model)
    assert listed(model) == expected
    assert listed(model, "backtracking:check") == expected
    assert model.count(solver=FORWARD) == len(expected)


@seeds(range(60))
def test_halved_domains_keep_solutions_and_their_order(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "LISTED", 2)
    monkeypatch.setattr(memory, "LISTED_DEFINED", 2)
    model = random_model(seed) if seed % 2 else random_sums(seed)
    expected = solutions(model)
    assert listed(model) == expected
    assert model.count(solver=FORWARD) == len(expected)
    outcome = model.enumerate(solver=FORWARD)
    for k in range(0, len(expected), 7):
        rest = model.enumerate(solver=FORWARD, after=outcome.solutions[k])
        assert [tuple(row) for row in rest.solutions.matrix.tolist()] == expected[k + 1 :]


@pytest.mark.parametrize(("difference", "count"), [(10**9 + 1, 1), (10**9, 0)])
def test_bounds_of_a_billion_values_are_halved(difference: int, count: int) -> None:
    m = Model("far")
    x = m.intvar(-(10**12), 10**12, name="x")
    y = m.intvar(-(10**12), 10**12, name="y")
    m.add(x + y == 7)
    m.add(x - y == difference)
    outcome = m.enumerate(solver=FORWARD, time_limit=600)
    assert outcome.complete
    assert outcome.count == count
    assert outcome.status is (Status.FEASIBLE if count else Status.INFEASIBLE)
    assert outcome.statistics["nodes"] < 200
