"""Answers that take several runs: the best solutions, several objectives, and what is claimed of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from each import each
from fake_backend import FakeBackend, installed, rows
from seeds import sweep

from cpqueens import STOP, AllDifferent, IncompleteCount, Model, StopReason
from cpqueens.answers.check import Checker
from cpqueens.answers.quality import objectives_text
from cpqueens.backends.base import Deliver, Ended, Feature, Request, Want
from cpqueens.crosscheck import oracle
from cpqueens.errors import BackendFault, ModelError, UnsupportedRequest
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.objectives import keys
from cpqueens.language.rebuild import own_constraints, rebuilt


@pytest.fixture
def ranked() -> Model:
    """Triples of different digits whose sum is at least 6, the least sums first."""
    model = Model("ranked")
    x = model.intvar(0, 5, shape=3, name="x")
    model += [AllDifferent(x), x.sum() >= 6]
    model.minimize(x.sum())
    return model


def with_goals(seed: int) -> Model:
    """Return a random model with one to three objectives, in any directions."""
    drawn = random_model(seed)
    model = rebuilt(drawn, constraints=own_constraints(drawn), objective=False)
    names = list(model.blocks.by_name)
    for k in range(1 + seed % 3):
        term = model[names[(seed + k) % len(names)]].sum() * (1 + k % 2) if names else 3
        (model.then_maximize if (seed >> k) % 2 else model.then_minimize)(term)
    return model


def truth(model: Model) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Return all solutions by brute force, the best first, and their keys."""
    found = oracle.solve(model).solutions
    ranks = (
        [keys(model.goals, row) for row in Checker(model).objectives(found).tolist()] if len(found) else []
    )
    order = sorted(range(len(ranks)), key=lambda k: ranks[k])
    return found[order], [ranks[k] for k in order]


def as_set(matrix: np.ndarray) -> set[tuple[int, ...]]:
    return {tuple(row) for row in matrix.tolist()}


@each("seed", sweep(10, 24))
def test_random_models_have_the_best_solutions_of_brute_force(optimizer: str, seed: int) -> None:
    model = with_goals(seed)
    best, ranks = truth(model)
    outcome = model.enumerate(optimal=True, solver=optimizer)
    optimal = [row for row, rank in zip(best, ranks, strict=True) if rank == ranks[0]]
    assert as_set(outcome.solutions.matrix) == {tuple(row.tolist()) for row in optimal}
    assert (outcome.complete, outcome.count) == (True, len(optimal))
    assert model.count(optimal=True, solver=optimizer) == len(optimal)
    solved = model.solve(solver=optimizer)
    if not ranks:
        assert solved.status == outcome.status == "INFEASIBLE"
        return
    assert solved.status == outcome.status == "OPTIMAL"
    assert keys(model.goals, solved.objectives) == keys(model.goals, outcome.objectives) == ranks[0]
    assert (solved.objective, solved.complete) == (solved.objectives[0], True)
    assert outcome.objective == outcome.bound == solved.objective


@each("seed", range(16))
def test_random_models_within_a_gap_and_their_k_best(optimizer: str, seed: int) -> None:
    model = with_goals(3 * seed)
    best, ranks = truth(model)
    gap = seed % 4
    near = model.enumerate(gap=gap, solver=optimizer)
    wanted = {tuple(r.tolist()) for r, k in zip(best, ranks, strict=True) if k[0] <= ranks[0][0] + gap}
    assert as_set(near.solutions.matrix) == wanted
    number = 1 + seed
    few = model.enumerate(best=number, solver=optimizer)
    matrix = few.solutions.matrix
    assert few.complete
    assert few.count == len(as_set(matrix)) == min(number, len(best))
    assert [keys(model.goals, v) for v in Checker(model).objectives(matrix).tolist()] == ranks[:number]


def test_all_verbs_deliver_the_same_best_solutions(ranked: Model, optimizer: str) -> None:
    seen: list[Any] = []
    outcome = ranked.enumerate(seen.append, optimizer, optimal=True)
    assert (outcome.status, outcome.count, outcome.objective, outcome.bound) == ("OPTIMAL", 18, 6, 6)
    assert all(solution.model is ranked for solution in seen)
    assert set(seen) == set(ranked.solutions(optimizer, optimal=True))
    assert ranked.count(optimizer, optimal=True) == 18
    assert len(outcome.statistics["stages"]) == 2


