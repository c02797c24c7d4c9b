"""What a backend claims after it was told to stop, and what a look-ahead may take, are held against it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fake_backend import FakeBackend, installed, rows, stubborn

from cpqueens import Model
from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Clock, Deliver, Ended, Order, Request
from cpqueens.solving.solve import STOP


@pytest.fixture
def digits() -> Model:
    model = Model()
    model.intvar(0, 9, name="x")
    return model


def test_exhaustion_claimed_after_a_callback_had_enough(digits: Model) -> None:
    with installed(FakeBackend(stubborn(rows([0]), rows([1]), rows([2])))):
        outcome = digits.enumerate(lambda solution: STOP, solver="fake")
    assert (outcome.count, outcome.complete, outcome.stop_reason) == (1, False, StopReason.CALLBACK)


def test_exhaustion_claimed_after_the_last_solution_was_enough(digits: Model) -> None:
    """Told to stop at the very last one: the backend cannot know, so that it proves nothing."""
    with installed(FakeBackend(stubborn(rows([0])))):
        outcome = digits.enumerate(lambda solution: STOP, solver="fake")
    assert (outcome.count, outcome.complete) == (1, False)


def test_exhaustion_claimed_beyond_the_limit(digits: Model) -> None:
    with installed(FakeBackend(stubborn(rows([0]), rows([1]), rows([2])))):
        outcome = digits.enumerate(solver="fake", solution_limit=2)
    assert (outcome.count, outcome.complete, outcome.stop_reason) == (2, False, StopReason.SOLUTION_LIMIT)


def test_exhaustion_claimed_beyond_the_limit_in_one_batch(digits: Model) -> None:
    with installed(FakeBackend(stubborn(rows([0], [1], [2])))):
        outcome = digits.enumerate(solver="fake", solution_limit=2)
    assert (outcome.count, outcome.complete) == (2, False)


def watched(clocks: list[tuple[float | None, float]], wait: float = 0.0) -> Any:
    """Return a script that delivers one solution and writes down what the clock allows then."""

    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        assert deliver(np.array([[0]]))
        clock = request.clock
        clocks.append((clock.time_limit if clock.share is None else clock.share, clock.used()))
        return Ended(False, StopReason.TIME_LIMIT)

    return script


def test_the_look_ahead_has_a_clock_of_its_own(digits: Model) -> None:
    seen: list[tuple[float | None, float]] = []
    with installed(FakeBackend(watched(seen))):
        digits.enumerate(solver="fake", solution_limit=1)
    ((limit, elapsed),) = seen
    assert limit is not None
    assert limit <= elapsed + max(0.1, 0.1 * elapsed)


@pytest.mark.parametrize("time_limit", [0.05, 1000.0])
def test_the_look_ahead_ends_with_the_time_limit(
    digits: Model, time_limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[float | None, float]] = []
    fake = FakeBackend(watched(seen))
    monkeypatch.setattr(Clock, "elapsed", lambda self: 0.02)
    with installed(fake):
        digits.enumerate(solver="fake", solution_limit=1, time_limit=time_limit)
    ((limit, _),) = seen
    monkeypatch.setattr(Clock, "elapsed", lambda self: 0.06)
    assert fake.requests[0].clock.expired() is (time_limit < 0.06)
    assert limit == pytest.approx(0.02 + 0.1)


def test_proving_completeness_keeps_the_whole_clock(digits: Model) -> None:
    seen: list[tuple[float | None, float]] = []
    with installed(FakeBackend(watched(seen))):
        digits.enumerate(solver="fake", solution_limit=1, prove_complete=True, time_limit=1000.0)
    assert seen[0][0] == 1000.0


@pytest.mark.parametrize("order", list(Order))
def test_solutions_that_a_callback_keeps_are_not_the_backends_array(digits: Model, order: Order) -> None:
    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        batch = np.zeros((1, 1), dtype=np.int64)
        for value in range(4):
            batch[0, 0] = value
            deliver(batch)
        return Ended(True, StopReason.EXHAUSTED)

    kept: list[Any] = []
    with installed(FakeBackend(script, order=order)):
        digits.enumerate(kept.append, solver="fake")
    assert [solution.values.tolist() for solution in kept] == [[0], [1], [2], [3]]
