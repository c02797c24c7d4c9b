"""Limits hold wherever a run is, and go by the processor where they are not the user's."""

from __future__ import annotations

import itertools
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from cpqueens.models.queens import queens
from fake_backend import FakeBackend, installed

from cpqueens import AllDifferent, Model, Regular, compare
from cpqueens.answers.outcome import StopReason
from cpqueens.answers.symmetry import QUEENS_BOARD
from cpqueens.backends import base, clock
from cpqueens.backends.base import Clock, Deliver, Ended, Request
from cpqueens.backends.clock import Share, sharing
from cpqueens.crosscheck.roles import Role, constraint_roles
from cpqueens.crosscheck.two_models import ModelRelation
from cpqueens.lab.reference import prove
from cpqueens.language.statement import Statement
from cpqueens.puzzles.generating import made
from cpqueens.solving import handover, race
from cpqueens.system.stopping import Stopped, ThreadTime, stopping, unstopped

PATIENCE = 10.0
"""Processor seconds after which a test fails whose run does not end."""


def words() -> Model:
    """Return a model with automata, tables and functions."""
    m = Model("words")
    x = m.intvar(0, 2, shape=4, name="x")
    m.add(Regular(x, [(s, v, (s + v) % 3) for s in range(3) for v in range(3)], 0, [2]))
    m.add(abs(x[1:] - x[:-1]).sum() <= 6, x[0] * x[3] >= 2)
    return m


PLACES = [
    ("backtracking", "backtracking.backend.Backtracking._prepare"),
    ("backtracking", "backtracking.searching.build_memory"),
    ("backtracking", "backtracking.forward.ForwardSearch.slices"),
    ("backtracking:check", "backtracking.searching.ForwardSearch"),
    ("cpsat", "cpsat.translation.lower"),
    ("cpsat", "cpsat.written.read"),
    ("cpsat", "cpsat.backend.CpSat._ended"),
    ("las-vegas", "las_vegas.LasVegas._compiled"),
    ("las-vegas", "las_vegas._attempts"),
    ("las-vegas", "las_vegas._Run._statistics"),
    ("local-search", "local_search.running.special_of"),
    ("local-search", "local_search.running.limits_of"),
    ("local-search", "local_search.running.Presolve.of"),
    ("local-search:tabu", "local_search.running._smaller"),
    ("local-search:tabu", "local_search.engine.Search"),
    ("local-search:tabu", "local_search.search.Search.start"),
    ("python-constraint", "python_constraint.backend.lower"),
    ("python-constraint", "python_constraint.backend.Placement"),
    ("python-constraint:min-conflicts", "python_constraint.backend.Shuffles.shuffle"),
    ("local-search+cpsat", "cpsat.translation.lower"),
    ("auto", "backtracking.backend.Backtracking._prepare"),
]


