"""A model that grew: every answer is that of brute force, and what is taken over is the same solver's."""

from __future__ import annotations

import pickle
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import oracle
import pytest
from cpqueens.models.golomb_ruler import golomb_ruler
from each import each
from fake_backend import FakeBackend, installed, says

from cpqueens import AllDifferent, BackendFault, Model, Or, Outcome, Status
from cpqueens.backends.backtracking import alternating, clause_search, clauses
from cpqueens.backends.base import Feature
from cpqueens.backends.known import Known, LearnedClauses
from cpqueens.backends.named import get_backend
from cpqueens.kernels.exact.learning import literals as lit
from cpqueens.solving import race
from cpqueens.solving.grown import HARD, LONG, bound_in, clauses_for, goal_of
from cpqueens.solving.stages import narrowed

LEARNING = "backtracking:learning"


def drawn(random: np.random.Generator, goal: bool) -> Model:
    """Return a small model to begin with."""
    m = Model("grows")
    x = m.intvar(0, 3, shape=4, name="x")
    m.add((x * random.integers(-2, 3, size=4)).sum() >= int(random.integers(-2, 2)))
    if goal:
        term = (x * random.integers(-3, 4, size=4)).sum() + int(random.integers(-5, 6))
        (m.minimize if random.integers(2) else m.maximize)(term)
    return m


def grow(m: Model, step: int, random: np.random.Generator) -> None:
    """Add something to a model."""
    x = m["x"]
    i, j, k = random.permutation(4)[:3]
    kind = random.integers(7)
    if kind == 0:
        m += x[i] != x[j]
    elif kind == 1:
        m += Or(x[i] <= int(random.integers(0, 3)), x[j] >= 2, x[k] == 1)
    elif kind == 2:
        y = m.intvar(-1, 1, name=f"y{step}")
        m += x[i] + y <= x[j] + 1
    elif kind == 3:
        m += (x * random.integers(-2, 3, size=4)).sum() >= int(random.integers(-1, 3))
    elif kind == 4:
        m += abs(x[i] - x[j]) + x[k] % 2 >= 1
    elif kind == 5 and m.objective is not None:
        m.add_soft(x[i] == int(random.integers(0, 4)), weight=int(random.integers(1, 3)))
    else:
        m += AllDifferent(x[[i, j, k]])


def test_an_objective_of_many_variables_is_kept_as_numbers() -> None:
    """It is looked at behind the run's limit: a million of objects would take too long."""
    m, many = Model(), 5000
    x = m.intvar(0, 9, shape=many, name="x")
    m.minimize((x * np.arange(many)).sum() + 3)
    goal_of(m)
    before = sys.getallocatedblocks()
    goal = goal_of(m)
    assert sys.getallocatedblocks() - before < many
    assert goal is not None
    assert np.frombuffer(goal.variables, np.int64).tolist() == list(range(1, many))
    assert np.frombuffer(goal.coefficients, np.int64).tolist() == list(range(1, many))
    assert (goal.constant, goal.maximizing) == (3, False)


def compare(outcome: Outcome, m: Model) -> None:
    """Compare an outcome with all solutions."""
    truth = oracle.solve(m)
    if not len(truth.solutions):
        assert outcome.status is Status.INFEASIBLE
    elif m.objective is None:
        assert outcome.status is Status.FEASIBLE
        assert m.check(outcome).ok
    else:
        assert (outcome.status, outcome.objective, outcome.bound) == ("OPTIMAL", truth.optimum, truth.optimum)
        assert m.check(outcome).ok


def growing(seed: int, solver: str, goal: bool, **options: Any) -> list[Any]:
    """Let a random model grow, sometimes as a copy; return what was taken over on the way."""
    random = np.random.default_rng(seed)
    m, kept = drawn(random, goal), []
    for step in range(4):
        outcome = m.solve(solver, **options)
        compare(outcome, m)
        kept.append(outcome.statistics.get("kept"))
        again = m.solve(solver, **options)
        assert (again.status, again.objective, again.statistics.get("kept")) == (
            outcome.status,
            outcome.objective,
            kept[-1],
        )
        m = m.copy() if random.integers(2) else m
        grow(m, step, random)
        if random.integers(2):
            grow(m, 10 + step, random)
    return kept


