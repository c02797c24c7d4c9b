"""Solving under assumptions: the same as posting them, and cores that brute force confirms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from seeds import seeds

from cpqueens import AllDifferent, Model, ModelError
from cpqueens.answers.check import Checker
from cpqueens.backends.cpsat.backend import CpSat
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.rebuild import Rebuilder, _only_row, own_constraints, rebuilt
from cpqueens.solving.assumptions import reduced


@pytest.fixture
def switched() -> Model:
    """Three different values of sum 12, and switches that ask for too much together."""
    model = Model("switched")
    x = model.intvar(0, 9, shape=3, name="x")
    b = model.boolvar(shape=4, name="b")
    model += [x.sum() == 12, AllDifferent(x), b[0].implies(x[0] >= 8), b[1].implies(x[1] >= 6)]
    return model


def apart(seed: int) -> tuple[Model, list[Any], Model]:
    """Return a random model without half of its constraints, these as assumptions, and the whole model.

    Without its objective: that is to be defined, too.
    """
    drawn = random_model(seed)
    whole = rebuilt(drawn, constraints=own_constraints(drawn), objective=False)
    posted = own_constraints(whole)
    half = rebuilt(whole, constraints=posted[::2], objective=False)
    rows = {v: _only_row(half[whole.name_of(v)]) for v in whole.decisions.tolist()}
    builder = Rebuilder(whole, half, rows)
    return half, [builder.constraint(p.constraint) for p in posted[1::2]], whole


@seeds(range(40))
def test_random_assumptions_mean_what_posting_them_means(solver: str, seed: int) -> None:
    model, assumptions, whole = apart(seed)
    before = model.constraint_count
    outcome = model.solve(solver, assumptions=assumptions)
    assert model.constraint_count == before
    exists = oracle.solve(whole).count > 0
    assert (outcome.solution is not None) == exists
    if exists:
        assert outcome.core is None
        assert outcome.model is model
        assert outcome.solution is not None
        assert Checker(whole).accepts(outcome.solution.values[None, :]).all()
        return
    assert outcome.status == "INFEASIBLE"
    assert outcome.core is not None
    assert outcome.core.minimal
    flat = _elements(assumptions)
    assert not _solutions(model, [flat[k] for k in outcome.core.positions])
    for left_out in outcome.core.positions:
        assert _solutions(model, [flat[k] for k in outcome.core.positions if k != left_out])


def _elements(assumptions: list[Any]) -> list[Any]:
    from cpqueens.solving.assumptions import as_assumptions

    return [one.truth for truth in assumptions for one in as_assumptions(truth.registry, [truth])]


def _solutions(model: Model, constraints: list[Any]) -> int:
    other = model.copy()
    other.add(constraints)
    return oracle.solve(other).count


def test_a_core_says_names_positions_and_texts(switched: Model, solver: str) -> None:
    x, b = switched["x"], switched["b"]
    outcome = switched.solve(solver, assumptions=[~b[2], b[0], x[2] >= 1, b[1]])
    assert outcome.core is not None
    assert (outcome.core.positions, outcome.core.names) == ((1, 3), (None, None))
    assert [assumption.text for assumption in outcome.core] == ["b[0]", "b[1]"]
    named = switched.solve(solver, assumptions={"low": x[0] <= 3, "switches": b[:2], "off": ~b[3]}).core
    assert named is not None
    assert "low" in named.names or named.names == ("switches[0]", "switches[1]")
    assert "a minimal core: 2 assumptions" in str(named)


def test_an_infeasible_model_needs_no_assumption(switched: Model, solver: str) -> None:
    switched += switched["x"][0] > 9
    outcome = switched.solve(solver, assumptions=[switched["b"]])
    assert outcome.core is not None
    assert (len(outcome.core), outcome.core.minimal) == (0, True)


def test_without_assumptions_there_is_no_core(switched: Model) -> None:
    switched += switched["x"][0] > 9
    assert switched.solve("backtracking").core is None
    assert switched.solve("backtracking", assumptions=None).core is None


def test_objectives_and_optimal_sets_under_assumptions(switched: Model, optimizer: str) -> None:
    x = switched["x"]
    switched.minimize(x[2], x[1])
    outcome = switched.solve(optimizer, assumptions=[x[0] == 3])
    assert (outcome.status, outcome.objectives) == ("OPTIMAL", (0, 9))
    best = switched.enumerate(solver=optimizer, optimal=True, assumptions=[x[0] == 3, switched["b"] == 0])
    assert (best.count, best.complete) == (1, True)
    assert switched.count(optimizer, assumptions=[x[0] == 3, x[1] == 1, switched["b"] == 0]) == 1


def test_a_heuristic_finds_under_assumptions_and_proves_nothing(switched: Model) -> None:
    found = switched.solve("local-search", assumptions=[switched["x"][0] == 3], time_limit=600)
    assert found[switched["x"][0]] == 3
    none = switched.solve("local-search", assumptions=[switched["b"][:2]], time_limit=0.2)
    assert (none.status, none.core) == ("UNKNOWN", None)


@pytest.mark.parametrize("said", [[0], [], None])
def test_a_wrong_core_of_a_backend_is_not_believed(
    switched: Model, monkeypatch: pytest.MonkeyPatch, said: list[int] | None
) -> None:
    def core(self: CpSat, model: Model, assumed: list[int], request: Any) -> list[int] | None:
        return None if said is None else [assumed[k] for k in said]

    monkeypatch.setattr(CpSat, "core", core)
    outcome = switched.solve("cpsat", assumptions=[switched["b"]])
    assert outcome.core is not None
    assert (outcome.core.positions, outcome.core.minimal) == ((0, 1), True)


def test_cpsat_is_asked_for_its_own_core(switched: Model) -> None:
    from cpqueens.backends.base import Clock, Request, Want

    guarded = switched.copy()
    b = guarded["b"]
    decisions = [int(b[k].variables[0, 0]) for k in range(4)]
    request = Request(Want.ONE, Clock(None))
    assert sorted(CpSat().core(guarded, decisions, request) or []) == decisions[:2]
    assert CpSat().core(guarded, decisions[2:], request) is None


REFUSED: dict[str, tuple[Callable[[Model], Any], str]] = {
    "text": (lambda m: "b", "a list of Booleans"),
    "number": (lambda m: 3, "a list of Booleans"),
    "no truth": (lambda m: [m["x"]], "is not Boolean"),
    "element": (lambda m: [3], "a constraint is needed"),
    "other model": (lambda m: [Model().boolvar()], "two different models"),
    "name": (lambda m: {3: m["b"]}, "name of an assumption"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_assumption_is_refused(switched: Model, case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises(ModelError, match=message) as caught:
        switched.solve(assumptions=make(switched))
    assert "\n" not in str(caught.value)


def test_a_reduction_that_is_over_asks_no_more() -> None:
    asked: list[list[int]] = []

    def infeasible(subset: list[int]) -> bool:
        asked.append(subset)
        return 3 in subset

    assert reduced(list(range(8)), infeasible, lambda: len(asked) >= 2) == ([2, 3, 4, 5, 6, 7], False)
    assert len(asked) == 2
    assert reduced(list(range(8)), infeasible, lambda: False) == ([3], True)
