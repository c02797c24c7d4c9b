"""Strategies: they solve, end honestly, repeat themselves, and reproduce published figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from lowered_problems import all_interval, costas, magic, queens, random_problem

from cpqueens.backends.local_search.engine import solve_problem
from cpqueens.backends.local_search.meaning import node_values, violation
from cpqueens.backends.local_search.problem import Problem
from cpqueens.backends.local_search.search import Limits, Search, StrategyError
from cpqueens.backends.local_search.strategies import STRATEGIES, get_strategy
from cpqueens.backends.local_search.walking import luby

HERE = Path(__file__).parent
GENERAL = [name for name in STRATEGIES if name not in ("reversal", "sosic-gu-4", "hill-climbing", "sideways")]


def satisfied(problem: Problem, x: np.ndarray) -> bool:
    values = node_values(problem, x)
    inside = (x >= problem.lower).all() and (x <= problem.upper).all()
    holes = all(x[v] in domain for v, domain in problem.domains.items())
    return bool(inside and holes and all(violation(c, problem, values) == 0 for c in problem.constraints))


@pytest.mark.parametrize("strategy", [*GENERAL, "sosic-gu-4"])
def test_solves_queens(strategy: str) -> None:
    for n in (4, 8, 12):
        result = solve_problem(queens(n), strategy, n, Limits(100_000))
        assert result.reason == "solved"
        assert satisfied(queens(n), result.x)


@pytest.mark.parametrize("n", range(4, 41))
def test_auto_solves_every_board(n: int) -> None:
    for seed in range(10):
        result = solve_problem(queens(n), seed=seed, limits=Limits(100_000))
        assert satisfied(queens(n), result.x)


@pytest.mark.parametrize(
    "problem", [magic(5), costas(9), all_interval(30)], ids=["magic", "costas", "all-interval"]
)
def test_auto_solves_permutation_problems(problem: Problem) -> None:
    for seed in range(3):
        assert satisfied(problem, solve_problem(problem, seed=seed, limits=Limits(500_000)).x)


@pytest.mark.parametrize("n", [2, 3])
def test_boards_without_solution_end_at_the_step_limit(n: int) -> None:
    for strategy in ("auto", "min-conflicts", "tabu", "annealing", "sosic-gu", "random-restart"):
        result = solve_problem(queens(n), strategy, 0, Limits(2000))
        assert result.reason == "step_limit"
        assert result.cost > 0


def test_solutions_of_random_problems_are_solutions() -> None:
    solved = 0
    for seed in range(40):
        result = solve_problem(random_problem(seed), seed=seed, limits=Limits(400))
        if result.cost == 0:
            solved += 1
            assert satisfied(random_problem(seed), result.x), seed
    assert solved >= 10  # many of these have no solution


def test_the_trajectory_does_not_depend_on_how_a_run_is_cut() -> None:
    whole = solve_problem(magic(6), "min-conflicts", 5, Limits(900))
    cut = solve_problem(magic(6), "min-conflicts", 5, Limits(900), audit="full")
    assert whole.trajectory == cut.trajectory
    assert (whole.x == cut.x).all()


RUNS = [
    ("q", 9, "min-conflicts"),
    ("q", 9, "sosic-gu-4"),
    ("q", 9, "sosic-gu"),
    ("q", 7, "sideways"),
    ("c", 6, "tabu"),
    ("c", 10, "auto"),
    ("m", 4, "jump"),
    ("a", 9, "reversal"),
    ("a", 9, "tabu"),
    ("r", 3, "jump"),
    ("r", 8, "min-conflicts"),
    ("q", 6, "hill-climbing"),
]


def fingerprints() -> list[list[int]]:
    make = {"q": queens, "c": costas, "m": magic, "a": all_interval, "r": random_problem}
    found = []
    for kind, n, strategy in RUNS:
        result = solve_problem(make[kind](n), strategy, 11, Limits(60))
        found.append([result.trajectory, result.steps, *result.x.tolist()])
    return found


@pytest.mark.parametrize("disable", ["0", "1"])
def test_other_processes_and_plain_python_give_the_same(disable: str) -> None:
    program = (
        f"import sys, json; sys.path.insert(0, {str(HERE)!r});"
        "import warnings; warnings.simplefilter('error');"
        "from test_strategies import fingerprints; print(json.dumps(fingerprints()))"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": disable}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == fingerprints()


def success(strategy: str, runs: int, **options: object) -> float:
    problem = queens(8)
    return (
        sum(solve_problem(problem, strategy, s, Limits(5000), **options).cost == 0 for s in range(runs))
        / runs
    )


def test_published_success_rates_of_climbing() -> None:
    # Russell and Norvig: 14 % without sideways moves, 94 % with up to 100; the intervals are 4 sigma
    assert abs(success("sideways", 1000, start="independent", max_sideways=0) - 0.14) < 0.044
    assert abs(success("sideways", 1000, start="independent", max_sideways=100) - 0.94) < 0.031
    assert abs(success("hill-climbing", 1000) - 0.965) < 0.025


def test_endings_of_climbing_are_told_apart() -> None:
    boards = [queens(n) for n in (5, 6, 8)]
    reasons = {solve_problem(b, "sideways", s, max_sideways=5).reason for b in boards for s in range(200)}
    assert reasons == {"solved", "local_optimum", "plateau_limit"}


def test_trace_is_capped_and_thinned() -> None:
    result = solve_problem(magic(6), "jump", 0, Limits(3000), trace=64)
    assert 32 <= len(result.events) <= 64
    assert (np.diff(result.events[:, 0]) >= 0).all()


def test_a_hint_is_kept_where_it_can_be() -> None:
    solution = solve_problem(queens(10), seed=1).x
    hint = solution.copy()
    hint[0] = hint[1]
    result = solve_problem(
        queens(10), "min-conflicts", hint=(hint, np.ones(10, dtype=bool)), limits=Limits(1000)
    )
    assert result.statistics["hint_kept"] >= 9
    whole = solve_problem(queens(10), "min-conflicts", hint=(solution, np.ones(10, dtype=bool)))
    assert whole.steps == 0


def test_refusals_name_what_is_wrong() -> None:
    with pytest.raises(StrategyError, match="max_sidewys"):
        solve_problem(queens(5), "sideways", max_sidewys=3)
    with pytest.raises(StrategyError, match="swaps only"):
        solve_problem(queens(5, rows=False), "sosic-gu")


def test_registry_and_files_agree() -> None:
    folder = Path(sys.modules["cpqueens.backends.local_search"].__file__ or "").parent
    with_run = {
        p.stem.replace("_", "-") for p in folder.glob("*.py") if "\nOPTIONS: Mapping" in p.read_text()
    }
    assert with_run == set(STRATEGIES)
    for name in STRATEGIES:
        assert get_strategy(name).__doc__


def test_luby() -> None:
    assert [luby(k) for k in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]


def test_neighbourhood_is_reported_and_can_be_given_up() -> None:
    assert Search(queens(6)).neighbourhood.report() == {
        "groups": 1,
        "swapped_variables": 6,
        "kept_constraints": 1,
    }
    assert Search(queens(6), assignment_only=True).neighbourhood.report()["groups"] == 0
    result = solve_problem(queens(6), "min-conflicts", 2, Limits(50_000), neighbourhood="assignment")
    assert satisfied(queens(6), result.x)
