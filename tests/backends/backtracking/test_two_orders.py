"""Listing where no order is asked for: two searches take turns, and together deliver each solution once."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from collection.cryptarithms import alpha

from cpqueens import STOP, AllDifferent, Model, ModelError, Solution, SolutionSet, StopReason
from cpqueens.backends.backtracking import two_orders
from cpqueens.backends.backtracking.backend import Backtracking
from cpqueens.backends.backtracking.forward import ForwardSearch
from cpqueens.backends.backtracking.two_orders import TwoOrders
from cpqueens.backends.base import Deliver, Ended, Want
from cpqueens.crosscheck import oracle
from cpqueens.errors import BackendFault
from cpqueens.fuzzing.generate import random_model
from cpqueens.solving.solve import run

SOLVER = "backtracking:forward"
NAMES = "the order as written and smallest domain first took turns"

Rules = Callable[..., None]


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> Rules:
    """Return what changes when the second search joins, and who goes on alone."""

    def change(turn: int, few: int, many: int, kept: int = two_orders.KEPT) -> None:
        for name, value in {
            "JOINING": 1,
            "SHARE": 1,
            "TURN": turn,
            "FEW": few,
            "MANY": many,
            "KEPT": kept,
        }.items():
            monkeypatch.setattr(two_orders, name, value)

    return change


DECIDED = (
    pytest.param((1, 16, 64), id="seldom", marks=pytest.mark.slow),
    pytest.param((3, 1, 1), id="early", marks=pytest.mark.slow),
    pytest.param((1, 2, 6), id="soon"),
    pytest.param((2, 10**9, 10**9), id="never"),
)
"""Turns, and by how many solutions it is decided who goes on alone: seldom, early, soon, never."""


def refuted(source: random.Random) -> Model:
    """Return a model with more dead ends than solutions: some of the variables are large and come first."""
    m = Model("refuted")
    n = source.randint(3, 4)
    x = m.intvar(0, [source.choice([1, 2, 4]) for _ in range(n)], shape=n, name="x")
    for _ in range(source.randint(2, 4)):
        weights = np.array([source.randint(-3, 3) for _ in range(n)])
        left = (x * weights).sum()
        m += left % source.randint(2, 5) == source.randint(0, 1) if source.randint(0, 1) else left != 1
    if source.randint(0, 2) == 0:
        m += AllDifferent(x[:3])
    return m


@pytest.mark.parametrize("decided", DECIDED)
def test_each_solution_comes_once_whoever_goes_on(rules: Rules, decided: tuple[int, int, int]) -> None:
    rules(*decided)
    source, seen = random.Random(1), Counter[str]()
    models = [refuted(source) for _ in range(25)] + [random_model(seed) for seed in range(4)]
    for m in models:
        truth = oracle.solve(m)
        found = m.enumerate(solver=SOLVER)
        rows = found.solutions.matrix
        assert found.complete
        assert sorted(map(tuple, rows.tolist())) == sorted(truth.rows)
        assert found.count == truth.count
        assert not found.statistics["duplicates"]
        if found.solutions.in_order:
            assert rows.tolist() == truth.solutions.tolist()
        seen["turns"] += NAMES in found.statistics["reason"]
        seen["in another order"] += not found.solutions.in_order
    assert seen["turns"] >= 6
    assert seen["in another order"] > 0 or decided[1] > 1
    assert seen["in another order"] == 0 or decided[1] < 10**9


@pytest.mark.parametrize(("weight", "rest"), [(3, 0), (4, 2), (4, 9)])
def test_what_the_first_has_delivered_is_not_found_again(rules: Rules, weight: int, rest: int) -> None:
    """The second, alone, comes only later to those with ``y == 1``, of which the first has delivered some."""
    rules(3, 1, 1)
    m = Model()
    x, y = m.intvar(0, 6, shape=4, name="x"), m.intvar(0, 1, name="y")
    m.add((x * np.array([1, 2, 3, weight])).sum() % 11 == rest, x[1] * x[2] != x[3] + x[0] + 1)
    m.add(
        (y == 0).implies(x[0] >= 5), (y == 1).implies(x[0] <= 1), (x[0] <= 1).implies(x[1] * x[2] <= weight)
    )
    found = m.enumerate(solver=SOLVER)
    assert not found.solutions.in_order
    assert sorted(found.solutions.matrix.tolist()) == oracle.solve(m).solutions.tolist()


@pytest.mark.parametrize("decided", DECIDED)
def test_what_is_asked_for_or_raced_is_in_order(rules: Rules, decided: tuple[int, int, int]) -> None:
    rules(*decided)
    source = random.Random(2)
    for _ in range(12):
        m = refuted(source)
        truth = oracle.solve(m).solutions.tolist()
        assert m.enumerate(solver=SOLVER, variable_order="lexicographic").solutions.matrix.tolist() == truth
        assert m.enumerate(solver="auto").solutions.matrix.tolist() == truth
        if len(truth) > 1:
            first = m.enumerate(solver=SOLVER, variable_order="lexicographic", solution_limit=1)
            rest = m.enumerate(solver=SOLVER, after=first.solution)
            assert rest.solutions.matrix.tolist() == truth[1:]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_a_limit_is_kept_and_what_is_complete_known(rules: Rules, limit: int) -> None:
    rules(1, 2, 6)
    source = random.Random(3)
    met = Counter[bool]()
    for _ in range(16):
        m = refuted(source)
        truth = oracle.solve(m)
        found = m.enumerate(solver=SOLVER, solution_limit=limit, prove_complete=True)
        rows = list(map(tuple, found.solutions.matrix.tolist()))
        assert len(rows) == len(set(rows)) == min(limit, truth.count)
        assert set(rows) <= truth.rows
        assert found.complete == (truth.count <= limit)
        met[found.complete] += 1
    assert min(met.values()) > 1


def test_a_listing_that_begins_out_of_order_is_not_resumed(rules: Rules) -> None:
    rules(1, 1, 1)
    source = random.Random(4)
    for _ in range(40):
        m = refuted(source)
        found = m.enumerate(solver=SOLVER, solution_limit=3)
        if found.solutions.in_order or not found.count:
            continue
        assert any("not in lexicographic order" in said for said in found.messages)
        for behind in (found, found.solution, found.solutions[:1][0], SolutionSet(*sent(found.solutions))[0]):
            with pytest.raises(ModelError, match="begins with variable_order"):
                m.enumerate(solver=SOLVER, after=behind)
        return
    pytest.fail("no listing went out of order")


def sent(found: SolutionSet) -> Any:
    """Return what a set of solutions is made of on the other side of a pipe."""
    return found.__reduce__()[1]


def test_iterated_and_stopped_solutions_are_new_ones(rules: Rules) -> None:
    rules(1, 1, 4)
    source = random.Random(5)
    for _ in range(16):
        m = refuted(source)
        truth = oracle.solve(m)
        rows = [tuple(s.values.tolist()) for s in m.solutions(solver=SOLVER)]
        assert len(rows) == truth.count
        assert set(rows) == truth.rows
        taken: list[tuple[int, ...]] = []

        def take(solution: Solution, taken: list[tuple[int, ...]] = taken) -> object:
            taken.append(tuple(solution.values.tolist()))
            return STOP if len(taken) == 3 else None

        stopped = m.enumerate(take, solver=SOLVER)
        assert stopped.count == len(set(taken)) == min(3, truth.count)
        assert (stopped.stop_reason is StopReason.CALLBACK) == (truth.count >= 3)


def test_what_the_second_has_found_is_delivered_at_a_limit_of_time(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first is at a dead end: what the second knows must not be lost with it."""
    rules(1, 10**9, 10**9)
    m = Model()
    x = m.intvar(0, 5, shape=4, name="x")
    y = m.intvar(0, 1, shape=3, name="y")
    m.add((x * np.arange(1, 5)).sum() % 7 == 3, y.sum() == 2, x[0] * x[1] == x[2] + y[0])
    kept: list[int] = []
    original = TwoOrders._keep

    def keep(self: TwoOrders, batch: Any) -> bool:
        kept.append(len(batch))
        if sum(kept) >= 5:
            monkeypatch.setattr(self._request.clock, "expired", lambda ahead=0.0: True)
            self._request.clock.time_limit = 1.0
        return original(self, batch)

    monkeypatch.setattr(TwoOrders, "_keep", keep)
    found = m.enumerate(solver=SOLVER)
    assert found.stop_reason is StopReason.TIME_LIMIT
    assert not found.complete
    assert found.count >= sum(kept) >= 5
    assert set(map(tuple, found.solutions.matrix.tolist())) <= oracle.solve(m).rows


