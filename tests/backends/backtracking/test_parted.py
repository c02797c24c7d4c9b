"""Independent parts of a model are made best apart and put together, as brute force says."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cpqueens import (
    AllDifferent,
    Count,
    GlobalCardinality,
    Model,
    NoOverlap,
    Or,
    Status,
    StopReason,
    Table,
    element,
    maximum,
)
from cpqueens.backends.backtracking import alternating
from cpqueens.backends.base import Request
from cpqueens.crosscheck import oracle
from cpqueens.lowered.forms import compile_model
from cpqueens.lowered.presolve.parts import MOST, parts_of

SOLVER = "backtracking:forward"


@pytest.fixture(autouse=True)
def _parting_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alternating, "JOINING", 1)
    monkeypatch.setattr(alternating, "TURN", 3)


PARTS: tuple[Callable[[random.Random, Any], Any], ...] = (
    lambda source, x: (AllDifferent(x), x[0] + 2 * x[1] != 3),
    lambda source, x: (x[0] * x[1] + x[2] >= source.randint(1, 6), (x[0] == 1) | (x[2] == 2)),
    lambda source, x: (Table(x[:2], [(0, 1), (1, 2), (2, 0), (3, 3)]), x[2] > x[0] - 1),
    lambda source, x: (Count(x, 1, ">=", 1), element([3, 1, 0, 2], x[0]) != x[1]),
    lambda source, x: (GlobalCardinality(x, [0, 3], [1, 1]), maximum(x[:2]) <= 2),
    lambda source, x: (NoOverlap(x, [2, 1, 1]), Or(x[1] == 0, x[2] == 3)),
    lambda source, x: (x[0] - x[1] >= 2, x[1] - x[2] >= source.randint(1, 2)),  # at times impossible
)


def several(seed: int) -> Model:
    """Return two parts of three variables each, one that is free, one that is fixed and one with gaps."""
    source = random.Random(seed)
    m = Model()
    cost: Any = source.randint(-5, 5)
    for k in range(2):
        x = m.intvar(0, 3, shape=3, name=f"x{k}")
        m.add(*source.choice(PARTS)(source, x))
        cost += sum(source.randint(-3, 3) * v for v in x) + source.randint(0, 2) * abs(x[0] - x[2])
    free, fixed, gaps = m.intvar(-1, 1, name="free"), m.intvar(7, 7, name="fixed"), m.intvar(domain=[1, 5, 6])
    m.add(gaps != 5, m["x0"][0] + fixed <= 9, fixed - m["x1"][2] <= 6)
    cost += source.choice([-1, 0, 2]) * free + 3 * fixed + source.choice([0, -4]) * gaps
    (m.minimize if source.random() < 0.5 else m.maximize)(cost)
    return m


@pytest.mark.parametrize("seed", [k if k < 5 else pytest.param(k, marks=pytest.mark.slow) for k in range(40)])
def test_the_best_of_several_parts_is_that_of_the_whole(seed: int) -> None:
    m = several(seed)
    truth = oracle.solve(m)
    outcome = m.solve(solver=SOLVER)
    assert outcome.complete
    if not len(truth.solutions):
        assert outcome.status is Status.INFEASIBLE
        return
    assert outcome.objective == outcome.bound == truth.optimum
    assert m.check(outcome.solution)


def shops(many: int, source: random.Random) -> Model:
    """Return rows of numbers whose neighbours' differences cost something, which nothing connects."""
    m = Model()
    cost: Any = 0
    for k in range(many):
        x = m.intvar(0, 4, shape=5, name=f"x{k}")
        m.add(AllDifferent(x))
        cost += sum(source.randint(1, 9) * abs(a - b) for a in x for b in x[:2] if a is not b)
    m.minimize(cost)
    return m


def test_parts_are_searched_apart_after_a_while() -> None:
    one, three = shops(1, random.Random(1)), shops(3, random.Random(1))
    alone = one.solve(solver=SOLVER)
    together = three.solve(solver=SOLVER)
    assert together.complete
    assert together.statistics["parts"] == 3
    assert "3 independent parts were searched apart" in together.statistics["reason"]
    assert "parts" not in alone.statistics
    assert together.statistics["failures"] < 8 * alone.statistics["failures"]


@pytest.mark.parametrize("maximizing", [False, True])
def test_a_stopped_search_of_parts_claims_no_more_than_it_knows(
    maximizing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    m = shops(3, random.Random(2))
    if maximizing:
        m.maximize(-1 * m.objective)
    sign = -1 if maximizing else 1
    best = sign * m.solve(solver=SOLVER).objective
    parted = 0
    for calls in range(3, 60, 9):
        left = iter([False] * calls)
        monkeypatch.setattr(Request, "should_stop", lambda _, left=left: next(left, True))
        told: list[Any] = []
        outcome = m.solve(solver=SOLVER, time_limit=1000, on_progress=told.append)
        parted += "parts" in outcome.statistics
        bounds = [sign * one["bound"] for one in told if "bound" in one] + [sign * outcome.bound]
        assert max(bounds) <= best
        assert outcome.objective is None or sign * outcome.objective >= best
        assert outcome.complete <= (outcome.objective == sign * best)
        assert outcome.complete or outcome.stop_reason is StopReason.TIME_LIMIT
    assert parted


def test_one_solution_is_put_together() -> None:
    """Of three parts each is hard enough to fail a few times."""
    m = Model()
    for k in range(3):
        x = m.intvar(0, 8, shape=9, name=f"x{k}")
        m.add(AllDifferent(x), AllDifferent(x + np.arange(9)), AllDifferent(x - np.arange(9)), x[0] >= 3)
    outcome = m.solve(solver=SOLVER)
    assert outcome.status is Status.FEASIBLE
    assert m.check(outcome.solution)
    assert outcome.statistics["parts"] == 3
    m.add(m["x1"] @ np.arange(9) == 1)
    assert m.solve(solver=SOLVER).status is Status.INFEASIBLE


def test_every_variable_is_in_a_part() -> None:
    """Also where there are more parts than are searched apart; those that nothing looks at are one."""
    m = Model()
    x, y = m.intvar(0, 3, shape=50, name="x"), m.intvar(0, 3, shape=3, name="y")
    m.add(AllDifferent(y), x[4] == 1, *(x[k] != 2 * x[k + 5] for k in range(5, 45) if k % 10 > 4))
    c = compile_model(m)
    parts = parts_of(c, c.lower, c.upper)
    assert [sorted(part) for part in parts.members][-1] == [50, 51, 52]
    assert (len(parts.members), len(parts.free), parts.choices) == (22, 9, 4**9)
    assert sorted(v for part in parts.searched for v in part) == list(range(53))


def test_small_parts_of_many_are_one() -> None:
    m = Model()
    x, y = m.intvar(0, 3, shape=(50, 2), name="x"), m.intvar(0, 3, shape=3, name="y")
    m.add(AllDifferent(y), *(pair[0] < pair[1] for pair in x))
    c = compile_model(m)
    found = parts_of(c, c.lower, c.upper).searched
    assert len(found) == MOST
    assert sorted(len(part) for part in found) == [2] * 30 + [3, 40]
    assert sorted(v for part in found for v in part) == list(range(103))