@each("options", [{"best": 7}, {"gap": 2}, {"optimal": True}])
def test_the_solution_of_a_listing_is_the_best_one(ranked: Model, options: dict[str, Any]) -> None:
    outcome = ranked.enumerate(solver="backtracking", **options)
    assert outcome.count > 2
    assert outcome.objective == 6 == outcome[ranked["x"].sum()] == outcome.to_frame("x")["x"].sum()
    assert outcome.objectives == (6,)
    other = ranked.copy()
    other.maximize(other["x"][0], other["x"][1])
    told = other.enumerate(lambda s: None, "backtracking", optimal=True)
    assert (told.solution, told.objective, told.objectives) == (None, 5, (5, 4))


def test_a_limit_on_optimal_solutions_is_no_proof_of_all(ranked: Model, optimizer: str) -> None:
    outcome = ranked.enumerate(optimal=True, solution_limit=5, solver=optimizer)
    assert (outcome.status, outcome.count, outcome.complete) == ("OPTIMAL", 5, False)
    assert outcome.stop_reason is StopReason.SOLUTION_LIMIT


def test_optimal_solutions_are_resumed_behind_one(ranked: Model) -> None:
    everything = list(ranked.solutions("backtracking", optimal=True))
    rest = list(ranked.solutions("backtracking", optimal=True, after=everything[4]))
    assert rest == everything[5:]


def test_improvements_are_told_by_all_objectives(ranked: Model, optimizer: str) -> None:
    x = ranked["x"]
    ranked.minimize(x.sum(), x[1])
    ranked.then_maximize(x[2])
    told: list[tuple[int, ...]] = []
    outcome = ranked.solve(optimizer, on_improvement=lambda s: told.append((s[x.sum()], s[x[1]], -s[x[2]])))
    assert told == sorted(set(told), reverse=True)
    assert outcome.objectives == (6, 0, 5)
    assert told[-1] == (6, 0, -5)
    assert outcome[x].tolist() == [1, 0, 5]


def test_an_objective_replaces_all_before(ranked: Model) -> None:
    ranked.then_maximize(ranked["x"][0])
    ranked.maximize(ranked["x"].sum())
    assert (len(ranked.goals), ranked.maximizing) == (1, True)
    ranked.drop_objectives()
    assert ranked.solve("backtracking").objectives == ()


def test_a_copy_has_the_objectives_and_may_have_others(ranked: Model) -> None:
    ranked.then_maximize(ranked["x"][0])
    other = ranked.copy()
    other.then_minimize(other["x"][2])
    assert (len(ranked.goals), len(other.goals)) == (2, 3)
    assert ranked.solve("backtracking")[ranked["x"][0]] == 5


