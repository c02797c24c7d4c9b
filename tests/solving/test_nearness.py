"""Solving with little change: against brute force on every solver, and what counts as an earlier solution."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cpqueens import AllDifferent, Model, NoSolution
from cpqueens.backends.base import Feature
from cpqueens.backends.named import get_backend
from cpqueens.errors import ModelError, UnsupportedRequest
from cpqueens.solving.nearness import earlier_values


def drawn(seed: int) -> tuple[Model, np.ndarray, dict[str, Any]]:
    """Return a random model, all its assignments that hold, and an earlier one that need not."""
    random = np.random.default_rng(seed)
    model = Model("drawn")
    x = model.intvar(0, 3, shape=4, name="x")
    y = model.intvar(-1, 1, name="y")
    factors, limit = random.integers(-2, 3, size=4), int(random.integers(-3, 1))
    model.add((x * factors).sum() + y >= limit)
    model.add(x[0] != x[1])
    old = {"x": random.integers(0, 5, size=4).tolist(), "y": int(random.integers(-1, 2))}
    axes = [range(4)] * 4 + [range(-1, 2)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 5)
    holds = (grid[:, :4] @ factors + grid[:, 4] >= limit) & (grid[:, 0] != grid[:, 1])
    return model, grid[holds], old


SOLVERS = ("cpsat", "backtracking", "local-search", "auto", "python-constraint", "local-search+cpsat")


def test_few_changes_after_the_objective_or_weighed_with_it_are_those_of_brute_force() -> None:
    for seed in range(8):
        model, rows, old = drawn(seed)
        before = np.array([*old["x"], old["y"]])
        distances = {"hamming": (rows != before).sum(axis=1), "manhattan": abs(rows - before).sum(axis=1)}
        value = rows[:, 0] * 2 - rows[:, 2] + rows[:, 4]
        sense = (None, "minimize", "maximize")[seed % 3]
        if sense:
            getattr(model, sense)(2 * model["x"][0] - model["x"][2] + model["y"])
        sign = {None: 0, "minimize": 1, "maximize": -1}[sense]
        cost = sign * value
        many = len(model.goals), model.variable_count
        for solver in SOLVERS:
            name, changes = list(distances.items())[seed % 2]
            best = min(zip(cost.tolist(), changes.tolist(), strict=True))
            limit = {"step_limit": 4000, "random_seed": 1} if solver == "local-search" else {}
            outcome = model.solve(solver, near=old, distance=name, **limit)
            found = outcome[model["x"]].tolist(), outcome["y"]
            assert (*found[0], found[1]) in {tuple(row) for row in rows.tolist()}
            assert outcome.statistics["changes"] == best[1], (seed, solver)
            objectives = (sign * best[0], best[1])
            assert outcome.objectives == objectives[0 if sense else 1 :], (seed, solver)
            assert outcome.complete == (solver != "local-search") == (outcome.status == "OPTIMAL")
            weighed = model.solve(solver, near=old, distance=name, weight=2, **limit)
            assert (sign or 1) * (weighed.objective or 0) == (cost + 2 * changes).min(), (seed, solver)
        assert many == (len(model.goals), model.variable_count)


def test_soft_constraints_count_before_changes_or_with_them() -> None:
    model = Model()
    x = model.intvar(0, 5, shape=3, name="x")
    model.add_soft(x.sum() >= 9, weight=4)
    first = model.solve("cpsat", near={x: [0, 1, 2]})
    assert (first.penalty, first.objectives) == (0, (0, 2))
    weighed = model.solve("cpsat", near={x: [0, 1, 2]}, weight=3)
    assert (weighed.penalty, weighed.objective, weighed.statistics["changes"]) == (4, 4, 0)
    searched = model.solve("local-search", near={x: [0, 1, 2]}, step_limit=2000, random_seed=0)
    assert (searched.penalty, searched.objectives, searched.bound) == (0, (0, 2), None)


def roster(people: list[str], days: int) -> Model:
    model = Model("roster")
    works = model.boolvar(shape=(people, days), name="works")
    model.add(works.sum(axis=0) == 2)
    model.var(["mon", "tue", "wed"][:days], shape=(people,), name="free")
    return model


def test_an_earlier_solution_is_found_by_names_and_labels() -> None:
    old_model = roster(["ann", "bob", "cy"], 3)
    works = old_model["works"]
    old_model.add(works[0] == [1, 1, 0], works[1] == [0, 1, 1], old_model["free"] == "wed")
    old = old_model.solve("cpsat")
    model = roster(["cy", "dee", "ann"], 2)
    for near in (old, old.solution):
        row, given = earlier_values(model, near)
        assert row[given].tolist() == [1, 0, 1, 1, 2, 2]  # cy, ann; "wed" is a value that nobody can take now
        assert given.tolist() == [True, True, False, False, True, True, True, False, True]
    frame = old.to_frame(works)
    for near, over in (({"works": frame}, None), (frame, ["works"]), (frame, model["works"])):
        row, given = earlier_values(model, near, over)
        assert (row[given].tolist(), given[:6].tolist()) == (
            [1, 0, 1, 1],
            [True, True, False, False, True, True],
        )
    assert earlier_values(model, old, over=[model["works"][2]])[1].sum() == 2
    kept = model.solve("backtracking", near=old, over=["works"])
    assert (kept.statistics["changes"], kept.statistics["compared"]) == (0, 4)
    by_name = pd.DataFrame({"value": [1, 0]}, index=["works[1,0]", "works[1,1]"])
    row, given = earlier_values(model, by_name)
    assert (np.flatnonzero(given).tolist(), row[2:4].tolist()) == ([2, 3], [1, 0])


def test_members_of_enumerations_are_values_of_an_earlier_solution() -> None:
    class Shift(Enum):
        EARLY = 1
        LATE = 2

    old_model = Model()
    old_model.var([Shift.LATE, Shift.EARLY], shape=2, name="s")
    old_model.add(AllDifferent(old_model["s"]))
    old = old_model.solve("backtracking")
    model = Model()
    s = model.var(Shift, shape=3, name="s")
    found = model.solve("backtracking", near=old)
    assert found[s][:2].tolist() == old["s"].tolist()


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"weight": 2}, "give near="),
    ({"near": {"z": 1}}, "no variable 'z'"),
    ({"near": 7}, "a frame, a solution or an outcome"),
    ({"near": {"x": [0, 1]}}, "3 value"),
    ({"near": {}}, "no variable of the model has an earlier value"),
    ({"near": {"x": [0, 0, 0]}, "distance": "haming"}, "did you mean"),
    ({"near": {"x": [0, 0, 0]}, "weight": 0}, "at least 1"),
    ({"near": {"x": [0, 0, 0]}, "weight": [1, 2]}, "one integer"),
    ({"near": {"x": [0, 0, 0]}, "over": 5}, "variables in a list"),
    ({"near": {"x": [0, 0, 0]}, "over": ["y"]}, "no variable 'y'"),
]


def test_what_cannot_be_compared_is_refused_in_one_line() -> None:
    model = Model()
    model.intvar(0, 3, shape=3, name="x")
    for options, said in REFUSED:
        with pytest.raises(ModelError, match=said) as error:
            model.solve("cpsat", **options)
        assert "\n" not in str(error.value)


def test_an_outcome_without_a_solution_says_that_it_has_none() -> None:
    model = Model()
    x = model.intvar(0, 3, shape=3, name="x")
    none = model.copy()
    none.add(x.sum() > 9)
    outcome = none.solve("backtracking")
    said = "found no solution: status INFEASIBLE"
    for options in ({"near": outcome}, {"hint": outcome}):
        with pytest.raises(NoSolution, match=said):
            model.solve("cpsat", **options)
    with pytest.raises(NoSolution, match=said):
        model.check(outcome)


def test_solvers_without_objectives_refuse() -> None:
    model = Model()
    model.intvar(0, 3, shape=3, name="x")
    assert Feature.OBJECTIVE not in get_backend("las-vegas").features
    with pytest.raises(UnsupportedRequest):
        model.solve("las-vegas", near={"x": [0, 0, 0]})
