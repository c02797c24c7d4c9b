"""The number of different values: Stirling's numbers, dominating queens, both decompositions."""

from __future__ import annotations

import math

import pytest
from each import each

from cpqueens import Model, ModelError, NValue

STIRLING = {1: 1, 2: 15, 3: 25, 4: 10, 5: 1}
"""OEIS A008277: partitions of 5 things into so many sets."""


@pytest.mark.parametrize(("many", "partitions"), STIRLING.items())
def test_functions_with_so_many_values(many: int, partitions: int) -> None:
    m = Model()
    x = m.intvar(0, 5, shape=5, name="x")
    m.add(NValue(x, many))
    assert m.count(solver="cpsat") == partitions * math.perm(6, many)


@each("step", [1, 10**9])
@each("negated", [False, True])
def test_near_and_far_values_are_counted_alike(solver: str, step: int, negated: bool) -> None:
    m = Model()
    x = m.intvar(domain=[0, step, 2 * step], shape=3, name="x")
    n = m.intvar(1, 2, name="n")
    m.add(~NValue(x, n) if negated else NValue(x, n))
    assert m.count(solver=solver) == (2 * 27 - 21 if negated else 21)


@pytest.mark.parametrize(("squares", "queens"), [(4, 2), (5, 3), (6, 3)])
def test_fewest_queens_that_attack_every_square(squares: int, queens: int) -> None:
    """OEIS A075458: each square has a queen that attacks it, and these are few."""
    m = Model()
    where = [(i, j) for i in range(squares) for j in range(squares)]
    x = [
        m.intvar(
            domain=[k for k, (a, b) in enumerate(where) if i == a or j == b or abs(a - i) == abs(b - j)],
            name=f"x{i}_{j}",
        )
        for i, j in where
    ]
    n = m.intvar(1, squares, name="n")
    m.add(NValue(x, n))
    m.minimize(n)
    assert m.solve(solver="cpsat").objective == queens


def test_a_count_is_one_term() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=2, name="x")
    with pytest.raises(ModelError, match=r"^NValue: count must be a single term or integer$"):
        NValue(x, x)
