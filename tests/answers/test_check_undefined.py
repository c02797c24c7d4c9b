"""The checker on terms that are undefined, where no visible condition has refused them before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from each import each

from cpqueens import AllDifferent, GlobalCardinality, LinearArray, Model, element
from cpqueens.answers.check import Checker
from cpqueens.crosscheck import oracle
from cpqueens.language.definedness import defined_terms


def bare(
    *constraints: Callable[[Any, Any], Any], objective: Callable[[Any, Any], Any] | None = None
) -> Model:
    """Return a model of x in -1..4 and y in 0..2 without the conditions that are posted to be seen."""
    model = Model()
    x, y = model.intvar(-1, 4, name="x"), model.intvar(0, 2, name="y")
    for make in constraints:
        model.add(make(x, y))
    if objective is not None:
        model.minimize(objective(x, y))
    assert model.has_partial
    return model.without([k for k, p in enumerate(model.constraints) if p.source is None])


MODELS: dict[str, Model] = {
    "a relation that the filler satisfies": bare(lambda x, y: x // y <= 0),
    "one of several": bare(lambda x, y: x % (y + 1) >= 0, lambda x, y: x // y + x >= 0),
    "an entry of a shared table": bare(lambda x, y: element([6 // y, 1, 2, 0], x) >= 0),
    "a position": bare(lambda x, y: element([0, 1, 2], x) >= 0),
    "a global constraint": bare(lambda x, y: AllDifferent(x // y, 7, 8)),
    "two undefined terms": bare(lambda x, y: GlobalCardinality([x // y, x % y], [0, 5], [2, 0])),
    "an argument": bare(lambda x, y: abs(x // y - 1) <= 2),
    "a truth": bare(lambda x, y: (x // y == 0) | (x == 4)),
    "a false truth": bare(lambda x, y: ~(x // y == 0)),
    "a false truth of a narrow term": bare(lambda x, y: ~(element([0, 1], x) == 0)),
    "a divisor with gaps": bare(lambda x, y: 1 // x.registry.intvar(domain=[-2, 0, 3], name="z") <= 0),
    "the objective": bare(lambda x, y: x >= 0, objective=lambda x, y: x // y),
    "the objective alone": bare(objective=lambda x, y: element([4, 5], x) + 1),
}


@each("name", MODELS)
def test_what_is_accepted_is_what_the_oracle_says(name: str) -> None:
    model, checker = MODELS[name], Checker(MODELS[name])
    grid = oracle.assignments(model)
    wanted = oracle.TruthTable(model, grid).accepted()
    assert wanted.any()
    assert not wanted.all()
    assert checker.accepts(grid).tolist() == wanted.tolist()
    assert (checker.violation(grid) == 0).tolist() == wanted.tolist()
    found = [checker.explain(row) for row in grid]
    assert [f.ok for f in found] == wanted.tolist()
    assert [f.amount for f in found] == checker.violation(grid).tolist()


def test_what_is_undefined_is_said_and_its_filler_is_not_shown() -> None:
    model = bare(lambda x, y: x // y + x >= 0, objective=lambda x, y: x % y)
    relation, objective = model.check({"x": 3, "y": 0}).violations
    assert (relation.amount, relation.undefined) == (1, "x // y: divisor y = 0")
    assert dict(relation.values) == {"x": 3}
    assert (objective.amount, objective.undefined) == (1, "x % y: divisor y = 0")
    assert model.check({"x": 3, "y": 1}).ok


def test_a_truth_of_a_narrow_term_is_false_where_the_term_is_undefined() -> None:
    """By numbers: a model that is built wrong is wrong for the oracle, too."""
    for make, right in (
        (lambda e, y: ~(e == 0), 15),  # 18 assignments but for x = 0
        (lambda e, y: 3 * (e == 0) + y == 1, 5),  # where x is not 0, y is 1
        (lambda e, y: e == 0, 3),
        (lambda e, y: e != 0, 3),
    ):
        model = bare(lambda x, y, make=make: make(element([0, 1], x), y))
        assert Checker(model).accepts(oracle.assignments(model)).sum() == right


def test_what_only_fills_a_row_may_be_undefined() -> None:
    """Rows of fewer variables than others are filled with any variable, times 0."""
    m = Model()
    x = m.intvar(0, 2, name="x")
    quotient = 6 // x
    variables = np.array([[x.variable_list[0], quotient.variable_list[0]]])
    filled = LinearArray(m, (1,), variables, np.array([[1, 0]]), np.array([0]))
    defined = np.ones((1, m.variable_count), dtype=bool)
    defined[0, variables[0, 1]] = False
    assert defined_terms(filled, defined).tolist() == [[True]]
    assert defined_terms(quotient.reshape(1), defined).tolist() == [[False]]
