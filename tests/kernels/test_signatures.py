"""Arguments of kernels as words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from cpqueens.kernels.signatures import Flat, flatten


class Pair(NamedTuple):
    cells: np.ndarray
    length: int


def test_kept_tuples_give_the_same_words_as_new_ones() -> None:
    kept: dict[int, Flat] = {}
    pairs = [Pair(np.arange(n), n) for n in range(1, 200)]
    for pair in pairs + pairs[-3:]:
        types, words = flatten((pair, 7), kept)
        address = pair.cells.__array_interface__["data"][0]
        assert types == ("Pair(cells,length)", "int64[1]", "int64", "int64")
        assert words == [address, pair.length, pair.length, 7] == flatten((pair, 7))[1]
        assert len(kept) <= 64
    assert all(flat[0] is pair for pair in pairs if (flat := kept.get(id(pair))) is not None)


def test_what_no_kernel_takes_is_not_kept() -> None:
    kept: dict[int, Flat] = {}
    with pytest.raises(TypeError, match="no kernel takes a str"):
        flatten((Pair(np.arange(3), "3"),), kept)  # type: ignore[arg-type]
    assert kept == {}
