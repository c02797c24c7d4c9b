"""Bounds that are proved while a search goes on: they are told as they come, and hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from cpqueens.models.golomb_ruler import golomb_ruler
from fake_backend import FakeBackend, installed

from cpqueens import AllDifferent, BackendFault, Model, Status
from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Bounds, Clock, Ended, Feature, Request, Want
from cpqueens.backends.cpsat.native import Solver
from cpqueens.backends.cpsat.searches import CpSatSearch
from cpqueens.backends.cpsat.translation import translate
from cpqueens.solving import race

OPTIMUM = 17
"""The shortest ruler of six marks (OEIS A003022)."""

SOLVERS = ["cpsat", "backtracking", "auto", "local-search+cpsat", "local-search+backtracking"]


def told(model: Model, solver: str, **options: Any) -> tuple[list[int], Any]:
    heard: list[int] = []
    outcome = model.solve(solver, on_progress=lambda state: heard.append(state["bound"]), **options)
    return heard, outcome


@pytest.mark.parametrize("solver", SOLVERS)
def test_each_bound_is_better_than_the_last_and_none_too_good(
    solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(race, "HEAD_START", 0.0)
    heard, outcome = told(golomb_ruler(6), solver)
    assert (outcome.status, outcome.objective, outcome.bound) == (Status.OPTIMAL, OPTIMUM, OPTIMUM)
    assert heard == sorted(set(heard))
    assert heard
    assert heard[-1] <= OPTIMUM


@pytest.mark.parametrize("solver", ["cpsat", "backtracking"])
def test_of_a_maximum_bounds_come_down(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 9, shape=4, name="x")
    m += AllDifferent(x)
    m.add(x @ np.array([3, 5, 7, 9]) <= 60)
    m.maximize(x @ np.array([2, 3, 4, 5]) - 100)
    heard, outcome = told(m, solver)
    assert outcome.status is Status.OPTIMAL
    assert heard == sorted(set(heard), reverse=True)
    assert all(bound >= outcome.objective for bound in heard)


def test_a_stopped_search_keeps_what_it_has_proved() -> None:
    heard, outcome = told(golomb_ruler(9), "backtracking:forward", step_limit=2000)
    assert outcome.stop_reason is StopReason.STEP_LIMIT
    assert outcome.status is Status.FEASIBLE
    assert outcome.bound == heard[-1] <= 44 <= outcome.objective


def test_cpsat_that_is_stopped_before_its_search_claims_what_domains_say() -> None:
    m = Model()
    x = m.intvar(-5, 5, shape=3, name="x")
    m.add(x[0] + x[1] >= -3)
    m.minimize(x.sum() + 1)
    assert _stopped_at_once(m) == -14
    assert m.solve("cpsat").bound == -7


def _stopped_at_once(m: Model) -> int:
    """Return the bound of a search that CP-SAT was told to stop before it began its presolve."""
    native = translate(m)
    solver = Solver()
    solver.parameters.max_time_in_seconds = 1e-9
    assert solver.solve(native.proto) == "UNKNOWN"
    inner = solver.response.inner_objective_lower_bound
    request = Request(Want.BEST, Clock(None))
    return CpSatSearch(solver, m, native, request, lambda _batch: True).bound_at_end(inner, whole=False)


@pytest.mark.parametrize("solver", ["cpsat", "backtracking", "auto"])
def test_what_the_function_raises_ends_the_run(solver: str) -> None:
    def fails(_state: Mapping[str, Any]) -> None:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        golomb_ruler(7).solve(solver, on_progress=fails)


def test_bounds_of_several_objectives_are_those_of_the_first() -> None:
    m = Model()
    x, y = m.intvar(0, 9, name="x"), m.intvar(0, 9, name="y")
    m.add(x + y >= 5)
    m.minimize(x, y)
    heard, outcome = told(m, "cpsat")
    assert outcome.objectives == (0, 5)
    assert all(bound <= 0 for bound in heard)


def test_a_told_bound_that_a_solution_refutes_is_a_fault() -> None:
    m = Model()
    m.minimize(m.intvar(0, 9, name="x"))

    def script(_model: Any, request: Any, deliver: Any) -> Ended:
        request.prove(7)
        deliver(np.array([[3]]))
        return Ended(False, StopReason.TIME_LIMIT, objective=3, bound=2)

    fake = FakeBackend(script, features=frozenset({Feature.OBJECTIVE}))
    with installed(fake), pytest.raises(BackendFault, match="bound 7 claimed, yet a solution has 3"):
        m.solve("fake", time_limit=5)


def test_the_best_of_all_bounds_counts() -> None:
    heard: list[Mapping[str, Any]] = []
    bounds = Bounds(False, heard.append)
    for value in (3, 2, 3, 5):
        bounds.tell(value)
    assert heard == [{"bound": 3}, {"bound": 5}]
    assert (bounds.with_last(None), bounds.with_last(4), bounds.with_last(6)) == (5, 5, 6)
    high = Bounds(True)
    assert high.with_last(None) is None
    high.tell(3)
    assert (high.with_last(4), high.with_last(2), high.with_last(None)) == (3, 2, 3)
