"""The search that learns clauses: the same answers as brute force, and clauses that follow from the model."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from cpqueens.models.golomb_ruler import golomb_ruler
from cpqueens.models.job_shop import job_shop
from cpqueens.models.queens import queens
from seeds import sweep

from cpqueens import (
    ANY,
    AllDifferent,
    Among,
    Circuit,
    Count,
    Cumulative,
    GlobalCardinality,
    Inverse,
    LexChainLess,
    LexLess,
    LexLessEqual,
    Model,
    NegativeTable,
    NoOverlap,
    NValue,
    Or,
    Outcome,
    Regular,
    ShortTable,
    Status,
    Table,
    UnsupportedConstraint,
    UnsupportedRequest,
    element,
    maximum,
    minimum,
)
from cpqueens.backends.backtracking import alternating, clause_audit, clause_search, explained
from cpqueens.backends.backtracking.backend import model_form
from cpqueens.backends.backtracking.explained import Explained
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.backends.relaxation import relaxation
from cpqueens.crosscheck import oracle
from cpqueens.errors import BackendFault
from cpqueens.fuzzing.generate import random_model
from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.learning import literals as lit, literals as of
from cpqueens.lowered import forms
from cpqueens.lowered.compiled import Compiled

SOLVER = "backtracking:learning"
REQUEST = Request(want=Want.ONE, clock=Clock(None))


def compiled_of(model: Model) -> Compiled:
    return forms.compiled_of(model, model_form(False))


def solved(model: Model, **options: Any) -> Outcome:
    return model.solve(solver=SOLVER, audit=True, time_limit=60, **options)


def random_formula(variables: int, clauses: int, seed: int) -> Model:
    """Three literals a clause."""
    source = random.Random(seed)
    m = Model()
    x = m.boolvar(shape=variables, name="x")
    for _ in range(clauses):
        chosen = source.sample(range(variables), 3)
        m += Or(*[x[v] if source.random() < 0.5 else ~x[v] for v in chosen])
    return m


def pigeons(n: int) -> Model:
    """One more pigeon than holes, by clauses alone."""
    m = Model()
    x = m.boolvar(shape=(n + 1, n), name="x")
    for i, j in combinations(range(n + 1), 2):
        for k in range(n):
            m += Or(~x[i, k], ~x[j, k])
    m += [Or(*x[i]) for i in range(n + 1)]
    return m


def knapsack(seed: int) -> Model:
    """Rows over wide domains, in which explanations are weakened by slack, and values that are not listed."""
    source = np.random.default_rng(seed)
    m = Model()
    x = m.intvar(0, 9, shape=4, name="x")
    y = m.intvar(-(10**6), 10**6, name="y")
    m += x @ source.integers(1, 9, 4) + 3 * y <= 40
    m += x @ source.integers(-9, 9, 4) - y == int(source.integers(0, 20))
    m += AllDifferent(x)
    m += (x[0] + x[1] <= 7) == (x[2] > x[3])
    m.maximize(x @ source.integers(1, 9, 4) + y)
    return m


def functions(seed: int) -> Model:
    """Extremes, elements, products and distances in rows, clauses and truths; values are lost at the root."""
    r = random.Random(seed)
    m, n, d = Model(), r.randint(4, 5), r.randint(3, 4)
    x = m.intvar(0, d, shape=n, name="x")

    def term() -> Any:
        i, j, k = (r.randrange(n) for _ in range(3))
        draw = (
            lambda: maximum(x[i], x[j] + 1, x[k]),
            lambda: minimum(x[i] + 1, x[j], x[k]),
            lambda: element([x[i], x[j] + 1, x[k], x[0]], x[r.randrange(n)] % 4),
            lambda: element([r.randint(0, 7) for _ in range(d + 1)], x[i]),
            lambda: element([*x], x[i] - 1),
            lambda: abs(x[i] - x[j]),
            lambda: x[i] * x[j],
            lambda: 2 * x[i] - x[j],
        )
        return r.choice(draw)()

    for _ in range(r.randint(3, 6)):
        a, b, c = term(), term(), r.randint(-2, 4)
        m += r.choice((a != b + c, a + b <= c + 5, Or(a <= c, b >= c + 2), (a <= c) == (b >= c + 1)))
    m += AllDifferent(x[: r.randint(2, n)])
    m.minimize(term() + term())
    return m


def global_constraints(seed: int) -> Model:
    """Constraints that become clauses and rows, with each other and with rows."""
    r = random.Random(seed)
    m, d = Model(), r.randint(2, 3)
    x, y = m.intvar(0, d, shape=5, name="x"), m.intvar(0, 4, shape=3, name="y")

    def pick(many: int) -> Any:
        return x[[r.randrange(5) for _ in range(many)] if r.random() < 0.2 else r.sample(range(5), many)]

    def one() -> Any:
        k, number = r.randint(2, 4), y[r.randrange(3)]
        rows = [[r.randint(0, d) for _ in range(k)] for _ in range(r.randint(3, 14))]
        steps = [(s, v, r.randrange(3)) for s in range(3) for v in range(d + 1) if r.random() < 0.75]
        lengths, demands = [r.randint(0, 2) for _ in range(3)], [r.randint(0, 3) for _ in range(3)]
        draw = (
            lambda: Table(pick(k), rows),
            lambda: ShortTable(pick(k), [[w if r.random() < 0.7 else ANY for w in row] for row in rows]),
            lambda: NegativeTable(pick(k), rows),
            lambda: Count(pick(k), r.randint(0, d), r.choice(["==", "<=", ">=", "!="]), number),
            lambda: Among(pick(k), sorted(r.sample(range(d + 1), 2)), number),
            lambda: GlobalCardinality(pick(4), [0, 1], [number, y[0]], closed=r.random() < 0.3),
            lambda: NValue(pick(k), number),
            lambda: LexLess(x[:2], x[2:4]) if r.random() < 0.5 else LexLessEqual(x[1:3], x[[3, 0]]),
            lambda: LexChainLess(x[[[0, 1], [2, 3]]]),
            lambda: Regular(pick(k), steps, 0, [r.randrange(3)]),
            lambda: Cumulative(pick(3), lengths, demands, y[0] + 1, present=[1, 1, y[1] > 0]),
            lambda: NoOverlap(pick(3), [1, r.randint(0, 2), 1]),
            lambda: Inverse(y, x[:3]),
            lambda: Circuit(y),
        )
        return r.choice(draw)()

    for _ in range(r.randint(2, 4)):
        m += one()
    if r.random() < 0.6:
        m += x @ np.array([r.randint(-2, 2) for _ in range(5)]) + y[0] <= r.randint(0, 5)
    if r.random() < 0.7:
        m.minimize(x @ np.array([r.randint(-3, 3) for _ in range(5)]) - y[1])
    return m


def check(model: Model) -> dict[str, Any]:
    """Solve a model, compare with brute force, and return what the search said."""
    outcome, expected = solved(model), oracle.solve(model)
    assert (outcome.solution is None) == (not len(expected.solutions)), outcome
    assert outcome.status is not Status.UNKNOWN
    if outcome.objective is not None:
        assert outcome.objective == expected.optimum
        assert outcome.bound == expected.optimum
    return dict(outcome.statistics)


def test_random_models_of_all_kinds_have_the_same_answers_and_only_clauses_that_follow() -> None:
    audited = 0
    for seed in sweep(15, 30):
        audited += check(random_model(seed + 5000, constraints=9))["clauses_audited"]
    for seed in range(4):
        audited += check(random_formula(9, 45, seed))["clauses_audited"]
    for seed in sweep(12, 25):
        audited += check(functions(seed))["clauses_audited"]
    assert audited > 12


def test_variables_that_lose_values_between_their_ends() -> None:
    said = [check(random_model(seed, constraints=1, holed=True)) for seed in sweep(40, 400)]
    assert sum(s["clauses_audited"] > 0 for s in said) > len(said) / 2


def test_constraints_that_become_clauses_and_rows() -> None:
    said = [check(global_constraints(seed)) for seed in sweep(4, 20)]
    assert sum(s["clauses_audited"] for s in said) > 3


def test_a_capacity_is_not_negative_where_nothing_runs() -> None:
    for starts, durations, demands in ((0, [], []), (1, [0], [1]), (1, [1], [0])):
        m = Model()
        x = m.intvar(0, 3, shape=2, name="x")
        m += Cumulative(x[:starts], durations, demands, 1 - x[0] - x[1])
        m.maximize(2 * x[0] + x[1])
        outcome = m.solve(SOLVER, audit=True)
        assert (outcome.status, outcome.objective) == (Status.OPTIMAL, oracle.solve(m).optimum)


def test_what_becomes_clauses_and_rows_has_no_propagator_that_is_explained_by_all() -> None:
    m = Model()
    x, y = m.intvar(0, 4, shape=5, name="x"), m.intvar(0, 4, shape=5, name="y")
    m += [Count(x, 2, "<=", 3), Inverse(x, y), NValue(y, 5), Table(x, [[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]])]
    m += [Cumulative(y, [2] * 5, [1] * 5, 3), LexLess(x, y), GlobalCardinality(x, [1, 2], [1, 1])]
    assert max(made_of(m)[0]) < kinds.APART
    m += Circuit(x)
    assert max(made_of(m)[0]) >= kinds.APART


def made_of(m: Model) -> tuple[list[int], int]:
    """Return the kinds of the propagators of a model, and how many clauses there are beside them."""
    start = explained.explained(compiled_of(m))
    assert isinstance(start, Explained)
    net = start.memory.net
    return net[: net[at.START]].reshape(-1, at.P_WIDTH)[:, at.KIND].tolist(), start.clauses.many


def test_products_of_truths_are_clauses() -> None:
    for most, products, clauses in ((1, 0, 6), (2, 2, 0)):
        m = Model()
        b, n = m.boolvar(shape=2, name="b"), m.intvar(0, most, name="n")
        m.add(b[0] * n + b[1] * n >= 1, b[0] + b[1] + n <= 2)
        m.maximize(2 * b[0] + b[1] - n)
        made, many = made_of(m)
        assert (made.count(kinds.PRODUCT), many) == (products, clauses)
        check(m)


def test_learning_is_one_of_those_that_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaxation, "is_installed", lambda: False)  # else rows of cliques refute pigeons
    monkeypatch.setattr(alternating, "RELAXING", 1)
    monkeypatch.setattr(alternating, "JOINING", 2)
    monkeypatch.setattr(alternating, "TURN", 2)
    for model in (pigeons(5), golomb_ruler(6)):
        outcome = model.solve(solver="backtracking")
        assert outcome.status is model.solve(solver="cpsat").status
        assert outcome.statistics["clauses_learned"] > 0
    monkeypatch.setattr(explained, "LARGEST", 10)
    outcome = pigeons(5).solve(solver="backtracking")
    assert outcome.statistics["absent"] == ["without clause learning: too many values"]


def test_others_join_where_failures_are_dear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaxation, "is_installed", lambda: False)  # else rows of cliques refute pigeons
    monkeypatch.setattr(alternating, "RELAXING", 5)
    assert "took turns" not in pigeons(6).solve(solver="backtracking").statistics["reason"]
    monkeypatch.setattr(alternating, "FEWEST", 20)
    monkeypatch.setattr(alternating, "WORK", 200)
    outcome = pigeons(6).solve(solver="backtracking")
    assert "restarts and clause learning and a search that remembers" in outcome.statistics["reason"]


@pytest.mark.parametrize("most", [1 / 64, 8])
def test_who_spares_decisions_has_more_of_the_time(most: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaxation, "is_installed", lambda: False)
    for name, value in (("RELAXING", 1), ("JOINING", 2), ("TURN", 2)):
        monkeypatch.setattr(alternating, name, value)
    monkeypatch.setattr(clause_search, "MOST", most)
    m = pigeons(6)
    idle = m.intvar(0, 3, shape=12, name="idle")  # decided on the way to what fails
    m += idle[:-1] + idle[1:] <= 5
    outcome = m.solve(solver="backtracking")
    assert outcome.status is Status.INFEASIBLE
    learned = outcome.statistics["clauses_learned"] / outcome.statistics["failures"]
    assert learned > 0.5 if most > 1 else learned < 0.2


def test_who_has_no_more_room_takes_no_part_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaxation, "is_installed", lambda: False)  # else rows of cliques refute pigeons
    monkeypatch.setattr(alternating, "JOINING", 2)
    monkeypatch.setattr(alternating, "TURN", 20)
    monkeypatch.setattr(clause_search, "FIRST_CLAUSES", 40)
    monkeypatch.setattr(clause_search, "MOST_WORDS", 50)
    outcome = pigeons(6).solve(solver="backtracking")
    assert outcome.status is Status.INFEASIBLE
    assert outcome.statistics["absent"] == ["without clause learning: no more room for clauses, trail or log"]


def test_half_of_the_clauses_are_forgotten_where_there_is_no_more_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clause_search, "FIRST_CLAUSES", 1 << 13)
    monkeypatch.setattr(clause_search, "MOST_WORDS", 1 << 14)
    outcome = pigeons(6).solve(solver="backtracking:learning")
    assert outcome.status is Status.INFEASIBLE
    assert outcome.statistics["clauses_learned"] < clause_search.KEPT  # of so many none would be forgotten
    assert outcome.statistics["clauses_forgotten"] > 0


def test_wide_domains_and_weakened_rows() -> None:
    said = [check_bounds(knapsack(seed)) for seed in range(4)]
    assert sum(said) > 10


def check_bounds(model: Model) -> int:
    """Compare with the search that does not learn, where brute force has too many assignments."""
    outcome, other = solved(model), model.solve(solver="backtracking:forward")
    assert (outcome.status, outcome.objective, outcome.bound) == (other.status, other.objective, other.bound)
    return int(outcome.statistics["clauses_audited"])


def test_what_has_no_solution_is_refuted() -> None:
    for model in (pigeons(4), random_formula(12, 60, 3)):
        outcome = solved(model)
        assert outcome.status is Status.INFEASIBLE
        assert 0 < outcome.statistics["clauses_audited"] == outcome.statistics["clauses_learned"]


def test_models_of_the_catalogue() -> None:
    assert solved(golomb_ruler(5)).objective == 11
    assert solved(job_shop("guide")).objective == 11
    assert solved(queens(8)).solution is not None
    assert solved(queens(3)).status is Status.INFEASIBLE


def test_too_little_room_is_made_larger_and_clauses_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_formula(30, 140, 3)
    plenty = model.solve(solver=SOLVER)
    monkeypatch.setattr(clause_search, "FIRST_CLAUSES", 40)
    monkeypatch.setattr(clause_search, "KEPT", 10)
    monkeypatch.setattr(clause_search, "FIRST_TRAIL", 1)
    found = model.solve(solver=SOLVER)
    assert found.status is plenty.status
    assert found.statistics["clauses_forgotten"] > 0
    monkeypatch.setattr(clause_search, "MOST_WORDS", 50)
    assert model.solve(solver=SOLVER).status is Status.UNKNOWN


def test_a_wrong_clause_is_noticed() -> None:
    m = Model()
    x = m.intvar(0, 5, shape=2, name="x")
    m += x[0] + x[1] == 5
    start = explained.explained(compiled_of(m), False)
    assert isinstance(start, Explained)
    audit = clause_audit.Audit(start, 2)
    second = 4 * at.X_WIDTH
    for literals, right in (
        ([(lit.AT_LEAST, 3), (second + lit.AT_LEAST, 3)], True),
        ([(lit.AT_LEAST, 3), (second + lit.AT_LEAST, 4)], False),
        ([(lit.IS, 0), (lit.IS, 5), (second + lit.IS_NOT, 0), (lit.AT_MOST, 4)], True),
        ([(lit.IS, 0), (second + lit.IS_NOT, 1)], False),
    ):
        learner = clause_search.ClauseSearch(compiled_of(m), start, REQUEST, {}).learner
        c = learner.state[of.LAST_CLAUSE] = learner.state[of.ARENA_TOP]
        learner.arena[c] = len(literals)
        learner.arena[c + of.C_LITERALS :][: 2 * len(literals)] = np.array(literals).reshape(-1)
        if right:
            audit.check(learner, 0)
        else:
            with pytest.raises(BackendFault, match=r"a learned clause, x0 .* excludes \["):
                audit.check(learner, 0)
    assert audit.checked == 4


def test_what_it_cannot_do_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    m = queens(6)
    for ask in (m.enumerate, m.count):
        with pytest.raises(UnsupportedRequest, match="backtracking:forward does the rest"):
            ask(solver=SOLVER)
    for options in ({"variable_order": "lexicographic"}, {"value_order": "random"}, {"trace": 10}):
        with pytest.raises(UnsupportedRequest, match="in its own order"):
            m.solve(solver=SOLVER, **options)
    monkeypatch.setattr(explained, "LARGEST", 5)
    with pytest.raises(UnsupportedConstraint, match="too many values; backtracking:forward takes every"):
        m.solve(solver=SOLVER)


def test_limits_end_it_and_a_run_does_not_depend_on_slices() -> None:
    model = random_formula(24, 102, 1)
    short = model.solve(solver=SOLVER, step_limit=12)
    assert short.statistics["decisions"] == 12
    assert short.stop_reason == "step_limit"
    whole = [model.solve(solver=SOLVER).statistics for _ in range(2)]
    single = solved(model).statistics  # audited, a call for each step
    names = ("nodes", "failures", "restarts", "clauses_learned", "literals_learned", "propagations")
    assert len({tuple(said[name] for name in names) for said in (*whole, single)}) == 1


def holed(number: int) -> Model:
    """Return a model of products, distances and tasks, whose variables lose values between their ends."""
    source = random.Random(number)
    m = Model("holes")
    x, z = m.intvar(0, 4, shape=3, name="x"), m.intvar(0, 9, shape=2, name="z")
    m += [z[0] == x[0] * x[1], z[1] == (abs(2 * x[1] - x[2]) if number % 3 == 1 else x[1] * x[2])]
    if number % 3 == 2:
        m += NoOverlap(x, [1, 2, 1])
    for _ in range(14):
        literals = []
        for v, most in source.sample([*((v, 4) for v in x), *((v, 9) for v in z)], 3):
            value = source.randint(0, most)
            literals.append(v != value if source.random() < 0.75 else v == value)
        m += Or(literals)
    m.minimize(source.choice([-1, 1]) * z[0] + source.choice([-2, 1]) * z[1] + source.choice([-1, 1]) * x[1])
    return m


def test_what_is_refused_for_a_value_in_between_is_explained_by_that() -> None:
    """A propagator that reads bounds alone may ask for one value, which was removed before."""
    for number in (141, 420, *sweep(20, 400)):
        model = holed(number)
        assert solved(model).objective == oracle.solve(model).optimum, number
