"""What a callback raises comes through as it is, whatever lies between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cpqueens.models.queens import queens
from each import each

from cpqueens import AllDifferent, Model, ModelError, UnsupportedConstraint, cross_check, evaluate


class Enough(StopIteration):
    pass


def enough(*_: Any) -> None:
    raise Enough("enough")


def unlucky(*_: Any) -> None:
    """Raise what a generator of the user's own makes of `StopIteration`."""
    next(next(iter(())) for _ in range(1))


@each(
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
        queens(16).count(solver="backtracking:check", on_progress=enough)
    with pytest.raises(Enough):
        cross_check(queens(5), ["backtracking"], verify=enough)


def best_of_a_sum() -> Model:
    m = Model()
    x = m.intvar(0, 5, shape=3, name="x")
    m += AllDifferent(x)
    m.maximize(x.sum())
    return m


CALLS: dict[str, Callable[[Callable[..., Any]], Any]] = {
    "progress": lambda f: cross_check(queens(5), ["backtracking"], progress=f),
    "progress of heuristics": lambda f: cross_check(queens(5), ["local-search"], seeds=2, progress=f),
    "progress of functions": lambda f: cross_check(queens(5), [lambda *_: None], progress=f),
    "progress towards an optimum": lambda f: cross_check(
        best_of_a_sum(), ["python-constraint"], optimal=True, progress=f
    ),
    "a solver's log": lambda f: cross_check(queens(5), [("cpsat", {"log": f})]),
    "a solver's bounds": lambda f: cross_check(best_of_a_sum(), [("backtracking", {"on_progress": f})]),
    "verification": lambda f: cross_check(queens(5), ["backtracking"], verify=f),
    "progress of an evaluation": lambda f: evaluate(
        "local-search", queens(5), runs=1, reference_time=0, progress=f
    ),
    "the log of a solver in an evaluation": lambda f: evaluate(
        ("cpsat", {"log": f}), queens(5), runs=1, reference_time=0
    ),
    "the log of a run": lambda f: queens(5).solve("cpsat", log=f),
    "a consumer": lambda f: queens(5).enumerate(on_solution=f, solver="backtracking"),
    "improvements": lambda f: best_of_a_sum().solve("auto", on_improvement=f),
}


@each("name", CALLS)
def test_the_error_itself_comes_through(name: str) -> None:
    """It is no crash of the solver, no refusal, and nobody adds to it."""
    for kind in (ValueError, Enough, ModelError, UnsupportedConstraint, MemoryError):
        cause, error = KeyError("cause"), kind("mine")

        def fail(*_: Any, error: Exception = error, cause: Exception = cause) -> None:
            raise error from cause

        with pytest.raises(kind) as raised:
            CALLS[name](fail)
        assert raised.value is error
        assert error.__cause__ is cause
        assert str(error) == "mine"
