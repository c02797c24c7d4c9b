"""Soft constraints: what they cost, in whatever the objective is, and what is said of the violated ones."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import Model, ModelError, all_, any_, cross_check, maximum
from cpqueens.answers.check import Checker
from cpqueens.crosscheck import oracle
from cpqueens.files.modelfile import dump_model, model_digest, parse_model
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.rebuild import Rebuilder, _only_row, own_constraints, rebuilt


@pytest.fixture
def shifts() -> Model:
    """A start that is to be late and early at once."""
    model = Model("shifts")
    x = model.intvar(0, 9, name="x")
    model.add_soft(x >= 7, weight=3, name="late")
    model.add_soft(x <= 5, weight=2, name="early")
    return model


def softened(seed: int) -> tuple[Model, np.ndarray, np.ndarray]:
    """Return a random model, some of whose constraints are soft, its solutions, and their penalties."""
    model, random = random_model(seed), Random(seed)
    posted = own_constraints(model)
    chosen = [bool(random.randint(0, 1)) for _ in posted]
    soft = [p for p, is_soft in zip(posted, chosen, strict=True) if is_soft]
    kept = [p for p, is_soft in zip(posted, chosen, strict=True) if not is_soft]
    hard = rebuilt(model, constraints=kept, objective=False)
    solutions = oracle.solve(hard).solutions
    penalties = np.zeros(len(solutions), dtype=np.int64)
    rows = {v: _only_row(hard[model.name_of(v)]) for v in model.decisions.tolist()}
    for p in soft:
        weight = random.randint(1, 4)
        constraint = Rebuilder(model, hard, rows).constraint(p.constraint)
        hard.add_soft(constraint if constraint.shape == () else all_(constraint), weight=weight)
        alone = rebuilt(model, constraints=[p], objective=False)
        if len(solutions):
            penalties += weight * ~Checker(alone).accepts(solutions)
    return hard, solutions, penalties


@each("seed", range(30))
def test_random_soft_constraints_cost_what_brute_force_says(optimizer: str, seed: int) -> None:
    model, solutions, penalties = softened(seed)
    outcome = model.solve(optimizer)
    if not len(solutions):
        assert outcome.status == "INFEASIBLE"
        return
    assert outcome.complete or not model.soft
    assert outcome.penalty == penalties.min()
    assert model.check(outcome).penalty == sum(v.penalty for v in outcome.violated) == penalties.min()
    if model.soft:
        assert outcome.objective == penalties.min()
        best = model.enumerate(optimal=True, solver=optimizer)
        assert best.count == (penalties == penalties.min()).sum()


def test_what_is_violated_is_said_by_name_line_and_penalty(shifts: Model) -> None:
    outcome = shifts.solve("backtracking")
    (violation,) = outcome.violated
    assert (violation.name, violation.penalty, outcome.penalty) == ("early", 2, 2)
    assert violation.where.startswith(__file__)
    assert "early" in str(violation)
    assert "penalty 2" in str(violation)
    assert outcome.solution is not None
    assert outcome.solution.check().soft == outcome.violated


OBJECTIVES: list[tuple[Callable[[Model, Any], None], tuple[int, ...], int]] = [
    (lambda m, x: m.minimize(x), (3,), 0),
    (lambda m, x: m.maximize(x), (7,), 9),
    (lambda m, x: m.maximize(2 * x), (16,), 9),
    (lambda m, x: m.minimize(m.penalties, x), (2, 7), 7),
    (lambda m, x: m.minimize(-x, m.penalties), (-9, 2), 9),
    (lambda m, x: m.then_maximize(x), (7,), 9),
    (lambda m, x: m.minimize(x + m.penalties), (3,), 0),
    (lambda m, x: m.minimize(2 * x - -10 * m.penalties), (30,), 0),
    (lambda m, x: m.maximize(x - 10 * m.penalties), (-11,), 9),
    (lambda m, x: m.minimize(sum([x, 10 * m.penalties]), x), (27, 7), 7),
    (lambda m, x: m.minimize(np.sum([m.penalties, x, 9 * m.penalties])), (27,), 7),
    (lambda m, x: m.minimize(10 * maximum(m.penalties, 2) + x), (27,), 7),
    (lambda m, x: m.minimize(abs(m.penalties - 3), x), (0, 0), 0),
]


def test_penalties_are_terms(shifts: Model, solver: str) -> None:
    x, cost = shifts["x"], shifts.penalties
    shifts += [cost != 3, x != 9]
    assert str(cost != 3) == "penalties != 3"
    found = {int(s[x]): int(s[cost]) for s in shifts.solutions(solver)}
    assert found == {6: 5, 7: 2, 8: 2}


def test_penalties_say_what_they_are_made_of() -> None:
    m = Model()
    x = m.intvar(0, 9, name="x")
    assert str(m.penalties) == "penalties (of no soft constraints)"
    m.add_soft(x >= 7, weight=3, name="late")
    first = m.penalties
    m.add_soft(x <= 5)
    assert str(first) == "penalties (weight 3: late: x >= 7)"
    assert str(m.penalties) == "penalties (weight 3: late: x >= 7; weight 1: x <= 5)"
    assert str(2 * m.penalties) == "2*penalties"


@pytest.mark.parametrize("case", range(len(OBJECTIVES)))
def test_penalties_beside_an_objective(shifts: Model, optimizer: str, case: int) -> None:
    state, values, best = OBJECTIVES[case]
    state(shifts, shifts["x"])
    outcome = shifts.solve(optimizer)
    assert outcome.objectives == values
    assert outcome[shifts["x"]] == best


def test_the_order_of_statements_does_not_matter() -> None:
    model = Model()
    x = model.intvar(0, 9, name="x")
    model.minimize(model.penalties, x)
    model.add_soft(x >= 7, weight=3)
    assert model.solve("backtracking").objectives == (0, 7)
    model.minimize(x)
    model.add_soft(x >= 3, weight=9)
    assert model.solve("backtracking").objectives == (6,)
    model.minimize(2 * model.penalties + x)
    model.add_soft(x >= 9, weight=4)
    again = parse_model(dump_model(model))
    assert {str(m).splitlines()[-1] for m in (model, again)} == {
        "  minimize x + 2 * <the penalties of all soft constraints>"
    }
    assert model.solve("backtracking").objectives == again.copy().solve("cpsat").objectives == (9,)
    assert rebuilt(model).solve("backtracking").objectives == (9,)


def test_each_element_has_its_weight() -> None:
    model = Model()
    b = model.boolvar(shape=3, name="b")
    model += b.sum() == 1
    model.add_soft(b == [1, 0, 1], [b[2], any_([b[0], b[1]])], weight=1)
    model.add_soft(b, weight=[1, 2, 4])
    outcome = model.solve("backtracking")
    assert outcome[b].tolist() == [0, 0, 1]
    assert outcome.penalty == 1 + 1 + 3
    assert [v.penalty for v in outcome.violated] == [1, 1, 1, 2]


def test_one_by_one_they_are_the_same_truths() -> None:
    made = []
    for apart in (False, True):
        m = Model()
        x = m.intvar(0, 5, shape=4, name="x")
        for one in [*(x[:-1] + x[1:] >= 7), *(x == 2)] if apart else [x[:-1] + x[1:] >= 7, x == 2]:
            m.add_soft(one, weight=3)
        m.minimize(m.penalties, x.sum())
        made.append((m.variable_count, m.solve(solver="backtracking").objectives, m.count(optimal=True)))
    assert made[0] == made[1]


def test_an_undefined_soft_constraint_is_violated(optimizer: str) -> None:
    model = Model()
    x, y = model.intvar(0, 2, shape=2, name="x")
    model.add_soft(x // y == 5, weight=2, name="quotient")
    model.minimize(model.penalties, y)
    outcome = model.solve(optimizer)
    assert outcome.objectives == (2, 0)
    assert outcome.violated[0].name == "quotient"


def test_the_check_of_an_assignment_knows_them(shifts: Model) -> None:
    checked = shifts.check({"x": 6})
    assert checked.ok
    assert (checked.penalty, len(checked.soft)) == (5, 2)
    assert "a solution" in str(checked)
    assert "late" in str(checked)
    assert shifts.check({"x": 12}).soft == ()


def test_solvers_agree_and_all_feasible_solutions_are_listed(shifts: Model) -> None:
    assert cross_check(shifts, ["cpsat", "backtracking", "python-constraint", "exhaustive"]).agree
    assert shifts.count("backtracking") == 10


def test_files_keep_them(shifts: Model) -> None:
    x = shifts["x"]
    shifts.add_soft(any_([x == 3, x == 4]), x != [4, 5], weight=4, name="several")
    shifts.minimize(shifts.penalties, x)
    text = dump_model(shifts)
    again = parse_model(text)
    assert dump_model(again) == text
    assert model_digest(again) == model_digest(shifts)
    ours, theirs = shifts.solve("backtracking"), again.solve("backtracking")
    assert ours.objectives == theirs.objectives
    assert [(v.name, v.penalty) for v in ours.violated] == [(v.name, v.penalty) for v in theirs.violated]
    other = shifts.copy()
    other.add_soft(x == 1)
    assert model_digest(other) != model_digest(shifts)
    assert len(shifts.soft) < len(other.soft)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('"weight":3', "soft[0].weight: weight: integers of at least 1 are needed, got 0"),
        ('"weight":2', "soft[1]: weights of shape (2,) do not fit"),
    ],
)
def test_files_with_bad_weights(shifts: Model, change: str, message: str) -> None:
    bad = '"weight":0' if change.endswith("3") else '"weight":[1,2]'
    with pytest.raises(ModelError) as caught:
        parse_model(dump_model(shifts).replace(change, bad))
    assert message in str(caught.value)


REFUSED: dict[str, tuple[Callable[[Model, Any], Any], str]] = {
    "no weight": (lambda m, x: m.add_soft(x == 1, weight=0), "weight: integers of at least 1"),
    "broken weight": (lambda m, x: m.add_soft(x == 1, weight=0.5), "weight: integers"),
    "shape": (lambda m, x: m.add_soft(x == [1, 2], weight=[1, 2, 3]), "do not fit constraints of shape"),
    "no constraint": (lambda m, x: m.add_soft(3), "a constraint is needed"),
    "maximal penalties": (lambda m, x: m.maximize(m.penalties), "penalties are minimised"),
    "maximal arithmetic": (lambda m, x: m.maximize(2 * m.penalties - m.penalties), "penalties are minimised"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_sense_is_refused(shifts: Model, case: str) -> None:
    ask, message = REFUSED[case]
    with pytest.raises(ModelError, match=message) as caught:
        ask(shifts, shifts["x"])
    assert "\n" not in str(caught.value)


def test_without_objectives_nothing_is_soft(shifts: Model) -> None:
    shifts.drop_objectives()
    assert (shifts.soft, shifts.goals) == ([], ())
    outcome = shifts.solve("backtracking")
    assert (outcome.objective, outcome.penalty, outcome.violated) == (None, 0, ())


def test_a_model_without_variables_can_be_soft() -> None:
    model = Model()
    model.add_soft([True, False], weight=2)
    model.add_soft(False, name="never")
    outcome = model.solve("backtracking")
    assert outcome.objective == outcome.penalty == model.check({}).penalty == 3
    assert [v.name for v in outcome.violated] == [None, "never"]


def test_weights_may_be_floats_that_are_integers() -> None:
    """A column of pandas with one 2.5 makes all of them floats; that one is blamed."""
    m = Model()
    x = m.boolvar(shape=2, name="x")
    m.add_soft(x == 1, weight=[5.0, 2.0])
    m.add(x.sum() <= 1)
    assert m.solve("backtracking").penalty == 2
    with pytest.raises(ModelError, match=r"weight: integers only, got 2\.5 at 1; in units of 1/10"):
        m.add_soft(x == 1, weight=[5.0, 2.5])
