"""Many runs in one call: each is what the single run of its seed is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from cpqueens.models.all_interval import all_interval
from cpqueens.models.costas_array import costas_array
from cpqueens.models.queens import queens
from cpqueens.models.toroidal_queens import toroidal_queens

from cpqueens import Circuit, Model, NoOverlap, Outcome
from cpqueens.answers.runs import Runs
from cpqueens.backends import together
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.backends.local_search.strategies import STRATEGIES, get_strategy
from cpqueens.errors import CpqueensError
from cpqueens.fuzzing.generate import random_model
from cpqueens.kernels.jit import tiers
from cpqueens.kernels.local.start import RUN, make_lot
from cpqueens.system import stopping

SEEDS = (0, 9)
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((f"local-search:{name}", {}) for name in STRATEGIES),
    ("local-search:annealing", {"schedule": "rowwise"}),
    ("local-search:annealing", {"schedule": "rowwise", "tested": "move", "rule": "metropolis"}),
    ("local-search:hill-climbing", {"shoulder": "jump", "measure": "pairs", "start": "permutation"}),
    ("local-search:random-restart", {"max_sideways": 3}),
    ("local-search:tabu", {"neighbourhood": "assignment"}),
    ("las-vegas", {}),
    ("las-vegas", {"stop_vegas": 2}),
    ("las-vegas", {"attempts": 3}),
    ("backtracking", {}),
]
TOGETHER = ["sosic-gu-4", *(name for name in STRATEGIES if hasattr(get_strategy(name), "many"))]
"""Strategies that have a kernel for many runs of queens."""


@pytest.fixture(autouse=True)
def plain() -> Iterator[None]:
    """Stay in plain form: models of every kind of layers would each have their own kernels compiled."""
    with tiers.mode("plain"):
        yield


def models() -> list[Model]:
    """Return models of all layers, solvable and not, and a random one."""
    structured = [queens(6), queens(3), toroidal_queens(5), costas_array(5), all_interval(6)]
    return [*structured, random_model(0)]


@pytest.fixture
def lots(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of runs that were made together."""
    made: list[int] = []
    drive = together.drive

    def counted(*arguments: Any) -> Any:
        made.append(len(arguments[1].x))
        return drive(*arguments)

    monkeypatch.setattr(together, "drive", counted)
    monkeypatch.setattr("cpqueens.backends.local_search.running.drive", counted)
    return made


def said(outcome: Outcome, counts: dict[str, Any]) -> dict[str, Any]:
    """Return what a single run says, in the words of `row`."""
    found = outcome.solution
    known = outcome.statistics
    return {
        "status": str(outcome.status),
        "stop_reason": str(outcome.stop_reason),
        "values": None if found is None else found.values.tolist(),
        "steps": known.get("steps", known.get("nodes", 0)),
        **{name: known.get(name, 0) for name in counts},
    }


def row(runs: Runs, k: int) -> dict[str, Any]:
    """Return what the row of a run says."""
    counts = {name: int(values[k]) for name, values in runs.statistics.items() if values.ndim == 1}
    return {
        "status": str(runs.status[k]),
        "stop_reason": str(runs.stop_reason[k]),
        "values": runs.matrix[k].tolist() if runs.solved[k] else None,
        "steps": int(runs.steps[k]),
        **counts,
    }


@pytest.mark.parametrize(("solver", "options"), VARIANTS)
def test_each_run_is_the_single_run_of_its_seed(solver: str, options: dict[str, Any]) -> None:
    compared = 0
    for model in models():
        for limit in (1, 60) if solver != "backtracking" else (None,):
            asked = {**options, "step_limit": limit}
            try:
                singles = [model.solve(solver, random_seed=seed, **asked) for seed in SEEDS]
            except CpqueensError as error:
                with pytest.raises(type(error)):
                    model.runs(solver, SEEDS, **asked)
                continue
            runs = model.runs(solver, SEEDS, **asked)
            for k, single in enumerate(singles):
                mine = row(runs, k)
                assert mine == said(single, {n: 0 for n in mine if n in runs.statistics})
                compared += 1
    assert compared >= len(SEEDS)


