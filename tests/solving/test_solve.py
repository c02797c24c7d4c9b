"""The pipeline against a backend that lies, and against real ones: statuses, limits, callbacks."""

from __future__ import annotations

import time

import numpy as np
import pytest
from each import each
from fake_backend import FakeBackend, installed, rows, says, stubborn

from cpqueens import (
    STOP,
    AllDifferent,
    BackendFault,
    IncompleteCount,
    Model,
    ModelError,
    NoSolution,
    Status,
    StopReason,
    UnsupportedRequest,
)
from cpqueens.backends.base import Ended, Order, Want
from cpqueens.fuzzing.testing import queens
from cpqueens.solving.solve import count_solutions, run


@pytest.fixture
def pair() -> Model:
    """Two variables 0..3 that differ: 12 solutions."""
    m = Model("pair")
    x = m.intvar(0, 3, shape=2, name="x")
    m.add(x[0] != x[1])
    return m


def _run(model: Model, fake: FakeBackend, want: Want = Want.ALL, **options):
    """Run the fake without raising for its faults."""
    with installed(fake):
        return run(model, "fake", want, None, options, keep=True)


def _codes(outcome) -> list[str]:
    return [fault.code for fault in outcome.faults]


# ---- the table of statuses -------------------------------------------------------------------------------

TABLE = [
    (True, True, (), Status.INFEASIBLE, True),
    (True, True, ((0, 1),), Status.FEASIBLE, True),
    (True, False, ((0, 1),), Status.FEASIBLE, False),
    (True, False, (), Status.UNKNOWN, False),
    (False, True, (), Status.UNKNOWN, False),
    (False, True, ((0, 1),), Status.FEASIBLE, False),
    (False, False, (), Status.UNKNOWN, False),
]


@pytest.mark.parametrize(("proves", "exhausted", "found", "status", "complete"), TABLE)
def test_statuses_without_objective(pair, proves, exhausted, found, status, complete) -> None:
    batches = [rows(*found)] if found else []
    reason = "exhausted" if exhausted else "time_limit"
    outcome = _run(pair, FakeBackend(says(*batches, exhausted=exhausted, reason=reason), proves=proves))
    assert (outcome.status, outcome.complete) == (status, complete)
    assert outcome.stop_reason == reason
    assert outcome.count == len(found)


OPTIMA = [  # proves, exhausted, bound, status
    (True, True, 1, Status.OPTIMAL),
    (True, True, 0, Status.FEASIBLE),  # the bound does not meet the value
    (True, True, None, Status.FEASIBLE),
    (True, False, 1, Status.FEASIBLE),
    (False, True, 1, Status.FEASIBLE),
]


@pytest.mark.parametrize(("proves", "exhausted", "bound", "status"), OPTIMA)
def test_statuses_with_objective(pair, proves, exhausted, bound, status) -> None:
    pair.minimize(pair["x"].sum())
    fake = FakeBackend(says(rows((1, 2)), rows((0, 1)), exhausted=exhausted, bound=bound), proves=proves)
    outcome = _run(pair, fake, Want.BEST)
    assert outcome.status is status
    assert outcome.complete == (status is Status.OPTIMAL)
    assert outcome.objective == 1
    assert outcome.solution.values.tolist() == [0, 1]


def test_a_heuristic_never_proves_by_accident(pair) -> None:
    pair.minimize(pair["x"].sum())
    fake = FakeBackend(says(rows((0, 1)), bound=1, objective=1), proves=False)
    assert _run(pair, fake, Want.BEST).status is Status.FEASIBLE
    with installed(FakeBackend(says(), proves=False)), pytest.raises(IncompleteCount):
        pair.count(solver="fake")


# ---- lies about solutions --------------------------------------------------------------------------------

LIES = {
    "violates a constraint": ([rows((0, 1), (2, 2))], "INVALID_SOLUTION"),
    "outside the domain": ([rows((0, 4))], "INVALID_SOLUTION"),
    "too few columns": ([rows((0,))], "BAD_ASSIGNMENT"),
    "too many columns": ([rows((0, 1, 2))], "BAD_ASSIGNMENT"),
    "a flat vector": ([np.array([0, 1])], "BAD_ASSIGNMENT"),
    "floats": ([np.array([[0.0, 1.0]])], "BAD_ASSIGNMENT"),
    "objects": ([np.array([[0, None]], dtype=object)], "BAD_ASSIGNMENT"),
    "truths": ([np.array([[False, True]])], "BAD_ASSIGNMENT"),
    "a promised distinct one twice": ([rows((0, 1)), rows((0, 1))], "DUPLICATE"),
    "twice in one batch": ([rows((0, 1), (1, 2), (0, 1))], "DUPLICATE"),
}


