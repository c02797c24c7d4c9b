"""Numbers made integers: exactly, or refused with the value that is no multiple."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cpqueens import CpqueensError, Model, scaled


@pytest.mark.parametrize(
    ("values", "by", "wanted"),
    [
        ([0.1, 0.2, 0.7], 10, [1, 2, 7]),
        ([19.99, 4.35, 1.1], 100, [1999, 435, 110]),  # 4.35 * 100 is 434.99999999999994
        ([1.5, 0.25], 60, [90, 15]),
        ([[1, 2], [3, 4]], 3, [[3, 6], [9, 12]]),
        (np.array([0.1, 0.3], dtype=np.float32), 10, [1, 3]),
        ([Decimal("0.05"), Fraction(1, 20)], 20, [1, 1]),
        ([1e-05, -2.5], 10**5, [1, -250000]),
        (pd.Series([2.5, 1.0]), 2, [5, 2]),
        (pd.DataFrame({"a": [0.5], "b": [2]}), 2, [[1, 4]]),
        ([True, False], 5, [5, 0]),
        ([], 10, []),
    ],
)
def test_numbers_become_integers(values: Any, by: int, wanted: Any) -> None:
    found = scaled(values, by)
    assert found.tolist() == wanted
    assert found.dtype == np.int64


def test_one_number_becomes_an_int() -> None:
    assert scaled(0.29, 100) == 29
    assert type(scaled(np.float64(0.29), np.int64(100))) is int  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "by", "message"),
    [
        ([1.25, 2.505], 100, "scaled: 2.505 at 1 is not a multiple of 1/100; 1000 makes integers of all"),
        ([[1.0], [0.125]], 60, "scaled: 0.125 at 1, 0 is not a multiple of 1/60; 3000 makes integers of all"),
        (1 / 3, 100, "scaled: 0.3333333333333333 is not a multiple of 1/100"),
        ([1, float("nan")], 10, "scaled: finite numbers are needed, got nan at 1"),
        (["1.5"], 10, "scaled: finite numbers are needed, got '1.5' at 0"),
        ([None], 10, "scaled: finite numbers are needed, got None at 0"),
        ([1], 0, "scaled: by: an integer of at least 1, got 0"),
        ([1], 2.0, "scaled: by: an integer of at least 1, got 2.0"),
        ([1], True, "scaled: by: an integer of at least 1, got True"),
        ([2.0**60], 10, "scaled: 11529215046068469760 "),
    ],
)
def test_what_is_no_multiple_is_refused(values: Any, by: Any, message: str) -> None:
    with pytest.raises(CpqueensError) as refused:
        scaled(values, by)
    assert str(refused.value).startswith(message)


def test_the_line_of_the_refusal_does_what_it_says() -> None:
    m = Model()
    x = m.intvar(0, 9, shape=3, name="x")
    with pytest.raises(CpqueensError, match=r"scaled\(values, 100\), which is \[250, 125, 100\]$"):
        m.minimize(x @ [2.5, 1.25, 1])
    m += x @ scaled([2.5, 1.25, 1], 100) >= scaled(4.75, 100)
    m.minimize(x @ scaled([2.5, 1.25, 1], 100))
    assert m.solve("backtracking").objective == 475
