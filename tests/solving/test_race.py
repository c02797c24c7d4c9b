"""Two exact solvers race: the first at its end answers, each solution comes once, and who it was is said."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from collection.pigeonholes import different
from collection.sudokus import CLUES_17, NORVIG_IMPOSSIBLE, sudoku
from cpqueens.models.golomb_ruler import golomb_ruler
from cpqueens.models.langford import langford
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens

from cpqueens import STOP, BackendFault, Model, ModelError, Status, StopReason, cross_check
from cpqueens.backends import named
from cpqueens.backends.base import Ended
from cpqueens.crosscheck.findings import Evidence
from cpqueens.solving import race
from cpqueens.solving.solve import count_solutions


@pytest.fixture
def _early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let CP-SAT join at once, however many solutions there are."""
    monkeypatch.setattr(race, "HEAD_START", 0.0)
    monkeypatch.setattr(race, "FEW", 1e9)


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    yield
    assert [thread for thread in threading.enumerate() if thread.name == "cpqueens-beside"] == []


def test_models_that_hang_with_one_strategy_are_answered() -> None:
    assert different(12, 11).count() == 0
    assert different(12, 11).enumerate().status is Status.INFEASIBLE
    assert sudoku(CLUES_17[0]).count() == 1
    assert sudoku(CLUES_17[1]).enumerate().count == 1
    assert sudoku(NORVIG_IMPOSSIBLE).solve().status is Status.INFEASIBLE