@pytest.mark.parametrize("lie", LIES)
def test_lies_about_solutions(pair, lie: str) -> None:
    batches, code = LIES[lie]
    for script in (says(*batches), stubborn(*batches)):
        outcome = _run(pair, FakeBackend(script))
        assert _codes(outcome)[0] == code
        assert not outcome.complete
        assert all(row[0] != row[1] for row in outcome.solutions.matrix.tolist())
        with installed(FakeBackend(script)), pytest.raises(BackendFault, match=code):
            pair.enumerate(solver="fake")


def test_something_else_than_an_array(pair) -> None:
    def script(model, request, deliver):
        deliver([[0, 1]])
        return Ended(True, StopReason.EXHAUSTED)

    assert _codes(_run(pair, FakeBackend(script))) == ["BAD_ASSIGNMENT"]


def test_an_infeasible_claim_with_an_invalid_solution_is_no_proof(pair) -> None:
    outcome = _run(pair, FakeBackend(stubborn(rows((1, 1)))))
    assert outcome.status is Status.UNKNOWN
    assert outcome.faults[0].values == (1, 1)


@pytest.mark.parametrize(
    ("batches", "code", "kept"),
    [
        ([rows((0, 1), (1, 0), (0, 2))], "UNORDERED", 2),
        ([rows((0, 1)), rows((1, 0)), rows((0, 2))], "UNORDERED", 2),
        ([rows((0, 1)), rows((0, 1))], "DUPLICATE", 1),
        ([rows((0, 1), (0, 1))], "DUPLICATE", 1),
        ([rows((0, 2), (0, 1))], "UNORDERED", 1),
    ],
)
def test_a_broken_promise_of_order(pair, batches, code, kept) -> None:
    outcome = _run(pair, FakeBackend(stubborn(*batches), order=Order.LEXICOGRAPHIC))
    assert _codes(outcome)[0] == code
    assert outcome.count == kept
    assert not outcome.complete


def test_a_kept_promise_of_order(pair) -> None:
    batches = [rows((0, 1), (0, 2)), rows((1, 0)), rows((3, 1), (3, 2))]
    outcome = _run(pair, FakeBackend(says(*batches), order=Order.LEXICOGRAPHIC))
    assert outcome.complete
    assert outcome.count == 5


def test_the_empty_solution_comes_once() -> None:
    for order in (Order.LEXICOGRAPHIC, Order.DISTINCT):
        outcome = _run(
            Model(), FakeBackend(stubborn(np.zeros((1, 0), int), np.zeros((1, 0), int)), order=order)
        )
        assert _codes(outcome)[0] == "DUPLICATE"
        assert outcome.count == 1


def test_duplicates_are_removed_and_counted(pair) -> None:
    batches = [rows((0, 1), (0, 1)), rows((1, 0), (0, 1))]
    outcome = _run(pair, FakeBackend(says(*batches), order=Order.ANY))
    assert outcome.complete
    assert outcome.count == 2
    assert outcome.statistics["duplicates"] == 2
    assert outcome.statistics["delivered"] == 4
    assert not outcome.faults


def test_the_memory_cap_is_said(pair, monkeypatch) -> None:
    import cpqueens.solving.collect

    monkeypatch.setattr(cpqueens.solving.collect, "MEMORY_CAP", 10)
    outcome = _run(pair, FakeBackend(says(rows((0, 1)), rows((0, 1))), order=Order.ANY))
    assert any("too many solutions" in message for message in outcome.messages)
    assert not outcome.complete


