"""What solvers make of a model is kept while the model stays as it is, and solving does not change it."""

from __future__ import annotations

import pytest

from cpqueens import AllDifferent, Model
from cpqueens.fuzzing.testing import queens
from cpqueens.language.statement import LARGEST_CONSTRAINTS, LARGEST_VARIABLES

STRATEGIES = ("backtracking", "backtracking:forward", "backtracking:check", "cpsat", "python-constraint")


@pytest.mark.parametrize("solver", STRATEGIES)
def test_every_change_of_a_model_is_seen(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    m += AllDifferent(x)
    assert m.count(solver) == 24
    m += x[0] < x[1]
    assert m.count(solver) == 12
    m.fix(x[2], 0)
    assert m.count(solver) == 3
    y = m.intvar(0, 1, name="y")
    assert m.count(solver) == 6
    m += abs(x[0] - x[1]) == 1 + y
    assert m.count(solver) == 3


@pytest.mark.parametrize("solver", [*STRATEGIES, "local-search"])
def test_every_change_of_the_objective_is_seen(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 5, shape=2, name="x")
    m += x[0] != x[1]
    bounds = {"step_limit": 2000} if solver == "local-search" else {}
    assert m.solve(solver, **bounds).objective is None
    m.minimize(x.sum())
    assert m.solve(solver, **bounds).objective == 1
    m.maximize(x.sum())
    assert m.solve(solver, **bounds).objective == 9
    m.drop_objectives()
    assert m.solve(solver, **bounds).objective is None


def test_constraints_taken_back_and_replaced_by_as_many_are_seen() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    m += AllDifferent(x)
    assert m.count("backtracking") == 24
    m._constraints.truncate(0)
    m += x[0] == x[1]
    assert m.count("backtracking") == 16


@pytest.mark.parametrize("solver", [*STRATEGIES, "local-search", "local-search:tabu"])
def test_the_second_run_is_as_the_first(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 6, shape=4, name="x")
    m += [AllDifferent(x), x[0] + x[1] == x[2] + x[3]]
    m.maximize(x[0] - 2 * x[3] + abs(x[1] - x[2]))
    bounds = {"step_limit": 3000} if solver.startswith("local") else {}
    first, second = (m.solve(solver, random_seed=5, **bounds) for _ in range(2))
    assert first.objective == second.objective == m.solve("cpsat").objective
    assert first.bound == second.bound
    for name in ("nodes", "failures", "steps"):
        assert first.statistics.get(name) == second.statistics.get(name)


@pytest.mark.parametrize("solver", [s for s in STRATEGIES if s != "cpsat"])
def test_the_second_enumeration_is_as_the_first(solver: str) -> None:
    m = queens(6)
    first, second = (m.enumerate(solver=solver) for _ in range(2))
    assert first.solutions.matrix.tolist() == second.solutions.matrix.tolist()
    assert first.statistics.get("nodes") == second.statistics.get("nodes")


def test_things_are_made_once() -> None:
    m, made = queens(6), []
    for _ in range(2):
        m.kept("it", lambda: made.append(1))
    assert len(made) == 1
    m.intvar(0, 1)
    m.kept("it", lambda: made.append(1))
    assert len(made) == 2


@pytest.mark.parametrize("many", ["variables", "constraints"])
def test_of_large_models_nothing_is_kept(many: str) -> None:
    m, made = Model(), []
    x = m.intvar(0, 1, shape=LARGEST_VARIABLES + (many == "variables"))
    if many == "constraints":
        for _ in range(LARGEST_CONSTRAINTS + 1):
            m.add(x[0] + x[1] <= 1)
    for _ in range(2):
        m.kept("it", lambda: made.append(1))
    assert len(made) == 2


def test_a_copy_makes_its_own() -> None:
    m = queens(6)
    assert m.count("backtracking") == 4
    other = m.copy()
    other += other["q"][0] < other["q"][5]
    assert (other.count("backtracking"), m.count("backtracking")) == (2, 4)


def test_a_failure_is_not_kept() -> None:
    m = queens(4)

    def fails() -> None:
        raise ValueError

    for _ in range(2):
        with pytest.raises(ValueError):
            m.kept("it", fails)
    assert m.kept("it", lambda: 7) == 7
