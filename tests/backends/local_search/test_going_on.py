"""No strategy gives up in secret: it goes on until a limit, or says so and by which rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest
from cpqueens.models.all_interval import all_interval
from cpqueens.models.costas_array import costas_array
from cpqueens.models.golomb_ruler import golomb_ruler
from cpqueens.models.queens import queens
from each import each
from searched import walks_alone
from seeds import sweep

from cpqueens import AllDifferent, Model, Outcome
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.backends.local_search import running, triangle
from cpqueens.backends.local_search.search import End, Search
from cpqueens.backends.local_search.specials import SPECIALS
from cpqueens.backends.local_search.strategies import STRATEGIES
from cpqueens.backends.local_search.walking import Walk
from cpqueens.cli.results import LIMIT, exit_of_solve

ENDS_BY_ITSELF = ("hill-climbing", "sideways")
ANY_MODEL = [name for name in STRATEGIES if name not in ("reversal", "sosic-gu", "sosic-gu-4")]


def sums_of_three(seed: int) -> Model:
    """Return a permutation of 36 under 16 sums of three cells, which a hidden permutation satisfies."""
    r = np.random.default_rng(seed)
    m = Model(f"sums {seed}")
    x = m.intvar(0, 35, shape=36, name="x")
    m += AllDifferent(x)
    hidden = r.permutation(36)
    for _ in range(16):
        cells = r.choice(36, 3, replace=False)
        m += x[cells].sum() == int(hidden[cells].sum())
    return m


def change(amount: int = 306) -> Model:
    """Return three numbers under two equations; one solution if the amount is 306, none if it is 307."""
    m = Model("change")
    x, y, z = (m.intvar(0, 15, name=name) for name in "xyz")
    m += [30 * x + 12 * y + 6 * z == amount, x + y + z == 15]
    return m


def assert_solved(outcome: Outcome) -> None:
    assert (outcome.status, outcome.stop_reason) == ("FEASIBLE", "solution_limit")
    assert outcome.solution is not None
    assert outcome.solution.check().ok
    assert "gave_up" not in outcome.statistics


@each("seed", sweep(12, 30))
def test_sums_where_the_special_kernel_gets_stuck_are_solved(seed: int) -> None:
    outcome = sums_of_three(seed).solve(solver="local-search", step_limit=1_000_000, random_seed=0)
    assert_solved(outcome)
    assert outcome.statistics["special"] == "exchange"
    if outcome.statistics["strategy"] != "exchange":
        assert outcome.statistics["strategy"] == "auto"
        assert outcome.statistics["steps"] > outcome.statistics["special_steps"] > 20_000
        assert outcome.statistics["restarts"] >= 10  # those of the kernel, and the change


@each("seed", range(12))
def test_weights_do_not_hide_that_nothing_improves(seed: int) -> None:
    """Where only the weights grew, a walk once thought for ever that it made progress."""
    assert_solved(change().solve(solver="local-search", step_limit=1_000_000, random_seed=seed))


@each("strategy", ANY_MODEL)
def test_every_strategy_that_goes_on_starts_afresh(strategy: str) -> None:
    solver = f"local-search:{strategy}"
    if strategy in ENDS_BY_ITSELF:
        outcome = change(307).solve(solver=solver, step_limit=10_000_000)
        assert outcome.stop_reason in ("local_optimum", "plateau_limit")
        return
    limit = 2000 if strategy == "random-restart" else 200_000
    outcome = change(307).solve(solver=solver, step_limit=limit, **walks_alone(strategy))
    assert (outcome.stop_reason, outcome.statistics["steps"]) == ("step_limit", limit)
    again = outcome.statistics["resets" if strategy == "annealing" else "restarts"]
    assert again >= 3


# ---- special kernels ------------------------------------------------------------------------------


def impossible_sums() -> Model:
    m = Model("impossible")
    x = m.intvar(0, 35, shape=36, name="x")
    m += [AllDifferent(x), x[0] + x[1] == 1, x[2] + x[3] == 2, x[1] + x[2] == 70]
    return m


SPECIAL = {"sosic-gu-4": queens(3), "exchange": impossible_sums(), "reversal": all_interval(12)}


def curtail(monkeypatch: pytest.MonkeyPatch, strategy: str, steps: int) -> None:
    name = next(name for name, special in SPECIALS.items() if special.strategy == strategy)
    shortened = replace(SPECIALS[name], share=lambda n: steps)
    monkeypatch.setitem(SPECIALS, name, shortened)  # type: ignore[misc]


@pytest.mark.parametrize(("name", "model"), [("sosic-gu-4", queens(12)), ("reversal", all_interval(9))])
def test_each_special_kernel_hands_over(name: str, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    curtail(monkeypatch, name, 2)
    outcomes = [model.solve(solver="local-search", step_limit=1_000_000, random_seed=3) for _ in range(2)]
    for outcome in outcomes:
        assert_solved(outcome)
        assert (outcome.statistics["special"], outcome.statistics["special_steps"]) == (name, 2)
        assert outcome.statistics["strategy"] == "auto"
    assert outcomes[0].statistics["steps"] == outcomes[1].statistics["steps"] > 2
    assert outcomes[0].solution == outcomes[1].solution
    alone = model.solve(solver=f"local-search:{name}", step_limit=1_000_000, random_seed=3)
    assert alone.statistics["strategy"] == name  # who asks for the kernel gets it for as long as it takes
    assert "special_steps" not in alone.statistics


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("limit", [1, 700, 1500])
def test_the_steps_of_both_count_against_the_limit(
    name: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within the kernel's share, at its end or beyond it, the limit is kept and named."""
    curtail(monkeypatch, name, 1 if name == "reversal" else 700)
    outcome = SPECIAL[name].solve(solver="local-search", step_limit=limit, random_seed=1)
    if outcome.solution is not None:
        assert name == "reversal"
        assert outcome.statistics["steps"] <= limit
        return
    assert (outcome.stop_reason, outcome.statistics["steps"]) == ("step_limit", limit)
    assert outcome.closest is not None
    assert outcome.closest.check().violations