@pytest.mark.parametrize("order", Order)
def test_a_backend_may_use_its_array_again(pair, order: Order) -> None:
    def script(model, request, deliver):
        buffer = np.zeros((1, 2), dtype=np.int64)
        for a, b in ((0, 1), (1, 2), (2, 3)):
            buffer[0] = a, b
            deliver(buffer)
        return Ended(True, StopReason.EXHAUSTED)

    kept = []
    with installed(FakeBackend(script, order=order)):
        pair.enumerate(kept.append, solver="fake")
        found = pair.enumerate(solver="fake").solutions.matrix
    assert [s.values.tolist() for s in kept] == [[0, 1], [1, 2], [2, 3]]
    assert found.tolist() == [[0, 1], [1, 2], [2, 3]]


def test_small_dtypes_are_welcome(pair) -> None:
    outcome = _run(pair, FakeBackend(says(np.array([[0, 1], [1, 2]], dtype=np.uint8))))
    assert outcome.solutions.matrix.dtype == np.int64
    assert outcome.count == 2


# ---- lies about the objective ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ended", "code"),
    [
        ({"objective": 0, "bound": 0}, "OBJ_MISMATCH"),
        ({"objective": 1, "bound": 2}, "OPT_CROSSED"),
        ({"objective": None, "bound": 2}, "OPT_CROSSED"),
    ],
)
def test_lies_about_the_objective(pair, ended, code) -> None:
    pair.minimize(pair["x"].sum())
    outcome = _run(pair, FakeBackend(says(rows((0, 1)), **ended)), Want.BEST)
    assert _codes(outcome) == [code]
    assert outcome.status is Status.FEASIBLE
    assert not outcome.complete
    with installed(FakeBackend(says(rows((0, 1)), **ended))), pytest.raises(BackendFault, match=code):
        pair.solve(solver="fake")


def test_crossed_bounds_when_maximising(pair) -> None:
    pair.maximize(pair["x"].sum())
    outcome = _run(pair, FakeBackend(says(rows((2, 3)), bound=4)), Want.BEST)
    assert _codes(outcome) == ["OPT_CROSSED"]
    assert _run(pair, FakeBackend(says(rows((2, 3)), bound=5)), Want.BEST).status is Status.OPTIMAL


def test_the_first_incumbent_is_not_the_optimum(pair) -> None:
    pair.minimize(pair["x"].sum())
    outcome = _run(pair, FakeBackend(says(rows((1, 0)), rows((3, 2)), bound=1, objective=1)), Want.BEST)
    assert outcome.objective == 1  # a later, worse solution does not replace it
    assert outcome.status is Status.OPTIMAL
    assert outcome.solution.values.tolist() == [1, 0]


def test_improvements_are_reported_once(pair) -> None:
    pair.minimize(pair["x"].sum())
    seen = []
    with installed(FakeBackend(says(rows((3, 2), (1, 2)), rows((2, 1)), rows((0, 1)), bound=1))):
        pair.solve(solver="fake", on_improvement=lambda s: seen.append(s.values.sum()))
    assert seen == [3, 1]


# ---- solution limits -------------------------------------------------------------------------------------


def test_a_limit_is_exact_and_a_further_solution_makes_it_incomplete(pair) -> None:
    outcome = _run(pair, FakeBackend(says(rows((0, 1), (0, 2), (0, 3)))), solution_limit=2)
    assert outcome.count == len(outcome.solutions) == 2
    assert not outcome.complete
    assert outcome.stop_reason is StopReason.SOLUTION_LIMIT


def test_a_limit_that_is_the_whole_set_is_complete(pair) -> None:
    outcome = _run(pair, FakeBackend(says(rows((0, 1)), rows((0, 2)))), solution_limit=2)
    assert outcome.count == 2
    assert outcome.complete
    assert outcome.stop_reason is StopReason.EXHAUSTED


def test_nothing_comes_after_the_limit(pair) -> None:
    fake = FakeBackend(stubborn(rows((0, 1)), rows((0, 2)), rows((0, 3)), rows((1, 0))))
    outcome = _run(pair, fake, solution_limit=2)
    assert outcome.count == 2
    assert not outcome.complete
    assert outcome.stop_reason is StopReason.SOLUTION_LIMIT


