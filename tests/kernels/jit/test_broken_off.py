"""Calls in plain form that are broken off where the run is to stop: as if they had never been made."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest
from cpqueens.models.all_interval import all_interval
from cpqueens.models.golomb_ruler import golomb_ruler
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens

from cpqueens import Model
from cpqueens.backends.local_search.strategies import STRATEGIES
from cpqueens.kernels.jit import tiers
from cpqueens.kernels.jit.tiers import Fixed, KernelEntry
from cpqueens.language.rows import IntArray
from cpqueens.system import stopping as stops
from cpqueens.system.stopping import Stopped


@pytest.fixture(autouse=True)
def plainly() -> Iterator[None]:
    with tiers.mode("plain"):
        yield


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have short calls broken off too."""
    monkeypatch.setattr(tiers, "_LONG_CALL", 0.0)
    monkeypatch.setattr(stops, "_EVERY", 0.0005)


def count_for_ever(state: tuple[IntArray, IntArray], told: IntArray) -> None:
    while True:
        state[0][0] += 1
        told[:] = state[0][0]


def after(seconds: float) -> Callable[[], bool]:
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


@pytest.mark.parametrize("fixed", [False, True])
def test_a_call_that_is_broken_off_has_not_been_made(fixed: bool) -> None:
    state, told = (np.arange(3), np.zeros(2, dtype=np.int64)), np.full(2, 7)
    state[1].flags.writeable = False
    entry = KernelEntry(count_for_ever)
    for _ in range(3):
        with tiers.running(after(0.03)) as book, pytest.raises(Stopped):
            entry(Fixed(state) if fixed else state, told)
        assert (state[0].tolist(), told.tolist()) == ([0, 1, 2], [7, 7])
        assert book.times["plain_time"] > 0


def test_keeping_what_large_arrays_were_is_broken_off_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(array: IntArray) -> IntArray:
        end = time.thread_time() + 10  # seconds after which the test fails
        while time.thread_time() < end:
            pass
        return array.copy()

    def work(state: IntArray) -> None:
        state[0] = 1

    monkeypatch.setattr(tiers, "copied", endless)
    state = np.zeros(1, dtype=np.int64)
    with tiers.running(after(0.03)), pytest.raises(Stopped):
        KernelEntry(work)(state)
    assert state[0] == 0


def test_what_tells_of_a_find_is_not_broken_off() -> None:
    asked = itertools.count()

    def work(turns: IntArray) -> None:
        end = time.monotonic() + 0.1
        while time.monotonic() < end:
            turns[0] += 1

    turns = np.zeros(1, dtype=np.int64)
    with tiers.running(lambda: next(asked) >= 0):
        with tiers.to_the_end():
            KernelEntry(work)(turns)
        assert (turns[0] > 0, next(asked)) == (True, 0)
        with pytest.raises(Stopped):
            KernelEntry(work)(turns)


@pytest.mark.parametrize("strategy", ["backtracking", "backtracking:forward", "backtracking:check"])
def test_a_first_step_takes_long(strategy: str) -> None:
    """A step of propagation of a second or more, in plain form."""
    began = time.process_time()
    outcome = magic_square(14).solve(solver=strategy, time_limit=0.1)
    assert (outcome.status, outcome.stop_reason) == ("UNKNOWN", "time_limit")
    assert time.process_time() - began < 1


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_search_that_was_broken_off_leaves_nothing_behind(strategy: str) -> None:
    """What waits with the model searches on as a fresh one does, and the best that is told was seen."""
    model, fresh = ((all_interval if strategy == "reversal" else queens)(12) for _ in range(2))
    if strategy not in ("reversal", "sosic-gu-4"):  # beyond what kernels for queens alone know
        for each in (model, fresh):
            each.add(each["q"][0] != 0)
    solver = f"local-search:{strategy}"
    ask = partial(Model.solve, solver=solver, random_seed=3, step_limit=20)
    wanted = ask(fresh)
    for milliseconds in (1, 2, 3, 5, 8):
        outcome = model.solve(solver=solver, random_seed=milliseconds, time_limit=milliseconds / 1000)
        assert not outcome.faults
        found = ask(model)
        assert (found.status, found.statistics["steps"]) == (wanted.status, wanted.statistics["steps"])
        assert found.statistics["trajectory"] == wanted.statistics["trajectory"]


@pytest.mark.usefixtures("hasty")
def test_what_was_found_before_stands() -> None:
    model = queens(7)
    everything = model.enumerate(solver="backtracking:forward").solutions.matrix
    limit, complete = 0.002, False
    while not complete:
        outcome = model.enumerate(solver="backtracking:forward", time_limit=limit)
        matrix, complete = outcome.solutions.matrix, outcome.complete
        assert matrix.tolist() == everything[: len(everything) if complete else len(matrix)].tolist()
        limit *= 1.3


@pytest.mark.usefixtures("hasty")
def test_no_better_objective_is_claimed_than_was_told() -> None:
    model = golomb_ruler(6)
    for milliseconds in range(5, 65, 5):
        for solver in ("backtracking:forward", "local-search"):
            outcome = model.solve(solver=solver, time_limit=milliseconds / 1000)
            assert not outcome.faults
            if outcome.solution is not None:
                assert int(outcome.objective or 0) >= 17
