"""`Model.runs`: arrays with a row for each seed, checked, under limits, with clear refusals."""

from __future__ import annotations

import signal
from typing import Any

import numpy as np
import pytest
from cpqueens.models.queens import queens
from fake_backend import FakeBackend

from cpqueens import AllDifferent, Model
from cpqueens.backends.base import Many
from cpqueens.backends.clock import by_processor
from cpqueens.backends.local_search import backend as local_search
from cpqueens.errors import BackendFault, CpqueensError, ModelError
from cpqueens.solving.request import MOST_SEEDS

SWEEPS = "local-search:sosic-gu"


def test_values_have_a_row_for_each_seed() -> None:
    m = queens(6)
    runs = m.runs(SWEEPS, seeds=range(3, 13))
    assert runs.seeds.tolist() == list(range(3, 13))
    assert runs.solved.all()
    assert runs[m["q"]].shape == (10, 6)
    assert runs[m["q"].reshape(2, 3)].shape == (10, 2, 3)
    assert runs[m["q"][0] + m["q"][5]].tolist() == (runs.matrix[:, 0] + runs.matrix[:, 5]).tolist()
    assert len(runs.solutions) == 10
    assert all(solution.check().ok for solution in runs.solutions)


def test_rows_without_a_solution_are_masked() -> None:
    m = queens(6)
    runs = m.runs("local-search:hill-climbing", seeds=40, step_limit=30)
    assert 0 < runs.solved.sum() < 40
    values = runs[m["q"]]
    assert np.array_equal(values.mask.any(axis=1), ~runs.solved)
    assert np.array_equal(values.mask.all(axis=1), ~runs.solved)
    assert set(runs.status[~runs.solved]) == {"UNKNOWN"}
    assert not runs.matrix[~runs.solved].any()


