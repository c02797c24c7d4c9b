"""A complete hint that is a solution is the first incumbent, whatever solver follows; its fate is said."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from each import each
from fake_backend import FakeBackend, installed

from cpqueens import AllDifferent, Model, UnsupportedRequest
from cpqueens.answers.outcome import StopReason
from cpqueens.backends import named
from cpqueens.backends.base import Ended, Feature
from cpqueens.backends.clock import by_processor

SOLVERS = ["auto", "backtracking", "cpsat", "local-search", "local-search+cpsat", "python-constraint"]
HINT = [4, 3, 2, 1]
TAKEN = "taken as first incumbent"


def different() -> Model:
    m = Model("different")
    x = m.intvar(0, 9, shape=4, name="x")
    m += AllDifferent(x)
    m.minimize(x @ [1, 2, 3, 4])
    return m


def optimizers() -> set[str]:
    return {name for name in named.available() if Feature.OBJECTIVE in named.get_backend(name).features}


def test_every_solver_that_optimises_is_tried() -> None:
    assert optimizers() <= {*SOLVERS, "minizinc"}


@each("solver", SOLVERS)
def test_a_solution_as_hint_is_the_first_incumbent(solver: str) -> None:
    seen: list[Any] = []
    with by_processor():
        outcome = different().solve(
            solver, hint={"x": HINT}, time_limit=1, on_improvement=lambda s: seen.append(s.as_dict()["x"])
        )
    assert seen[0] == HINT
    assert outcome.objective == 10
    assert outcome.statistics["hint"] == TAKEN
    assert outcome.solution is not None
    assert outcome.solution.check().ok


@pytest.mark.parametrize("solver", ["backtracking", "local-search", "python-constraint"])
def test_what_is_found_later_is_never_worse_than_the_hint(solver: str) -> None:
    outcome = different().solve(solver, hint={"x": [3, 2, 1, 0]}, step_limit=1)
    assert (outcome.objective, outcome.statistics["hint"]) == (10, TAKEN)


def test_a_model_that_is_maximised_and_several_objectives() -> None:
    m = Model()
    x = m.intvar(0, 9, shape=2, name="x")
    m += x.sum() <= 9
    m.maximize(x[0], x[1])
    seen: list[Any] = []
    outcome = m.solve("backtracking", hint={x: [5, 0]}, on_improvement=lambda s: seen.append(s[x].tolist()))
    assert seen[0] == [5, 0]
    assert outcome.objectives == (9, 0)


def test_a_callback_may_stop_at_the_hint() -> None:
    from cpqueens import STOP

    outcome = different().solve("backtracking", hint={"x": HINT}, on_improvement=lambda s: STOP)
    assert outcome.solution is not None
    assert (outcome["x"].tolist(), outcome.complete, str(outcome.stop_reason)) == (HINT, False, "callback")


def test_a_backend_that_claims_less_than_the_hint_is_no_liar() -> None:
    def run(model: Any, request: Any, deliver: Any) -> Ended:
        assert request.hint is None
        assert request.first.tolist() == HINT
        deliver(np.array([[9, 8, 7, 6]]))
        return dataclasses.replace(Ended(False, StopReason.TIME_LIMIT), objective=9 + 16 + 21 + 24)

    fake = FakeBackend(run, features=frozenset({Feature.OBJECTIVE}))
    with installed(fake):
        outcome = different().solve("fake", hint={"x": HINT})
    assert (outcome.objective, outcome["x"].tolist()) == (20, HINT)


@pytest.mark.parametrize("solver", ["cpsat", "local-search", "python-constraint"])
def test_a_hint_that_is_no_solution_says_why(solver: str) -> None:
    with by_processor():
        outcome = different().solve(solver, hint={"x": [4, 4, 2, 1]}, time_limit=1)
    assert outcome.statistics["hint"] != TAKEN
    (message,) = [text for text in outcome.messages if text.startswith("hint")]
    assert message.startswith("hint: no first incumbent, not a solution: AllDifferent(x)")
    assert message.endswith("x[0]=4 and x[1]=4")


def test_a_part_of_a_solution_is_begun_with() -> None:
    part = different().solve("local-search", hint={"x[0]": 4}, step_limit=20)
    assert part.statistics["hint"] == "started from"


def test_other_hints_are_for_solvers_that_know_them() -> None:
    for hint in ({"x": [4, 4, 2, 1]}, {"x[0]": 4}):
        outcome = different().solve("backtracking", hint=hint)
        assert (outcome.objective, outcome.statistics["hint"]) == (10, "not used")
        assert outcome.messages[-1] == (
            "hint: not used; backtracking takes a complete solution as hint, and nothing else"
        )
    plain = different()
    plain.drop_objectives()
    with pytest.raises(UnsupportedRequest, match=r"^backtracking cannot do 'hint'"):
        plain.solve("backtracking", hint={"x": HINT})


@each("solver", ["cpsat", "backtracking"])
@each("values,taken", [([0, 0, 0, 0], False), ([0, 1, 1, 0], True)])
def test_the_fate_of_a_hint_is_that_of_the_users_own(solver: str, values: list[int], taken: bool) -> None:
    m = Model()
    x = m.boolvar(shape=4, name="x")
    m.add(x.sum() == 2)
    m.minimize(x @ [1, 2, 3, 4], x[3])
    outcome = m.solve(solver, hint={x: values})
    assert outcome.objectives == (3, 0)
    assert (outcome.statistics["hint"] == TAKEN) is taken
    assert any(text.startswith("hint") for text in outcome.messages) is not taken