@each("seed", range(12))
def test_optima_are_those_of_brute_force_at_every_step(seed: int, optimizer: str) -> None:
    kept = growing(seed, optimizer, True)
    assert kept[0] is None
    assert all(one for one in kept[1:])


@each("seed", range(12))
def test_solutions_and_infeasibility_are_those_of_brute_force_at_every_step(seed: int, solver: str) -> None:
    assert all(one is not None for one in growing(seed, solver, False)[1:])


@each("solver", ["auto", LEARNING, "local-search+cpsat"])
def test_solvers_that_are_made_of_others_keep_what_all_of_them_said(solver: str) -> None:
    for seed in range(20, 24):
        growing(seed, solver, True)
        growing(seed, solver, False)


# ---- clauses ----------------------------------------------------------------------------------------------


def formula(random: np.random.Generator, many: int) -> Model:
    """Three literals a clause, a row, a defined variable."""
    m = Model("formula")
    b = m.boolvar(shape=11, name="b")
    m.add(abs((b * np.arange(1, 12)).sum() - 30) <= 14)
    more(m, random, many)
    return m


def more(m: Model, random: np.random.Generator, many: int) -> None:
    b = m["b"]
    for _ in range(many):
        chosen, signs = random.permutation(11)[:3], random.integers(0, 2, size=3)
        m += Or(*(b[v] == s for v, s in zip(chosen.tolist(), signs.tolist(), strict=True)))


def holds(clauses: LearnedClauses, solutions: np.ndarray) -> np.ndarray:
    """Return which solutions, with a column for each variable of the model, satisfy all clauses."""
    good = np.ones(len(solutions), dtype=bool)
    for literals in np.split(clauses.literals, np.cumsum(clauses.lengths)[:-1]):
        found = np.zeros(len(solutions), dtype=bool)
        for literal, value in literals.tolist():
            column, operator = solutions[:, literal >> 2], literal & 3
            found |= {
                lit.AT_LEAST: column >= value,
                lit.AT_MOST: column <= value,
                lit.IS: column == value,
                lit.IS_NOT: column != value,
            }[operator]
        good &= found
    return good


def test_kept_clauses_hold_in_all_solutions_of_the_model_and_are_used_by_the_grown_one() -> None:
    used = 0
    for seed in range(6):
        random = np.random.default_rng(seed)
        m = formula(random, 34)
        for _ in range(6):
            outcome = m.solve(LEARNING, audit=True)
            compare(outcome, m)
            used += outcome.statistics.get("kept", {}).get("clauses", 0)
            known = m._known[LEARNING]
            if known.clauses is not None:
                assert known.clauses.limit is None
                assert holds(known.clauses, m.complete(oracle.solve(m).solutions, m.decisions)).all()
            if outcome.solution is not None:
                old = outcome[m["b"]]
                m.add(m["b"] @ (1 - 2 * old) >= 1 - int(old.sum()))  # another one
            more(m, random, 1)
    assert used > 50


def limited(seed: int) -> tuple[Model, np.random.Generator]:
    """Return a formula with an objective, solved by too few steps to prove anything."""
    random = np.random.default_rng(seed)
    m = formula(random, 20)
    m.minimize(m["b"] @ random.integers(-5, 9, size=11))
    m.solve(LEARNING, step_limit=6)
    return m, random


def test_clauses_under_the_limit_of_an_objective_are_used_only_below_it() -> None:
    used = 0
    for seed in range(12):
        m, random = limited(seed)
        for _ in range(4):
            truth, clauses = oracle.solve(m), m._known[LEARNING].clauses
            if clauses is not None and clauses.limit is not None:
                whole = m.complete(truth.solutions, m.decisions)
                assert m.objective is not None
                good = m.objective.evaluate(whole)[:, 0] <= clauses.limit
                assert holds(clauses, whole[good]).all()
            more(m, random, 1)
            outcome, truth = m.solve(LEARNING, audit=True, step_limit=6), oracle.solve(m)
            used += outcome.statistics["kept"].get("clauses", 0)
            if outcome.complete:
                compare(outcome, m)
            elif truth.optimum is not None:
                assert outcome.bound <= truth.optimum
    assert used