def test_an_undecided_look_ahead_is_incomplete(pair) -> None:
    def script(model, request, deliver):
        assert deliver(rows((0, 1)))
        assert request.clock.share is not None  # a moment, then that ends it
        while not request.should_stop():
            time.sleep(0.005)
        return Ended(False, request.why_stopped())

    outcome = _run(pair, FakeBackend(script), solution_limit=1)
    assert outcome.count == 1
    assert not outcome.complete
    assert outcome.stop_reason is StopReason.SOLUTION_LIMIT


def test_prove_complete_looks_as_long_as_it_takes(pair) -> None:
    def script(model, request, deliver):
        assert deliver(rows((0, 1)))
        assert request.clock.time_limit is None
        return Ended(True, StopReason.EXHAUSTED)

    assert _run(pair, FakeBackend(script), solution_limit=1, prove_complete=True).complete


@each("limit", [1, 2, 3, 4, 5])
def test_limits_on_real_backends(solver: str, limit: int) -> None:
    outcome = queens(6).enumerate(solver=solver, solution_limit=limit, prove_complete=True)
    assert outcome.count == len(outcome.solutions) == min(limit, 4)
    assert outcome.complete == (limit >= 4)
    assert len(set(outcome.solutions)) == outcome.count


def test_a_solve_without_objective_asks_for_one(solver: str) -> None:
    outcome = queens(8).solve(solver=solver)
    assert outcome.status is Status.FEASIBLE
    assert outcome.count == len(outcome.solutions) == 1
    assert outcome.stop_reason is StopReason.SOLUTION_LIMIT
    assert not outcome.complete


# ---- callbacks -------------------------------------------------------------------------------------------


def test_a_function_is_called_for_each_solution(solver: str) -> None:
    seen = []
    outcome = queens(6).enumerate(seen.append, solver=solver)
    assert outcome.complete
    assert outcome.count == 4
    assert len({tuple(s.values.tolist()) for s in seen}) == 4
    assert len(outcome.solutions) == 0  # they went to the function


def test_stop_ends_the_enumeration(solver: str) -> None:
    seen = []

    def stop_at_two(solution):
        seen.append(solution)
        return STOP if len(seen) == 2 else None

    outcome = queens(6).enumerate(stop_at_two, solver=solver)
    assert len(seen) == outcome.count == 2
    assert outcome.stop_reason is StopReason.CALLBACK
    assert not outcome.complete
    assert outcome.status is Status.FEASIBLE


@each("as_method", [True, False])
def test_an_object_with_stop(solver: str, as_method: bool) -> None:
    class Listener:
        def __init__(self) -> None:
            self.seen = []
            self.done = False

        def on_solution_callback(self, solution) -> None:
            self.seen.append(solution)
            self.done = len(self.seen) == 3

    class WithMethod(Listener):
        def stop(self) -> bool:
            return self.done

    class WithAttribute(Listener):
        @property
        def stop(self) -> bool:
            return self.done

    listener = WithMethod() if as_method else WithAttribute()
    outcome = queens(6).enumerate(listener, solver=solver)
    assert len(listener.seen) == outcome.count == 3
    assert outcome.stop_reason is StopReason.CALLBACK
    assert not outcome.complete


def test_stopping_at_the_very_last_solution_claims_nothing(solver: str) -> None:
    seen = []

    def stop_at_four(solution):
        seen.append(solution)
        return STOP if len(seen) == 4 else None

    assert not queens(6).enumerate(stop_at_four, solver=solver).complete


def test_nothing_is_called_after_stop(pair) -> None:
    seen = []

    def stop(solution):
        seen.append(solution)
        return STOP

    with installed(FakeBackend(stubborn(rows((0, 1), (0, 2)), rows((0, 3))))):
        outcome = pair.enumerate(stop, solver="fake")
    assert len(seen) == 1
    assert outcome.stop_reason is StopReason.CALLBACK


class BoomError(Exception):
    pass


def test_an_exception_in_a_callback_comes_out(solver: str) -> None:
    seen = []

    def explode(solution):
        seen.append(solution)
        if len(seen) == 2:
            raise BoomError("here")

    with pytest.raises(BoomError, match="here"):
        queens(8).enumerate(explode, solver=solver)
    assert len(seen) == 2
    assert queens(6).count(solver=solver) == 4  # and the next run is not disturbed


