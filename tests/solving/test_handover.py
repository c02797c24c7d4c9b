"""The hand-over: what is passed from the heuristic to the exact solver, and what the outcome then says."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cpqueens.models.golomb_ruler import golomb_ruler
from cpqueens.models.peaceable_queens import peaceable_queens
from cpqueens.models.queens import queens
from each import each
from fake_backend import FakeBackend, installed, rows, says

from cpqueens import Model
from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import StopReason
from cpqueens.backends import named
from cpqueens.backends.base import Clock, Deliver, Ended, Feature, Request, Want
from cpqueens.backends.local_search import running
from cpqueens.errors import (
    BackendFault,
    UnknownBackend,
    UnknownParameter,
    UnsupportedConstraint,
    UnsupportedRequest,
)
from cpqueens.fuzzing.testing import BackendConformance, largest_sum
from cpqueens.lowered.lowering import Scratch
from cpqueens.solving import beside, handover

HEURISTIC = frozenset({Feature.OBJECTIVE, Feature.HINT, Feature.SEED, Feature.STEP_LIMIT})
EXACT = frozenset({Feature.OBJECTIVE, Feature.HINT, Feature.SEED, Feature.BOUND})


@pytest.fixture(autouse=True)
def _one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the heuristic come to its end before the exact solver begins, unless a test says otherwise."""
    monkeypatch.setattr(handover.HandOver, "_head_start", lambda *_: 60.0)


def heuristic(script: Any) -> Any:
    return installed(FakeBackend(script, proves=False, features=HEURISTIC))


def exact(script: Any, features: frozenset[Feature] = EXACT) -> Any:
    return installed(FakeBackend(script, features=features))


def nothing(reason: str = "step_limit") -> Any:
    return says(exhausted=False, reason=reason)


@pytest.mark.usefixtures("uncompiled")
class TestConformance(BackendConformance):
    """A hand-over is a backend and passes the suite for backends."""

    solver = "local-search+cpsat"


# ---- objectives -----------------------------------------------------------------------------------


def test_golomb_ruler_found_by_one_and_proved_by_the_other() -> None:
    outcome = golomb_ruler(6).solve(solver="local-search:tabu+cpsat", time_limit=100, random_seed=1)
    assert (outcome.status, outcome.objective, outcome.bound) == ("OPTIMAL", 17, 17)
    assert outcome.solver == "local-search:tabu+cpsat"
    assert outcome.statistics["proved_by"] == "cpsat"
    assert outcome.statistics["contributors"] == ["local-search:tabu", "cpsat"]
    assert outcome.statistics["hint"] == "accepted"
    assert outcome.statistics["hint_kept"] == outcome.statistics["hint_given"] == 6
    first, second = outcome.statistics["heuristic"], outcome.statistics["exact"]
    assert first["delivered"] > 0
    assert first["objective"] >= 17
    assert second["objective"] == 17
    expected = "local-search:tabu" if first["objective"] == 17 else "cpsat"
    assert outcome.statistics["found_by"] == expected
    assert "hint accepted" in outcome.messages[-1]
    assert "proved the optimum" in outcome.messages[-1]


def test_maximising() -> None:
    outcome = peaceable_queens(4).solve(solver="local-search+cpsat", time_limit=600)
    assert (outcome.status, outcome.objective, outcome.bound) == ("OPTIMAL", 2, 2)


@each("strategy", ["auto", "tabu", "jump"])
def test_every_exact_solver_continues(optimizer: str, strategy: str) -> None:
    outcome = largest_sum().solve(solver=f"local-search:{strategy}+{optimizer}", time_limit=600)
    assert (outcome.status, outcome.objective) == ("OPTIMAL", 7)
    assert outcome.statistics["proved_by"] == optimizer


def test_the_incumbent_becomes_hint_and_limit() -> None:
    optimum = says(rows([2, 5]), objective=7, bound=7)
    with exact(optimum) as fake:
        outcome = largest_sum().solve(solver="local-search+fake", time_limit=10)
    (request,) = fake.requests
    value = outcome.statistics["heuristic"]["objective"]
    assert request.objective_limit == value
    assert request.hinted.tolist() == [True, True]
    assert int(request.hint.sum()) == value
    assert outcome.status == "OPTIMAL"


