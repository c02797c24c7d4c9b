"""Branch and bound: optima and bounds are right whatever the relaxation's floating point says."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from cpqueens import Model, Status, element
from cpqueens.answers.outcome import StopReason
from cpqueens.backends.backtracking import alternating
from cpqueens.backends.backtracking.branch_and_bound import BranchAndBound
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.backends.backtracking.portfolio import drained
from cpqueens.backends.backtracking.wholes.registry import takes
from cpqueens.backends.base import Ended, Request, Want
from cpqueens.backends.clock import Clock
from cpqueens.backends.relaxation.inequalities import Inequality
from cpqueens.backends.relaxation.program import LinearProgram, Simplex
from cpqueens.backends.relaxation.relaxation import NOTHING, relaxation_of
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.jit.tiers import mode
from cpqueens.language.arrays import of_variables
from cpqueens.language.rows import IntArray
from cpqueens.lowered.forms import DECOMPOSED, ModelForm, compiled_of

Wrong = Callable[[LinearProgram, Simplex | None], Simplex | None]


def with_objective(model: Model, source: random.Random) -> Model:
    """Let a sum of variables be as small or as great as possible."""
    x = of_variables(model, model.decisions, model.decisions.shape)
    term = (x * np.array([source.choice([-3, -1, 0, 1, 2, 5]) for _ in range(len(x))])).sum()
    (model.minimize if source.random() < 0.5 else model.maximize)(term)
    return model


def rows_model(source: random.Random) -> Model:
    """Return a model of rows over wider domains, where values of the relaxation are mostly no integers."""
    m = Model("rows")
    x = m.intvar(-2, 4, shape=4, name="x")
    for _ in range(3):
        m += (x * np.array([source.randint(-3, 5) for _ in range(4)])).sum() <= source.randint(2, 9)
    m += element(np.array([source.randint(0, 9) for _ in range(7)]), x[0] + 2) + x[1] >= source.randint(2, 6)
    return with_objective(m, source)


def models() -> Iterator[Model]:
    for seed in range(40):
        source = random.Random(seed)
        yield with_objective(random_model(seed), source)
        yield rows_model(source)


def searched(model: Model) -> tuple[Ended, list[IntArray], BranchAndBound]:
    """Search by branch and bound alone; return how it ended, and the solutions."""
    c = compiled_of(model, ModelForm(DECOMPOSED.kinds, takes, True), "backtracking")
    request = Request(Want.BEST, Clock(None))
    relaxation = relaxation_of(None, c, lambda: build_memory(c, False), request) or NOTHING
    search = BranchAndBound(c, request, build_memory(c, False), relaxation, {})
    found: list[IntArray] = []
    return drained(search.slices(lambda batch: not found.extend(batch))), found, search


def check(number: int, model: Model) -> int:
    """Compare with all solutions; return how many relaxations were solved."""
    solved = oracle.solve(model)
    ended, found, search = searched(model)
    if ended.stop_reason is StopReason.GAVE_UP:
        return 0
    assert ended.exhausted, number
    assert ended.objective == solved.optimum, number
    assert {tuple(x) for x in np.array(found).tolist()} <= {tuple(x) for x in solved.solutions.tolist()}
    assert ended.bound == solved.optimum or solved.optimum is None, number
    return int(search.statistics()["relaxations"])


def test_optima_are_those_of_all_solutions() -> None:
    solved = [check(number, model) for number, model in enumerate(models())]
    assert np.count_nonzero(np.array(solved) > 1) > 20


def test_values_that_floating_point_has_no_room_for_are_tried_within_their_ends() -> None:
    m = Model("wide")
    x, y = m.intvar(2**53 - 1, 2**53 + 3, name="x"), m.intvar(0, 2, name="y")
    m.minimize(2 * y - x)
    assert check(0, m)


def perturbed(source: random.Random) -> Wrong:
    def wrong(program: LinearProgram, simplex: Simplex | None) -> Simplex | None:
        if simplex is None:
            return None
        noise = [
            source.choice([0.0, 0.0, 1.5, -1.0, float("nan"), float("inf")]) for _ in simplex.multipliers
        ]
        shift = [source.choice([0.0, 0.4, -2.0]) for _ in simplex.vertex]
        return simplex._replace(
            multipliers=simplex.multipliers + np.array(noise), vertex=simplex.vertex + np.array(shift)
        )

    return wrong


def refuting(source: random.Random) -> Wrong:
    def wrong(program: LinearProgram, simplex: Simplex | None) -> Simplex | None:
        if source.random() < 0.3:
            program.infeasible = True
            return None
        return simplex

    return wrong


@pytest.mark.parametrize("how", [perturbed, refuting])
def test_what_the_simplex_says_wrongly_loses_no_solution(
    how: Callable[[random.Random], Wrong], monkeypatch: pytest.MonkeyPatch
) -> None:
    right, wrong = LinearProgram.solve, how(random.Random(1))
    monkeypatch.setattr(LinearProgram, "solve", lambda program: wrong(program, right(program)))
    assert sum(check(number, model) for number, model in enumerate(models())) > 100


def test_sums_of_rows_hold_in_every_solution() -> None:
    """With any multipliers: no solution is better than the bound, or beyond ends that come closer."""
    closer = 0
    for number, model in enumerate(models()):
        source = random.Random(number)
        solved = oracle.solve(model)
        _, _, search = searched(model)
        program = search._program
        search.memory = search._root
        program.within(*search._ends())
        count, best = len(model.decisions), solved.optimum
        for _ in range(4):
            wild = np.array([source.choice([0.0, -1.5, 0.3, 1.0, 1e-9, 2.25]) for _ in search._rows])
            most = source.randint(-10, 30)
            proof = program.proof(wild, most)
            assert proof is not None
            if best is not None:
                assert proof.least <= (-best if model.maximizing else best), number
            assert solved.objectives is not None
            costs = -solved.objectives if model.maximizing else solved.objectives
            own = program.columns < count
            values = solved.solutions[costs <= most][:, program.columns[own]]
            assert (proof.lower[own] <= values).all(), number
            assert (values <= proof.upper[own]).all(), number
            closer += int(proof.is_closer.sum())
    assert closer > 50


def test_sums_of_an_equation_that_cannot_hold_have_room_with_either_sign() -> None:
    """Of x + 10**6 == 0 with x in 0..5: what is added to its terms counts by its size."""
    rows = [Inequality(((0,), (1,), 10**6), equal=True)]
    program = LinearProgram(rows, None, np.array([0]), np.array([5]), again=True)
    for multiplier, least in ((1.0, 10**6), (-1.0, -(10**6) - 5), (-(2.0**30), -(2**30) * (10**6 + 5))):
        proof = program.proof(np.array([multiplier]), 0)
        assert proof is not None
        assert proof.least == least


def facilities(seed: int, plants: int = 12, customers: int = 30) -> Model:
    """Return plants to open for customers that are served as a whole, with costs that say nothing."""
    source = np.random.default_rng(seed)
    m = Model("facilities")
    is_open, serves = (
        m.boolvar(shape=plants, name="open"),
        m.boolvar(shape=(plants, customers), name="serves"),
    )
    m += [serves.sum(axis=0) == 1, serves <= is_open[:, None]]
    m.minimize(
        (serves * source.integers(5, 50, (plants, customers))).sum()
        + (is_open * source.integers(40, 100, plants)).sum()
    )
    return m


def test_it_joins_where_the_relaxation_bounds_and_proves_what_propagation_does_not() -> None:
    met = 0
    for seed in (7, 11):
        found = facilities(seed, 10, 20).solve(solver="backtracking", num_workers=1)
        assert found.status is Status.OPTIMAL, seed
        assert found.objective == facilities(seed, 10, 20).solve(solver="cpsat").objective
        met += found.statistics.get("relaxations", 0)
    assert met > 5


def test_it_has_the_more_of_the_turns_the_more_of_the_gap_is_closed() -> None:
    _, _, search = searched(rows_model(random.Random(3)))
    search._best, search._floor = 100, 0
    for first, least, share in ((50, 50, 0.5), (90, 90, 0.5), (95, 95, 1.5), (50, 75, 3.0), (95, 100, 11.5)):
        search._first_bound, search._least = first, least
        assert search.share == pytest.approx(share)
    search._best = None
    assert search.share == 0.5


def test_a_relaxation_is_charged_by_how_long_rows_are() -> None:
    """Propagators of long rows take as long as several short ones, for which a relaxation is paid."""
    m = Model("rows")
    x = m.boolvar(shape=(12, 24), name="x")
    m += [x.sum(axis=0) == 1, x.sum(axis=1) <= 3]
    m.minimize((x * np.arange(24)).sum())
    c = compiled_of(m, ModelForm(DECOMPOSED.kinds, takes, True), "backtracking")
    search = BranchAndBound(c, Request(Want.BEST, Clock(None)), build_memory(c, False), NOTHING, {})
    before, search._cost = search.work, 16_000
    assert search.work - before == 16_000 * 3 // 16  # 36 rows of 16 terms on the average


def test_it_is_absent_where_the_relaxation_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alternating, "JOINING", 10)
    found = facilities(0, 6, 10).solve(solver="backtracking", num_workers=1, without=["relaxation"])
    assert found.status is Status.OPTIMAL
    assert "relaxations" not in found.statistics
    assert any(said.startswith("without branch and bound") for said in found.statistics["absent"])


def test_it_leaves_where_a_relaxation_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    model = rows_model(random.Random(3))
    monkeypatch.setattr(LinearProgram, "solve", lambda program: None)
    ended, found, _ = searched(model)
    assert (ended.stop_reason, ended.exhausted, found) == (StopReason.GAVE_UP, False, [])
    assert ended.statistics["gave_up"]


def test_a_stop_within_propagation_delivers_nothing_that_is_no_solution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(at, "RUNS_A_STEP", 1)
    for number, model in enumerate(models()):
        rows = oracle.solve(model).rows
        for most in (2, 5, 9):
            asked = iter([None] * most)
            monkeypatch.setattr(
                BranchAndBound, "_limit", lambda _, asked=asked: next(asked, StopReason.TIME_LIMIT)
            )
            with mode("plain"):
                _, found, _ = searched(model)
            assert {tuple(x) for x in np.array(found).tolist()} <= rows, (number, most)


def test_it_goes_on_where_a_callback_lets_it_and_stops_where_not() -> None:
    c = compiled_of(facilities(1), ModelForm(DECOMPOSED.kinds, takes, True), "backtracking")
    search = BranchAndBound(c, Request(Want.BEST, Clock(None)), build_memory(c, False), NOTHING, {})
    ended = drained(search.slices(lambda batch: False))
    assert (ended.stop_reason, ended.exhausted) == (StopReason.CALLBACK, False)
    assert ended.bound is not None
    assert ended.objective is not None
    assert ended.bound <= ended.objective