def test_a_clause_is_not_used_where_solutions_beyond_its_limit_are_looked_for() -> None:
    """At most 4 each is true of all solutions that cost at most 4, and of no other one here."""
    m = Model()
    x = m.intvar(0, 9, shape=2, name="x")
    m.add(x.sum() >= 4)
    m.minimize(x.sum())
    one, at_most_4 = np.ones(1, dtype=np.int64), np.array([[lit.AT_MOST, 4]])
    m._known[LEARNING] = Known(
        m._state(), goal_of(m), LEARNING, (LEARNING,), clauses=LearnedClauses(one, one, at_most_4, 4)
    )
    m.add(x[0] >= 6)
    outcome = m.solve(LEARNING)
    assert (outcome.status, outcome.objective) == (Status.OPTIMAL, 6)
    assert "clauses" not in outcome.statistics["kept"]


def test_clauses_of_an_objective_that_is_gone_are_not_taken() -> None:
    m, _ = next((m, r) for m, r in map(limited, range(20)) if m._known[LEARNING].clauses is not None)
    known = m._known[LEARNING]
    assert known.clauses is not None
    assert known.clauses.limit is not None
    other = m.copy()
    other.minimize(other["b"].sum())
    assert clauses_for(m, known) is known.clauses
    assert clauses_for(other, known) is None
    compare(other.solve(LEARNING), other)
    x = other.intvar(1, 3, name="divisor")
    other.add(other["b"].sum() // (x - 1) <= 3)  # undefined values may be any
    assert other.has_partial
    free = replace(known, clauses=known.clauses._replace(limit=None))
    assert (clauses_for(m, free), clauses_for(other, free)) == (free.clauses, None)
    compare(other.solve(LEARNING), other)
    assert other._known[LEARNING].clauses is None


def test_the_search_that_learns_joins_early_where_it_has_clauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alternating, "JOINING", 12)
    monkeypatch.setattr(alternating, "TURN", 3)
    monkeypatch.setattr(clause_search.ClauseSearch, "is_ready", property(lambda self: True))
    given = 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        m = Model()
        b = m.boolvar(shape=40, name="b")
        for step in range(4):
            for _ in range(150 if not step else 4):
                chosen, signs = random.permutation(40)[:3], random.integers(0, 2, size=3)
                m += Or(*(b[v] == s for v, s in zip(chosen.tolist(), signs.tolist(), strict=True)))
            outcome, fresh = m.solve("backtracking"), m.copy()
            fresh._known = {}
            assert outcome.status is fresh.solve("cpsat").status
            given += outcome.statistics.get("kept", {}).get("clauses", 0)
    assert given


def test_a_wrong_clause_that_was_kept_is_noticed_in_an_audit() -> None:
    m = formula(np.random.default_rng(3), 10)
    first = m.solve(LEARNING)
    assert first.solution is not None
    wrong = [[lit.AT_LEAST if first["b"][0] == 0 else lit.AT_MOST, 1 - first["b"][0]]]
    one = np.ones(1, dtype=np.int64)
    m._known[LEARNING] = known = Known(
        m._state(), None, LEARNING, (LEARNING,), clauses=LearnedClauses(one, one, np.array(wrong), None)
    )
    assert known.row is None
    more(m, np.random.default_rng(3), 1)
    with pytest.raises(BackendFault, match=r"a learned clause, x0 .* excludes"):
        m.solve(LEARNING, audit=True)


def test_clauses_beyond_the_cap_are_dropped_the_worst_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def kept() -> LearnedClauses:
        m = formula(np.random.default_rng(3), 34)
        m.solve(LEARNING)
        found = m._known[LEARNING].clauses
        assert found is not None
        return found

    whole = kept()
    words = int((2 + 2 * whole.lengths).sum())
    monkeypatch.setattr(clauses, "MOST_WORDS", words - 1)
    part = kept()
    assert part.many == whole.many - 1
    assert whole.literals[: len(part.literals)].tolist() == part.literals.tolist()
    assert part.levels.tolist() == sorted(part.levels.tolist())


# ---- what is taken over, and what not -------------------------------------------------------------------


