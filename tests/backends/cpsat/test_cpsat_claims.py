"""CP-SAT says that it exhausted only where nothing ended it from outside, and its values have no gap."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import AllDifferent, Model, element
from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.backends.cpsat.backend import CpSat
from cpqueens.backends.cpsat.native import Solver
from cpqueens.backends.cpsat.translation import translate


def two_values() -> Model:
    model = Model()
    model.intvar(0, 1, name="x")
    return model


@pytest.mark.parametrize("want", [Want.ALL, Want.COUNT])
def test_a_listing_that_ends_behind_its_deadline_is_not_complete(want: Want) -> None:
    """The search itself ends by going through everything; the clock has run out meanwhile."""
    clock = Clock(100.0)
    rows: list[int] = []

    def deliver(batch: np.ndarray) -> bool:
        rows.extend(batch[:, 0].tolist())
        clock.time_limit = clock.elapsed() - 1.0
        return True

    ended = CpSat().run(two_values(), Request(want, clock), deliver)
    assert rows
    assert not ended.exhausted
    assert ended.stop_reason is StopReason.TIME_LIMIT


def test_a_listing_that_was_refused_more_is_not_complete() -> None:
    ended = CpSat().run(two_values(), Request(Want.ALL, Clock(None)), lambda batch: False)
    assert not ended.exhausted


def test_the_very_last_solution_refused_is_a_stop() -> None:
    """CP-SAT may answer OPTIMAL all the same, for it had nothing left to do."""
    model = Model()
    model.intvar(3, 3, name="x")
    ended = CpSat().run(model, Request(Want.ALL, Clock(None)), lambda batch: False)
    assert not ended.exhausted


def test_the_time_limit_is_kept_by_the_clock_and_not_by_ortools(monkeypatch: pytest.MonkeyPatch) -> None:
    """OR-Tools ends long before its own limit where presolve makes a long step, and counts callbacks."""
    model = Model()
    slots = model.intvar(0, 8, shape=9, name="slot")  # two probings are most of what it takes
    i, j = np.triu_indices(9, 1)
    far = np.abs(np.arange(9)[:, None] - np.arange(9))
    model.add(AllDifferent(slots))
    model.minimize((element(far, slots[i], slots[j]) * ((3 * i + 5 * j) % 6)).sum())
    clock, handed = Clock(1.5), []
    solve = Solver.solve

    def spy(solver: Solver, *rest: Any) -> Any:
        handed.append(solver.parameters.max_time_in_seconds)
        return solve(solver, *rest)

    monkeypatch.setattr(Solver, "solve", spy)
    ended = CpSat().run(model, Request(Want.BEST, clock), lambda batch: True)
    assert handed == [math.inf]
    assert ended.stop_reason is StopReason.TIME_LIMIT
    assert clock.elapsed() >= 1.5


def test_what_it_says_of_its_last_solution_is_no_claim_before_a_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Presolve leaves maxima loose: an earlier solution may be better than the last one is said to be."""
    model = Model()
    model.minimize(model.intvar(3, 5, name="x"))
    solve = Solver.solve

    def stopped(solver: Solver, *rest: Any) -> str:
        solve(solver, *rest)
        said = ("inner_objective_lower_bound", "num_branches", "num_conflicts")
        numbers = {name: getattr(solver.response, name) for name in said}
        solver.response = SimpleNamespace(**numbers, objective_value=solver.response.objective_value + 1)
        return "FEASIBLE"

    monkeypatch.setattr(Solver, "solve", stopped)
    outcome = model.solve(solver="cpsat", num_workers=1)
    assert outcome.objective == 3
    assert not outcome.faults


def test_no_gap_is_a_proof() -> None:
    solver = Solver()
    CpSat()._set_parameters(solver, Request(Want.BEST, Clock(None)), translate(Model()))
    assert solver.parameters.absolute_gap_limit == 0
    assert solver.parameters.relative_gap_limit == 0


@each("sense", ["minimize", "maximize"])
@each("constant", [-5, 0, 12])
def test_objective_and_bound_have_the_models_constant(sense: str, constant: int) -> None:
    model = Model()
    x = model.intvar(2, 9, name="x")
    getattr(model, sense)(3 * x + constant)
    ended = CpSat().run(model, Request(Want.BEST, Clock(None)), lambda batch: True)
    best = 3 * (2 if sense == "minimize" else 9) + constant
    assert (ended.exhausted, ended.objective, ended.bound) == (True, best, best)


def test_an_error_of_the_consumer_comes_back() -> None:
    """It cannot pass through CP-SAT, which would end the process."""

    def deliver(batch: np.ndarray) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        CpSat().run(two_values(), Request(Want.ALL, Clock(None)), deliver)
