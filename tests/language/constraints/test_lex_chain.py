"""Chains of lexicographic orders: combinations of rows, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest
from each import each

from cpqueens import LexChainLess, LexChainLessEqual, Model, ModelError


@each("rows", [1, 2, 3, 4])
@each("columns", [1, 2])
def test_rows_in_order_are_combinations_of_rows(solver: str, rows: int, columns: int) -> None:
    words = 2**columns
    counts = {LexChainLess: math.comb(words, rows), LexChainLessEqual: math.comb(words + rows - 1, rows)}
    for kind, number in counts.items():
        m = Model()
        x = m.boolvar(shape=(rows, columns), name="x")
        m.add(kind(x))
        assert m.count(solver=solver) == number


@pytest.mark.parametrize("matrix", [[], 3, [1, 2], [[[1]]]])
def test_only_rows_of_one_length_make_a_chain(matrix: Any) -> None:
    with pytest.raises(
        ModelError, match=r"^LexChainLess: rows of one length are needed, got an array of shape"
    ):
        LexChainLess(matrix)
