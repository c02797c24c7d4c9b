"""Searches that take turns: each solution once, in order, and the first at its end answers."""

from __future__ import annotations

import time

import numpy as np
import pytest
from cpqueens.models.graph_colouring import graph_colouring
from cpqueens.models.langford import langford
from cpqueens.models.latin_square import latin_square
from cpqueens.models.queens import queens
from known_counts import LANGFORD

from cpqueens import Model, StopReason
from cpqueens.answers.outcome import StopReason as Reason
from cpqueens.backends.backtracking import portfolio
from cpqueens.backends.backtracking.portfolio import InOrder, Slices, Turns
from cpqueens.backends.base import Ended
from cpqueens.language.rows import IntArray, behind
from cpqueens.solving.solve import count_solutions

AUTO = "backtracking"


def squares() -> Model:
    return latin_square(5, fixed="row")


MIXED = {
    "Latin squares": (squares, 1344),
    "Langford": (lambda: langford(8), 300),
    "colouring": (graph_colouring, 120),
    "given queens": (lambda: queens(10, given=((0, 3),)), None),
    "blocked queens": (lambda: queens(9, blocked=((0, 0), (4, 4))), None),
}


@pytest.fixture(params=[0.0, 0.005], ids=["smallest turns", "usual turns"])
def _turns(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let turns be as short as one slice, so that small models take many."""
    monkeypatch.setattr(portfolio, "_FIRST_TURN", request.param)


@pytest.mark.usefixtures("_turns")
@pytest.mark.parametrize("name", MIXED)
def test_turns_list_and_count_what_one_strategy_does(name: str) -> None:
    build, known = MIXED[name]
    alone = build().enumerate(solver="backtracking:forward")
    together = build().enumerate(solver=AUTO)
    assert "forward" in together.statistics["reason"]
    assert " took turns" in together.statistics["reason"]
    assert together.complete
    assert together.solutions.matrix.tolist() == alone.solutions.matrix.tolist()
    assert build().count(solver=AUTO) == alone.count
    assert known is None or alone.count == known
    assert build().solve(solver=AUTO).solution is not None


def test_a_pattern_lists_first_and_propagation_solves_first() -> None:
    listed = langford(8).enumerate(solver=AUTO).statistics["reason"]
    solved = langford(8).solve(solver=AUTO).statistics["reason"]
    assert listed.startswith("bitmask and forward took turns")
    assert solved.startswith("forward and bitmask took turns")


@pytest.mark.parametrize(("order", "first"), [(5, "bitmask and forward"), (7, "forward and bitmask")])
def test_propagation_comes_first_where_values_are_given_and_many_rows_are_left(
    order: int, first: str
) -> None:
    model = latin_square(order, fixed="reduced")
    reason = model.enumerate(solver=AUTO, solution_limit=100).statistics["reason"]
    assert reason.startswith(f"{first} took turns")
    alone = model.solve(solver=AUTO).statistics["reason"].startswith("one solution of a puzzle")
    assert alone == (order == 7)


@pytest.mark.usefixtures("_turns")
def test_turns_resume_and_end_at_a_limit() -> None:
    everything = squares().enumerate(solver=AUTO)
    m = squares()
    first = m.enumerate(solver=AUTO, solution_limit=100)
    assert first.stop_reason is StopReason.SOLUTION_LIMIT
    rest = m.enumerate(solver=AUTO, after=first.solutions[-1])
    rows = np.concatenate([first.solutions.matrix, rest.solutions.matrix])
    assert rows.tolist() == everything.solutions.matrix.tolist()


def test_a_count_by_several_orders_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    found = count_solutions(graph_colouring(colours=3), AUTO)
    assert found.count == 120
    assert "took turns" in found.statistics["reason"]
    monkeypatch.setattr("cpqueens.backends.backtracking.two_orders.JOINING", 1)
    outcome = count_solutions(langford(8), "backtracking:forward")
    assert outcome.count == 2 * LANGFORD[8]
    assert "smallest domain first and the order as written took turns" in outcome.statistics["reason"]


@pytest.mark.parametrize("name", MIXED)
def test_parts_in_threads_are_counted_by_what_turns_decide(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    build, _ = MIXED[name]
    expected = build().count(solver="backtracking:forward")
    assert build().count(solver=AUTO, num_workers=2) == expected
    monkeypatch.setattr("cpqueens.backends.backtracking.searching._ROUNDS", 0)
    assert build().count(solver=AUTO, num_workers=2) == expected


def search(found: list[int], end: Ended) -> Slices:
    yield from found
    return end


def endless(found: int) -> Slices:
    while True:
        yield found


def test_the_first_at_its_end_answers_and_a_stopped_count_is_the_greatest() -> None:
    done = Ended(True, Reason.EXHAUSTED, count=7)
    both = Turns({"a": endless(1), "b": search([1, 2], done)})
    ended = both.run()
    assert ended.count == 7
    assert ended.statistics["reason"] == "a and b took turns, b finished first"
    stopped = Ended(False, Reason.TIME_LIMIT, count=2)
    assert Turns({"a": endless(9), "b": search([1, 2], stopped)}).run().count == 9


def busy(many: int, end: Ended) -> Slices:
    """Take a millisecond for each slice, and find nothing."""
    for _ in range(many):
        until = time.thread_time() + 0.001
        while time.thread_time() < until:
            pass
        yield 0
    return end


@pytest.mark.parametrize("ahead", [0.0, 0.05])
def test_the_first_may_be_ahead_before_others_begin(ahead: float) -> None:
    begun = []

    def other() -> Slices:
        begun.append(True)
        yield from endless(0)
        raise AssertionError

    done = Ended(True, Reason.EXHAUSTED)
    Turns({"a": busy(20, done), "b": other()}, ahead=ahead).run()
    assert bool(begun) == (ahead == 0)


def test_a_search_that_finds_many_more_goes_on_alone() -> None:
    heard: list[int] = []

    done = Ended(True, Reason.EXHAUSTED, count=100_000)
    ended = Turns({"slow": endless(1), "quick": search(list(range(100_000)), done)}, heard.append).run()
    assert ended.count == 100_000
    assert ended.statistics["reason"] == "slow and quick took turns, quick found more"
    assert heard[-1] == 99_999


def test_rows_behind_another() -> None:
    batch = np.array([[0, 5], [1, 2], [1, 3], [2, 0]])
    assert behind(batch, np.array([1, 2])).tolist() == [[1, 3], [2, 0]]
    assert behind(batch, np.array([-1, 9])).tolist() == batch.tolist()
    assert behind(batch, np.array([2, 0])).tolist() == []


def test_two_listings_are_merged() -> None:
    taken: list[list[int]] = []

    def take(batch: IntArray) -> bool:
        taken.extend(batch.tolist())
        return len(taken) < 4

    merged = InOrder(take)
    assert merged(np.array([[0], [2]]))
    assert merged(np.array([[0]]))
    assert merged(np.array([[0], [2], [3]]))
    assert not merged(np.array([[4]]))
    assert taken == [[0], [2], [3], [4]]
