"""What the cross-check tests share."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from cpqueens import AllDifferent, Model

sys.path.insert(0, str(Path(__file__).parent))


def make_queens(n: int) -> Model:
    model = Model("queens")
    q, i = model.intvar(0, n - 1, shape=n, name="q"), np.arange(n)
    model += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    return model


@pytest.fixture(scope="session")
def queens6() -> Model:
    """Four solutions."""
    return make_queens(6)


@pytest.fixture(scope="session")
def queens3() -> Model:
    """No solution."""
    return make_queens(3)


@pytest.fixture(scope="session")
def triangle() -> Model:
    """Maximize a sum: the optimum is 7, reached once."""
    model = Model("triangle")
    x, y = model.intvar(0, 4, name="x"), model.intvar(0, 4, name="y")
    model.add(x + y <= 5)
    model.maximize(x + 2 * y - 2)
    return model