def knapsack() -> Model:
    m = Model("knapsack")
    x = m.boolvar(shape=8, name="x")
    m.add(x @ np.array([5, 4, 6, 3, 7, 2, 8, 5]) <= 17)
    m.maximize(x @ np.array([9, 6, 10, 5, 12, 3, 13, 8]))
    return m


def test_an_optimum_that_is_still_a_solution_needs_no_search(optimizer: str) -> None:
    m = knapsack()
    first = m.solve(optimizer)
    m.add(m["x"].sum() >= 2)
    y = m.intvar(3, 5, name="y")
    m += y >= 4
    second = m.solve(optimizer)
    compare(second, m)
    assert second.statistics["kept"] == {"bound": first.bound, "solution": "still one"} | (
        {"clauses": 0} if "clauses" in second.statistics["kept"] else {}
    )
    assert second["x"].tolist() == first["x"].tolist()
    assert (second.solver, second.statistics["delivered"]) == (first.solver, 0)


def test_a_wish_that_costs_keeps_the_bound_of_the_objective_without_it(optimizer: str) -> None:
    m = knapsack()
    first = m.solve(optimizer)
    for k in np.flatnonzero(first["x"]).tolist():
        m.add_soft(m["x"][k] == 0, weight=1)
    second = m.solve(optimizer)
    compare(second, m)
    assert second.statistics["kept"]["bound"] == first.bound
    assert second.statistics["kept"]["solution"] == "still one"


@each("conflicts", [0, HARD, LONG])
def test_an_optimum_is_looked_for_with_a_hint_where_the_search_was_hard(conflicts: int) -> None:
    """Where the earlier solution is one no more, it takes a longer search before."""
    for broken in (False, True):
        m = knapsack()
        first = m.solve("cpsat")
        m._known["cpsat"] = replace(m._known["cpsat"], conflicts=conflicts)
        taken = int(np.flatnonzero(first["x"])[0])
        if broken:
            m.add(m["x"][taken] == 0)
        else:
            m.add_soft(m["x"][taken] == 0, weight=1)
        second = m.solve("cpsat")
        compare(second, m)
        assert ("hint_given" in second.statistics) == (conflicts >= (LONG if broken else HARD))
        assert second.statistics["kept"].get("solution") == (
            ("hint" if conflicts == LONG else None) if broken else "still one"
        )


def test_nothing_is_taken_from_another_solver() -> None:
    m = knapsack()
    first = m.solve("cpsat")
    m.add(m["x"][0] + m["x"][1] <= 1)
    assert "kept" not in m.solve("backtracking").statistics
    assert m.solve("cpsat").statistics["kept"]["bound"] == first.bound
    lie = says(np.array([[0] * 8]), objective=0, bound=0)
    with installed(FakeBackend(lie)):
        m.solve("fake")
        m.add(m["x"].sum() <= 7)
        assert m.solve("fake").statistics["kept"]["bound"] == 0
        compare(m.solve("cpsat"), m)
        compare(m.solve("backtracking"), m)


def test_a_solution_that_passes_a_kept_bound_is_a_fault() -> None:
    m = knapsack()
    with installed(FakeBackend(says(np.array([[0] * 8]), objective=0, bound=0))):
        assert m.solve("fake").status is Status.OPTIMAL
    m.add(m["x"].sum() >= 1)
    with (
        installed(FakeBackend(says(np.array([[1] + [0] * 7]), objective=9, bound=9))),
        pytest.raises(BackendFault, match="OPT_CROSSED: bound 0 claimed, yet a solution has 9"),
    ):
        m.solve("fake")


def test_a_solver_that_finds_nothing_although_the_earlier_solution_is_still_one_is_at_fault() -> None:
    m = knapsack()
    nothing = says(exhausted=True)
    with installed(FakeBackend(says(np.array([[1] + [0] * 7]), exhausted=False, reason="time_limit"))):
        assert m.solve("fake", time_limit=1).status is Status.FEASIBLE
    m.add(m["x"].sum() >= 1)
    with installed(FakeBackend(nothing)), pytest.raises(BackendFault, match="FALSE_UNSAT"):
        m.solve("fake")


