"""Comparing objectives: best values, and the sets of optimal solutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cpqueens import AllDifferent, Model, compare, maximum
from cpqueens.crosscheck.equivalence import SAME
from cpqueens.crosscheck.two_models import ModelRelation
from cpqueens.fuzzing.generate import random_model

EQUAL, A_IN_B, DISJOINT = ModelRelation.EQUAL, ModelRelation.A_IN_B, ModelRelation.DISJOINT


def stated(*statements: Callable[[Any], Any], least: Any = None, most: Any = None, high: int = 4) -> Model:
    m = Model()
    x = m.intvar(0, high, shape=3, name="x")
    m.add(*(statement(x) for statement in statements))
    if least is not None:
        m.minimize(least(x))
    if most is not None:
        m.maximize(most(x))
    return m


def test_the_same_objective_in_other_words_needs_no_optimum() -> None:
    a = stated(AllDifferent, least=lambda x: x.sum())
    b = stated(AllDifferent, least=lambda x: x[2] + x[1] + x[0])
    found = compare(a, b)
    assert (found.equal, found.optima, found.exit_code) == (True, (3, 3), 0)
    assert found.optimal is not None
    assert found.proofs[SAME] == ("they are stated in the same words",)
    assert "optimal solutions: EQUAL" in str(found)
    b.minimize(maximum(b["x"][0] + b["x"][1], 0) + b["x"][2])
    found = compare(a, b)
    assert found.equal
    assert "cpsat" in found.proofs[SAME]


def test_equal_best_values_of_different_solutions() -> None:
    a = stated(AllDifferent, least=lambda x: x[0] + x[1])
    b = stated(AllDifferent, least=lambda x: x[1] + x[2])
    found = compare(a, b)
    assert (found.verdict, found.optima, found.equal, found.exit_code) == (EQUAL, (1, 1), False, 1)
    assert found.optimal is not None
    assert found.optimal.verdict is DISJOINT
    for difference in found.optimal.differences:
        accepting, refusing = (a, b) if difference.accepted == "a" else (b, a)
        values = difference.values
        assert accepting.check(dict(values)).ok
        assert any("best value" in reason for reason in difference.reasons)
        assert refusing.check(dict(values)).ok  # it is a solution there, but no best one
    assert "optimal solutions: DISJOINT" in str(found)


def test_the_same_best_solutions_with_other_values() -> None:
    a = stated(AllDifferent, least=lambda x: x[0])
    b = stated(AllDifferent, most=lambda x: -2 * x[0])
    found = compare(a, b)
    assert (found.optima, found.equal) == ((0, 0), True)
    assert found.optimal is not None
    assert found.optimal.verdict is EQUAL
    b.maximize(7 - b["x"][0])
    found = compare(a, b)
    assert (found.optima, found.equal, found.different) == ((0, 7), False, True)
    assert found.optimal is not None
    assert found.optimal.verdict is EQUAL


def test_solutions_are_those_where_the_objective_is_defined() -> None:
    a = stated(least=lambda x: x[0] // x[1])
    b = stated(least=lambda x: x[0] * x[1])
    found = compare(a, b)
    assert (found.verdict, found.different) == (A_IN_B, True)
    (difference,) = found.differences
    assert (difference.accepted, difference.values["x[1]"]) == ("b", 0)
    assert difference.reasons == ("range of x[0] // x[1]: x[1] != 0",)
    assert compare(stated(lambda x: x[1] != 0, least=lambda x: x[0] * x[1]), a).verdict is EQUAL
    never = stated(least=lambda x: x[0] // (x[1] - x[1]))
    found = compare(never, b)
    assert (found.verdict, found.optima, never.count()) == (A_IN_B, (None, 0), 0)


def test_fewer_solutions_with_the_same_best_ones() -> None:
    a = stated(AllDifferent, lambda x: x.sum() <= 4, least=lambda x: x.sum())
    b = stated(AllDifferent, least=lambda x: x.sum())
    found = compare(a, b)
    assert (found.verdict, found.optima, found.equal) == (A_IN_B, (3, 3), False)
    assert found.optimal is not None
    assert found.optimal.verdict is EQUAL
    a += a["x"][0] < a["x"][1]
    found = compare(a, b)
    assert found.optimal is not None
    assert found.optimal.verdict is A_IN_B


def test_several_objectives_in_their_order() -> None:
    a, b = stated(AllDifferent), stated(AllDifferent)
    a.minimize(a["x"].sum(), a["x"][0])
    b.minimize(b["x"].sum(), b["x"][1])
    found = compare(a, b)
    assert found.optima == ((3, 0), (3, 0))
    assert found.optimal is not None
    assert found.optimal.verdict is DISJOINT


def test_without_solutions_all_is_equal() -> None:
    impossible = lambda x: x.sum() > 99  # noqa: E731
    a, b = stated(impossible, least=lambda x: x[0]), stated(impossible, least=lambda x: x[1])
    found = compare(a, b)
    assert (found.verdict, found.optima) == (EQUAL, (None, None))
    assert found.equal


def test_best_values_that_nobody_proved_are_not_called_equal() -> None:
    def hard(**objective: Any) -> Model:
        m = Model()
        x = m.intvar(0, 10**6, shape=60, name="x")
        m += AllDifferent((x * x) // 7)
        (name, term), *_ = objective.items()
        getattr(m, name)(term(x))
        return m

    a = hard(minimize=lambda x: sum(x[k] * x[k + 1] // 3 for k in range(59)))
    b = hard(minimize=lambda x: sum(x[k] * x[k - 1] // 3 for k in range(59)))
    found = compare(a, b, time_limit=1)
    assert found.verdict in (EQUAL, ModelRelation.NO_DIFFERENCE_FOUND)
    assert not found.equal
    assert found.exit_code == 3
    assert "not proved" in str(found)


def test_one_objective_alone_is_said() -> None:
    found = compare(stated(AllDifferent, least=lambda x: x[0]), stated(AllDifferent))
    assert found.equal
    assert "only a has an objective" in str(found)


@pytest.mark.parametrize("first", [0, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_objectives_are_those_of_brute_force(first: int) -> None:
    from random import Random

    compared = 0
    for seed in range(first, first + (15 if first == 0 else 200)):
        random = Random(seed)
        a = random_model(random)
        if not a.goals or a.soft or not len(a.decisions):
            continue
        b = a.copy()
        b.drop_objectives()
        x = b[b.name_of(int(random.choice(b.decisions.tolist())))]
        (b.minimize if random.random() < 0.5 else b.maximize)(random.choice((1, -1)) * x)
        try:
            found = compare(a, b, time_limit=600)
        except ValueError:
            continue
        compared += 1
        best = [
            {tuple(s.values.tolist()) for s in m.enumerate(solver="cpsat", optimal=True).solutions}
            for m in (a, b)
        ]
        if found.optimal is not None:
            assert (found.optimal.verdict is EQUAL) == (best[0] == best[1]), seed
            assert (found.optimal.verdict is DISJOINT) == (not best[0] & best[1] and all(best)), seed
    assert compared
