"""Strategies: they solve, end honestly, repeat themselves, and reproduce published figures."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cpqueens.models.all_interval import all_interval
from cpqueens.models.costas_array import costas_array
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens
from each import each
from searched import compiled, diagonals, mixed, run

from cpqueens import CpqueensError, Model, Outcome, UnsupportedRequest
from cpqueens.backends.local_search import search
from cpqueens.backends.local_search.search import Search
from cpqueens.backends.local_search.strategies import STRATEGIES, get_strategy
from cpqueens.fuzzing.generate import random_model
from cpqueens.kernels.local.runs import luby

HERE = Path(__file__).parent
GENERAL = [name for name in STRATEGIES if name not in ("reversal", "sosic-gu-4", "hill-climbing", "sideways")]


def solved(outcome: Outcome) -> bool:
    return outcome.solution is not None and outcome.solution.check().ok


@each("strategy", [*GENERAL, "sosic-gu-4"])
def test_solves_queens(strategy: str) -> None:
    for n in (4, 8, 12):
        assert solved(run(queens(n), strategy, n, 100_000))


@each("n", range(4, 41))
def test_auto_solves_every_board(n: int) -> None:
    for seed in range(10):
        assert solved(run(queens(n), seed=seed, steps=100_000))


@pytest.mark.parametrize(
    "model", [magic_square(5), costas_array(9), all_interval(30)], ids=["magic", "costas", "all-interval"]
)
def test_auto_solves_permutation_problems(model: Model) -> None:
    for seed in range(3):
        assert solved(run(model, seed=seed, steps=500_000))


@pytest.mark.parametrize("n", [2, 3])
def test_boards_without_solution_end_at_the_step_limit(n: int) -> None:
    for strategy in ("auto", "min-conflicts", "tabu", "annealing", "sosic-gu", "random-restart"):
        outcome = run(queens(n), strategy, 0, 2000)
        assert outcome.stop_reason == "step_limit"
        assert outcome.closest is not None
        assert not outcome.closest.check().ok


def test_the_trajectory_does_not_depend_on_how_a_run_is_cut() -> None:
    whole = run(magic_square(6), "min-conflicts", 5, 900)
    cut = run(magic_square(6), "min-conflicts", 5, 900, audit="full")
    assert fingerprint(whole) == fingerprint(cut)


def fingerprint(outcome: Outcome) -> list[int]:
    """Return the hash of the trajectory, the steps and where it ended."""
    reached = outcome.solution or outcome.closest
    assert reached is not None
    statistics = outcome.statistics
    return [statistics["trajectory"], statistics["steps"], *map(int, reached.values)]


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
    ("x", 6, "annealing"),
    ("q", 6, "hill-climbing"),
]


def fingerprints() -> list[list[int]]:
    make = {
        "q": queens, "c": costas_array, "m": magic_square, "a": all_interval, "r": random_model, "x": mixed
    }  # fmt: skip
    return [fingerprint(run(make[kind](n), strategy, 11, 60)) for kind, n, strategy in RUNS]


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("disable", ["0", "1"])
def test_other_processes_and_plain_python_give_the_same(disable: str) -> None:
    program = (
        f"import sys, json; sys.path[:0] = [{str(HERE)!r}, {str(HERE.parents[1])!r}];"
        "import warnings; warnings.simplefilter('error');"
        "from test_strategies import fingerprints; print(json.dumps(fingerprints()))"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": disable, "CPQUEENS_KERNELS": "tiers"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == fingerprints()


def success(strategy: str, runs: int, **options: object) -> float:
    model = queens(8)
    return sum(solved(run(model, strategy, s, 5000, **options)) for s in range(runs)) / runs


def test_published_success_rates_of_climbing() -> None:
    # Russell and Norvig: 14 % without sideways moves, 94 % with up to 100; the intervals are 4 sigma
    assert abs(success("sideways", 1000, start="independent", max_sideways=0) - 0.14) < 0.044
    assert abs(success("sideways", 1000, start="independent", max_sideways=100) - 0.94) < 0.031
    assert abs(success("hill-climbing", 1000) - 0.965) < 0.025


def test_endings_of_climbing_are_told_apart() -> None:
    boards = [queens(n) for n in (5, 6, 8)]
    reasons = {run(b, "sideways", s, max_sideways=5).stop_reason for b in boards for s in range(200)}
    assert reasons == {"solution_limit", "local_optimum", "plateau_limit"}


def test_trace_is_capped_and_thinned() -> None:
    trace = run(magic_square(6), "jump", 0, 3000, trace=64).trace
    assert trace is not None
    assert 32 <= len(trace) <= 64
    assert trace.thinning >= 16
    assert (np.diff(trace.steps) >= 0).all()


def test_a_hint_is_kept_where_it_can_be() -> None:
    model = queens(10)
    solution = run(model, seed=1)[model["q"]]
    hint = solution.copy()
    hint[0] = hint[1]
    near = run(model, "min-conflicts", steps=1000, hint={model["q"]: hint})
    assert near.statistics["hint_kept"] >= 9
    whole = run(model, "min-conflicts", hint={model["q"]: solution})
    assert (whole.statistics["hint_kept"], whole.statistics["steps"]) == (10, 0)


def test_refusals_name_what_is_wrong() -> None:
    with pytest.raises(CpqueensError, match="max_sidewys"):
        run(queens(5), "sideways", max_sidewys=3)
    with pytest.raises(UnsupportedRequest, match="swaps only"):
        run(diagonals(5), "sosic-gu")


def has_parameters(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.AnnAssign)
        and ast.unparse(node.target) == "PARAMETERS"
        and node.value is not None
    )


def test_registry_and_files_agree() -> None:
    folder = Path(sys.modules["cpqueens.backends.local_search"].__file__ or "").parent
    written = set()
    for path in folder.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for where in [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]:
            named = f":{where.name}" if isinstance(where, ast.ClassDef) else ""
            written |= {path.stem + named for node in where.body if has_parameters(node)}
    assert {f"cpqueens.backends.local_search.{where}" for where in written} == set(STRATEGIES.values())
    for name in STRATEGIES:
        assert get_strategy(name).__doc__


def test_luby() -> None:
    assert [luby(k) for k in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]


def test_neighbourhood_is_reported_and_can_be_given_up() -> None:
    six = compiled(queens(6))
    assert Search(six).neighbourhood.report() == {
        "groups": 1,
        "swapped_variables": 6,
        "kept_constraints": 1,
    }
    assert Search(six, assignment_only=True).neighbourhood.report()["groups"] == 0
    assert solved(run(queens(6), "min-conflicts", 2, 50_000, neighbourhood="assignment"))


def test_where_calls_end_changes_no_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that look at every constraint end a call once their work is done."""
    m, calls, told = costas_array(8), [0], Search.run
    m.add(m["p"][0] == m["p"][1])  # walks to the end

    def counted(self: Search, kernel: Any, *arguments: Any, **options: Any) -> Any:
        def call(*given: Any) -> Any:
            calls[-1] += 1
            return kernel(*given)

        return told(self, call, *arguments, **options)

    monkeypatch.setattr(Search, "run", counted)
    found = []
    for work in (search._WORK, 1):
        monkeypatch.setattr(search, "_WORK", work)
        calls.append(0)
        outcome = run(m, "jump", 3, 30_000)
        found.append([outcome.statistics[name] for name in ("steps", "trajectory", "evaluations", "moves")])
    assert found[0] == found[1]
    assert calls[2] > calls[1]