def test_nobody_can_write_to_the_arrays() -> None:
    runs = queens(5).runs(SWEEPS, seeds=2)
    for array in (runs.seeds, runs.solved, runs.matrix, runs.steps, runs.statistics["moves"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("solver", ["backtracking", "local-search:exchange", "cpsat", "auto"])
def test_what_has_no_kernel_for_many_runs_runs_one_by_one(solver: str) -> None:
    m = Model("sums")
    x = m.intvar(0, 5, shape=4, name="x")
    m += [AllDifferent(x), x.sum() == 9]
    runs = m.runs(solver, seeds=[4, 1])
    assert runs.seeds.tolist() == [4, 1]
    assert runs[x].sum(axis=1).tolist() == [9, 9]


def test_objectives_are_optimised_in_every_run() -> None:
    m = Model("best")
    x = m.intvar(0, 9, shape=2, name="x")
    m += x[0] + x[1] <= 7
    m.maximize(x[0] + 2 * x[1])
    runs = m.runs("backtracking", seeds=2)
    assert runs.status.tolist() == ["OPTIMAL"] * 2
    assert runs[x[0] + 2 * x[1]].tolist() == [14, 14]


def test_infeasibility_is_said_by_those_that_prove_it() -> None:
    assert queens(3).runs("backtracking", seeds=2).status.tolist() == ["INFEASIBLE"] * 2
    assert queens(3).runs(SWEEPS, seeds=2, step_limit=50).status.tolist() == ["UNKNOWN"] * 2


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"seeds": 0}, "seeds: a number of at least 1"),
    ({"seeds": []}, "seeds: a number of at least 1"),
    ({"seeds": [1, -1]}, "from 0 to 2\\^31 - 1"),
    ({"seeds": [True]}, "from 0 to 2\\^31 - 1"),
    ({"seeds": np.array([0.5])}, "from 0 to 2\\^31 - 1"),
    ({"seeds": 2, "random_seed": 1}, "random_seed: not with runs: write seeds="),
    ({"seeds": 2, "on_improvement": print}, "on_improvement: not with runs"),
    ({"seeds": 2, "total_time_limit": 0}, "total_time_limit: seconds above 0"),
    ({"seeds": 2, "time_limit": -1}, "time_limit: seconds above 0"),
    ({"seeds": 2, "max_sideway": 1}, "has no parameter"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_bad_input_is_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(CpqueensError, match=message) as caught:
        queens(5).runs(SWEEPS, **options)
    assert "\n" not in str(caught.value)


def test_too_many_seeds_are_refused() -> None:
    with pytest.raises(ModelError, match="too many"):
        queens(5).runs(SWEEPS, seeds=MOST_SEEDS + 1)


def test_seeds_may_be_an_array() -> None:
    assert queens(5).runs(SWEEPS, seeds=np.array([7, 2])).seeds.tolist() == [7, 2]


def test_what_is_claimed_together_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(_self: Any, _model: Any, _request: Any, seeds: Any) -> Many:
        rows, text = np.zeros((len(seeds), 5), dtype=np.int64), np.full(len(seeds), "solution_limit")
        good = np.ones(len(seeds), dtype=bool)
        return Many(good, text, good, rows, np.zeros(len(seeds), dtype=np.int64), np.zeros(len(seeds)))

    monkeypatch.setattr(local_search.LocalSearch, "run_many", wrong)
    with pytest.raises(BackendFault, match=r"INVALID_SOLUTION: seed 8: .*AllDifferent"):
        queens(5).runs(SWEEPS, seeds=[8, 9])


@pytest.mark.parametrize("solver", [SWEEPS, "las-vegas", "local-search:sosic-gu-4"])
def test_a_time_limit_is_that_of_each_run(solver: str) -> None:
    queens(3).runs(solver, seeds=1, time_limit=0.05)  # loads its kernels, which takes processor time, too
    with by_processor():  # on a busy machine nothing may happen in 0.05 s by the clock
        runs = queens(3).runs(solver, seeds=3, time_limit=0.05)
    assert runs.stop_reason.tolist() == ["time_limit"] * 3
    assert (runs.seconds > 0).all()  # less than the limit by what calling a kernel takes
    assert (runs.steps > 0).all()


@pytest.mark.parametrize("solver", [SWEEPS, "las-vegas", "backtracking:forward"])
def test_the_whole_limit_leaves_out_what_did_not_end(solver: str) -> None:
    unsolvable = queens(3) if solver != "backtracking:forward" else queens(40)
    runs = unsolvable.runs(solver, seeds=1000, total_time_limit=0.2)
    assert runs.ended_by == "time_limit"
    assert len(runs) < runs.asked == 1000
    assert "left out by time_limit" in repr(runs)


@pytest.mark.parametrize("solver", [SWEEPS, "backtracking"])
def test_ctrl_c_leaves_what_has_ended(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from cpqueens.system.stopping import Pace

    calls = []
    timed = Pace.timed

    def interrupted(self: Pace, *arguments: Any, **more: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return timed(self, *arguments, **more)

    monkeypatch.setattr(Pace, "timed", interrupted)
    runs = queens(8).runs(solver, seeds=5000)
    assert runs.ended_by == "interrupted"
    assert len(runs) < 5000
    assert all(solution.check().ok for solution in runs.solutions)


def test_seconds_are_those_of_the_calls() -> None:
    runs = queens(8).runs("local-search:tabu", seeds=50)
    assert (runs.seconds > 0).all()


def test_the_repr_says_how_it_went() -> None:
    text = repr(queens(3).runs(SWEEPS, seeds=4, step_limit=30))
    assert text.startswith("<4 runs of local-search:sosic-gu on queens")
    assert "0 solved, 4 ended by step_limit" in text


def test_a_backend_object_is_run_for_each_seed() -> None:
    seen = []

    def script(model: Model, request: Any, deliver: Any) -> Any:
        from cpqueens.answers.outcome import StopReason
        from cpqueens.backends.base import Ended

        seen.append(request.seed)
        return Ended(False, StopReason.GAVE_UP)

    runs = queens(4).runs(FakeBackend(script), seeds=[3, 5])
    assert seen == runs.seeds.tolist() == [3, 5]
    assert runs.stop_reason.tolist() == ["gave_up"] * 2
