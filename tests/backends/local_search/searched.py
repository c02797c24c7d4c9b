"""What tests of local search share: models of every layer, and a run of a strategy on one."""

from __future__ import annotations

from typing import Any

import numpy as np

from cpqueens import AllDifferent, Model, Outcome
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.forms import WALKED, compile_model


def run(
    model: Model, strategy: str = "auto", seed: int = 0, steps: int | None = None, **options: Any
) -> Outcome:
    """Return the outcome of a strategy on a model."""
    return model.solve(solver=f"local-search:{strategy}", random_seed=seed, step_limit=steps, **options)


def walks_alone(strategy: str) -> dict[str, Any]:
    """Return the options with which a strategy goes on where a small tree would say that there is nothing."""
    return {"presolve": False} if strategy == "auto" else {}


def compiled(model: Model) -> Compiled:
    """Return the arrays that a search reads."""
    return compile_model(model, WALKED, "local-search")


def diagonals(n: int) -> Model:
    """Return queens that may share columns: nothing can be swapped."""
    m = Model("diagonals")
    q = m.intvar(0, n - 1, shape=n, name="q")
    m += [AllDifferent(q + np.arange(n)), AllDifferent(q - np.arange(n))]
    return m


def mixed(n: int) -> Model:
    """Return a permutation with equal offsets in an AllDifferent, and absolute values inside a sum."""
    m = Model("mixed")
    x = m.intvar(0, n - 1, shape=n, name="x")
    m += [AllDifferent(x), AllDifferent(x + np.arange(n) // 2)]
    m += abs(x[1:] - x[:-1]).sum() == 2 * n
    return m


def products(n: int) -> Model:
    """Return numbers whose products with their neighbours all differ: an AllDifferent of the deep layer."""
    m = Model("products")
    x = m.intvar(1, n, shape=n, name="x")
    m += AllDifferent(x[1:] * x[:-1])
    return m