def test_a_backend_without_these_features_gets_neither() -> None:
    with exact(says(rows([2, 5]), objective=7, bound=7), frozenset({Feature.OBJECTIVE})) as fake:
        outcome = largest_sum().solve(solver="local-search+fake", time_limit=10)
    assert fake.requests[0].hint is None
    assert fake.requests[0].objective_limit is None
    assert outcome.statistics["hint"] == "ignored"


@pytest.mark.parametrize("name", ["cpsat", "backtracking"])
@pytest.mark.parametrize(("row", "value"), [([0, 0], 0), ([3, 3], 6), ([5, 2], 7)])
def test_an_exact_solver_improves_what_it_gets(name: str, row: list[int], value: int) -> None:
    with heuristic(says(rows(row), exhausted=False, reason="local_optimum", objective=value)):
        outcome = largest_sum().solve(solver=f"fake+{name}")
    assert (outcome.status, outcome.objective) == ("OPTIMAL", 7)
    assert outcome.statistics["found_by"] == ("fake" if value == 7 else name)
    assert outcome.statistics["heuristic"]["objective"] == value
    if name == "cpsat":  # which may well find something better at once
        fates = {True: {"accepted"}, False: {"repaired", "ignored"}}
        assert outcome.statistics["hint"] in fates[outcome.statistics["hint_kept"] == 2]
    else:
        assert outcome.statistics["hint"] == "ignored"


@each("name", ["cpsat", "backtracking"])
@each("sign", [1, -1])
@each("limit", range(-3, 14))
def test_the_limit_leaves_exactly_what_is_as_good(name: str, sign: int, limit: int) -> None:
    m = Model("scaled")
    x = m.intvar(0, 4, shape=2, name="x")
    m.minimize(3 * x[0] - 2 * x[1] + 5) if sign == 1 else m.maximize(3 * x[0] - 2 * x[1] + 5)
    optimum = -3 if sign == 1 else 17
    received: list[np.ndarray] = []

    def deliver(batch: np.ndarray) -> bool:
        received.append(batch.copy())
        return True

    from cpqueens.backends.base import Clock, Want

    request = Request(Want.BEST, Clock(10.0), objective_limit=sign * limit)
    ended = named.get_backend(name).run(m, request, deliver)
    values = [int(3 * a - 2 * b + 5) for a, b in np.concatenate([np.zeros((0, 2), dtype=int), *received])]
    assert ended.exhausted
    assert all(sign * value <= limit for value in values)
    reachable = sign * optimum <= limit
    assert bool(values) == reachable
    if reachable:
        assert values[-1] == optimum == ended.bound


def test_improvements_of_both_are_told() -> None:
    seen: list[int] = []
    with heuristic(says(rows([0, 0]), rows([1, 1]), rows([0, 1]), exhausted=False, reason="local_optimum")):
        m = largest_sum()
        m.solve(solver="fake+cpsat", on_improvement=lambda s: seen.append(int(s.values.sum())))
    assert seen[:2] == [0, 2]
    assert seen[-1] == 7
    assert seen == sorted(set(seen))


# ---- feasibility ----------------------------------------------------------------------------------


def test_a_thousand_queens_need_no_exact_solver() -> None:
    queens(1000).solve(solver="local-search+cpsat", time_limit=60)  # compiles
    start = time.process_time()
    outcome = queens(1000).solve(solver="local-search+cpsat", time_limit=600, random_seed=5)
    assert time.process_time() - start < 8  # CP-SAT alone takes a minute and more
    assert outcome.status == "FEASIBLE"
    assert not outcome.complete
    assert outcome.solution.check().ok
    assert outcome.statistics["found_by"] == "local-search"
    assert outcome.statistics["proved_by"] is None
    assert outcome.statistics["hint"] == "unused"
    assert outcome.statistics["exact"] is None
    assert "was not needed" in outcome.messages[-1]


