"""Independent parts of a model are counted apart, free variables multiply; all counts as brute force says."""

from __future__ import annotations

import pytest
from cpqueens.models.queens import queens
from each import each

from cpqueens import AllDifferent, Model, Or
from cpqueens.answers.outcome import StopReason
from cpqueens.crosscheck import oracle
from cpqueens.solving.solve import count_solutions

SOLVERS = ("backtracking", "backtracking:forward")


def two_parts(most: int) -> Model:
    m = Model()
    a, b = m.intvar(0, 3, shape=3, name="a"), m.intvar(0, 2, shape=3, name="b")
    z = m.intvar(domain=[1, 5, 6], name="z")
    one = m.intvar(4, 4, name="one")  # fixed, it connects nothing
    m.add(AllDifferent(a), a[0] + one <= 6, b[0] * b[1] <= most, Or(b[2] == 1, b[0] + one == 5))
    m.add(z >= 1)
    return m


@each("solver", SOLVERS)
@each("most", [-1, 0, 2])
def test_parts_are_multiplied(solver: str, most: int) -> None:
    m = two_parts(most)
    outcome = count_solutions(m, solver)
    assert outcome.count == len(oracle.solve(m).solutions)
    assert outcome.complete
    if most >= 0:
        assert outcome.statistics["parts"] >= 2


@pytest.mark.parametrize("solver", SOLVERS)
def test_free_variables_multiply(solver: str) -> None:
    m = Model()
    m.intvar(0, 9, shape=25, name="x")
    m.intvar(-(10**12), 10**12, name="wide")
    m.intvar(domain=[0, 10**6, 10**15], name="gaps")
    assert m.count(solver=solver) == 10**25 * (2 * 10**12 + 1) * 3


def test_parts_are_counted_together_where_nobody_wants_them_apart() -> None:
    m = two_parts(2)
    outcome = count_solutions(m, "backtracking:forward", without=["parts"])
    assert outcome.count == count_solutions(m, "backtracking:forward").count
    assert "parts" not in outcome.statistics


@pytest.mark.parametrize("workers", [1, 2])
def test_one_part_is_counted_as_ever(workers: int) -> None:
    outcome = count_solutions(queens(6), "backtracking:forward", num_workers=workers)
    assert outcome.count == 4
    assert "parts" not in outcome.statistics


def test_what_is_counted_before_a_limit_is_no_more_than_there_is() -> None:
    """Of the second part nothing is known when the first is interrupted: no solution is claimed."""
    m = Model()
    x = m.intvar(0, 10**6, shape=2, name="x")
    y = m.intvar(0, 1, shape=2, name="y")
    m.add(x[0] + x[1] >= 5, y[0] != y[1])
    outcome = count_solutions(m, "backtracking:forward", time_limit=0.2)
    assert outcome.stop_reason is StopReason.TIME_LIMIT
    assert outcome.count == 0
    assert not outcome.complete
