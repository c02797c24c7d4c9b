"""Each propagator in small models of its own: solutions, from anywhere on, and optima, as the oracle says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import AllDifferent, Model, Or, Table, any_, div_trunc, element, maximum, minimum, mod_trunc
from cpqueens.crosscheck import oracle

Post = Callable[[Model, Any, Any, Any], Any]

POSTS: dict[str, Post] = {
    "equal": lambda m, x, y, z: 2 * x - 3 * y + z == 1,
    "at most": lambda m, x, y, z: -2 * x + y - z <= -2,
    "different": lambda m, x, y, z: 2 * x - 2 * y + z != 2,
    "different, two variables": lambda m, x, y, z: 2 * x != y + 1,
    "truth of equal": lambda m, x, y, z: (x - y == 1).truth() == (z >= 1).truth(),
    "truth of a multiple": lambda m, x, y, z: (2 * x == 3).truth() + (2 * x == 2).truth() == (y == z).truth(),
    "truth of different": lambda m, x, y, z: (x + z != 2) ^ (y == 1),
    "truth of at most": lambda m, x, y, z: (x + y <= 1).truth() + (x - z > 0).truth() == 1,
    "clause": lambda m, x, y, z: Or(x == 2, y != 1, z < 0),
    "negated clause": lambda m, x, y, z: ~Or(x == 2, y > 1, z < 0),
    "truth of a clause": lambda m, x, y, z: Or(x == 2, y == 1).truth() == (z == 0).truth(),
    "absolute value": lambda m, x, y, z: abs(2 * x - y) == z + 1,
    "product": lambda m, x, y, z: x * y == z,
    "square": lambda m, x, y, z: (x - 1) ** 2 == y + z,
    "quotient": lambda m, x, y, z: (3 * x - 2) // (abs(y) + 1) == z,
    "truncated quotient": lambda m, x, y, z: div_trunc(3 * x - 2, -abs(y) - 1) == z,
    "remainder": lambda m, x, y, z: (3 * x - 4) % (-abs(y) - 2) == z - 1,
    "truncated remainder": lambda m, x, y, z: mod_trunc(3 * x - 4, abs(y) + 2) == z - 1,
    "minimum": lambda m, x, y, z: minimum(x + 1, y, 2 * z) == x,
    "maximum": lambda m, x, y, z: maximum(x, y - 1, -z) == y - 1,
    "element of integers": lambda m, x, y, z: element([3, 0, -1, 2], x + 1) == y,
    "element of terms": lambda m, x, y, z: element([y, z, 2 * y, x], z + 1) == x,
    "table": lambda m, x, y, z: Table([x, y, z], [(0, 1, 2), (2, 2, -1), (-1, 0, 0), (1, 1, 1), (0, 2, 2)]),
    "all different": lambda m, x, y, z: AllDifferent(x, y, z),
    "all different, multiples": lambda m, x, y, z: AllDifferent(2 * x + 1, 3 * y, z - 1, -x),
    "all different, sums": lambda m, x, y, z: AllDifferent(x + y, y - z, 2 * z, x - z, 1),
    "all different, equal sums": lambda m, x, y, z: AllDifferent(x + y, x + z, y + 1),
}


def models(post: Post) -> Iterator[Model]:
    """Yield models with the constraint over intervals, domains with gaps and an objective of either sense."""
    for gaps in (False, True):
        for sense in ("", "minimize", "maximize"):
            model = Model()
            x = model.intvar(-1, 2, name="x")
            y = model.intvar(domain=[-1, 1, 2], name="y") if gaps else model.intvar(-1, 2, name="y")
            z = model.intvar(domain=[-1, 0, 2], name="z") if gaps else model.intvar(-1, 2, name="z")
            model.add(post(model, x, y, z))
            if sense:
                getattr(model, sense)(2 * x - 3 * y + z + 5)
            yield model


@each("strategy", ["forward", "check"])
@each("name", POSTS)
def test_the_solutions_and_the_optimum_are_the_oracles(name: str, strategy: str) -> None:
    solver = f"backtracking:{strategy}"
    for model in models(POSTS[name]):
        truth = oracle.solve(model)
        listed = model.enumerate(solver=solver)
        assert np.array_equal(listed.solutions.matrix, truth.solutions)
        assert listed.complete
        if model.objective is not None:
            best = model.solve(solver=solver)
            assert (best.objective, best.complete) == (truth.optimum, True)
        elif len(truth.solutions):
            start = truth.solutions[len(truth.solutions) // 2]
            after = dict(zip("xyz", start.tolist(), strict=True))
            behind = model.enumerate(solver=solver, after=after).solutions.matrix
            assert np.array_equal(behind, truth.solutions[len(truth.solutions) // 2 + 1 :])


@each("name", POSTS)
@each("options", [{"variable_order": "smallest-domain"}, {"value_order": "random"}])
def test_other_orders_find_the_same_set(name: str, options: dict[str, str]) -> None:
    for model in models(POSTS[name]):
        found = model.enumerate(solver="backtracking:forward", **options).solutions.matrix
        assert {tuple(row) for row in found.tolist()} == oracle.solve(model).rows


def test_resuming_behind_any_assignment() -> None:
    model = Model()
    x = model.intvar(0, 3, shape=3, name="x")
    model += [AllDifferent(x), x[0] + x[1] != x[2]]
    truth = oracle.solve(model)
    for strategy in ("forward", "check"):
        for row in oracle.assignments(model):
            found = model.enumerate(solver=f"backtracking:{strategy}", after={"x": row}).solutions.matrix
            assert [tuple(r) for r in found.tolist()] == sorted(
                r for r in truth.rows if r > tuple(row.tolist())
            )


def test_wide_variables_are_halved() -> None:
    """Bounds only: no value of theirs is listed."""
    model = Model()
    x, y = model.intvar(-(2**40), 2**40, name="x"), model.intvar(-(2**40), 2**40, name="y")
    model += [x + y == 3, 5 * x - 3 * y >= 7, x <= 6]
    rows = model.enumerate(solver="backtracking:forward").solutions.matrix.tolist()
    assert rows == [[a, 3 - a] for a in range(-10, 7) if 5 * a - 3 * (3 - a) >= 7]


@pytest.mark.parametrize("false", ["==", "<=", "no literal"])
def test_what_has_no_variables_is_judged(false: str) -> None:
    model = Model()
    x = model.intvar(0, 2, shape=2, name="x")
    nothing = 0 * x[0] + 1
    model.add({"==": nothing == 0, "<=": nothing <= 0, "no literal": any_(x[:0] == 1)}[false])
    assert model.count(solver="backtracking:forward") == 0


def decisions(post: Callable[[Model, Any], Any], domains: list[Any]) -> tuple[int, int, int]:
    """Return how many solutions there are, and how many decisions were safe and not, in the order posted."""
    model = Model()
    post(model, [model.intvar(domain=domain, name=f"x{k}") for k, domain in enumerate(domains)])
    listed = model.enumerate(solver="backtracking:forward")
    assert np.array_equal(listed.solutions.matrix, oracle.solve(model).solutions)
    return len(listed.solutions.matrix), listed.statistics["nodes"], listed.statistics["failures"]


BIT, DIGIT = [0, 1], [0, 1, 2, 3, 4]


def test_values_that_no_row_of_a_table_has_are_never_tried() -> None:
    def post(model: Model, x: Any) -> None:
        model.add(Table(x, [(0, 1), (4, 1), (4, 3)]))

    assert decisions(post, [DIGIT] * 2) == (3, 3, 0)


def test_an_index_just_past_the_end_is_no_entry() -> None:
    def post(model: Model, x: Any) -> None:
        model.add((x[0] < 3).implies(element([x[1], x[2], x[1] + x[2]], x[0]) == 2))

    assert decisions(post, [[0, 1, 2, 3], [1, 2], [1, 2]])[0] == 4 + 2 + 2 + 1


def test_what_stands_behind_a_table_is_no_entry() -> None:
    """Here it is a variable that cannot be equal to any entry."""

    def post(model: Model, x: Any) -> None:
        inside = element([x[1], x[2], x[1] + x[2]], x[0] - 60) == 2
        model.add((x[0] < 63).implies(inside))

    assert decisions(post, [[60, 61, 62, 63], [1, 2], [1, 2]])[0] == 2 + 2 + 1 + 4


def test_a_solution_as_good_as_the_best_is_not_delivered() -> None:
    """Though nothing but the objective's own bound has changed since."""
    model = Model()
    x = model.intvar(0, 4, shape=2, name="x")
    model.minimize(x[0])
    outcome = model.solve(solver="backtracking:forward")
    assert (outcome.objective, outcome.statistics["delivered"]) == (0, 1)


def test_no_solution_is_lost_where_a_batch_is_full() -> None:
    model = Model()
    x = model.intvar(0, 5, shape=3, name="x")
    rows = model.enumerate(solver="backtracking:forward").solutions.matrix
    assert np.array_equal(rows, oracle.solve(model).solutions)
    assert len(rows) == 6 ** len(x)


def test_a_false_disjunction_decides_all_its_literals() -> None:
    def post(model: Model, x: Any) -> None:
        model.add(Or(x[1] == 1, x[2] == 1, x[3] == 1).truth() == x[0], x[0] == 0)

    assert decisions(post, [BIT] * 4) == (1, 1, 0)