REFUSED: dict[str, tuple[Callable[[Model], Any], type[Exception], str]] = {
    "solve": (lambda m: m.solve(optimal=True), ModelError, r"optimal: of all solutions; write enumerate"),
    "gap": (lambda m: m.enumerate(gap=-1), ModelError, "gap: an integer of at least 0"),
    "no whole gap": (lambda m: m.enumerate(gap=1.5), ModelError, "gap: an integer of at least 0"),
    "switch": (lambda m: m.enumerate(optimal="yes"), ModelError, "optimal: True or False"),
    "best": (lambda m: m.enumerate(best=0), ModelError, "best: an integer of at least 1"),
    "best and limit": (
        lambda m: m.enumerate(best=2, solution_limit=3),
        ModelError,
        "best: it already says how many",
    ),
    "best counted": (lambda m: m.count(best=2), ModelError, "best: the best solutions are listed"),
    "heuristic": (
        lambda m: m.enumerate(optimal=True, solver="local-search"),
        UnsupportedRequest,
        "local-search proves nothing",
    ),
    "hand-over": (
        lambda m: m.enumerate(optimal=True, solver="local-search+cpsat"),
        UnsupportedRequest,
        "cannot do 'all'",
    ),
    "no term": (lambda m: m.minimize(), ModelError, "objective is missing"),
    "array": (lambda m: m.minimize(m["x"][0], m["x"]), ModelError, r"single term, got shape \(3,\)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_sense_is_refused_in_one_line(ranked: Model, case: str) -> None:
    ask, kind, message = REFUSED[case]
    with pytest.raises(kind, match=message) as caught:
        ask(ranked)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("options", [{"gap": 1}, {"best": 2}])
def test_distances_are_of_one_objective(ranked: Model, options: dict[str, int]) -> None:
    ranked.then_minimize(ranked["x"][0])
    with pytest.raises(ModelError, match="one objective is needed, this one has 2"):
        ranked.enumerate(solver="auto", **options)  # type: ignore[arg-type]


def test_best_solutions_need_an_objective() -> None:
    with pytest.raises(ModelError, match="has no objective"):
        Model().enumerate(optimal=True)


def test_a_heuristic_settles_no_objective(ranked: Model) -> None:
    ranked.then_minimize(ranked["x"][0])
    with pytest.raises(UnsupportedRequest, match="proves nothing"):
        ranked.solve("local-search")


# ---- what is claimed, by a backend that says what the test wants -------------------------------------------


@pytest.fixture
def digit() -> Model:
    """One digit, as small as possible; then its remainder by 3."""
    model = Model("digit")
    x = model.intvar(0, 9, name="x")
    model.minimize(x)
    return model


Said = Callable[[Any, Request, Deliver], Ended]


def one_after_another(*scripts: Said) -> Any:
    """Return a backend that follows one script in each run."""
    waiting = list(scripts)
    features = frozenset(Feature) - {Feature.RESUME}

    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        return waiting.pop(0)(model, request, deliver)

    return installed(FakeBackend(script, features=features))


def ends(*found: int, exhausted: bool = True, reason: str = "exhausted", **said: Any) -> Said:
    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        going_on = [deliver(rows([value])) for value in found]
        return Ended(exhausted and all(going_on), StopReason(reason), **said)

    return script


def test_without_a_proved_optimum_nothing_is_delivered(digit: Model) -> None:
    seen: list[Any] = []
    with one_after_another(ends(4, exhausted=False, reason="time_limit", bound=0)):
        outcome = digit.enumerate(seen.append, "fake", optimal=True)
    assert (seen, outcome.count, outcome.complete) == ([], 0, False)
    assert (outcome.status, outcome.stop_reason) == ("UNKNOWN", "time_limit")
    assert (outcome.objective, outcome.bound) == (None, 0)
    assert "no optimum was proved" in outcome.messages[-1]
    assert "4" in outcome.messages[-1]


def test_a_bound_below_the_best_solution_is_no_optimum(digit: Model) -> None:
    with one_after_another(ends(4, bound=3)), pytest.raises(IncompleteCount):
        digit.count("fake", optimal=True)


def test_an_enumeration_that_was_stopped_is_not_complete(digit: Model) -> None:
    stopped = ends(0, exhausted=False, reason="step_limit")
    with one_after_another(ends(0, bound=0), stopped):
        outcome = digit.enumerate(solver="fake", optimal=True)
    assert (outcome.status, outcome.count, outcome.complete) == ("OPTIMAL", 1, False)


def test_an_optimum_that_the_listing_beats_is_a_fault(digit: Model) -> None:
    with one_after_another(ends(4, bound=4), ends(3)), pytest.raises(BackendFault) as caught:
        digit.enumerate(solver="fake", optimal=True)
    assert caught.value.code == "OPT_CROSSED"


def test_a_listing_without_the_optimum_is_a_fault(digit: Model) -> None:
    with one_after_another(ends(4, bound=4), ends()), pytest.raises(BackendFault) as caught:
        digit.enumerate(solver="fake", optimal=True)
    assert caught.value.code == "FALSE_UNSAT"


def test_a_solution_outside_the_gap_is_a_fault(digit: Model) -> None:
    with one_after_another(ends(4, bound=4), ends(4, 6)), pytest.raises(BackendFault) as caught:
        digit.enumerate(solver="fake", gap=1)
    assert caught.value.code == "INVALID_SOLUTION"


def test_the_k_best_end_where_a_level_was_not_proved(digit: Model) -> None:
    unproved = ends(5, exhausted=False, reason="time_limit", bound=1)
    with one_after_another(ends(0, bound=0), ends(0), unproved):
        outcome = digit.enumerate(solver="fake", best=3)
    assert (outcome.count, outcome.complete, outcome.stop_reason) == (1, False, "time_limit")
    assert outcome.status == "OPTIMAL"


def second_goal(digit: Model) -> Model:
    digit.then_maximize(digit["x"] % 3)
    return digit


def test_a_second_objective_that_was_not_settled(digit: Model) -> None:
    stopped = ends(exhausted=False, reason="time_limit")
    with one_after_another(ends(2, bound=2), stopped):
        outcome = second_goal(digit).solve("fake")
    assert (outcome.status, outcome.complete, outcome.objectives) == ("FEASIBLE", False, (2, 2))
    assert (outcome.bound, outcome.stop_reason) == (2, "time_limit")
    assert (outcome.bounds, objectives_text(outcome)) == ((2, None), "2 (proved), then 2 (open)")


def test_the_bound_of_a_second_objective_is_said(digit: Model) -> None:
    stopped = ends(exhausted=False, reason="time_limit", bound=2)
    with one_after_another(ends(4, bound=4), stopped):
        outcome = second_goal(digit).solve("fake")
    assert (outcome.objectives, outcome.bounds) == ((4, 1), (4, 2))
    assert "objective 4 (proved), then 1 (open, bound 2)," in str(outcome)
    assert "4 (proved), then 1 (open, bound 2)" in outcome._repr_html_()


def test_a_first_objective_that_was_not_settled_ends_it(digit: Model) -> None:
    with one_after_another(ends(5, 2, exhausted=False, reason="step_limit", bound=0)) as fake:
        outcome = second_goal(digit).solve("fake")
    assert (outcome.status, outcome.objective, outcome.bound) == ("FEASIBLE", 2, 0)
    assert objectives_text(outcome) == "2 (open, bound 0), then 2 (open)"
    assert [request.want for request in fake.requests] == [Want.BEST]


def test_a_later_stage_that_refutes_an_earlier_one_is_a_fault(digit: Model) -> None:
    with one_after_another(ends(4, bound=4), ends(2, bound=2)), pytest.raises(BackendFault) as caught:
        second_goal(digit).solve("fake")
    assert caught.value.code == "OPT_CROSSED"


def test_a_later_stage_that_finds_nothing_is_a_fault(digit: Model) -> None:
    with one_after_another(ends(4, bound=4), ends()), pytest.raises(BackendFault) as caught:
        second_goal(digit).solve("fake")
    assert caught.value.code == "FALSE_UNSAT"


def test_stages_share_one_time_limit(digit: Model) -> None:
    limits: list[float] = []

    def slow(model: Any, request: Request, deliver: Deliver) -> Ended:
        limits.append(request.clock.time_limit or 0.0)
        time.sleep(0.01)
        return ends(4, bound=4)(model, request, deliver)

    with one_after_another(slow, slow):
        second_goal(digit).solve("fake", time_limit=600)
    assert limits[0] == 600.0
    assert limits[1] < 600.0 - 0.01


def test_each_later_stage_is_given_the_solution_before_as_hint(digit: Model) -> None:
    with one_after_another(ends(4, bound=4), ends(4, bound=1)) as fake:
        second_goal(digit).solve("fake")
    assert fake.requests[0].hint is None
    assert fake.requests[1].hint.tolist() == [4]


def test_a_callback_ends_the_stages(digit: Model) -> None:
    with one_after_another(ends(5, 4, bound=4)):
        outcome = second_goal(digit).solve("fake", on_improvement=lambda solution: STOP)
    assert (outcome.complete, outcome.stop_reason, outcome.objective) == (False, "callback", 5)


def test_the_model_stays_as_it_is_while_stages_run(digit: Model) -> None:
    def change(solution: Any) -> None:
        with pytest.raises(ModelError, match="is being solved"):
            digit.maximize(digit["x"])

    assert digit.enumerate(change, "backtracking", optimal=True).count == 1
