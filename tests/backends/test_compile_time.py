"""Compilation is booked apart from the time that a limit counts."""

from __future__ import annotations

import time

import numba
import numpy as np

from cpqueens.backends.base import Clock
from cpqueens.backends.compile_time import compilation_booked
from cpqueens.kernels.jit import is_compiled


def test_compilation_does_not_count() -> None:
    @numba.njit
    def inner(x: np.ndarray) -> float:
        return np.sort(x)[0]

    @numba.njit
    def outer(x: np.ndarray) -> float:
        return inner(x) + inner(x[::-1])

    clock = Clock(1.0)
    start = time.monotonic()
    with compilation_booked(clock):
        outer(np.arange(5.0))
        compiled = clock.paused.get("compile", 0.0)
        outer(np.arange(5.0))
    taken = time.monotonic() - start
    assert clock.paused.get("compile", 0.0) == compiled  # the second call compiles nothing
    assert compiled <= taken
    if is_compiled():
        assert compiled > 0.5 * taken
        assert clock.elapsed() < 0.5 * taken + 0.05
    outer(np.arange(5))  # compiles again, for integers, and is not booked any more
    assert clock.paused.get("compile", 0.0) == compiled
