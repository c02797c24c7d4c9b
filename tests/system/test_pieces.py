"""Copies of large arrays piece by piece."""

import numpy as np
import pytest

from cpqueens.system import stopping


@pytest.mark.parametrize("at_once", [1, 3, 1000])
def test_copies_in_pieces_are_whole(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "AT_ONCE", at_once)
    for size in (0, 1, 3, 7):
        own, flags = np.arange(size), np.arange(2 * size, dtype=np.uint8).reshape(-1, 2)
        for values in (own, flags):
            copy = stopping.copied(values)
            assert copy.dtype == values.dtype
            assert copy.tolist() == values.tolist()
            assert not np.shares_memory(copy, values) or not size
            wider = stopping.copied(values, 4)
            assert len(wider) == size + 4
            assert wider[:size].tolist() == values.tolist()
        assert stopping.doubled(own).tolist() == [*range(size), *[0] * size]
        parts = [own, [5, 6], np.zeros(0), own + 2**60]
        assert stopping.joined(parts).tolist() == [*range(size), 5, 6, *(k + 2**60 for k in range(size))]
