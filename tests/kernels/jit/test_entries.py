"""Unchecked reading and writing agrees with subscripts."""

from __future__ import annotations

import numpy as np
from each import each

from cpqueens.kernels.jit import entries
from cpqueens.kernels.jit.decorators import kernel


@kernel
def reversed_by(array, out):
    for k in range(array.shape[0]):
        entries.put(out, array.shape[0] - 1 - k, entries.entry(array, k))


@each("dtype", [np.int64, np.uint8])
@each("writeable", [True, False])
def test_entries(dtype: type, writeable: bool) -> None:
    array = np.random.default_rng(0).integers(0, 100, 50).astype(dtype)[10:]
    array.flags.writeable = writeable
    out = np.zeros_like(array)
    reversed_by(array, out)
    assert np.array_equal(out, array[::-1])
    entries.put(out, 3, entries.entry(array, 5))
    assert out[3] == array[5]
