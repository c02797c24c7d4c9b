"""Instructions that are written by hand, against their plain twins."""

from __future__ import annotations

import numpy as np
from each import each
from seeds import seeds

from cpqueens.kernels.jit import instructions
from cpqueens.kernels.jit.decorators import kernel


@kernel
def reversed_by(array, out):
    for k in range(array.shape[0]):
        instructions.put(out, array.shape[0] - 1 - k, instructions.entry(array, k))


@kernel
def conflicts_of(sums, others, table, words, first):
    instructions.add_conflicts(sums, others, table, words, first)


@each("dtype", [np.int64, np.uint8])
@each("writeable", [True, False])
def test_entries_agree_with_subscripts(dtype: type, writeable: bool) -> None:
    array = np.random.default_rng(0).integers(0, 100, 50).astype(dtype)[10:]
    array.flags.writeable = writeable
    out = np.zeros_like(array)
    reversed_by(array, out)
    assert np.array_equal(out, array[::-1])
    instructions.put(out, 3, instructions.entry(array, 5))
    assert out[3] == array[5]


@seeds(range(30))
def test_conflicts(seed: int) -> None:
    generator = np.random.default_rng(seed)
    sums, others = np.zeros(8, dtype=np.uint64), generator.integers(0, 2**64, 8, dtype=np.uint64)
    table = generator.integers(0, 2**64, 5 * 64 * 8, dtype=np.uint64)
    words = generator.integers(0, 2**30, 12, dtype=np.uint32)
    expected = sums.copy()
    conflicts_of(sums, others, table, words, np.uint64(4))
    instructions.add_conflicts(expected, others, table, words, np.uint64(4))
    assert np.array_equal(sums, expected)
