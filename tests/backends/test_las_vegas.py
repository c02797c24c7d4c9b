from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from cpqueens.models.queens import queens
from seeds import seeds

from cpqueens import AllDifferent, Model, ModelError, Status, StopReason, UnsupportedRequest
from cpqueens.answers.outcome import Outcome
from cpqueens.backends import las_vegas
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model
from cpqueens.lab.source_tables import las_vegas_expectations
from cpqueens.system.platforms import children_seconds


@pytest.fixture(params=["pattern", "any"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both kernels: the one for patterns, and the one for any model."""
    if request.param == "any":
        general = las_vegas._AnyAttempts
        monkeypatch.setattr(las_vegas, "_attempts", lambda found, *how: general(found, *how))
    return str(request.param)


def vegas(model: Model, **options: Any) -> Outcome:
    return model.solve(solver="las-vegas", **options)


@pytest.mark.parametrize(
    "k", [k if k in (0, 2, 8) else pytest.param(k, marks=pytest.mark.slow) for k in range(9)]
)
def test_sampling_covers_the_exact_expectations(way: str, k: int) -> None:
    exact = las_vegas_expectations(queens(8))[k]
    outcome = vegas(queens(8), stop_vegas=k, attempts=2000, random_seed=1)
    assert outcome.statistics["attempts"] == 2000
    sampled = outcome.statistics["estimates"]
    for name in ("p", "s", "e", "t"):
        value, (estimate, interval) = getattr(exact, name), sampled[name].values()
        if value is None:
            assert estimate is None
            continue
        # 36 intervals a way: twice the width holds all of them, for this seed and nearly all others
        low, high = interval
        middle = (low + high) / 2
        assert middle - (high - low) <= float(value) + 1e-9
        assert float(value) - 1e-9 <= middle + (high - low)


def test_twelve_queens_with_five_at_random(way: str) -> None:
    estimates = vegas(queens(12), stop_vegas=5, attempts=3000, random_seed=3).statistics["estimates"]
    low, high = estimates["t"]["interval"]
    assert low < 80.39 < high  # exact, see test_las_vegas_expectations


def test_nothing_at_random_is_backtracking(way: str) -> None:
    outcome = vegas(queens(8), stop_vegas=0)
    assert outcome.statistics["nodes"] == 114
    assert outcome.solution is not None
    assert outcome.solution.values.tolist() == [0, 4, 7, 5, 2, 6, 1, 3]
    assert vegas(queens(12), stop_vegas=0).statistics["nodes"] == 262


def test_every_first_column_is_equally_likely(way: str) -> None:
    """Chi-square over the first queen of one attempt with k = 1 (which never fails on 8 queens)."""
    seen = np.zeros(8)
    for seed in range(400):
        solution = vegas(queens(8), stop_vegas=1, random_seed=seed).solution
        assert solution is not None
        seen[solution.values[0]] += 1
    assert ((seen - 50) ** 2 / 50).sum() < 24.3  # 7 degrees of freedom: exceeded once in a thousand


def test_the_seed_determines_the_run(way: str) -> None:
    runs = [vegas(queens(10), random_seed=5) for _ in range(2)]
    assert runs[0].solution == runs[1].solution
    assert runs[0].statistics["nodes"] == runs[1].statistics["nodes"]
    others = {vegas(queens(10), random_seed=seed).solution for seed in range(10)}
    assert len(others) > 5


def test_the_first_solution_does_not_depend_on_the_number_of_attempts(way: str) -> None:
    alone = vegas(queens(10), random_seed=5)
    sampled = vegas(queens(10), random_seed=5, attempts=500)
    assert alone.solution == sampled.solution


@seeds(range(150))
def test_random_models_against_the_oracle(seed: int) -> None:
    model = random_model(seed)
    if model.objective is not None:
        with pytest.raises(UnsupportedRequest):
            vegas(model)
        return
    truth = oracle.solve(model)
    k = seed % (len(model.decisions) + 1)
    outcome = vegas(model, stop_vegas=k, random_seed=seed, step_limit=5000)
    if not truth.count:
        assert outcome.status is Status.UNKNOWN
        assert not outcome.complete
    elif outcome.solution is None:
        assert outcome.stop_reason is StopReason.STEP_LIMIT
    else:
        assert tuple(outcome.solution.values.tolist()) in truth.rows
    if k == 0 and truth.count:
        assert outcome.solution is not None
        assert outcome.solution.values.tolist() == truth.solutions[0].tolist()


def test_all_solutions_come_up(way: str) -> None:
    runs = [vegas(queens(6), random_seed=seed).solution for seed in range(60)]
    found = {tuple(solution.values.tolist()) for solution in runs if solution is not None}
    assert found == {(1, 3, 5, 0, 2, 4), (2, 5, 1, 4, 0, 3), (3, 0, 4, 1, 5, 2), (4, 2, 0, 5, 3, 1)}


@pytest.mark.parametrize("call", ["enumerate", "count"])
def test_listing_and_counting_are_refused(call: str) -> None:
    with pytest.raises(UnsupportedRequest, match="las-vegas cannot"):
        getattr(queens(6), call)(solver="las-vegas")


@pytest.mark.parametrize("stop", [-1, 9, 2**40])
def test_stops_outside_the_variables_are_refused(stop: int) -> None:
    with pytest.raises(ModelError, match="stop_vegas: an integer from 0 to 8 is needed"):
        vegas(queens(8), stop_vegas=stop)


def test_step_limit_is_kept(way: str) -> None:
    outcome = vegas(queens(3), step_limit=1000)
    assert outcome.status is Status.UNKNOWN
    assert outcome.stop_reason is StopReason.STEP_LIMIT
    assert 1000 <= outcome.statistics["nodes"] <= 1003


def test_a_run_without_limits_says_that_it_gave_up(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpqueens.backends.las_vegas._DEFAULT_NODES", 1000)
    outcome = vegas(queens(3))
    assert (outcome.status, outcome.stop_reason) == (Status.UNKNOWN, StopReason.GAVE_UP)
    nodes = outcome.statistics["nodes"]
    assert outcome.statistics["gave_up"] == f"no limit was given, and {nodes:,} nodes were made"


def test_the_last_step_may_be_the_solution(way: str) -> None:
    """The solution that a run found is why it ended, even with the last step allowed."""
    nodes = vegas(queens(8), random_seed=5).statistics["nodes"]
    nodes += way == "any"  # where a solution is noticed one step after its last placement
    outcome = vegas(queens(8), random_seed=5, step_limit=nodes)
    assert (outcome.status, outcome.stop_reason) == (Status.FEASIBLE, StopReason.SOLUTION_LIMIT)


def test_the_first_solution_is_timed_when_it_is_found(way: str) -> None:
    outcome = vegas(queens(8), attempts=20_000, random_seed=1)
    assert outcome.statistics["successes"] > 100
    assert 0 < outcome.statistics["first_solution_time"] < outcome.statistics["total_time"] / 2


def test_time_limit_is_kept(way: str) -> None:
    vegas(queens(3), step_limit=10)  # compiling does not count
    started = time.process_time()
    outcome = vegas(queens(3), time_limit=0.2)
    assert outcome.stop_reason is StopReason.TIME_LIMIT
    assert time.process_time() - started < 10


def test_a_failure_without_chance_ends_the_run(way: str) -> None:
    outcome = vegas(queens(3), stop_vegas=0)
    assert outcome.status is Status.UNKNOWN  # it does not prove
    assert outcome.stop_reason is StopReason.EXHAUSTED
    assert outcome.statistics["nodes"] == 6


def test_a_contradiction_at_the_root_ends_the_run() -> None:
    m = Model()
    x, b = m.intvar(0, 3, shape=2, name="x"), m.boolvar(name="b")
    m += [x.sum() >= 9, b == 1]
    outcome = vegas(m)
    assert outcome.status is Status.UNKNOWN
    assert outcome.stop_reason is StopReason.EXHAUSTED


def test_wide_variables_are_placed_by_backtracking_only() -> None:
    m = Model()
    x, y = m.intvar(0, 3, name="x"), m.intvar(0, 10**9, name="y")
    m += [x + y == 7, x != 2]
    with pytest.raises(UnsupportedRequest, match=r"one of the first 2 spans 1000000001"):
        vegas(m)
    outcome = vegas(m, stop_vegas=1, step_limit=10**5)
    assert outcome[x] + outcome[y] == 7


def test_domains_with_gaps(way: str) -> None:
    m = Model()
    x = m.intvar(domain=[0, 5, 9, 20], shape=3, name="x")
    m += [x[1] != 5, AllDifferent(x), AllDifferent(x + np.arange(3))]
    for seed in range(20):
        solution = vegas(m, random_seed=seed).solution
        assert solution is not None
        assert solution.check().ok


PROGRAM = """
import sys
from cpqueens.models.queens import queens
m = queens(3)
m.solve(solver="las-vegas", step_limit=5)
print("ready", flush=True)
outcome = m.solve(solver="las-vegas", time_limit=600)
print(outcome.stop_reason)
"""


def test_ctrl_c_ends_it_soon() -> None:
    used = children_seconds()
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=600)
    assert children_seconds() - used < 60  # with the interpreter's beginning
    assert output == "interrupted\n"
    assert process.returncode == 0


def test_attempts_on_the_same_model_do_not_see_each_other() -> None:
    m = Model()
    x = m.intvar(0, 5, shape=4, name="x")
    m.add(x[0] + x[1] == x[2] * x[3], AllDifferent(x))
    first, second = ([m.solve(solver="las-vegas", seed=seed)[x].tolist() for seed in range(5)] for _ in "12")
    assert first == second
    m.add(x[0] == 1)
    assert m.solve(solver="las-vegas", seed=0)[x].tolist()[:2] == [1, 5]
