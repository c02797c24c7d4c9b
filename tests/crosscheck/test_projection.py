"""Comparing models with variables of their own, where there are far too many candidates to try one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cpqueens import AllDifferent, Inverse, Model, compare, element
from cpqueens.crosscheck.functional import functions_of
from cpqueens.crosscheck.two_models import ModelRelation


def over(shape: int, high: int, state: Callable[[Model, Any], Any]) -> Model:
    m = Model()
    x = m.intvar(0, high, shape=shape, name="x")
    m.add(state(m, x))
    return m


def total(m: Model, x: Any, *, least: int) -> list[Any]:
    """The sum as a variable of its own, and its half rounded down as another one."""
    s, half = m.intvar(0, 100, name="s"), m.intvar(0, 50, name="half")
    return [x.sum() - s == 0, half - s // 2 == 0, half >= least]


def dual(m: Model, x: Any) -> list[Any]:
    y = m.intvar(0, x.size - 1, shape=x.size, name="y")
    return [Inverse(x, y), y[0] <= 7]


def some_other(m: Model, x: Any, *, values: int) -> list[Any]:
    """Some value is none of the terms': no function of these."""
    y = m.intvar(0, values, name="y")
    return [x != y]


def chain(m: Model, x: Any, *, last: int) -> list[Any]:
    y = m.intvar(0, 60, shape=3, name="y")
    return [y[1] == y[0] + x[1], y[0] == x[0], y[2] == y[1] + abs(x[2] - x[3]), y[2] <= last]


def entry(m: Model, x: Any) -> list[Any]:
    y = m.intvar(2, 9, name="y")
    return [y == element([5, 1, 7, 3], x[0]), y != 7]


EQUAL, A_IN_B, B_IN_A = ModelRelation.EQUAL, ModelRelation.A_IN_B, ModelRelation.B_IN_A
PAIRS: dict[str, tuple[Model, Model, ModelRelation]] = {
    "a sum": (
        over(6, 15, lambda m, x: x.sum() >= 20),
        over(6, 15, lambda m, x: total(m, x, least=10)),
        EQUAL,
    ),
    "a sum, one less": (
        over(6, 15, lambda m, x: x.sum() >= 20),
        over(6, 15, lambda m, x: total(m, x, least=9)),
        A_IN_B,
    ),
    "a dual": (
        over(9, 8, lambda m, x: [AllDifferent(x), x[8] != 0]),
        over(9, 8, dual),
        EQUAL,
    ),
    "a chain": (
        over(4, 20, lambda m, x: x[0] + x[1] + abs(x[2] - x[3]) <= 60),
        over(4, 20, lambda m, x: chain(m, x, last=60)),
        EQUAL,
    ),
    "a chain, cut": (
        over(4, 20, lambda m, x: x[0] >= 0),
        over(4, 20, lambda m, x: chain(m, x, last=59)),
        B_IN_A,
    ),
    "an entry": (over(5, 9, lambda m, x: (x[0] == 0) | (x[0] == 3)), over(5, 9, entry), EQUAL),
    "some other value": (
        over(6, 15, lambda m, x: x[0] >= 0),
        over(6, 15, lambda m, x: some_other(m, x, values=6)),
        EQUAL,
    ),
    "some other value of too few": (
        over(6, 15, lambda m, x: x[0] >= 0),
        over(6, 15, lambda m, x: some_other(m, x, values=5)),
        B_IN_A,
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_projected_away_is_not_listed(name: str) -> None:
    a, b, expected = PAIRS[name]
    found = compare(a, b, mapping={"x": "x"}, time_limit=600, solvers=("cpsat",))
    assert found.verdict is expected
    assert not any("one by one" in text for by in found.proofs.values() for text in by)
    for difference in found.differences:
        accepting, refusing = (a, b) if difference.accepted == "a" else (b, a)
        for model, holds in ((accepting, True), (refusing, False)):
            fixed = model.copy()
            fixed.add([fixed["x"][k] == v for k, v in enumerate(difference.values.values())])
            assert (fixed.solve(solver="cpsat").solution is not None) is holds
        assert difference.reasons


def test_which_variables_are_functions() -> None:
    m = Model()
    x = m.intvar(0, 5, shape=2, name="x")
    y = m.intvar(-9, 9, shape=6, name="y")
    m += [y[0] == x[0], y[1] + y[0] + x[1] == 3, 2 * y[2] == x[0], y[3] == x[0] // x[1], y[4] <= x[0]]
    m += abs(y[5]) == x[1]
    own = m.decisions.tolist()
    assert set(functions_of(m, set(own[:2]))) == set(own[2:4])
