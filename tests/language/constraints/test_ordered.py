"""Chains of lexicographic orders: combinations of rows, and what is refused.

Values in the order of their first appearance: Bell's numbers, and what is refused.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import LexChainLess, LexChainLessEqual, Model, ModelError, ValuePrecede


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


BELL = {1: 1, 3: 5, 5: 52, 6: 203}
"""OEIS A000110: partitions of a set."""


@pytest.mark.parametrize(("size", "number"), BELL.items())
def test_functions_up_to_names_of_values_are_partitions(size: int, number: int) -> None:
    m = Model()
    x = m.intvar(1, size, shape=size, name="x")
    m.add(ValuePrecede(x, range(1, size + 1)), x[0] == 1)
    assert m.count(solver="cpsat") == number


def test_two_values_and_a_list_of_them_mean_the_same(solver: str) -> None:
    words = itertools.product((-2, 0, 5), repeat=3)
    wanted = {w for w in words if -2 not in w or 5 in w[: w.index(-2)]}
    for values in ((5, -2), ([5, -2],), (np.array([5, -2]),)):
        m = Model()
        x = m.intvar(domain=[-2, 0, 5], shape=3, name="x")
        m.add(ValuePrecede(x, *values))
        assert {tuple(r) for r in m.enumerate(solver=solver).solutions.matrix.tolist()} == wanted
    assert ValuePrecede(x, 5, -2).values == (5, -2)


def test_a_value_is_listed_once() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=2, name="x")
    with pytest.raises(ModelError, match=r"^ValuePrecede: each value once is needed, got \[1, 2, 1\]$"):
        ValuePrecede(x, [1, 2, 1])