@pytest.mark.parametrize(("solver", "place"), PLACES)
def test_a_run_ends_wherever_it_is_stuck(solver: str, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In what does not look at any limit, before the search and after it."""
    stop, should_stop = threading.Event(), Request.should_stop

    def stuck(*_arguments: Any, **_options: Any) -> None:
        stop.set()
        used = ThreadTime()
        while used() < PATIENCE:
            sum(range(100))

    monkeypatch.setattr(f"cpqueens.backends.{place}", stuck)
    monkeypatch.setattr(Request, "should_stop", lambda r, *ahead: stop.is_set() or should_stop(r, *ahead))
    outcome = words().solve(solver=solver, time_limit=1e6, random_seed=1)
    assert stop.is_set()
    assert (outcome.status, outcome.stop_reason) in (
        ("UNKNOWN", "time_limit"),
        ("FEASIBLE", "solution_limit"),
    )
    assert not outcome.complete
    if solver not in ("auto", "local-search+cpsat"):  # which run others
        assert "overrun_call" in outcome.statistics  # mostly `stuck`, or what that calls


def test_ctrl_c_ends_a_run_that_is_lowering(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def stuck(*_arguments: Any) -> None:
        asked.append(True)  # before: what only prepares has no grace
        signal.raise_signal(signal.SIGINT)
        used = ThreadTime()
        while used() < PATIENCE:
            sum(range(100))

    monkeypatch.setattr("cpqueens.lowered.lowering._Lowering.add", stuck)
    for solver in ("backtracking", "cpsat", "las-vegas", "local-search", "python-constraint", "auto"):
        outcome = words().solve(solver=solver, time_limit=1e6)
        assert asked.pop()
        assert (outcome.status, outcome.stop_reason) == ("UNKNOWN", "interrupted"), solver


@pytest.mark.parametrize(
    ("solver", "place"),
    [("auto", "race._alone"), ("auto", "race._credited"), ("local-search+cpsat", "handover._share"),
     ("local-search+cpsat", "handover._ended")],
)  # fmt: skip
@pytest.mark.parametrize("large", [False, True])
def test_what_is_broken_off_between_its_parts_says_less_but_no_fault(
    solver: str, place: str, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop, should_stop = threading.Event(), Request.should_stop

    def stuck(*_arguments: Any, **_options: Any) -> None:
        stop.set()
        used = ThreadTime()
        while used() < PATIENCE:
            sum(range(100))

    if large:
        monkeypatch.setattr(race, "LARGEST_VARIABLES", 1)
    monkeypatch.setattr(f"cpqueens.solving.{place}", stuck)
    monkeypatch.setattr(Request, "should_stop", lambda r, *ahead: stop.is_set() or should_stop(r, *ahead))
    outcome = words().solve(solver=solver, time_limit=1e6, random_seed=1)
    assert stop.is_set()
    assert not outcome.complete
    assert outcome.solver in ("cpsat", "backtracking", solver)


def test_a_heuristic_has_its_share_on_a_machine_that_does_something_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The clock goes on by a thousandth of the limit at every look, so that a hundred looks are its share."""
    looks = itertools.count()
    monkeypatch.setattr(Clock, "elapsed", lambda _: float(next(looks)))

    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        request.clock.measure(lambda: 0.0)
        asked = 0
        while asked < 300 and not request.should_stop():
            asked += 1
        if asked == 300:
            deliver(np.array([[0, 4, 7, 5, 2, 6, 1, 3]]))
        return Ended(False, StopReason.SOLUTION_LIMIT)

    fake = FakeBackend(script, proves=False)
    monkeypatch.setattr(handover.HandOver, "_head_start", lambda *_: None)
    with installed(fake):
        outcome = queens(8).solve(solver="fake+cpsat", time_limit=1000)
    assert outcome.statistics["found_by"] == "fake"


def test_the_users_limit_is_by_the_clock_whoever_has_the_processor() -> None:
    clock = Clock(1e-9)
    clock.measure(lambda: 0.0)
    assert clock.expired()


def test_an_exact_solver_has_its_time_before_company_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it takes on the clock."""
    monkeypatch.setattr(handover, "DELAY", 0.5)
    had, began = [0.0], []

    def heuristic(model: Any, request: Request, deliver: Deliver) -> Ended:
        began.append(had[0])
        return Ended(False, StopReason.GAVE_UP)

    def exact(model: Any, request: Request, deliver: Deliver) -> Ended:
        request.clock.measure(lambda: had[0])
        for _ in range(200):
            had[0] += 0.125 * (not began)
            assert not request.should_stop()
            time.sleep(0.001)
        deliver(np.array([[0, 4, 7, 5, 2, 6, 1, 3]]))
        return Ended(False, StopReason.SOLUTION_LIMIT)

    features = frozenset(base.Feature)
    pair = handover.HandOver(
        handover.Part("fake", FakeBackend(heuristic, proves=False, features=features), None),
        handover.Part("exact", FakeBackend(exact, features=features), None),
    )
    queens(8).solve(solver=pair, time_limit=1000)
    assert began
    assert began[0] >= 0.5


def test_a_rival_joins_by_what_the_own_engine_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work and pauses of its own, not the clock."""
    had, joined = [0.0], []
    monkeypatch.setattr(race.tiers, "meter", lambda: lambda: had[0])
    monkeypatch.setattr(race, "LOADING", 0.0)
    monkeypatch.setattr(race, "_Rival", lambda *_: joined.append(had[0]))
    request = Request(base.Want.ALL, Clock(None))
    contest = race._Contest(queens(6), request, lambda _batch: True)
    assert not contest._interrupted()
    had[0] += race.HEAD_START
    time.sleep(0.01)
    assert not contest._interrupted()
    assert not joined
    had[0] += 0.01
    contest._interrupted()
    assert joined


def test_a_share_ends_a_run_by_what_it_has_used() -> None:
    pigeons, share = Model(), Share(0.1)
    pigeons.add(AllDifferent(pigeons.intvar(0, 15, shape=17)))
    with sharing(share):
        part = Share(1e6)
        with sharing(part):
            for solver in ("backtracking:check", "local-search:tabu"):
                outcome = pigeons.solve(solver=solver)
                assert (outcome.status, outcome.stop_reason) == ("UNKNOWN", "time_limit")
    assert share.left == part.left == 0
    assert share.used == part.used >= 0.1
    assert queens(6).solve(solver="backtracking").solution is not None


def test_what_asks_a_library_for_a_core_is_made_whatever_the_clock_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who watches limits looks at the share while the model is made, which a busy machine makes slowly."""
    looks, boolvar = itertools.count(), Model.boolvar
    monkeypatch.setattr(Clock, "elapsed", lambda _: 1e9 * next(looks))
    m = Model("switched")
    x, b = m.intvar(0, 9, name="x"), m.boolvar(shape=3, name="b")
    m.add(b[0].implies(x > 5), b[1].implies(x < 5), b[2].implies(x == 1))

    def slowly(self: Model, *args: Any, **options: Any) -> Any:
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            pass
        return boolvar(self, *args, **options)

    monkeypatch.setattr(Statement, "boolvar", slowly)
    core = m.solve("cpsat", assumptions=[b]).core
    assert core is not None
    assert core.minimal
    assert len(core.positions) == 2


def test_what_nobody_limits_goes_on_whatever_the_clock_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """A core is made minimal, and the guilty rows of an infeasible model are found."""
    looks = itertools.count()
    monkeypatch.setattr(Clock, "elapsed", lambda _: 1e9 * next(looks))
    m = Model("switched")
    x, b = m.intvar(0, 9, shape=3, name="x"), m.boolvar(shape=4, name="b")
    m.add(b[0].implies(x[0] > 5), b[1].implies(x[0] < 5), b[2:].implies(x[1] == 1))
    for solver in ("backtracking", "cpsat"):
        core = m.solve(solver, assumptions=[b]).core
        assert core is not None
        assert (core.positions, core.minimal) == ((0, 1), True)
    m.add(x >= np.array([3, 7, 1]), x[:2].sum() <= 9)
    told = m.explain_infeasible()
    assert told.minimal
    assert len(told.reasons) == 3
    whole = queens(6)
    assert compare(whole, whole.without([2])).verdict is ModelRelation.A_IN_B
    with clock.by_processor():
        before = clock.now()
        outcome = queens(40).solve(solver="backtracking:check", time_limit=0.1)
        assert outcome.stop_reason == "time_limit"
        between = clock.now()
        assert 0.1 <= between - before < 5  # what a run has had is not counted once more as its thread's
        sum(range(10**6))
        assert clock.now() > between
    monkeypatch.setattr(time, "monotonic", lambda: 1e4 * next(looks))
    assert [one.role for one in constraint_roles(whole)] == [Role.REFUSES] * 3
    whole.add(whole["q"][0] < whole["q"][5])
    assert constraint_roles(whole, symmetries=QUEENS_BOARD)[3].role is Role.BREAKS_SYMMETRIES
    assert prove(whole, "half", None).solutions is not None
    assert made(5, 1)[2] == 1


def test_a_late_call_of_another_library_is_named() -> None:
    late = Clock(1e-9)
    time.sleep(base.GRACE)
    assert late.foreign("a search", lambda: 7) == 7
    assert late.late == "a search"
    clock = Clock(1e9)
    clock.foreign("another", lambda: time.sleep(base.GRACE))
    assert clock.late is None


def test_another_library_is_not_broken_off_after_a_block_within_its_call() -> None:
    """As where it delivers a solution."""
    ended = list[bool]()

    def search() -> None:
        with unstopped():
            pass
        used = ThreadTime()
        while used() < 0.3:
            sum(range(100))
        ended.append(True)

    def work() -> None:
        Clock(1e-9).foreign("a search", search)
        while True:
            sum(range(100))

    with pytest.raises(Stopped), stopping(lambda: True):
        work()
    assert ended
