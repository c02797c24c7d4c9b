"""Honest endings: FEASIBLE or UNKNOWN, why it ended, and the best assignment found with what it violates."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cpqueens.models.golomb_ruler import golomb_ruler
from cpqueens.models.peaceable_queens import peaceable_queens
from cpqueens.models.queens import queens
from each import each
from searched import compiled, walks_alone

from cpqueens import Model, Outcome, UnsupportedRequest
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.backends.local_search.backend import LocalSearch
from cpqueens.backends.local_search.engine import complete, gives_up_swaps
from cpqueens.backends.local_search.search import Limits, Search
from cpqueens.backends.local_search.strategies import STRATEGIES, get_strategy
from cpqueens.kernels.local import info as at

ANY_MODEL = [name for name in STRATEGIES if name not in ("reversal", "sosic-gu", "sosic-gu-4")]
ON_QUEENS = [name for name in STRATEGIES if name != "reversal"]


def attacks(columns: Any) -> int:
    """Count the attacking pairs of a board by hand."""
    x = [int(c) for c in columns]
    return sum(x[i] == x[j] or abs(x[i] - x[j]) == j - i for i in range(len(x)) for j in range(i + 1, len(x)))


def assert_unknown(outcome: Outcome) -> None:
    """Assert that nothing is claimed, and that the closest assignment is shown with its faults."""
    assert (outcome.status, outcome.complete, outcome.count) == ("UNKNOWN", False, 0)
    assert outcome.solution is None
    assert outcome.bound is None
    assert outcome.closest is not None
    check = outcome.closest.check()
    assert not check.problems  # every value is in its domain
    assert check.violations
    assert check.amount >= 1


@each("n", [2, 3])
@each("strategy", ON_QUEENS)
def test_boards_without_solution_stay_unknown(strategy: str, n: int) -> None:
    outcome = queens(n).solve(solver=f"local-search:{strategy}", step_limit=3000, random_seed=1)
    assert_unknown(outcome)
    assert outcome.stop_reason in ("step_limit", "local_optimum", "plateau_limit")
    assert attacks(outcome.closest.values) >= 1
    assert outcome.statistics["steps"] <= 3000


@pytest.mark.parametrize("rule", ["coarse", "metropolis"])
def test_the_rowwise_schedule_ends_too(rule: str) -> None:
    options = {"solver": "local-search:annealing", "schedule": "rowwise", "rule": rule, "step_limit": 5000}
    outcome = queens(3).solve(**options)
    assert_unknown(outcome)
    assert (outcome.stop_reason, outcome.statistics["steps"]) == ("step_limit", 5000)
    assert attacks(outcome.closest.values) == 1  # the least that three queens allow


def test_three_queens_come_as_close_as_possible() -> None:
    for strategy in ("auto", "tabu", "min-conflicts", "random-restart", "annealing"):
        outcome = queens(3).solve(solver=f"local-search:{strategy}", step_limit=5000)
        assert attacks(outcome.closest.values) == 1
        assert outcome.closest.check().amount == 1


# ---- why it ended ---------------------------------------------------------------------------------


def endings(strategy: str, seeds: int, **options: Any) -> dict[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {}
    for seed in range(seeds):
        outcome = queens(8).solve(solver=f"local-search:{strategy}", random_seed=seed, **options)
        found.setdefault(str(outcome.stop_reason), []).append(outcome)
    return found


def test_sideways_has_three_endings() -> None:
    found = endings("sideways", 120, max_sideways=5)
    assert set(found) == {"solution_limit", "local_optimum", "plateau_limit"}
    assert all(o.status == "FEASIBLE" and attacks(o.solution.values) == 0 for o in found["solution_limit"])
    for outcome in [*found["local_optimum"], *found["plateau_limit"]]:
        assert_unknown(outcome)
    for outcome in found["local_optimum"]:
        assert least_neighbour(outcome.closest.values) > attacks(outcome.closest.values)
    for outcome in found["plateau_limit"]:
        assert least_neighbour(outcome.closest.values) == attacks(outcome.closest.values)


def test_hill_climbing_ends_in_a_strict_local_optimum_or_at_the_limit() -> None:
    found = endings("hill-climbing", 250, measure="pairs", step_limit=400)
    assert set(found) == {"solution_limit", "local_optimum", "step_limit"}
    for outcome in [*found["local_optimum"], *found["step_limit"]]:
        assert_unknown(outcome)
    assert all(o.statistics["steps"] == 400 for o in found["step_limit"])


def least_neighbour(columns: Any) -> int:
    """Return the least number of attacking pairs after one move of one queen within its row."""
    x, least = np.array(columns), 10**6
    for i in range(len(x)):
        for value in set(range(len(x))) - {int(x[i])}:
            moved = x.copy()
            moved[i] = value
            least = min(least, attacks(moved))
    return least


def infeasible(n: int = 12) -> Model:
    """Return a model without solution on which every strategy has to search."""
    m = queens(n)
    q = m["q"]
    m.add((q * np.arange(n)).sum() == -1, name="impossible")
    return m


@each("strategy", ANY_MODEL)
def test_a_step_limit_is_kept_exactly(strategy: str) -> None:
    outcome = infeasible().solve(solver=f"local-search:{strategy}", step_limit=150)
    assert_unknown(outcome)
    if outcome.stop_reason == "step_limit":
        assert outcome.statistics["steps"] == 150
    else:  # climbing once may end earlier
        assert strategy in ("sideways", "hill-climbing")
        assert outcome.stop_reason in ("local_optimum", "plateau_limit")


@each("strategy", ["auto", "tabu", "annealing", "random-restart", "min-conflicts"])
def test_a_time_limit_ends_it(strategy: str) -> None:
    model = infeasible()
    walking = walks_alone(strategy)
    model.solve(solver=f"local-search:{strategy}", step_limit=50)  # compiles
    outcome = model.solve(solver=f"local-search:{strategy}", time_limit=0.2, **walking)
    assert_unknown(outcome)
    assert outcome.stop_reason == "time_limit"
    assert any(v.name == "impossible" for v in outcome.closest.check().violations)


def run_with(model: Model, request: Request) -> Any:
    return LocalSearch().run(model, request, lambda batch: True)


def test_an_interruption_ends_it() -> None:
    cancel = threading.Event()
    model = infeasible()
    run_with(model, Request(Want.ONE, Clock(None), step_limit=50))  # compiles
    timer = threading.Timer(0.15, cancel.set)
    timer.start()
    start = time.process_time()
    ended = run_with(model, Request(Want.ONE, Clock(None), cancel=cancel, parameters=walks_alone("auto")))
    assert ended.stop_reason == "interrupted"
    assert not ended.exhausted
    assert ended.closest is not None
    assert time.process_time() - start < 20
    timer.join()


# ---- objectives -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("uncompiled")
@each("strategy", ANY_MODEL)
def test_the_best_found_is_no_optimum(strategy: str) -> None:
    for model in (golomb_ruler(5), peaceable_queens(4)):
        outcome = model.solve(solver=f"local-search:{strategy}", step_limit=500, random_seed=2)
        assert outcome.status in ("FEASIBLE", "UNKNOWN")
        assert not outcome.complete
        assert not outcome.faults
        if outcome.status == "FEASIBLE":
            assert outcome.solution.check().ok
            assert outcome.closest is None
            assert outcome.objective == outcome.solution[model.objective]
        else:
            assert_unknown(outcome)


def test_a_count_is_refused() -> None:
    with pytest.raises(UnsupportedRequest, match="enumerate"):
        queens(6).count(solver="local-search")


@pytest.mark.parametrize("strategy", ["hill-climbing", "sideways", "random-restart", "sosic-gu"])
def test_a_step_over_a_large_board_is_left_in_the_middle(strategy: str) -> None:
    """One step of these evaluates up to 10^10 neighbours here, which takes a minute or more."""
    queens(8).solve(solver=f"local-search:{strategy}", random_seed=1, time_limit=600)  # compiles
    started = time.process_time()
    outcome = queens(100_000).solve(solver=f"local-search:{strategy}", random_seed=1, time_limit=0.5)
    assert (str(outcome.status), str(outcome.stop_reason)) == ("UNKNOWN", "time_limit")
    assert time.process_time() - started < 6


@pytest.mark.parametrize(("most", "steps"), [(7, 16), (100, 2), (10**9, 1)])
def test_a_first_call_looks_at_few_values(most: int, steps: int) -> None:
    """A limit is seen after the first call only, and that may be plain Python."""
    space = SimpleNamespace(lower=np.zeros(5, dtype=np.int64), upper=np.full(5, most, dtype=np.int64))
    assert Search._first_steps(SimpleNamespace(space=space)) == steps  # type: ignore[arg-type]


@pytest.mark.parametrize("strategy", ["hill-climbing", "sideways", "random-restart", "sosic-gu"])
def test_a_first_call_evaluates_little(strategy: str) -> None:
    """A step over all neighbours is left in the middle, as an evaluation may take long in plain form."""
    chosen = get_strategy(strategy)
    options = complete(chosen, {})
    looks = iter([False, True])
    limits = Limits(should_stop=lambda: next(looks))
    search = Search(
        compiled(queens(60)), 1, limits, assignment_only=gives_up_swaps(chosen, options), measure="pairs"
    )
    assert chosen.run(search, options) == "stopped"
    assert 0 < int(search.info[at.EVALUATIONS]) < 200
