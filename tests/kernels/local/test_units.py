"""The kernels for huge permutations and for paths of differences, against plain recomputation."""

from __future__ import annotations

import numpy as np
from each import each

from cpqueens import AllDifferent, Model
from cpqueens.backends.local_search.engine import search_special
from cpqueens.backends.local_search.search import Limits, Result
from cpqueens.backends.local_search.specials import DEFAULTS, Task
from cpqueens.kernels.local.units import swap_delta
from cpqueens.lowered.forms import compile_model
from cpqueens.lowered.structures.path import PathPermutation
from cpqueens.lowered.structures.shifted_permutation import ShiftedPermutation, find


def searched(name: str, strategy: str, record: object, seed: int) -> Result:
    task = Task(strategy, seed, Limits(10**6), {}, DEFAULTS)
    return search_special(name, record, task, lambda batch: False)


def surplus(x: np.ndarray, offsets: np.ndarray) -> int:
    return sum(len(x) - len(np.unique(x + row)) for row in offsets)


def shifted(n: int, low: int, rows: list[np.ndarray]) -> ShiftedPermutation:
    """Return the pattern of a permutation of ``low`` .. under AllDifferents over ``x + row``."""
    m = Model("shifted")
    x = m.intvar(low, low + n - 1, shape=n, name="x")
    m += [AllDifferent(x), *(AllDifferent(x + row) for row in rows)]
    pattern = find(compile_model(m))
    assert pattern is not None
    return pattern


def test_swap_deltas() -> None:
    generator = np.random.default_rng(1)
    for n in (4, 5, 9, 14):
        i = np.arange(n)
        units = shifted(n, 0, [i, -i, 2 * i])
        x = generator.permutation(n).astype(np.int32)
        count = np.zeros(units.counters, dtype=np.int32)
        for row in units.offsets:
            np.add.at(count, x + row, 1)
        before = surplus(x, units.offsets)
        for a in range(n):
            for b in range(n):
                y = x.copy()
                y[[a, b]] = y[[b, a]]
                expected = surplus(y, units.offsets) - before if a != b else None
                if expected is not None:
                    assert swap_delta(a, b, x, units.offsets, count) == expected


@each("n", [4, 5, 6, 7, 10, 31, 64, 321, 5000])
def test_queens(n: int) -> None:
    i = np.arange(n)
    result = searched("shifted_permutation", "sosic-gu-4", shifted(n, 1, [i, -i]), 7)
    x = result.x
    assert result.reason == "solved"
    assert len(set(x)) == len(set(x + i)) == len(set(x - i)) == n
    assert x.min() == 1


@each("n", [3, 4, 8, 12, 50, 120])
def test_all_interval(n: int) -> None:
    order = np.random.default_rng(n).permutation(n).astype(np.int64)
    result = searched("path", "reversal", PathPermutation(order, 5), 3)
    series = result.x[order]
    assert sorted(series) == list(range(5, n + 5))
    assert sorted(np.abs(np.diff(series))) == list(range(1, n))
