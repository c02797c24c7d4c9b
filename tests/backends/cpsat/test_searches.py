"""A second search of CP-SAT joins the first on the other processors, and nothing is lost or claimed by it."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest
from cpqueens.models.queens import queens

from cpqueens import Model, Regular
from cpqueens.backends.base import Ended
from cpqueens.backends.cpsat import searches
from cpqueens.backends.cpsat.searches import CpSatSearch, both, in_turn
from cpqueens.errors import ModelError
from cpqueens.system.stopping import ThreadTime


def roster(need: tuple[int, ...] = (2, 2, 3, 3, 3, 2, 2)) -> Model:
    """Five people, blocks of at most five days: one worker proves nothing for a long time."""
    m = Model("roster")
    x = m.boolvar(shape=(5, 7), name="x")
    steps = [(k, 1, k + 1) for k in range(5)] + [(k, 0, 0) for k in range(6)]
    m += [Regular(x[p], steps, 0, list(range(6))) for p in range(5)]
    m.add(x.sum(axis=0) >= list(need))
    m.minimize(x.sum())
    return m


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processors, and a second search that joins at the first look."""
    monkeypatch.setattr("cpqueens.backends.base.processors", lambda: 2)
    monkeypatch.setattr(searches, "JOINS_AFTER", -1.0)


@pytest.mark.usefixtures("machine")
def test_what_one_worker_leaves_open_is_proved() -> None:
    outcome = roster().solve("cpsat")
    assert (outcome.status, outcome.objective, outcome.bound) == ("OPTIMAL", 17, 17)
    assert outcome.statistics["second_search"] == "answered"
    assert outcome.statistics["workers"] == 1 + searches.PORTFOLIO


@pytest.mark.usefixtures("machine")
def test_each_improvement_of_either_is_better_than_the_one_before() -> None:
    values: list[int] = []
    m = roster()
    m.solve("cpsat", on_improvement=lambda s: values.append(int(s[m["x"].sum()])))
    assert values == sorted(set(values), reverse=True)
    assert values[-1] == 17


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    "asked", [{"random_seed": 0}, {"num_workers": 1}, {"linearization_level": 1}, {"log": lambda line: None}]
)
def test_a_run_that_was_told_how_to_search_has_no_second_one(asked: dict[str, Any]) -> None:
    outcome = queens(40).solve("cpsat", **asked)
    assert "second_search" not in outcome.statistics
    assert outcome.statistics["workers"] == 1


@pytest.mark.usefixtures("machine")
def test_a_listing_has_one_worker() -> None:
    outcome = queens(7).enumerate(solver="cpsat")
    assert (outcome.count, outcome.statistics["workers"]) == (40, 1)


@pytest.mark.parametrize(("processors", "workers"), [(2, 8), (4, 8), (9, 8), (16, 15)])
def test_the_second_has_a_whole_portfolio_and_a_worker_for_each_processor_left(
    monkeypatch: pytest.MonkeyPatch, processors: int, workers: int
) -> None:
    """Said by what OR-Tools is told, of the second search and of the first beside it."""
    told: list[tuple[int, bool, float]] = []
    of = CpSatSearch.run

    def run(search: CpSatSearch, native: Any = None) -> None:
        p = search.solver.parameters
        told.append((p.num_workers, p.interleave_search, p.max_time_in_seconds))
        if native is not None:
            p.max_deterministic_time = 1e-9  # fifteen workers are not to run here
        of(search, native)

    monkeypatch.setattr(CpSatSearch, "run", run)
    monkeypatch.setattr("cpqueens.backends.base.processors", lambda: processors)
    monkeypatch.setattr(searches, "JOINS_AFTER", -1.0)
    outcome = roster().solve("cpsat", time_limit=0.3)
    assert told == [(1, False, math.inf), (workers, False, math.inf)]
    assert outcome.statistics["workers"] == 1 + workers


@pytest.mark.usefixtures("machine")
def test_until_then_there_is_one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "JOINS_AFTER", math.inf)
    outcome = roster().solve("cpsat", time_limit=0.2)
    assert outcome.statistics["workers"] == 1
    assert "second_search" not in outcome.statistics


def test_one_processor_means_one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpqueens.backends.base.processors", lambda: 1)
    monkeypatch.setattr(searches, "JOINS_AFTER", -1.0)
    assert "second_search" not in queens(60).solve("cpsat").statistics


@pytest.mark.usefixtures("machine")
def test_only_the_second_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    gave_way: list[str] = []
    monkeypatch.setattr(searches, "give_way", lambda: gave_way.append(threading.current_thread().name))
    roster().solve("cpsat")
    assert gave_way == ["cpqueens-cpsat-second"]


@pytest.mark.usefixtures("machine")
def test_an_error_of_the_second_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(first: Any) -> Any:
        raise ModelError("broken")

    monkeypatch.setattr(searches, "_helper", broken)
    with pytest.raises(ModelError, match="broken"):
        roster().solve("cpsat")
    assert not [t for t in threading.enumerate() if t.name == "cpqueens-cpsat-second"]


@pytest.mark.usefixtures("machine")
def test_what_is_infeasible_stays_so() -> None:
    m = roster()
    m.add(m["x"].sum() <= 16)
    outcome = m.solve("cpsat")
    assert (outcome.status, outcome.complete) == ("INFEASIBLE", True)


class Answer:
    """A search as `both` sees it."""

    def __init__(self, has_answered: bool) -> None:
        self.has_answered = has_answered


@pytest.mark.parametrize(("maximizing", "bound"), [(False, 7), (True, 5)])
def test_of_two_without_an_answer_the_better_bound_stands(maximizing: bool, bound: int) -> None:
    ended, other = (Ended(False, None, 9, b, statistics={"workers": 1}) for b in (5, 7))  # type: ignore[arg-type]
    whole = both(ended, other, Answer(False), Answer(False), maximizing)  # type: ignore[arg-type]
    assert (whole.exhausted, whole.bound, whole.objective) == (False, bound, None)
    assert whole.statistics == {"workers": 2, "second_search": "joined"}


def test_an_answer_of_the_second_is_the_answer() -> None:
    ended, other = (Ended(e, None, None, 7, statistics={"workers": 1}) for e in (False, True))  # type: ignore[arg-type]
    whole = both(ended, other, Answer(False), Answer(True), False)  # type: ignore[arg-type]
    assert whole.exhausted
    assert whole.statistics["second_search"] == "answered"


def test_nothing_is_delivered_after_enough() -> None:
    taken: list[Any] = []

    def deliver(batch: Any) -> bool:
        taken.append(batch)
        return len(taken) < 2

    put = in_turn(deliver)
    assert [put(np.zeros((1, 1))) for _ in range(4)] == [True, False, False, False]
    assert len(taken) == 2


@pytest.mark.skipif(
    not hasattr(__import__("time"), "pthread_getcpuclockid"), reason="the system has no such clock"
)
def test_the_clock_of_a_thread_counts_no_other() -> None:
    spent = ThreadTime()
    worker = threading.Thread(target=lambda: sum(range(3_000_000)))
    worker.start()
    worker.join()
    before = spent()
    sum(range(3_000_000))
    assert spent() > 2 * before
