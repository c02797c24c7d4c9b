"""Rows that keep their bounds: they are what adding up gives, and nothing else changes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from seeds import sweep

from cpqueens import AllDifferent, Model
from cpqueens.backends.backtracking import memory, orders
from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.exact.propagators import rows as rows_kernel
from cpqueens.kernels.jit import tiers

COUNTED = ("nodes", "failures", "propagations", "restarts", "nogoods")


def equations(source: random.Random) -> Model:
    """Return a model of equations, inequalities, their truths and an AllDifferent."""
    m = Model()
    x = m.intvar(-2, 4, shape=5, name="x")
    b = m.boolvar(shape=3, name="b")
    for k in range(4):
        row = sum(source.choice((-3, -1, 1, 2)) * v for v in source.sample([*x, *b], 4))
        bound = source.randint(-3, 6)
        m.add([row <= bound, row == bound, (row >= bound) == b[k % 3], (row == bound) == b[k % 3]][k])
    m.add(AllDifferent(x[:3]))
    return m


def knapsacks(source: random.Random) -> Model:
    """Return three knapsacks to be filled as well as can be."""
    m = Model()
    x = m.intvar(0, 2, shape=12, name="x")
    for _ in range(3):
        weights = np.array([source.randint(1, 20) for _ in range(12)])
        m.add(weights @ x <= int(weights.sum()))
    m.maximize(np.array([source.randint(1, 20) for _ in range(12)]) @ x)
    return m


@pytest.fixture(autouse=True)
def in_plain_form() -> Iterator[None]:
    """Let what is put in the place of a kernel be called."""
    with tiers.mode("plain"):
        yield


def said(model: Model, **options: Any) -> tuple[Any, ...]:
    """Return what was found, and how it went."""
    verb = model.enumerate if model.objective is None else model.solve
    outcome = verb(solver="backtracking:forward", **options)
    found = outcome.objective if model.objective is not None else outcome.solutions.matrix.tolist()
    return found, [outcome.statistics[name] for name in COUNTED]


@pytest.mark.parametrize("seed", sweep(2, 6))
@pytest.mark.parametrize("build", [equations, knapsacks])
@pytest.mark.parametrize("order", ["auto", "dom/wdeg", "smallest-domain"])
def test_a_row_that_keeps_its_bounds_prunes_as_others_do(
    build: Callable[[random.Random], Model], order: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orders, "FIRST_RESTART", 3)
    monkeypatch.setattr(memory, "LONG", 1 << 30)
    added = said(build(random.Random(seed)), variable_order=order)
    monkeypatch.setattr(memory, "LONG", 2)
    kept_bounds, looks = rows_kernel.kept_bounds, 0

    def compared(m: Memory, p: int, sums: int) -> Any:
        nonlocal looks
        looks += 1
        kept, now = kept_bounds(m, p, sums), rows_kernel.linear_bounds(m, p)
        assert kept[:2] == now[:2]
        assert kept[2] >= now[2]
        return kept

    monkeypatch.setattr(rows_kernel, "kept_bounds", compared)
    assert said(build(random.Random(seed)), variable_order=order) == added
    assert looks


def test_rows_are_long_from_some_variables_on(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    kept_bounds = rows_kernel.kept_bounds
    monkeypatch.setattr(rows_kernel, "kept_bounds", lambda *a: (looks.append(a), kept_bounds(*a))[1])
    for many, expected in ((memory.LONG - 1, 0), (memory.LONG, 1)):
        looks.clear()
        m = Model()
        m.add(m.boolvar(shape=many, name="x").sum() == many)
        assert m.count(solver="backtracking") == 1
        assert min(len(looks), 1) == expected