@pytest.mark.parametrize("n", [2, 3])
def test_the_exact_solver_proves_that_there_is_none(n: int) -> None:
    outcome = queens(n).solve(solver="local-search+cpsat", time_limit=20, step_limit=500)
    assert (outcome.status, outcome.complete) == ("INFEASIBLE", True)
    assert outcome.statistics["found_by"] is None
    assert outcome.statistics["proved_by"] == "cpsat"
    assert outcome.statistics["hint"] == "none"
    assert outcome.statistics["heuristic"]["stop_reason"] == "step_limit"


def test_a_heuristic_that_finds_nothing_leaves_it_to_the_exact_solver() -> None:
    with heuristic(nothing()):
        outcome = queens(8).solve(solver="fake+cpsat")
    assert outcome.status == "FEASIBLE"
    assert outcome.statistics["found_by"] == "cpsat"
    assert "found none (step_limit)" in outcome.messages[-1]


def test_the_users_hint_goes_to_both_until_there_is_a_better_one() -> None:
    solution = [0, 4, 7, 5, 2, 6, 1, 3]
    with heuristic(nothing()) as fake:
        outcome = queens(8).solve(solver="fake+cpsat", hint={"q": solution})
    assert fake.requests[0].hint.tolist() == solution
    assert outcome.solution.values.tolist() == solution
    assert outcome.statistics["hint"] == "accepted"


# ---- nothing is proved by accident ----------------------------------------------------------------


def test_a_heuristic_cannot_prove() -> None:
    boast = says(rows([0, 0]), exhausted=True, objective=0, bound=0)
    stopped = says(exhausted=False, reason="time_limit")
    with heuristic(boast), pytest.MonkeyPatch.context() as patch:
        other = FakeBackend(stopped, features=EXACT)
        patch.setattr(named.get_backend("cpsat"), "run", other.run, raising=False)
        outcome = largest_sum().solve(solver="fake+cpsat")
    assert (outcome.status, outcome.complete) == ("FEASIBLE", False)
    assert outcome.statistics["proved_by"] is None
    assert "proved nothing" in outcome.messages[-1]


def test_a_wrong_solution_of_the_heuristic_ends_the_run() -> None:
    wrong = says(rows([5, 5]), exhausted=False, reason="local_optimum")
    with heuristic(wrong), pytest.raises(BackendFault, match="INVALID_SOLUTION"):
        largest_sum().solve(solver="fake+cpsat")


def test_a_witness_refutes_a_claim_that_there_is_none() -> None:
    with exact(says()), pytest.raises(BackendFault, match="FALSE_UNSAT") as caught:
        largest_sum().solve(solver="local-search+fake", time_limit=50)
    assert caught.value.exit_code == 11


def test_a_witness_refutes_a_bound() -> None:
    poor = says(rows([3, 3]), objective=6, bound=6)
    with exact(poor, EXACT - {Feature.BOUND}), pytest.raises(BackendFault, match="OPT_CROSSED"):
        largest_sum().solve(solver="local-search+fake", time_limit=50)


@pytest.mark.parametrize("first", [True, False])
def test_a_claimed_objective_must_have_been_delivered(first: bool) -> None:
    wrong = says(rows([3, 3]), exhausted=False, reason="time_limit", objective=7)
    make: Callable[[Any], Any] = heuristic if first else exact
    with make(wrong), pytest.raises(BackendFault, match="OBJ_MISMATCH"):
        largest_sum().solve(solver="fake+cpsat" if first else "local-search+fake", time_limit=5)


# ---- sharing --------------------------------------------------------------------------------------


def test_the_time_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "elapsed", lambda _: 0.0)
    limits: list[float | None] = []

    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        limits.append(request.clock.time_limit if request.clock.share is None else request.clock.share)
        return Ended(False, StopReason.TIME_LIMIT)

    with heuristic(script):
        queens(8).solve(solver="fake+cpsat", time_limit=40)
        queens(8).solve(solver="fake+cpsat", time_limit=40, heuristic_share=0.5)
        queens(8).solve(solver="fake+cpsat")
        queens(8).solve(solver="fake+cpsat", heuristic_time=0.25)
    assert limits == pytest.approx([4, 20, 1, 0.25])
    with exact(script):
        queens(3).solve(solver="local-search+fake", time_limit=30, heuristic_share=0.01)
    assert limits[-1] == 30