def test_little_room_leaves_it_to_one(rules: Rules) -> None:
    rules(1, 10**9, 10**9, kept=4)
    source = random.Random(6)
    for _ in range(16):
        m = refuted(source)
        truth = oracle.solve(m)
        assert sorted(map(tuple, m.enumerate(solver=SOLVER).solutions.matrix.tolist())) == sorted(truth.rows)
        assert m.enumerate(solver="auto").solutions.matrix.tolist() == truth.solutions.tolist()


def test_a_second_search_that_misses_a_solution_is_noticed(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules(1, 10**9, 10**9)
    original = TwoOrders._keep
    monkeypatch.setattr(TwoOrders, "_keep", lambda self, batch: original(self, batch[1:]))
    source = random.Random(7)
    with pytest.raises(BackendFault, match="two orders of search disagree"):  # noqa: PT012
        for _ in range(80):
            refuted(source).enumerate(solver=SOLVER)


def test_a_solution_behind_which_all_were_promised_is_noticed() -> None:
    class Repeating(Backtracking):
        """The own engine, which afterwards delivers one that came before."""

        def run(self, model: Any, request: Any, deliver: Deliver) -> Any:
            ended = super().run(model, request, deliver)
            request.reordered()
            deliver(np.array([[1, 1]]))
            return ended

    m = Model()
    m.intvar(0, 2, shape=2, name="x")
    outcome = run(m, Repeating(), Want.ALL, None, {})
    assert [fault.code for fault in outcome.faults] == ["UNORDERED"]


def test_puzzles_are_listed_by_the_order_that_suits_them() -> None:
    """Of `alpha` lexicographic order takes 2,312 nodes, smallest domain first 10."""
    found = alpha().enumerate(solver="backtracking")
    assert found.count == 1
    assert found.statistics["nodes"] < 400
    assert "smallest domain first finished first" in found.statistics["reason"]


def test_truths_are_listed_by_their_conflicts(rules: Rules) -> None:
    """All domains are 0/1, so none is smaller: of a grid's eight neighbours half are black, to the edge."""
    rules(1, 1, 1)
    m, n = Model(), 5
    x = m.boolvar(shape=(n, n), name="x")
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            m.add(x[i - 1 : i + 2, j - 1 : j + 2].sum() - x[i, j] == 4)
    found = m.enumerate(solver=SOLVER)
    other = m.enumerate(solver="cpsat")
    assert found.complete
    assert found.count == other.count == 758
    assert set(map(tuple, found.solutions.matrix)) == set(map(tuple, other.solutions.matrix))
    assert "the order as written and dom/wdeg took turns" in found.statistics["reason"]


@pytest.mark.slow
def test_turns_do_not_depend_on_time(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    rules(2, 2, 6)
    m = alpha()
    monkeypatch.setattr(two_orders, "JOINING", 20)
    first = m.enumerate(solver=SOLVER)
    monkeypatch.setattr("cpqueens.system.stopping.Pace.timed", lambda self, call, *_, **_kept: call(1))
    again = m.enumerate(solver=SOLVER)
    assert NAMES in first.statistics["reason"]
    assert again.solutions.matrix.tolist() == first.solutions.matrix.tolist()
    assert again.statistics["nodes"] == first.statistics["nodes"]


def test_a_search_goes_on_after_turns_by_solutions() -> None:
    m = Model()
    m.intvar(0, 3, shape=3, name="x")
    made: list[ForwardSearch] = []
    original = ForwardSearch.__init__

    def note(self: ForwardSearch, *given: Any, **named: Any) -> None:
        original(self, *given, **named)
        made.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ForwardSearch, "__init__", note)
        m.enumerate(solver=SOLVER, solution_limit=1)
    search = made[0]
    search.give_turn(5, 1)
    assert search.is_turn_over == (search.found >= search._turn_found)
    search.go_on()
    assert not search.is_turn_over


def test_the_progress_of_a_search_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[ForwardSearch, list[float]] = {}
    original = ForwardSearch._advance

    def look(self: ForwardSearch) -> int:
        answer = original(self)
        seen.setdefault(self, []).append(self.progress)
        return answer

    monkeypatch.setattr(ForwardSearch, "_advance", look)
    monkeypatch.setattr(two_orders, "JOINING", 1)
    source = random.Random(2)
    for m in [refuted(source) for _ in range(10)]:
        m.enumerate(solver=SOLVER)
    assert any(0 < part < 1 for parts in seen.values() for part in parts)
    for parts in seen.values():
        assert parts == sorted(parts)
    assert max(parts[-1] for parts in seen.values()) > 0.9


class _Searched(NamedTuple):
    work: int = 0
    progress: float = 0.0
    found: int = 0

    def statistics(self) -> dict[str, Any]:
        return {"deepest": 0, "reason": ""}


def test_a_stopped_count_is_what_the_one_found_that_found_more() -> None:
    one: Any = TwoOrders.__new__(TwoOrders)
    one._counts, one._names, one._first, one._second = True, "ab", _Searched(found=9), _Searched(found=2)
    assert one._whole(Ended(False, StopReason.TIME_LIMIT, count=2), "").count == 9
    assert one._whole(Ended(True, StopReason.EXHAUSTED, count=2), "").count == 2


@pytest.mark.parametrize(
    ("works", "parts", "share"),
    [
        ((100, 100), (0.0, 0.5), 3),  # nothing is seen of the first yet
        ((100, 100), (0.5, 0.25), 2),  # the second has twice as far to go
        ((100, 100), (0.1, 0.9), 1 / 3),
        ((100, 400), (0.9, 0.1), 3),
    ],
)
def test_who_seems_to_end_sooner_works_more(
    works: tuple[int, int], parts: tuple[float, float], share: float
) -> None:
    one: Any = TwoOrders.__new__(TwoOrders)
    one._first, one._second = map(_Searched, works, parts)
    assert one._weight() == pytest.approx(share)
