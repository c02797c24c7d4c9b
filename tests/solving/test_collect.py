"""The look-ahead: a tenth of the processor time used, at least 0.1 s, and never beyond the user's limit."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from fake_backend import FakeBackend, says

from cpqueens.answers.check import Checker
from cpqueens.backends import clock as clocks
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.fuzzing.testing import queens
from cpqueens.solving.collect import Collector

SOLUTIONS = np.array([[1, 3, 0, 2], [2, 0, 3, 1]])


class Time:
    """A clock that stands still unless it is told to go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(clocks, "time", SimpleNamespace(monotonic=lambda: self.now))


def left(clock: Clock) -> float | None:
    """Return what is left of both limits."""
    share = None if clock.share is None else clock.share - clock.used()
    return min((t for t in (clock.remaining(), share) if t is not None), default=None)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


def collector(clock: Clock, limit: int, **options: bool) -> Collector:
    request = Request(Want.ALL, clock, solution_limit=limit, **options)
    return Collector(Checker(queens(4)), FakeBackend(says()), request, None)


@pytest.mark.parametrize(
    ("used", "moment"), [(0.0, 0.1), (0.5, 0.1), (1.0, 0.1), (1.5, 0.15), (20.0, 2.0), (3600.0, 360.0)]
)
def test_it_takes_a_tenth_of_the_time_used(time: Time, used: float, moment: float) -> None:
    clock = Clock(None)
    time.now += used
    taking = collector(clock, 1)
    assert taking.deliver(SOLUTIONS[:1])  # go on: one more would say that there are more
    remaining = left(clock)
    assert remaining is not None
    assert math.isclose(remaining, moment)
    assert not clock.expired()
    time.now += 1.01 * moment
    assert clock.expired()


@pytest.mark.parametrize(
    ("given", "moment"), [(20.05, 0.05), (20.1, 0.1), (21.0, 1.0), (22.0, 2.0), (60.0, 2.0)]
)
def test_the_users_limit_stays(time: Time, given: float, moment: float) -> None:
    clock = Clock(given)
    time.now += 20
    assert collector(clock, 1).deliver(SOLUTIONS[:1])
    remaining = left(clock)
    assert remaining is not None
    assert math.isclose(remaining, moment, rel_tol=1e-6)


def test_what_does_not_count_does_not_lengthen_it(time: Time) -> None:
    clock = Clock(None)
    with clock.pause("consumer"):
        time.now += 1000
    time.now += 30
    assert collector(clock, 1).deliver(SOLUTIONS[:1])
    assert math.isclose(left(clock) or 0, 3.0)


@pytest.mark.parametrize("given", [None, 5000.0])
def test_a_busy_machine_neither_shortens_nor_lengthens_it(time: Time, given: float | None) -> None:
    """What the search had of the processor counts, before and after; the consumer's part does not."""
    clock, had = Clock(given), [0.0]
    clock.measure(lambda: had[0])
    time.now += 3000  # of which the search had
    had[0] += 20
    assert collector(clock, 1).deliver(SOLUTIONS[:1])
    time.now += 1000
    had[0] += 1.9
    with clock.pause("consumer"):
        had[0] += 7
    assert not clock.expired()
    had[0] += 0.2
    assert clock.expired()


def test_what_is_measured_anew_is_added(time: Time) -> None:
    """Of an exact solver that begins anew, for one."""
    clock, had = Clock(None), [0.0]
    clock.measure(lambda: had[0])
    had[0] = 3.0
    again = [0.0]
    clock.measure(lambda: again[0])
    again[0] = 4.0
    assert clock.used() == 7.0


@pytest.mark.parametrize("given", [None, 50.0])
def test_to_prove_completeness_all_the_time_is_left(time: Time, given: float | None) -> None:
    clock = Clock(given)
    time.now += 20
    assert collector(clock, 1, prove_complete=True).deliver(SOLUTIONS[:1])
    assert left(clock) == (None if given is None else 30.0)


def test_it_begins_with_the_last_solution_asked_for(time: Time) -> None:
    clock = Clock(None)
    taking = collector(clock, 2)
    time.now += 20
    assert taking.deliver(SOLUTIONS[:1])
    assert (left(clock), taking.looking_ahead) == (None, False)
    assert taking.deliver(SOLUTIONS[1:])
    assert taking.looking_ahead
    assert math.isclose(left(clock) or 0, 2.0)


def test_without_it_the_limit_ends_the_run(time: Time) -> None:
    clock = Clock(None)
    taking = collector(clock, 1, look_ahead=False)
    assert not taking.deliver(SOLUTIONS[:1])
    assert (taking.stopped, left(clock)) == ("solution_limit", None)


def test_a_further_solution_ends_it(time: Time) -> None:
    taking = collector(Clock(None), 1)
    assert taking.deliver(SOLUTIONS[:1])
    assert not taking.deliver(SOLUTIONS[1:])
    assert (taking.more, taking.distinct, taking.stopped) == (True, 1, "solution_limit")