def test_an_exception_in_on_improvement_comes_out(optimizer: str) -> None:
    m = Model()
    x = m.intvar(0, 5, name="x")
    m.maximize(x)

    def explode(solution):
        raise BoomError

    with pytest.raises(BoomError):
        m.solve(solver=optimizer, on_improvement=explode)


def test_auto_asks_local_search_first_on_large_boards() -> None:
    assert queens(20).solve().solver in ("backtracking", "cpsat")
    assert queens(64).solve().solver == "local-search+cpsat"
    outcome = queens(400).solve()
    assert (outcome.solver, outcome.status) == ("local-search+cpsat", Status.FEASIBLE)
    other = Model()
    x = other.intvar(0, 299, shape=300, name="x")
    other.add(AllDifferent(x), x[0] + x[1] <= 3)
    assert other.solve().solver in ("backtracking", "cpsat")


def test_stop_from_on_improvement_ends_the_search(optimizer: str) -> None:
    m = Model()
    x = m.intvar(0, 5, shape=3, name="x")
    m.add(x[0] + x[1] != x[2])
    m.maximize(x.sum() - 2 * x[1])
    seen = []

    def enough(solution):
        seen.append(solution)
        return STOP

    outcome = m.solve(solver=optimizer, on_improvement=enough)
    assert len(seen) == 1
    assert outcome.stop_reason is StopReason.CALLBACK
    assert outcome.status is Status.FEASIBLE
    assert outcome.objective == seen[0][x.sum() - 2 * x[1]]


def test_a_callback_may_solve_again(solver: str) -> None:
    counts = []
    queens(4).enumerate(lambda s: counts.append(queens(6).count(solver=solver)), solver=solver)
    assert counts == [4, 4]


def test_what_is_no_callback_is_refused(pair, solver: str) -> None:
    with pytest.raises(ModelError, match="on_solution"):
        pair.enumerate(42, solver=solver)


def test_solutions_are_values(solver: str) -> None:
    m = queens(6)
    first = m.solve(solver=solver)
    with pytest.raises(ValueError, match="read-only"):
        first[m["q"]][0] = 9
    second = m.solve(solver=solver, random_seed=3)
    assert first.solution.check().ok
    assert second.solution.check().ok


# ---- the rest --------------------------------------------------------------------------------------------


def test_counting(solver: str) -> None:
    assert queens(6).count(solver=solver) == 4
    outcome = count_solutions(queens(7), solver)
    assert outcome.count == 40  # OEIS A000170
    assert len(outcome.solutions) == 0


def test_a_backend_that_counts_without_listing(pair) -> None:
    fake = FakeBackend(says(count=12))
    with installed(fake):
        assert pair.count(solver="fake") == 12


def test_an_incomplete_count_says_so(pair) -> None:
    fake = FakeBackend(says(rows((0, 1)), exhausted=False, reason="time_limit"))
    with installed(fake), pytest.raises(IncompleteCount, match="1 solution") as caught:
        pair.count(solver="fake")
    assert caught.value.outcome.count == 1
    assert caught.value.exit_code == 3


def test_listing_with_an_objective_says_so(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 5, name="x")
    m.minimize(x)
    outcome = m.enumerate(solver=solver)
    assert outcome.count == 6
    assert outcome.complete
    assert any("objective is ignored" in message for message in outcome.messages)


@each("objective", [lambda x: 0 * x + 5, lambda x: x - x, lambda x: 7])
def test_constant_objectives(optimizer: str, objective) -> None:
    m = Model()
    x = m.intvar(1, 3, name="x")
    m.add(x != 2)
    for goal in (m.minimize, m.maximize):
        goal(objective(x))
        outcome = m.solve(solver=optimizer)
        assert outcome.status is Status.OPTIMAL
        assert outcome.objective == (7 if isinstance(objective(x), int) else objective(x).constant)


def test_infeasible_objective(optimizer: str) -> None:
    m = Model()
    x = m.intvar(1, 3, name="x")
    m.add(x > 3)
    m.minimize(x)
    outcome = m.solve(solver=optimizer)
    assert outcome.status is Status.INFEASIBLE
    assert outcome.complete
    assert outcome.objective is None
    with pytest.raises(NoSolution, match="INFEASIBLE"):
        outcome[x]


