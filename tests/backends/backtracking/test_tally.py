"""Counts of parts: what is added up, what is estimated, and from which parts."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from cpqueens.models.langford import langford
from cpqueens.models.queens import queens

from cpqueens import StopReason
from cpqueens.backends.backtracking.tally import Tally, estimated
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.solving.solve import count_solutions


def test_the_estimate_is_unbiased_and_covers() -> None:
    source = random.Random(4)
    population = [source.randrange(50) ** 2 for _ in range(60)]
    truth, covered, estimates = sum(population), 0, []
    for _ in range(400):
        drawn = source.sample(population, 20)
        found = estimated(20, 60, sum(drawn), sum(y * y for y in drawn))
        assert found is not None
        estimates.append(found[0])
        covered += found[1][0] <= truth <= found[1][1]
    assert abs(sum(estimates) / 400 - truth) < 0.03 * truth
    assert covered >= 355  # of 400 at 95 %: fewer has probability below 1e-6, some room for skewness


def test_the_estimate_needs_two_parts_and_ends_exact() -> None:
    assert estimated(0, 5, 0, 0) is None
    assert estimated(1, 5, 3, 9) is None
    assert estimated(5, 5, 30, 999) == (30.0, (30.0, 30.0))


def test_parts_count_for_the_estimate_in_the_order_in_which_they_were_drawn() -> None:
    shown: list[Any] = []
    tally = Tally(Request(Want.COUNT, Clock(None), on_progress=shown.append), 4)
    tally._reported = -1e9
    tally.book(1, [10], 1)  # its neighbour is still at work, because it is larger
    assert shown.pop() == {"count": 10, "done": 0, "total": 4}
    tally._reported = -1e9
    tally.book(0, [30], 1)
    assert (shown[-1]["count"], shown[-1]["done"], shown[-1]["estimate"]) == (40, 2, 80.0)


def test_a_limit_in_one_part_ends_all() -> None:
    tally, seen = Tally(Request(Want.COUNT, Clock(None), workers=2), 50), []

    def count(number: int) -> None:
        seen.append(number)
        time.sleep(0.001)
        tally.book(number, [1], 2, 3, StopReason.TIME_LIMIT if number == 7 else None)

    tally.run_each(count)
    assert len(seen) < 50
    ended = tally.ended({})
    assert (ended.exhausted, ended.stop_reason, ended.count) == (False, StopReason.TIME_LIMIT, len(seen))
    assert (tally.nodes, tally.failures) == (2 * len(seen), 3 * len(seen))


@pytest.mark.parametrize("workers", [1, 3])
def test_every_part_is_handed_out_once_in_chunks_that_grow(workers: int) -> None:
    tally, seen = Tally(Request(Want.COUNT, Clock(None), workers=workers), 200), []

    def work() -> None:
        for chunk in tally.chunks(1e9):
            seen.append(chunk)
            tally.book(chunk.start, [number * number for number in chunk])

    tally.run(work)
    assert sorted(number for chunk in seen for number in chunk) == list(range(200))
    assert len(seen) <= 8 * workers  # each thread has 1, 2, 4, ... at a time
    assert all(len(chunk) == 1 for chunk in Tally(Request(Want.COUNT, Clock(None)), 9).chunks())
    ended = tally.ended({})
    assert (ended.exhausted, ended.count, tally.done) == (True, sum(k * k for k in range(200)), 200)


@pytest.mark.parametrize("strategy", ["bitmask", "table", "check"])
def test_counts_and_nodes_are_the_same_with_an_estimate(strategy: str) -> None:
    blocked = queens(5)
    blocked += [blocked["q"][0] != v for v in range(5)]  # the root is a dead end
    for model, count in ((queens(9), 352), (blocked, 0)):
        plain = count_solutions(model, f"backtracking:{strategy}")
        shown = count_solutions(model, f"backtracking:{strategy}", on_progress=lambda _: None)
        assert plain.count == shown.count == count
        for name in ("nodes", "failures"):
            assert plain.statistics[name] == shown.statistics[name]


def test_a_stopped_count_has_an_estimate() -> None:
    outcome = count_solutions(langford(12), "backtracking", time_limit=0.3, on_progress=lambda _: None)
    assert outcome.stop_reason is StopReason.TIME_LIMIT
    assert outcome.statistics["interval"][0] <= outcome.statistics["estimate"]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_one_part_ends_all(workers: int) -> None:
    tally, seen = Tally(Request(Want.COUNT, Clock(None), workers=workers), 1000), []

    def count(number: int) -> None:
        seen.append(number)
        if number == 3:
            raise ZeroDivisionError
        time.sleep(0.001)

    with pytest.raises(ZeroDivisionError):
        tally.run_each(count)
    assert len(seen) < 1000


@pytest.mark.parametrize("solver", ["backtracking:bitmask", "backtracking:forward"])
def test_an_error_reaches_a_part_that_another_thread_is_at(solver: str) -> None:
    def fails(_: Any) -> None:
        raise ZeroDivisionError

    model = queens(24)  # no part of it would end in a lifetime
    with pytest.raises(ZeroDivisionError):
        count_solutions(model, solver, num_workers=2, on_progress=fails)
