"""Vector instructions written by hand against their plain twins."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from cpqueens.kernels import bits, lanes


@numba.njit
def errors_of(errors, j, twice, at, p1, p2):
    lanes.add_errors(errors, j, twice, at, p1, p2)


@numba.njit
def changes_of(out, j, change, at, factors, p1, p2, once, twice, thrice, number, at1, c1, at2, c2):
    lanes.add_changes(out, j, change, at, factors, p1, p2, once, twice, thrice, number, at1, c1, at2, c2)


@numba.njit
def conflicts_of(sums, others, table, words, first):
    bits.add_conflicts(sums, others, table, words, first)


def numbers(generator: np.random.Generator, low: int, high: int, size: int) -> np.ndarray:
    return generator.integers(low, high, size, dtype=np.int64)


@pytest.mark.parametrize("seed", range(30))
def test_errors(seed: int) -> None:
    generator = np.random.default_rng(seed)
    at, found = numbers(generator, 0, 64, 60), numbers(generator, 0, 9, 24)
    expected = found.copy()
    twice, j, p1, p2 = int(generator.integers(0, 2**62)), int(generator.integers(0, 17)), 3, 29
    errors_of(found, j, twice, at, p1, p2)
    lanes._plain_add_errors(expected, j, twice, at, p1, p2)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("seed", range(100))
def test_changes(seed: int) -> None:
    generator = np.random.default_rng(seed)
    at, factors = numbers(generator, 0, 64, 60), numbers(generator, -2, 3, 60)
    change, found = numbers(generator, -20, 21, 24), numbers(generator, -9, 9, 24)
    expected = found.copy()
    masks = [int(m) for m in generator.integers(0, 2**62, 3)]
    j = int(generator.integers(0, 17))
    arguments = (j, change, at, factors, 1, 30, *masks, 15, 7, 1, int(generator.integers(0, 64)), -1)
    changes_of(found, *arguments)
    lanes._plain_add_changes(expected, *arguments)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("seed", range(30))
def test_conflicts(seed: int) -> None:
    generator = np.random.default_rng(seed)
    sums, others = np.zeros(8, dtype=np.uint64), generator.integers(0, 2**64, 8, dtype=np.uint64)
    table = generator.integers(0, 2**64, 5 * 64 * 8, dtype=np.uint64)
    words = generator.integers(0, 2**30, 12, dtype=np.uint32)
    expected = sums.copy()
    conflicts_of(sums, others, table, words, np.uint64(4))
    bits._plain_add_conflicts(expected, others, table, words, np.uint64(4))
    assert np.array_equal(sums, expected)
