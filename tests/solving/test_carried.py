"""A callback's `StopIteration` comes through as it is, whatever generators lie between."""

from __future__ import annotations

from typing import Any

import pytest
from cpqueens.models.queens import queens

from cpqueens import AllDifferent, Model, cross_check


class Enough(StopIteration):
    pass


def enough(*_: Any) -> None:
    raise Enough("enough")


def unlucky(*_: Any) -> None:
    """Raise what a generator of the user's own makes of `StopIteration`."""
    next(next(iter(())) for _ in range(1))


@pytest.mark.parametrize(
    "solver",
    ["backtracking", "backtracking:forward", "backtracking:check", "cpsat", "python-constraint", "auto"],
)
def test_of_a_consumer(solver: str) -> None:
    with pytest.raises(Enough, match="enough") as raised:
        queens(6).enumerate(on_solution=enough, solver=solver)
    assert raised.value.__cause__ is None
    with pytest.raises(RuntimeError, match="generator raised StopIteration"):
        queens(6).enumerate(on_solution=unlucky, solver=solver)


@pytest.mark.parametrize("solver", ["backtracking", "cpsat", "auto", "local-search+cpsat"])
def test_of_improvements(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 5, shape=3, name="x")
    m += AllDifferent(x)
    m.maximize(x.sum())
    with pytest.raises(Enough, match="enough"):
        m.solve(solver=solver, on_improvement=enough)


def test_of_progress_and_verification() -> None:
    with pytest.raises(Enough):
        queens(12).count(solver="backtracking:check", on_progress=enough)
    with pytest.raises(Enough):
        cross_check(queens(5), ["backtracking"], verify=enough)
