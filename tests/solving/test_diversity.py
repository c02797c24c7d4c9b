"""Diverse solutions against all sets of solutions, and what is said where nothing is proved."""

from __future__ import annotations

from itertools import combinations, cycle
from typing import Any

import numpy as np
import pytest
from cpqueens.models.queens import queens

from cpqueens import AllDifferent, Model, Outcome
from cpqueens.errors import ModelError
from cpqueens.solving import diversity
from cpqueens.solving.solve import solve


def drawn(seed: int) -> tuple[Model, np.ndarray]:
    random = np.random.default_rng(seed)
    model = Model("drawn")
    x = model.intvar(0, 2, shape=3, name="x")
    factors, value = random.integers(-2, 3, size=3), 0
    model.add((x * factors).sum() == value)
    model.minimize(x[0])
    model.add_soft(x[1] == 7)
    grid = np.stack(np.meshgrid(*[range(3)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    return model, grid[grid @ factors == value]


def test_the_nearest_two_are_as_far_apart_as_in_any_set_of_solutions() -> None:
    tried = 0
    for seed in range(6):
        model, rows = drawn(seed)
        for name, measure in (("hamming", np.not_equal), ("manhattan", lambda a, b: abs(a - b))):
            columns = slice(None) if seed % 2 else slice(0, 2)
            part = np.unique(rows[:, columns], axis=0)
            apart = measure(part[:, None], part[None]).sum(axis=2)
            many = 2 + seed % 2
            triples = np.minimum(np.minimum(apart[:, :, None], apart[:, None, :]), apart[None])
            best = int(apart.max() if many == 2 else triples.max())
            if not best:
                continue
            tried += 1
            found = model.diverse(many, "cpsat", distance=name, over=[model["x"][columns]])
            taken = found.solutions.values("x")
            assert (found.distance, found.bound, found.complete) == (best, found.bound, True), (seed, name)
            assert found.bound is None or found.bound >= best
            assert {tuple(row) for row in taken.tolist()} <= {tuple(row) for row in rows.tolist()}
            assert len(taken) == many
            assert (found.first_distance or 0) >= best / 2
            assert min(measure(a, b).sum() for a, b in combinations(taken[:, columns], 2)) == best
    assert tried >= 6


def test_fewer_solutions_than_asked_for_are_all_of_them() -> None:
    found = queens(6).diverse(7, "cpsat")
    assert (len(found.solutions), found.complete, found.distance) == (4, True, 6)
    model = Model()
    x = model.intvar(0, 1, shape=2, name="x")
    model.add(x.sum() == 3)
    none = model.diverse(2, "cpsat")
    assert (len(none.solutions), none.distance, none.complete) == (0, None, True)
    assert "no more" in str(none)
    one = queens(6).diverse(1, "cpsat")
    assert (len(one.solutions), one.distance) == (1, None)


def test_what_is_not_proved_is_not_claimed() -> None:
    model = Model()
    x = model.intvar(0, 5, shape=6, name="x")
    model.add(AllDifferent(x))
    found = model.diverse(3, "local-search", step_limit=500, random_seed=1)
    assert (len(found.solutions), found.complete, found.bound) == (3, False, None)
    assert found.distance is not None
    assert "not proved" in str(found)
    assert all(s.check().ok for s in found.solutions)


def test_bad_requests_are_refused_in_one_line() -> None:
    model = queens(6)
    for options in ({"k": 0}, {"k": 2, "distance": "far"}, {"k": 2, "over": [model["q"] + 1]}, {"k": "2"}):
        with pytest.raises(ModelError) as error:
            model.diverse(**options)
        assert "\n" not in str(error.value)


def test_a_share_of_the_time_that_is_too_short_is_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    short = cycle([True, False])

    def slow(model: Model, solver: str, *, time_limit: float, **more: Any) -> Outcome:
        return solve(model, solver, time_limit=1e-6 if next(short) else 60, **more)

    monkeypatch.setattr(diversity, "solve", slow)
    found = queens(6).diverse(9, "backtracking", time_limit=60)
    assert (len(found.solutions), found.complete) == (4, True)


def test_a_run_that_ends_for_another_reason_than_its_share_is_not_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float | None] = []

    def counted(model: Model, solver: str, *, time_limit: float | None, **more: Any) -> Outcome:
        asked.append(time_limit)
        return solve(model, solver, time_limit=time_limit, **more)

    monkeypatch.setattr(diversity, "solve", counted)
    found = queens(20).diverse(2, "backtracking:check", step_limit=1)
    assert (len(found.solutions), found.complete, asked) == (0, False, [None])
