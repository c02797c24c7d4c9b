"""Our models in CPMpy: CPMpy's own evaluation of every assignment against the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cpqueens import AllDifferent, Model, UnsupportedRequest, from_cpmpy, to_cpmpy
from cpqueens.crosscheck import oracle
from cpqueens.errors import ModelError
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.constraints.kinds import KINDS
from cpqueens.language.functions import div_trunc, element, mod_trunc

cpmpy = pytest.importorskip("cpmpy", reason="CPMpy is not installed")


def accepted(model: Model) -> set[tuple[int, ...]]:
    """Every assignment that CPMpy's own evaluation accepts."""
    from cpmpy.expressions.utils import argval

    there = to_cpmpy(model)
    variables = [there.variables[model.name_of(v)] for v in model.decisions.tolist()]
    found = set()
    for row in oracle.assignments(model).tolist():
        for variable, value in zip(variables, row, strict=True):
            variable._value = bool(value) if variable.is_bool() else value
        if all(argval(c) for c in there.model.constraints):
            found.add(tuple(row))
    return found


def expected(model: Model) -> set[tuple[int, ...]]:
    return set(map(tuple, oracle.solve(model).solutions.tolist()))


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.filterwarnings("ignore")
def test_random_models_of_every_kind_mean_the_same(kind: str) -> None:
    for seed in range(3):
        model = random_model(seed, kinds=[kind], constraints=2)
        assert accepted(model) == expected(model), str(model)


def divided(m: Model, x: Any, y: Any) -> list[Any]:
    return [(x // y == 1) | (x % y == -1), ~(div_trunc(x, y) == -1), mod_trunc(x, 3) != -2]


def of_constants(m: Model, x: Any, y: Any) -> list[Any]:
    return [element([3, 0, -2], y) == x, -7 // y != 3, mod_trunc(-5, y) >= -1, (y == 2) | (5 % y == -1)]


@pytest.mark.parametrize("make", [divided, of_constants])
def test_partial_functions_mean_the_same(make: Any) -> None:
    m = Model()
    x, y = m.intvar(-4, 4, name="x"), m.intvar(domain=[-2, 0, 1, 2], name="y")
    m += make(m, x, y)
    assert accepted(m) == expected(m)
    assert expected(m)


def test_names_values_and_objective() -> None:
    m = Model("three")
    x = m.intvar(0, 4, shape=(1, 3), name="x")
    b = m.boolvar(name="b")
    m += [AllDifferent(x), b.implies(x[0, 0] == 0)]
    m.maximize(x.sum() + 2 * b)
    there = to_cpmpy(m)
    assert list(there.variables) == ["x[0,0]", "x[0,1]", "x[0,2]", "b"]
    assert there.model.solve()
    assert there.model.objective_value() == m.solve(solver="backtracking").objective == 9
    assert m.check(there.assignment()).ok


def test_there_and_back_again() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=4, name="x")
    m += [AllDifferent(x + np.arange(4)), AllDifferent(x - np.arange(4)), AllDifferent(x)]
    back = from_cpmpy(to_cpmpy(m).model).model
    assert back["x"].shape == (4,)
    assert back.count(solver="backtracking") == 2


def test_refused() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m.minimize(x[0], x[1])
    with pytest.raises(UnsupportedRequest, match="one objective"):
        to_cpmpy(m)
    with pytest.raises(ModelError, match="a model"):
        to_cpmpy(3)  # type: ignore[arg-type]