def test_patience_ends_with_the_improvements() -> None:
    left: list[float] = []

    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        deliver(rows([0, 0]))
        assert request.clock.share is not None
        left.append(request.clock.share - request.clock.used())
        return Ended(False, StopReason.TIME_LIMIT)

    with heuristic(script):
        largest_sum().solve(solver="fake+cpsat", time_limit=1000)
        largest_sum().solve(solver="fake+cpsat", time_limit=1000, patience=1e9)
    assert left[0] < 5
    assert left[1] > 50


def test_no_time_is_left() -> None:
    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        time.sleep(0.3)
        return Ended(False, StopReason.TIME_LIMIT, closest=np.zeros(8, dtype=np.int64))

    with heuristic(script):
        outcome = queens(8).solve(solver="fake+cpsat", time_limit=0.2)
    assert (outcome.status, outcome.stop_reason) == ("UNKNOWN", "time_limit")
    assert outcome.closest.values.tolist() == [0] * 8
    assert "the time was over" in outcome.messages[-1]


def test_an_interrupted_heuristic_hands_nothing_over() -> None:
    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        deliver(rows([1, 1]))
        request.cancel.set()
        return Ended(False, StopReason.INTERRUPTED, objective=2)

    with heuristic(script):
        outcome = largest_sum().solve(solver="fake+cpsat")
    assert (outcome.status, outcome.stop_reason, outcome.objective) == ("FEASIBLE", "interrupted", 2)
    assert outcome.statistics["exact"] is None


def test_parameters_go_to_the_part_that_declares_them() -> None:
    with heuristic(nothing()) as fake:
        queens(8).solve(solver="fake:slow+cpsat", pace=3, linearization_level=0, step_limit=7, random_seed=4)
    (request,) = fake.requests
    assert request.strategy == "slow"
    assert request.parameters["pace"] == 3
    assert "linearization_level" not in request.parameters
    assert (request.step_limit, request.seed) == (7, 4)


# ---- side by side ---------------------------------------------------------------------------------


