"""What two constraints say in the same words has the same key, and nothing else has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cpqueens import AllDifferent, Increasing, Inverse, Model, Regular, Table, compare
from cpqueens.crosscheck.wording import keys_of, parts_of


def two() -> tuple[Model, Any]:
    m = Model()
    return m, m.intvar(0, 9, shape=4, name="x")


def test_relations_have_one_form() -> None:
    _, x = two()
    same = [x[0] < x[1], x[0] + 1 <= x[1], x[1] > x[0], x[1] - x[0] >= 1, x[0] - x[1] + 1 <= 0]
    assert len({key for c in same for key in keys_of(c)}) == 1
    assert keys_of(x[0] != x[1]) == keys_of(x[1] != x[0])
    others = [x[0] <= x[1], x[0] == x[1], x[0] != x[1], x[1] < x[0], x[0] + 2 <= x[1], x[0] < x[2]]
    assert len({key for c in others for key in keys_of(c)}) == len(others)


def test_global_constraints_are_told_apart_by_all_that_they_say() -> None:
    _, x = two()
    arcs = [(0, 1, 0), (0, 2, 1)]
    made: list[Callable[[], Any]] = [
        lambda: AllDifferent(x),
        lambda: AllDifferent(x + np.arange(4)),
        lambda: Inverse(x[:2], x[2:]),
        lambda: Inverse(x[2:], x[:2]),
        lambda: Table(x[:2], [(1, 2), (3, 4)]),
        lambda: Table(x[:2], [(1, 2), (3, 5)]),
        lambda: Regular(x, arcs, 0, [0]),
        lambda: Regular(x, arcs, 0, [1]),
        lambda: (x[0] > 1) | (x[1] > 1),
    ]
    keys = [keys_of(make()) for make in made]
    assert keys == [keys_of(make()) for make in made]
    assert len({key for each in keys for key in each}) == len(made)


def test_parts_mean_the_same() -> None:
    for kind in (AllDifferent, Increasing):
        _, x = two()
        (whole,), parts = [kind(x)], parts_of(kind(x))
        rows = np.random.default_rng(0).integers(0, 5, (200, 4))
        held = np.all([part.satisfied(rows).all(axis=1) for part in parts], axis=0)
        assert (held == whole.satisfied(rows)[:, 0]).all()
    assert parts_of(Table(two()[1], [(1, 2, 3, 4)])) == []


@pytest.mark.parametrize("gone", [False, True])
def test_a_large_model_rewritten_is_decided_at_once(gone: bool) -> None:
    a, b = Model(), Model()
    for m in (a, b):
        m.intvar(0, 39, shape=40, name="x")
    x, y = a["x"], b["x"]
    a += [AllDifferent(x), AllDifferent(x + np.arange(40))]
    b += [y[i] != y[j] for i in range(40) for j in range(i) if not (gone and (i, j) == (39, 0))]
    b += AllDifferent(y + np.arange(40))
    found = compare(a, b, time_limit=60, solvers=("cpsat",))
    assert found.verdict == ("A_IN_B" if gone else "EQUAL")
