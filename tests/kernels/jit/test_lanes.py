"""Vector instructions written by hand against their plain twins."""

from __future__ import annotations

import numpy as np
from each import each
from seeds import seeds

from cpqueens.kernels.jit import bits, lanes
from cpqueens.kernels.jit.decorators import kernel


@kernel
def errors_of(errors, j, twice, at, p1, p2):
    lanes.add_errors(errors, j, twice, at, p1, p2)


@kernel
def changes_of(out, j, change, at, factors, p1, p2, once, twice, thrice, number, at1, c1, at2, c2, o1, o2):
    lanes.add_changes(
        out, j, change, at, factors, p1, p2, once, twice, thrice, number, at1, c1, at2, c2, o1, o2
    )


@kernel
def most_key_of(errors, j, n, tabu, now, salt):
    return lanes.most_key(errors, j, n, tabu, now, salt)


@kernel
def least_key_of(out, j, n, tabu, now, salt, i, bar):
    return lanes.least_key(out, j, n, tabu, now, salt, i, bar)


@kernel
def conflicts_of(sums, others, table, words, first):
    bits.add_conflicts(sums, others, table, words, first)


def numbers(generator: np.random.Generator, low: int, high: int, size: int) -> np.ndarray:
    return generator.integers(low, high, size, dtype=np.int64)


@seeds(range(30))
def test_errors(seed: int) -> None:
    generator = np.random.default_rng(seed)
    at, found = numbers(generator, 0, 64, 60), numbers(generator, 0, 9, 24)
    expected = found.copy()
    twice, j, p1, p2 = int(generator.integers(0, 2**62)), int(generator.integers(0, 17)), 3, 29
    errors_of(found, j, twice, at, p1, p2)
    lanes.add_errors(expected, j, twice, at, p1, p2)
    assert np.array_equal(found, expected)


@seeds(range(100))
def test_changes(seed: int) -> None:
    generator = np.random.default_rng(seed)
    at, factors = numbers(generator, 0, 64, 60), numbers(generator, -2, 3, 60)
    change, found = numbers(generator, -20, 21, 24), numbers(generator, -9, 9, 24)
    expected = found.copy()
    masks = [int(m) for m in generator.integers(0, 2**62, 3)]
    j = int(generator.integers(0, 17))
    others = [int(o) for o in generator.integers(-1, 24, 2)]
    arguments = (j, change, at, factors, 1, 30, *masks, 15, 7, 1, int(generator.integers(0, 64)), -1, *others)
    changes_of(found, *arguments)
    lanes.add_changes(expected, *arguments)
    assert np.array_equal(found, expected)


@seeds(range(100))
def test_keys(seed: int) -> None:
    generator = np.random.default_rng(seed)
    errors, out = numbers(generator, 0, 4, 24), numbers(generator, -3, 3, 24)
    tabu, now = numbers(generator, 0, 9, 24), int(generator.integers(0, 9))
    j, n, salt = (
        8 * int(generator.integers(0, 3)),
        int(generator.integers(8, 17)),
        int(generator.integers(2**32)),
    )
    most = (errors, j, n, tabu, now, salt)
    assert most_key_of(*most) == lanes.most_key(*most)
    least = (out, j, n, tabu, now, salt, int(generator.integers(0, 17)), int(generator.integers(-4, 3)))
    assert least_key_of(*least) == lanes.least_key(*least)


@each("ties", [2, 3, 5, 8, 13])
def test_ties_are_broken_evenly(ties: int) -> None:
    """A chi-square statistic far beyond its mean (ties - 1) would show a hash that prefers some lanes."""
    generator, wins = np.random.default_rng(ties), np.zeros(24)
    errors, tabu = np.zeros(24, dtype=np.int64), np.zeros(24, dtype=np.int64)
    equal = np.sort(generator.permutation(16)[:ties])
    errors[equal] = 2
    for salt in generator.integers(0, 2**32, 5_000).tolist():
        key = max(most_key_of(errors, j, 16, tabu, 0, salt) for j in (0, 8))
        wins[key & 0xFFFF] += 1
    expected = 5_000 / ties
    assert wins.sum() == wins[equal].sum() == 5_000
    assert ((wins[equal] - expected) ** 2 / expected).sum() < ties - 1 + 6 * np.sqrt(2 * (ties - 1))


@seeds(range(30))
def test_conflicts(seed: int) -> None:
    generator = np.random.default_rng(seed)
    sums, others = np.zeros(8, dtype=np.uint64), generator.integers(0, 2**64, 8, dtype=np.uint64)
    table = generator.integers(0, 2**64, 5 * 64 * 8, dtype=np.uint64)
    words = generator.integers(0, 2**30, 12, dtype=np.uint32)
    expected = sums.copy()
    conflicts_of(sums, others, table, words, np.uint64(4))
    bits.add_conflicts(expected, others, table, words, np.uint64(4))
    assert np.array_equal(sums, expected)