@pytest.mark.parametrize(("n", "count"), [(0, 1), (1, 1), (2, 0), (3, 0), (4, 2), (5, 10), (6, 4), (7, 40)])
def test_queens_counts(solver: str, n: int, count: int) -> None:
    """OEIS A000170."""
    outcome = queens(n).enumerate(solver=solver)
    assert outcome.count == count
    assert outcome.complete
    assert outcome.status is (Status.FEASIBLE if count else Status.INFEASIBLE)


def test_two_outcomes_of_one_model_live_side_by_side(optimizer: str) -> None:
    m = Model()
    x = m.intvar(0, 9, name="x")
    m.maximize(x)
    high = m.solve(solver=optimizer)
    m.minimize(x)
    low = m.solve(solver=optimizer)
    assert (high[x], low[x]) == (9, 0)
    assert (high.objective, low.objective) == (9, 0)


def test_a_time_limit_ends_the_run(solver: str) -> None:
    m = queens(14)
    started = time.process_time()
    outcome = m.enumerate(lambda s: None, solver=solver, time_limit=0.3)
    if not outcome.complete:
        assert outcome.stop_reason is StopReason.TIME_LIMIT
    assert time.process_time() - started < 5


def test_the_consumer_is_outside_the_deadline(pair) -> None:
    def script(model, request, deliver):
        deliver(rows((0, 1)))
        return Ended(not request.should_stop(), StopReason.EXHAUSTED)

    with installed(FakeBackend(script)):
        outcome = pair.enumerate(lambda s: time.sleep(0.3), solver="fake", time_limit=0.2)
    assert outcome.complete
    assert outcome.statistics["consumer_time"] >= 0.3
    assert outcome.statistics["solve_time"] < outcome.statistics["total_time"] - 0.25


def test_times_are_broken_down(solver: str) -> None:
    statistics = queens(6).enumerate(solver=solver).statistics
    parts = ("build_time", "translate_time", "compile_time", "check_time", "consumer_time", "solve_time")
    assert all(statistics[name] >= 0 for name in parts)
    assert sum(statistics[name] for name in parts) <= statistics["total_time"] + 1e-3


def test_statistics_are_nobody_elses(solver: str) -> None:
    m = queens(6)
    first = m.solve(solver=solver).statistics["constraints"]
    expected = [*first]
    first.append("changed")
    assert m.solve(solver=solver).statistics["constraints"] == expected


def test_a_hint_outside_the_domain_is_ignored_with_a_reason(solver: str) -> None:
    from cpqueens.backends import named
    from cpqueens.backends.base import Feature

    m = queens(6)
    if Feature.HINT not in named.get_backend(solver).features:
        with pytest.raises(UnsupportedRequest, match=r"solvers that can: .*cpsat"):
            m.solve(solver=solver, hint={"q": [0] * 6})
        return
    outcome = m.solve(solver=solver, hint={"q": [1, 3, 5, 0, 2, 99]})
    assert outcome.solution is not None
    assert any("q[5] = 99 ignored" in message for message in outcome.messages)


def test_closest_of_a_heuristic(pair) -> None:
    fake = FakeBackend(says(exhausted=False, reason="step_limit", closest=np.array([1, 1])), proves=False)
    outcome = _run(pair, fake, Want.ONE)
    assert outcome.status is Status.UNKNOWN
    assert outcome.solution is None
    assert outcome.closest.values.tolist() == [1, 1]
    assert not outcome.closest.check().ok


def test_an_exception_of_the_backend_comes_out(pair) -> None:
    def script(model, request, deliver):
        raise BoomError("inside")

    with installed(FakeBackend(script)), pytest.raises(BoomError):
        pair.solve(solver="fake")


def test_auto_chooses_something_that_works() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=3, name="x")
    m.add(AllDifferent(x))
    assert m.count() == 6
    assert m.solve().status is Status.FEASIBLE
    m.maximize(x[0])
    assert m.solve().objective == 2


def test_the_model_does_not_change(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    m.add(AllDifferent(abs(x - 1)) | (x[0] * x[1] == 2), x.sum() > 2)
    before = (m.variable_count, len(m.definitions), len(m.constraints), m.lower.copy().tolist())
    first = m.count(solver=solver)
    assert m.count(solver=solver) == first
    assert (m.variable_count, len(m.definitions), len(m.constraints), m.lower.tolist()) == before
