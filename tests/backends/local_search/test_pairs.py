"""The search where two variables at a time differ: its state, its optima, and what it does not suit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from each import each
from searched import compiled

from cpqueens import AllDifferent, Model, maximum
from cpqueens.backends.local_search import pairs
from cpqueens.backends.local_search.search import Search
from cpqueens.kernels.local import info as at, pairs as codes
from cpqueens.lowered.forms import unfolded
from cpqueens.lowered.structures.pairs import find


def colouring(seed: int) -> Model:
    """Return random differences, some at a distance, over domains with gaps; the largest is to be small."""
    random = np.random.default_rng(seed)
    m = Model()
    x = [m.intvar(domain=random.choice(9, size=7, replace=False).tolist()) for _ in range(9)]
    for i in range(9):
        for j in range(i):
            if random.random() < 0.6:
                m.add(x[i] != x[j] + int(random.integers(-1, 2)))
    m.minimize(maximum(*x[:5], x[5] + 2))
    return m


def started(seed: int) -> tuple[Search, pairs.PairsWalk]:
    search = Search(unfolded(compiled(colouring(seed))), seed)
    found = find(search.compiled)
    assert found is not None
    search.start()
    walk = pairs.PairsWalk(search, found.rows)
    walk.random[:] = search.random
    walk.begin(search.x, search.objective_limit - 1)
    return search, walk


@pytest.mark.parametrize("seed", range(3))
def test_what_it_takes_for_a_solution_is_one(seed: int) -> None:
    search, walk = started(seed)
    judged = set()
    for _ in range(30):
        walk.advance(search, 3)
        x = walk.part(codes.X).copy()
        search.go_to(x)
        judged.add(search.solved())
        assert (walk.violation(x, search.objective_limit) == 0) == search.solved()
        assert walk.violation(x, search.value_of(x) - 1) > 0
    assert judged == {True, False}


@pytest.mark.parametrize("seed", range(3))
def test_the_state_is_what_a_fresh_look_says(seed: int) -> None:
    search, walk = started(seed)
    limit = walk.limit
    for _ in range(20):
        walk.advance(search, 3)
        x = walk.part(codes.X).copy()
        kept = [walk.part(k).copy() for k in (codes.MEETS, codes.POSITION)]
        members = sorted(walk.part(codes.MEMBERS)[: walk.info[at.SIZE]].tolist())
        cost = int(walk.info[at.COST])
        assert (x <= walk.part(codes.UPPER)).all()
        walk.begin(x, limit)
        assert (walk.part(codes.X) == x).all()
        assert (walk.part(codes.MEETS) == kept[0]).all()
        assert ((walk.part(codes.POSITION) < 0) == (kept[1] < 0)).all()
        assert sorted(walk.part(codes.MEMBERS)[: walk.info[at.SIZE]].tolist()) == members
        assert walk.info[at.COST] == cost


@pytest.mark.parametrize("seed", range(4))
def test_the_best_is_found(seed: int) -> None:
    m = colouring(seed)
    found = m.solve(solver="local-search", step_limit=3000, random_seed=seed)
    assert found.statistics["special"] == "pairs"
    assert found.objective == m.solve(solver="backtracking").objective


def test_without_an_objective_one_solution_is_enough_and_stalled_searches_begin_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pairs, "STALL", 20)
    m = colouring(1)
    m.drop_objectives()
    assert m.solve(solver="local-search", step_limit=1000).status == "FEASIBLE"
    odd = Model()
    x = odd.intvar(0, 1, shape=3)
    odd.add(x[0] != x[1], x[1] != x[2], x[2] != x[0])
    found = odd.solve(solver="local-search", step_limit=200, presolve=False)
    assert (found.status, found.stop_reason) == ("UNKNOWN", "step_limit")
    assert found.statistics["restarts"] > 2


OTHERS: dict[str, Callable[[Model, Any], Any]] = {
    "three variables": lambda m, x: m.add(x[0] + x[1] != x[2]),
    "a factor": lambda m, x: m.add(x[0] != 2 * x[1]),
    "a sum": lambda m, x: m.add(x[0] + x[1] != 3),
    "an inequality": lambda m, x: m.add(x[0] <= x[1]),
    "a group": lambda m, x: m.add(AllDifferent(x)),
    "a weighed objective": lambda m, x: m.minimize(maximum(2 * x[0], x[1])),
    "a smallest objective": lambda m, x: m.minimize(x.sum()),
}


@each("what", OTHERS)
def test_other_models_do_not_suit(what: str) -> None:
    m = Model()
    x = m.intvar(0, 9, shape=3)
    m.add(x[0] != x[1])
    assert find(unfolded(compiled(m))) is not None
    OTHERS[what](m, x)
    assert find(unfolded(compiled(m))) is None
