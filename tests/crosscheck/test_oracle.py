"""The oracle against hand-written loops, so that it is not believed blindly."""

from __future__ import annotations

import itertools

import numpy as np
import oracle
import pytest

from cpqueens import AllDifferent, Count, Inverse, LexLess, Model, Xor
from cpqueens.fuzzing.testing import queens


@pytest.mark.parametrize(("n", "count"), [(0, 1), (1, 1), (2, 0), (3, 0), (4, 2), (5, 10), (6, 4)])
def test_queens(n: int, count: int) -> None:
    """OEIS A000170."""
    assert oracle.solve(queens(n)).count == count


def test_against_plain_loops() -> None:
    m = Model()
    x = m.intvar(-1, 2, shape=3, name="x")
    m.add(AllDifferent(x) | (x[0] // (abs(x[1]) + 1) == x[2]), Count(x, x[0], "<=", 2))
    m.minimize(x[0] * x[1] - x[2])
    expected = {
        (a, b, c)
        for a, b, c in itertools.product(range(-1, 3), repeat=3)
        if (len({a, b, c}) == 3 or a // (abs(b) + 1) == c) and (a, b, c).count(a) <= 2
    }
    truth = oracle.solve(m)
    assert truth.rows == expected
    assert truth.optimum == min(a * b - c for a, b, c in expected)


def test_partial_functions_exclude_where_they_are_undefined() -> None:
    m = Model()
    x, y = m.intvar(-1, 1, shape=2, name="x")
    m.add(x // y <= 5)
    assert oracle.solve(m).rows == {(a, b) for a in (-1, 0, 1) for b in (-1, 1)}


def test_far_values_do_not_wrap() -> None:
    m = Model()
    x = m.intvar(2**60, 2**60 + 3, shape=2, name="x")
    m.add(2 * x[0] + 2 * x[1] == 2**62 + 12)
    assert oracle.solve(m).rows == {(2**60 + 3, 2**60 + 3)}


def test_more_kinds_by_hand() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=4, name="x")
    m.add(Inverse(x[:2], x[2:]), LexLess(x[2:], [1, 1]), Xor(x[0] == 1, x[1] == 1, x[2] == 1))
    rows = itertools.product((0, 1), repeat=4)
    expected = {
        r
        for r in rows
        if all((r[i] == j) == (r[2 + j] == i) for i in (0, 1) for j in (0, 1))
        and list(r[2:]) < [1, 1]
        and (r[0] + r[1] + r[2]) % 2 == 1
    }
    assert oracle.solve(m).rows == expected


def test_solutions_are_sorted() -> None:
    found = oracle.solve(queens(6)).solutions
    assert (np.lexsort(found.T[::-1]) == np.arange(len(found))).all()