def test_infeasible_stays_infeasible_and_says_who_proved_it(
    solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    m = Model()
    x = m.intvar(0, 2, shape=4, name="x")
    m += AllDifferent(x)
    first = m.solve(solver)
    y = m.intvar(0, 2, name="y")
    m.maximize(y)
    backend = get_backend(solver)
    if Feature.OBJECTIVE not in backend.features:
        m.drop_objectives()
    m += y <= 1
    with monkeypatch.context() as patch:
        patch.setattr(type(backend), "run", None)
        second = m.solve(solver)
    assert (second.status, second.complete, second.solver) == (Status.INFEASIBLE, True, first.solver)
    assert second.statistics["kept"] == {"infeasible": True}


def test_what_makes_more_solutions_possible_ends_it() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=4, name="x")
    m += AllDifferent(x)
    m += x[0] == 0
    assert m.solve("cpsat").status is Status.INFEASIBLE
    without = m.without([0])
    without += x[1] == 0
    found = without.solve("cpsat")
    assert found.solution is not None
    assert "kept" not in found.statistics
    m = knapsack()
    value = m.solve("cpsat").objective
    m.minimize(m.objective)
    assert m.solve("cpsat").objective == 0
    m = knapsack()
    m.solve("cpsat")
    m.maximize(m.objective + 3 * m["x"][1] - m["x"][2] + 4)
    assert bound_in(m, m._known["cpsat"]) == value + 7
    compare(m.solve("cpsat"), m)


@each("options", [{"random_seed": 0}, {"seed": 3}, {"trace": 5}, {"profile": True}])
def test_runs_with_a_seed_or_that_are_looked_at_take_nothing_over(options: dict[str, Any]) -> None:
    m = knapsack()
    m.solve("backtracking")
    m.add(m["x"].sum() >= 2)
    assert "kept" not in m.solve("backtracking", **options).statistics


def test_assumptions_proofs_and_several_objectives_neither_take_nor_keep(tmp_path: Any) -> None:
    m = knapsack()
    x = m["x"]
    assert m.solve("cpsat", assumptions=[x.sum() >= 8]).status is Status.INFEASIBLE
    m.add(x.sum() >= 1)
    assert m.solve("cpsat", assumptions=[x.sum() >= 8]).status is Status.INFEASIBLE
    assert not m._known
    m.solve()
    m.add(x.sum() >= 2)
    proved = m.solve(proof=tmp_path / "p")
    assert "kept" not in proved.statistics
    compare(proved, m)
    m.then_minimize(x.sum())
    assert "kept" not in m.solve().statistics


def test_what_a_user_hints_is_not_replaced_and_copies_and_pickles_are_models() -> None:
    m = knapsack()
    m.solve("cpsat")
    assert pickle.loads(pickle.dumps(m))._known == {}
    other = m.copy()
    other.add(m["x"][6] == 0)
    hinted = other.solve("cpsat", hint={"x": [0] * 8})
    compare(hinted, other)
    assert "solution" not in hinted.statistics["kept"]
    assert "cpsat" in m._known
    assert other._known["cpsat"] is not m._known["cpsat"]
    alone = narrowed(m, [m["x"][0] >= 1])
    assert alone.solve("cpsat").statistics["kept"] == {"solution": "hint"} or alone.solve("cpsat").solution


def test_a_bound_is_told_at_once_and_is_the_least_that_a_stopped_run_says() -> None:
    m = golomb_ruler(7)
    first = m.solve("backtracking")
    mark = m.decisions[-1]
    m.add(m[m.name_of(int(mark))] >= first.objective + 1)
    heard: list[int] = []
    second = m.solve("backtracking", on_progress=lambda state: heard.append(state["bound"]), step_limit=1)
    assert heard[0] == first.objective
    assert second.bound is not None
    assert second.bound >= first.objective


def test_a_race_says_who_contributed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race, "HEAD_START", 0.0)
    m = golomb_ruler(6)
    first = m.solve()
    m.add(m.objective >= 10)
    second = m.solve()
    assert (second.status, second.solver, second.bound) == (Status.OPTIMAL, first.solver, first.bound)
    by = set(first.statistics["contributors"])
    assert by == {second.solver} or by == set(second.statistics["contributors"])
