"""Vector instructions written by hand against their plain twins."""

from __future__ import annotations

import numpy as np
from seeds import seeds

from cpqueens.kernels.jit import bits
from cpqueens.kernels.jit.decorators import kernel


@kernel
def conflicts_of(sums, others, table, words, first):
    bits.add_conflicts(sums, others, table, words, first)


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
