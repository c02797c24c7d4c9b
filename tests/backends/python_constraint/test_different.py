"""AllDifferent on python-constraint over all shapes of terms, at the root and below."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from each import each

from cpqueens import AllDifferent, AllEqual, Among, Model

SOLVER = "python-constraint"


def solutions(model: Model, **options: object) -> set[tuple[int, ...]]:
    return {tuple(row) for row in model.enumerate(solver=SOLVER, **options).solutions.matrix.tolist()}


@each("constants", [[3, 3], [3, 4], [0, 0, 1], [7, 8, 9]])
@each("forwardcheck", [True, False])
def test_constants_among_the_terms(constants: list[int], forwardcheck: bool) -> None:
    model = Model()
    x = model.intvar(0, 4, shape=2, name="x")
    model.add(AllDifferent([x[0], *constants, x[1]]))
    expected = {
        row for row in itertools.product(range(5), repeat=2) if len({*row, *constants}) == 2 + len(constants)
    }
    assert solutions(model, forwardcheck=forwardcheck) == expected


@each("factors", [(2, 1, 1), (2, 2, 1), (-1, 2, 3), (3, -2, 1), (2, -2, -1)])
@each("shifts", [(0, 0, 0), (1, 0, 2), (-1, 3, 0)])
@each("forwardcheck", [True, False])
def test_multiples_among_the_terms(
    factors: tuple[int, ...], shifts: tuple[int, ...], forwardcheck: bool
) -> None:
    model = Model()
    x = model.intvar(-1, 3, shape=3, name="x")
    model.add(AllDifferent(np.array(factors) * x + np.array(shifts)))
    terms = [tuple(a * v + b for a, v, b in zip(factors, row, shifts, strict=True)) for row in grid()]
    expected = {row for row, values in zip(grid(), terms, strict=True) if len(set(values)) == 3}
    assert 0 < len(expected) < 125
    assert solutions(model, forwardcheck=forwardcheck) == expected


def grid() -> list[tuple[int, ...]]:
    return list(itertools.product(range(-1, 4), repeat=3))


@pytest.mark.parametrize("forwardcheck", [True, False])
def test_sums_among_the_terms(forwardcheck: bool) -> None:
    model = Model()
    x = model.intvar(-1, 3, shape=3, name="x")
    model.add(AllDifferent([x[0] + x[1], x[1] - 2 * x[2] + 1, x[2] + x[0], x[0]]))
    expected = {(a, b, c) for a, b, c in grid() if len({a + b, b - 2 * c + 1, c + a, a}) == 4}
    assert solutions(model, forwardcheck=forwardcheck) == expected


def test_the_same_variable_twice() -> None:
    model = Model()
    x = model.intvar(0, 3, shape=2, name="x")
    model.add(AllDifferent([x[0], 2 * x[0], x[1]]))
    expected = {(a, b) for a in range(4) for b in range(4) if len({a, 2 * a, b}) == 3}
    assert solutions(model) == expected


def test_the_same_variable_twice_among_equal_and_counted_ones() -> None:
    """The library's constraints stand for one variable each."""
    model = Model()
    x = model.intvar(0, 2, shape=2, name="x")
    model.add([AllEqual([x[0], x[0]]), Among([x[1], x[1]], {0, 1}, 2)])
    assert solutions(model) == {(a, b) for a in range(3) for b in range(2)}


@each("strategy", ["backtracking", "optimized", "recursive"])
@each("hinted", range(-1, 6))
def test_a_hint_that_filtering_took_away_is_not_tried(strategy: str, hinted: int) -> None:
    """The hint lies in the variable's domain, not in what constraints over it alone have left of it."""
    model = Model()
    x, y = model.intvar(0, 4, name="x"), model.intvar(0, 2, name="y")
    model += [x != 3, x >= 1, x + y <= 4]
    outcome = model.enumerate(solver=f"{SOLVER}:{strategy}", hint={"x": hinted})
    found = [tuple(row) for row in outcome.solutions.matrix.tolist()]
    assert sorted(found) == [(a, b) for a in (1, 2, 4) for b in range(3) if a + b <= 4]
    if hinted in (1, 2, 4):
        assert found[0][0] == hinted