@pytest.mark.parametrize("seed", range(3))
def test_the_closer_of_both_assignments_is_shown(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The general engine makes one step from a start of its own, which is far from any solution."""
    curtail(monkeypatch, "exchange", 700)
    model = SPECIAL["exchange"]
    alone = model.solve(solver="local-search:exchange", step_limit=700, random_seed=seed)
    both = model.solve(solver="local-search", step_limit=701, random_seed=seed)
    assert both.statistics["special_steps"] == 700
    assert alone.closest is not None
    assert both.closest is not None
    assert both.closest.check().amount <= alone.closest.check().amount


def test_costas_arrays_are_also_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    walk_once, walked = triangle.walk_once, []

    def briefly(search: Search, walk: Walk) -> str:
        walked.append(search.steps)
        return walk_once(search, walk._replace(stall=40))

    monkeypatch.setattr(triangle, "UNIT", 40)
    monkeypatch.setattr(triangle, "WALK_EVERY", 2)
    monkeypatch.setattr(triangle, "walk_once", briefly)
    found = []
    for seed in range(4):
        outcome = costas_array(10).solve(solver="local-search", step_limit=3_000_000, random_seed=seed)
        assert_solved(outcome)
        assert outcome.statistics["special"] == "triangle"
        found.append(outcome.statistics["restarts"])
    assert max(found) >= 2  # and back again
    assert len(walked) >= 2
    cut = costas_array(16).solve(solver="local-search", step_limit=777, random_seed=1)
    assert (cut.stop_reason, cut.statistics["steps"]) == ("step_limit", 777)


# ---- what is said of the end ----------------------------------------------------------------------


def test_each_end_has_its_own_reason() -> None:
    ends = set(get_args(End))
    assert ends - {"stopped", "set_aside"} == set(running.REASONS)
    assert len({*running.REASONS.values()}) == len(running.REASONS)


def models_without_solution() -> dict[str, Model]:
    return {"equations": change(307), "queens": queens(3), "sums": impossible_sums()}


TAKEN = [
    (strategy, kind)
    for strategy in STRATEGIES
    for kind in models_without_solution()
    if strategy in ANY_MODEL or (kind == "queens" and strategy != "reversal")
]


@pytest.mark.parametrize(("strategy", "kind"), TAKEN)
def test_a_run_without_limits_says_that_it_gave_up(
    strategy: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "default_steps", lambda compiled: 8_000)
    outcome = models_without_solution()[kind].solve(
        solver=f"local-search:{strategy}", **walks_alone(strategy)
    )
    assert outcome.status == "UNKNOWN"
    if strategy in ENDS_BY_ITSELF and outcome.stop_reason != "gave_up":
        assert outcome.stop_reason in ("local_optimum", "plateau_limit")
        assert "gave_up" not in outcome.statistics
        return
    assert outcome.stop_reason == "gave_up"
    steps = outcome.statistics["steps"]
    assert outcome.statistics["gave_up"] == f"no limit was given, and {steps:,} steps were made"


def test_no_better_objective_within_its_bounds() -> None:
    m = Model()
    x = m.intvar(2, 9, shape=3, name="x")
    m += x.sum() >= 8
    m.minimize(x[0])
    outcome = m.solve(solver="local-search", step_limit=10_000)
    assert (outcome.status, outcome.objective, outcome.stop_reason) == ("FEASIBLE", 2, "gave_up")
    assert "no better objective is possible" in outcome.statistics["gave_up"]


def test_with_an_objective_it_goes_on_until_the_limit() -> None:
    outcome = golomb_ruler(5).solve(solver="local-search", step_limit=30_000, presolve=False)
    assert (outcome.status, outcome.objective, outcome.stop_reason) == ("FEASIBLE", 11, "step_limit")
    assert outcome.statistics["steps"] == 30_000
    assert outcome.statistics["improvements"] >= 1


def test_an_improvement_is_no_restart() -> None:
    m = Model()
    x = m.intvar(0, 50, shape=4, name="x")
    m.minimize((x * np.arange(1, 5)).sum())
    outcome = m.solve(solver="local-search:min-conflicts", step_limit=5000)
    assert outcome.statistics["improvements"] >= 2
    assert outcome.statistics["restarts"] == 0


def test_a_model_without_variables() -> None:
    m = Model()
    m.add(False)
    outcome = m.solve(solver="local-search")
    assert (outcome.status, outcome.stop_reason) == ("UNKNOWN", "gave_up")
    assert "no variable" in outcome.statistics["gave_up"]
    assert exit_of_solve(outcome) == LIMIT
    assert_solved(Model().solve(solver="local-search"))


def test_only_a_time_limit_is_called_one() -> None:
    request = Request(Want.ONE, Clock(None))
    with pytest.raises(RuntimeError, match="without time limit"):
        request.why_stopped()
    assert Request(Want.ONE, Clock(0.0)).why_stopped() == "time_limit"
    limited = Request(Want.ONE, Clock(0.0))
    limited.cancel.set()
    assert limited.why_stopped() == "interrupted"


@pytest.mark.parametrize("n", [12, 200])
def test_first_solution_and_translation_are_timed(n: int) -> None:
    statistics: Any = queens(n).solve(solver="local-search:min-conflicts").statistics
    assert 0 < statistics["translate_time"] <= statistics["total_time"]
    assert 0 < statistics["first_solution_time"] <= statistics["total_time"]