@pytest.mark.parametrize("strategy", TOGETHER)
def test_one_kernel_makes_the_runs(strategy: str, lots: list[int]) -> None:
    runs = queens(6).runs(f"local-search:{strategy}", seeds=7, step_limit=50)
    assert lots == [7] == [len(runs)]


def test_the_classical_strategies_are_among_them() -> None:
    assert {"annealing", "auto", "hill-climbing", "sideways", "sosic-gu", "sosic-gu-4", "tabu"} <= set(
        TOGETHER
    )


def test_runs_that_the_kernel_for_queens_gives_up_are_made_singly(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `auto` does: three queens have no solution, so after its share the general engine goes on."""
    from dataclasses import replace

    from cpqueens.backends.local_search import specials

    short = replace(specials.SPECIALS["shifted_permutation"], share=lambda n: 20)
    monkeypatch.setitem(specials.SPECIALS, "shifted_permutation", short)  # type: ignore[misc]
    model = queens(3)
    singles = [model.solve("local-search", random_seed=seed, step_limit=60) for seed in range(3)]
    assert {single.statistics["special_steps"] for single in singles} == {20}
    runs = model.runs("local-search", 3, step_limit=60)
    assert runs.steps.tolist() == [single.statistics["steps"] for single in singles] == [60] * 3
    assert np.array_equal(runs.statistics["special_steps"], [20] * 3)


def test_a_long_step_is_broken_off_at_the_limit_of_its_run(lots: list[int]) -> None:
    """In plain form a step over all neighbours takes seconds here; no run has made any."""
    model, began = queens(250), time.process_time()
    runs = model.runs("local-search:hill-climbing", seeds=3, time_limit=0.1)
    assert time.process_time() - began < 2
    assert lots == [3]
    assert (runs.stop_reason.tolist(), runs.steps.tolist()) == (["time_limit"] * 3, [0] * 3)


def test_the_next_run_of_a_call_has_its_own_time() -> None:
    lot = make_lot(np.arange(3), 5, None)
    request = Request(Want.ONE, Clock(100.0))
    patience = together._Patience(lot, request)
    patience.begin(200.0)
    assert patience.is_over()
    lot.now[RUN] += 1
    assert not patience.is_over()
    assert patience.run == 1


def test_a_limit_within_a_call_is_that_of_the_run_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quick runs in the same call as one that has its time keep what they found."""
    monkeypatch.setattr(tiers, "_LONG_CALL", 0.0)
    monkeypatch.setattr(stopping, "_EVERY", 0.0005)
    solver, model = "local-search:sosic-gu", queens(8)
    wanted = model.runs(solver, seeds=40)
    for milliseconds in (1, 3, 9, 1000):
        runs = model.runs(solver, seeds=40, time_limit=milliseconds / 1000)
        assert len(runs) == 40
        for k in np.flatnonzero(runs.solved):
            assert row(runs, k) == row(wanted, k)
        assert set(runs.stop_reason[~runs.solved].tolist()) <= {"time_limit"}
    assert runs.solved.all()


def ordered() -> Model:
    """Return tasks that have to be done in time, one after the other."""
    m = Model()
    start = m.intvar([0, 0, 2, 1], [4, 9, 5, 5], shape=4, name="start")
    m.add(NoOverlap(start, [3, 4, 2, 1]))
    return m


def toured() -> Model:
    """Return round trips through eight nodes, of which each may go to half."""
    m = Model()
    m.add(Circuit([m.intvar(domain=[(k + j) % 8 for j in (1, 2, 5, 7)]) for k in range(8)]))
    return m


@pytest.mark.parametrize("build", [ordered, toured])
def test_what_has_a_kernel_of_its_own_is_run_by_it(build: Callable[[], Model]) -> None:
    runs = build().runs("local-search", 4, step_limit=400)
    for seed in range(4):
        single = build().solve(solver="local-search", random_seed=seed, step_limit=400)
        assert "special" in single.statistics
        assert runs.statistics["trajectory"][seed] == single.statistics["trajectory"]