def even_sums() -> Model:
    """Return sums of even numbers that are to be odd: CP-SAT halves a domain, too; the own engine tries."""
    m = Model("even sums")
    x, even = m.boolvar(shape=30, name="x"), m.intvar(domain=[0, 2], name="even")
    weights = 2 * np.random.default_rng(1).integers(0, 50, (3, 30))
    m += [(row * x).sum() + even == int(row.sum()) // 4 * 2 + 1 for row in weights]
    return m


@pytest.mark.parametrize(("limit", "most"), [(None, race.TURN), (10.0, race.TURN), (0.01, 0.01)])
@pytest.mark.usefixtures("_early")
def test_cpsat_has_one_turn_alone_within_the_limit(
    limit: float | None, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[float] = []
    monkeypatch.setattr(race._Rival, "wait", lambda _self, seconds: turns.append(seconds) or False)
    even_sums().solve(time_limit=limit)
    assert len(turns) <= 1
    assert all(0 <= seconds <= most for seconds in turns)
    if most == race.TURN:
        assert turns == [race.TURN]


def test_the_outcome_is_that_of_who_answered_with_the_reason() -> None:
    queens(8).enumerate(solver="backtracking")  # its kernel is compiled now
    quick = queens(8).enumerate()
    assert quick.solver == "backtracking"
    assert quick.statistics["answered_by"] == "backtracking"
    assert quick.statistics["contributors"] == ["backtracking"]
    assert quick.statistics["reason"] == "a board without given or forbidden squares"
    slow = even_sums().enumerate()
    assert slow.solver == "cpsat"
    assert slow.statistics["contributors"] == ["cpsat"]
    assert "cpsat finished first" in slow.statistics["reason"]


@pytest.mark.usefixtures("_early")
def test_nobody_joins_where_halves_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long their compiler takes."""
    monkeypatch.setattr(race, "_Rival", None)
    outcome = count_solutions(queens(13))
    assert (outcome.count, outcome.statistics["answered_by"]) == (73712, "backtracking")
    assert outcome.statistics["reason"] == "queens are counted"


@pytest.mark.usefixtures("_early")
def test_a_race_delivers_each_solution_once_and_in_order() -> None:
    expected = langford(7).enumerate(solver="backtracking:forward")
    for _ in range(3):
        outcome = langford(7).enumerate()
        assert outcome.complete
        assert outcome.statistics["duplicates"] == 0
        assert outcome.solutions.matrix.tolist() == expected.solutions.matrix.tolist()
        assert langford(7).count() == 52


class Slow:
    """The own engine on 7 pairs of Langford; after its first solutions it rests until it is told to end."""

    def __init__(self, first: int) -> None:
        self.rows = langford(7).enumerate(solver="backtracking:forward").solutions.matrix[:first]
        self.own = named.get_backend("backtracking")
        self.told = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)

    def run(self, model: Any, request: Any, deliver: Any) -> Ended:
        if len(self.rows):
            deliver(self.rows)
        deadline = time.monotonic() + 600
        while not request.should_stop():
            request.heard(len(self.rows))
            time.sleep(0.001)
            assert time.monotonic() < deadline
        self.told = True
        return Ended(False, request.why_stopped(), count=len(self.rows))


def slowed(monkeypatch: pytest.MonkeyPatch, first: int) -> Slow:
    slow, get = Slow(first), named.get_backend
    monkeypatch.setattr(named, "get_backend", lambda name: slow if name == "backtracking" else get(name))
    return slow


@pytest.mark.usefixtures("_early")
@pytest.mark.parametrize("first", [0, 1, 20])
def test_the_rival_delivers_what_is_missing(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = langford(7).enumerate(solver="backtracking:forward").solutions.matrix.tolist()
    slow = slowed(monkeypatch, first)
    outcome = langford(7).enumerate()
    assert slow.told
    assert outcome.complete
    assert outcome.solver == "cpsat"
    assert outcome.solutions.matrix.tolist() == expected
    assert outcome.statistics["delivered"] == 52
    assert outcome.statistics["contributors"] == (["backtracking", "cpsat"] if first else ["cpsat"])
    report = cross_check(langford(7), ["auto", "cpsat"])
    assert report.agree
    assert report.verdict.evidence is Evidence.ALONE


def test_auto_is_not_independent_of_who_answers_for_it() -> None:
    alone = cross_check(queens(5), ["auto", "backtracking"]).verdict
    assert (alone.evidence, alone.count) == (Evidence.ALONE, 10)
    assert cross_check(queens(5), ["auto", "cpsat"]).verdict.evidence is Evidence.INDEPENDENT
    isolated = cross_check(queens(5), ["auto", "backtracking"], isolate=True)
    assert isolated.verdict.evidence is Evidence.ALONE


def test_all_who_answered_for_any_objective_contributed() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m.minimize(x[0] - x[1], x[1])
    both = cross_check(m, ["local-search+backtracking", "backtracking"])
    assert both.verdict.evidence is Evidence.ALONE
    assert cross_check(m, ["local-search+backtracking", "cpsat"]).verdict.evidence is Evidence.INDEPENDENT


@pytest.mark.usefixtures("_early")
def test_a_count_of_the_rival_is_checked_and_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    slowed(monkeypatch, 0)
    outcome = count_solutions(langford(7))
    assert (outcome.count, outcome.complete, outcome.solver) == (52, True, "cpsat")
    assert outcome.statistics["delivered"] == 52


@pytest.mark.usefixtures("_early")
def test_a_limit_is_met_by_the_rival(monkeypatch: pytest.MonkeyPatch) -> None:
    slowed(monkeypatch, 0)
    outcome = langford(7).enumerate(solution_limit=5)
    assert outcome.count == 5
    assert outcome.stop_reason is StopReason.SOLUTION_LIMIT
    assert not outcome.complete


@pytest.mark.usefixtures("_early")
def test_solvers_that_disagree_are_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = slowed(monkeypatch, 20)
    rival = named.get_backend("cpsat")

    class Forgetful:
        def run(self, model: Any, request: Any, deliver: Any) -> Ended:
            kept: list[Any] = []
            ended = rival.run(model, request, lambda batch: kept.append(batch.copy()) or True)
            rows = np.concatenate(kept)
            deliver(rows[np.lexsort(rows.T[::-1])][1:])
            return ended

    get = named.get_backend
    monkeypatch.setattr(named, "get_backend", lambda name: Forgetful() if name == "cpsat" else get(name))
    monkeypatch.setattr(race.Race, "order_for", lambda self, request: slow.own.order_for(request))
    with pytest.raises(BackendFault, match="19 and 20 solutions up to"):
        langford(7).enumerate()


@pytest.mark.usefixtures("_early")
def test_a_solution_of_the_rival_refutes_an_own_engine_that_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = slowed(monkeypatch, 0)

    def lie(model: Any, request: Any, deliver: Any) -> Ended:
        ended = slow.__class__.run(slow, model, request, deliver)
        return Ended(True, StopReason.EXHAUSTED, statistics=ended.statistics)

    monkeypatch.setattr(slow, "run", lie)
    with pytest.raises(BackendFault, match="found nothing; cpsat did"):
        langford(7).solve()


@pytest.mark.usefixtures("_early")
def test_an_optimum_is_the_same_whoever_proves_it() -> None:
    seen: list[int] = []
    m = golomb_ruler(7)
    outcome = m.solve(on_improvement=lambda solution: seen.append(int(solution[m["x"]][-1])))
    assert outcome.status is Status.OPTIMAL
    assert outcome.objective == outcome.bound == 25
    assert seen == sorted(set(seen), reverse=True)
    assert seen[-1] == 25


@pytest.mark.usefixtures("_early")
def test_a_user_who_has_enough_ends_both() -> None:
    outcome = golomb_ruler(9).solve(on_improvement=lambda solution: STOP)
    assert outcome.stop_reason is StopReason.CALLBACK
    assert not outcome.complete
    assert outcome.solution is not None


@pytest.mark.usefixtures("_early")
def test_a_time_limit_ends_both_and_nothing_is_claimed() -> None:
    outcome = golomb_ruler(12).solve(time_limit=2)
    assert outcome.stop_reason is StopReason.TIME_LIMIT
    assert not outcome.complete
    assert None in (outcome.bound, outcome.objective) or outcome.bound < outcome.objective


@pytest.mark.usefixtures("_early")
def test_a_limit_that_is_over_before_the_race_ends_it() -> None:
    for m in (golomb_ruler(12), queens(8)):
        assert m.solve(time_limit=1e-9).stop_reason is StopReason.TIME_LIMIT
    assert queens(8).enumerate(time_limit=1e-9).stop_reason is StopReason.TIME_LIMIT


def test_a_model_that_the_own_engine_refuses_is_left_to_the_rival(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpqueens.backends.backtracking.memory.CELLS", 10)
    m = Model()
    x = m.intvar(0, 99, shape=3, name="x")
    m.add(x.sum() == 299 - 7 * x[0])
    outcome = m.solve()
    assert outcome.solver == "cpsat"
    assert outcome.statistics["reason"].startswith("backtracking refuses: backtracking would list")
    with pytest.raises(ModelError, match="would list"):
        m.enumerate()


def test_an_error_of_the_user_is_not_taken_for_a_refusal() -> None:
    def refuse(solution: object) -> None:
        raise ModelError("mine")

    with pytest.raises(ModelError, match="mine"):
        golomb_ruler(5).solve(on_improvement=refuse)


@pytest.mark.usefixtures("_early")
def test_nor_is_one_over_what_the_rival_found(monkeypatch: pytest.MonkeyPatch) -> None:
    slowed(monkeypatch, 0)

    def refuse(solution: object) -> None:
        raise ModelError("mine")

    with pytest.raises(ModelError, match="mine"):
        golomb_ruler(5).solve(on_improvement=refuse)


@pytest.mark.usefixtures("_early")
@pytest.mark.parametrize("first", [0, 20])
def test_orders_and_hints_are_no_reason_not_to_race(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is told what it knows of; what was delivered in another order comes once."""
    expected = langford(7).enumerate(solver="backtracking:forward").solutions.matrix
    told = {"phases": [("p", "largest-domain", "descending")]}
    found = langford(7).enumerate(**told)
    assert found.complete
    assert langford(7).solve(**told, hint={"p": expected[3]}).status is Status.FEASIBLE
    slow = slowed(monkeypatch, first)
    slow.rows = found.solutions.matrix[-first or len(expected) :]
    outcome = langford(7).enumerate(**told)
    assert (outcome.complete, outcome.solver, outcome.statistics["delivered"]) == (True, "cpsat", 52)
    assert sorted(outcome.solutions.matrix.tolist()) == expected.tolist()


def test_a_hand_over_that_was_chosen_says_why() -> None:
    outcome = magic_square(6).solve()
    assert outcome.solver == "local-search+cpsat"
    assert "local search has a kernel" in outcome.statistics["reason"]


def test_options_of_one_solver_are_its_own() -> None:
    assert queens(12).solve(linearization_level=0).solver == "cpsat"
    assert queens(8).enumerate(step_limit=10).stop_reason is StopReason.STEP_LIMIT
    m = Model()
    x = m.intvar(0, 5, name="x")
    assert m.solve(num_workers=2)[x] in range(6)


@pytest.mark.usefixtures("_early")
def test_the_rival_answers_while_the_own_engine_makes_its_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """It joins although nobody asks whether to, and its answer breaks off what is being made."""
    own, get = Slow(0), named.get_backend

    def prepare(model: Any, request: Any, deliver: Any) -> Ended:
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            sum(range(1000))
        raise AssertionError("never broken off")

    monkeypatch.setattr(own, "run", prepare)
    monkeypatch.setattr(named, "get_backend", lambda name: own if name == "backtracking" else get(name))
    outcome = langford(7).enumerate()
    assert (outcome.solver, outcome.count, outcome.complete) == ("cpsat", 52, True)


class Resting:
    """A solver that finds at most one solution, and goes on until it is told to end."""

    def __init__(self, name: str, solution: Any = None) -> None:
        self.backend, self.solution, self.met = named.get_backend(name), solution, list[int | None]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.backend, name)

    def run(self, model: Any, request: Any, deliver: Any) -> Ended:
        """Rest; write down what is heard of others."""
        if self.solution is not None:
            deliver(np.array([self.solution]))
        deadline = time.monotonic() + 600
        while not request.should_stop():
            if request.heard is not None:
                request.heard(0)
            self.met += [] if request.incumbent is None else [request.incumbent()]
            sum(range(1000))  # its processor time counts
            assert time.monotonic() < deadline
        self.met += [] if request.incumbent is None else [request.incumbent()]
        return Ended(False, request.why_stopped())


def rested(monkeypatch: pytest.MonkeyPatch, **solutions: Any) -> dict[str, Resting]:
    """Let some solvers find nothing but these solutions."""
    get = named.get_backend
    resting = {name: Resting(name, solution) for name, solution in solutions.items()}
    monkeypatch.setattr(named, "get_backend", lambda name: resting.get(name) or get(name))
    return resting


@pytest.mark.usefixtures("_early")
def test_the_own_engine_hears_of_the_rivals_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    resting = rested(monkeypatch, backtracking=None, cpsat=[0, 1, 3, 8, 12, 18])
    outcome = golomb_ruler(6).solve(on_improvement=lambda _: STOP)
    assert outcome.objective == 18
    met = resting["backtracking"].met
    assert met == [*[None] * (len(met) - 1), 18]


@pytest.mark.usefixtures("_early")
def test_the_own_engine_hears_of_what_was_known_before_the_model_grew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    m = golomb_ruler(8)
    known = m.solve(on_improvement=lambda _: STOP).objective
    assert isinstance(known, int)
    m.add(m["x"][0] >= 0)
    resting = rested(monkeypatch, backtracking=None, cpsat=None)
    assert m.solve(time_limit=0.3).objective == known
    assert set(resting["backtracking"].met) == {known}


@pytest.mark.usefixtures("_early")
@pytest.mark.parametrize(("late", "limit"), [(0.05, None), (1000.0, 50.0)])
def test_a_heuristic_joins_a_race_that_lasts(
    late: float, limit: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(race, "LATE", late)
    monkeypatch.setattr(race, "PART", 0.001)
    rested(monkeypatch, backtracking=None, cpsat=None)
    outcome = golomb_ruler(6).solve(on_improvement=lambda _: STOP, time_limit=limit)
    assert outcome.status is Status.FEASIBLE
    assert outcome.statistics["contributors"] == ["local-search", "backtracking"]
    assert [thread for thread in threading.enumerate() if thread.name == "cpqueens-beside"] == []


@pytest.mark.usefixtures("_early")
@pytest.mark.parametrize("seed", range(4))
def test_optima_are_those_of_one_solver_where_three_take_part(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(race, "LATE", 0.0)
    random = np.random.default_rng(seed)
    m = Model("covers")
    x = m.boolvar(shape=25, name="x")
    m += [x[random.permutation(25)[:4]].sum() >= 1 for _ in range(40)]
    m.minimize((random.integers(1, 20, 25) * x).sum())
    assert m.solve().objective == m.solve(solver="cpsat").objective