def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let both begin at a time."""
    monkeypatch.setattr(handover.HandOver, "_head_start", lambda *_: 0.0)
    monkeypatch.setattr(handover, "DELAY", 0.0)


def both(first: Any, second: Any) -> handover.HandOver:
    """Return the hand-over of two scripts."""
    fake = FakeBackend(first, proves=False, features=HEURISTIC)
    exact = FakeBackend(second, features=EXACT)
    return handover.HandOver(handover.Part("fake", fake, None), handover.Part("exact", exact, None))


def late(batch: np.ndarray, begun: threading.Event, **said: Any) -> Any:
    """Return a heuristic that delivers once the exact solver has begun, and goes on until it is stopped."""

    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        begun.wait(20)
        going_on = deliver(batch)
        while going_on and not request.should_stop():
            time.sleep(0.001)
        return Ended(False, request.why_stopped() if going_on else StopReason.SOLUTION_LIMIT, **said)

    return script


def test_what_is_found_meanwhile_is_told_to_the_exact_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once(monkeypatch)
    begun = threading.Event()

    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        assert request.incumbent is not None
        assert (request.objective_limit, request.incumbent()) == (None, None)
        begun.set()
        while request.incumbent() is None:
            assert not request.should_stop()
            time.sleep(0.001)
        return Ended(True, StopReason.EXHAUSTED, bound=request.incumbent())

    outcome = largest_sum().solve(solver=both(late(rows([2, 5]), begun), script), time_limit=100)
    assert (outcome.status, outcome.objective) == ("OPTIMAL", 7)
    assert (outcome.statistics["found_by"], outcome.statistics["proved_by"]) == ("fake", "exact")


def test_one_solution_of_the_heuristic_ends_the_exact_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once(monkeypatch)
    begun = threading.Event()

    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        begun.set()
        while not request.should_stop():
            time.sleep(0.001)
        return Ended(False, request.why_stopped())

    m = largest_sum()
    m.drop_objectives()
    outcome = m.solve(solver=both(late(rows([2, 5]), begun), script), time_limit=100)
    assert (outcome.status, outcome.stop_reason) == ("FEASIBLE", "solution_limit")
    assert outcome.statistics["found_by"] == "fake"


def test_an_exact_solver_without_a_solution_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once(monkeypatch)
    monkeypatch.setattr(handover, "NOTHING_FOUND", 0.0)
    begun, limits = threading.Event(), []

    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        limits.append(request.objective_limit)
        begun.set()
        while request.hint is None and not request.should_stop():
            time.sleep(0.001)
        if request.hint is None:
            return Ended(False, request.why_stopped())
        deliver(rows(request.hint))
        return Ended(True, StopReason.EXHAUSTED, 7, 7)

    outcome = largest_sum().solve(solver=both(late(rows([2, 5]), begun), script), time_limit=100)
    assert (outcome.status, outcome.objective, limits) == ("OPTIMAL", 7, [None, 7])


@pytest.mark.parametrize("name", ["cpsat", "backtracking"])
@pytest.mark.parametrize("sign", [1, -1])
def test_an_exact_solver_proves_an_optimum_that_it_is_told(name: str, sign: int) -> None:
    m = Model()
    x = m.intvar(0, 4, shape=2, name="x")
    m.add(x[0] + x[1] <= 6)
    m.maximize(2 * x.sum() + 1) if sign > 0 else m.minimize(-2 * x.sum() - 1)
    found: list[int] = []
    objective = m.objective
    assert objective is not None

    def deliver(batch: np.ndarray) -> bool:
        found.extend(objective.evaluate(m.complete(batch, m.decisions))[:, 0].tolist())
        return True

    request = Request(Want.BEST, Clock(None), incumbent=lambda: 13 * sign)
    ended = named.get_backend(name).run(m, request, deliver)
    assert (ended.exhausted, ended.bound) == (True, 13 * sign)
    if name == "backtracking":
        assert (found, ended.objective) == ([], None)


def test_what_the_consumer_raises_beside_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once(monkeypatch)

    def tell(solution: Any) -> None:
        raise KeyError("enough")

    solver = both(says(rows([2, 5]), exhausted=False, reason="local_optimum"), says())
    with pytest.raises(KeyError, match="enough"):
        largest_sum().solve(solver=solver, on_improvement=tell)


# ---- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("solver", "said"),
    [
        ("cpsat+backtracking", "proves by itself"),
        ("local-search+local-search:tabu", "proves nothing"),
        ("local-search+", "heuristic\\+exact"),
        ("+cpsat", "heuristic\\+exact"),
        ("local-search+cpsat+cpsat", "heuristic\\+exact"),
        ("local-search:tabo+cpsat", "tabu"),
        ("local-serch+cpsat", "local-search"),
        ("local-search+cpsot", "cpsat"),
    ],
)
def test_solvers_that_cannot_be_put_together(solver: str, said: str) -> None:
    with pytest.raises(UnknownBackend, match=said):
        queens(8).solve(solver=solver)


@each(
    "given",
    [
        {"heuristic_share": 0.0}, {"heuristic_share": 1.0}, {"heuristic_share": float("nan")},
        {"heuristic_time": -1.0}, {"patience": 0.0}, {"patiense": 1.0},
    ],
)  # fmt: skip
def test_parameters_that_mean_nothing(given: dict[str, float]) -> None:
    with pytest.raises(UnknownParameter, match=next(iter(given))):
        queens(8).solve(solver="local-search+cpsat", **given)


def test_one_solution_is_handed_over_not_all() -> None:
    with pytest.raises(UnsupportedRequest, match="enumerate"):
        queens(6).enumerate(solver="local-search+cpsat")
    with pytest.raises(UnsupportedRequest, match="enumerate"):
        queens(6).count(solver="local-search+cpsat")


# ---- what is made of the model --------------------------------------------------------------------


def counted(monkeypatch: pytest.MonkeyPatch, made: type) -> list[object]:
    """Return a list to which every new object of a class is added."""
    seen: list[object] = []
    build = made.__init__

    def init(self: Any, *args: Any, **options: Any) -> None:
        seen.append(self)
        build(self, *args, **options)

    monkeypatch.setattr(made, "__init__", init)
    return seen


@pytest.mark.parametrize("second", ["cpsat", "backtracking", "python-constraint"])
def test_each_solver_lowers_the_model_once(second: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, hint = golomb_ruler(4), golomb_ruler(4).solve()
    monkeypatch.setattr(running, "AFTER", 1e9)  # which takes the exact engine's form
    lowerings, checkers = counted(monkeypatch, Scratch), counted(monkeypatch, Checker)
    outcome = model.solve(solver=f"local-search:tabu+{second}", hint=hint.solution.as_dict())
    assert outcome.statistics["heuristic"]["delivered"] > 0
    assert outcome.status == "OPTIMAL"
    assert (len(lowerings), len(checkers)) == (2, 1)


def test_a_hint_builds_no_second_checker_of_a_large_model(monkeypatch: pytest.MonkeyPatch) -> None:
    checkers = counted(monkeypatch, Checker)
    queens(400).solve(solver="local-search", hint={"q": list(range(400))})
    assert len(checkers) == 1


def test_an_exact_part_that_cannot_express_the_model_takes_nothing_back() -> None:
    def refuse(model: Any, request: Request, deliver: Deliver) -> Ended:
        raise UnsupportedConstraint("fake: no sums")

    with exact(refuse):
        outcome = largest_sum().solve(solver="local-search+fake", time_limit=10)
    assert (outcome.status, outcome.complete) == ("FEASIBLE", False)
    assert outcome.messages[-1].endswith("; fake: no sums")
    unsolvable = Model()
    x = unsolvable.intvar(0, 1, name="x")
    unsolvable += x + x == 1
    with exact(refuse), pytest.raises(UnsupportedConstraint, match="fake: no sums; backends that can: "):
        unsolvable.solve(solver="local-search+fake", step_limit=100)


def test_an_exact_solver_that_is_not_needed_does_not_load_its_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def load(_: Any) -> Any:
        raise AssertionError("its parameters are those of its library")

    monkeypatch.setattr(type(named.get_backend("cpsat")), "parameters", property(load))
    queens(16).solve(solver="local-search", seed=1)  # which is loaded, so that its seconds are its own
    outcome = queens(16).solve(solver="local-search+cpsat", seed=1)
    assert (outcome.status, outcome.statistics["found_by"]) == ("FEASIBLE", "local-search")


def test_a_heuristic_that_has_all_the_time_runs_in_no_thread_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(handover.HandOver, "_head_start", lambda *_: None)
    threads: list[threading.Thread] = []

    def keep(_: object) -> None:
        threads.append(threading.current_thread())

    outcome = queens(30).solve(solver="local-search+cpsat", on_improvement=keep)
    assert threads == [threading.current_thread()]
    assert outcome.statistics["found_by"] == "local-search"


def test_what_such_a_heuristic_raises_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handover.HandOver, "_head_start", lambda *_: None)

    def refuse(_: object) -> None:
        raise KeyError("the consumer's own")

    with pytest.raises(KeyError, match="the consumer's own"):
        queens(30).solve(solver="local-search+cpsat", on_improvement=refuse)


def test_what_is_proved_at_once_has_no_company(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handover.HandOver, "_head_start", lambda *_: 0.0)

    def refuse(*_: object) -> None:
        raise AssertionError("no thread is needed")

    monkeypatch.setattr(beside.threading, "Thread", refuse)
    monkeypatch.setattr(handover, "DELAY", 60.0)
    outcome = golomb_ruler(5).solve(solver="local-search+backtracking")
    assert (outcome.objective, outcome.statistics["proved_by"]) == (11, "backtracking")
    assert outcome.statistics["heuristic"]["stop_reason"] == "interrupted"
