"""What is written for CP-SAT: domains, terms that need a variable of their own, and how large sums are."""

from __future__ import annotations

import oracle
import pytest

from cpqueens import AllDifferent, Model


def rows(model: Model) -> set[tuple[int, ...]]:
    return {tuple(row) for row in model.enumerate(solver="cpsat").solutions.matrix.tolist()}


@pytest.mark.parametrize("values", [[0, 2], [0, 2, 3, 5], [-4, -3, 9], [7]])
def test_a_domain_has_its_gaps(values: list[int]) -> None:
    m = Model()
    m.intvar(domain=values, name="x")
    assert rows(m) == {(value,) for value in values}


@pytest.mark.parametrize("constant", [-3, 0, 1])
def test_a_sum_among_terms_keeps_its_constant(constant: int) -> None:
    m = Model()
    x = m.intvar(0, 2, shape=3, name="x")
    m.add(AllDifferent([x[0] + x[1] + constant, x[2], 2 * x[0] - 1]))
    assert rows(m) == oracle.solve(m).rows


@pytest.mark.parametrize("factor", [2**26, 2**31])
def test_large_sums_of_small_variables_are_searched_without_presolve(factor: int) -> None:
    m = Model()
    x, y = m.intvar(0, 3, name="x"), m.intvar(0, 3, name="y")
    m.add(factor * x + y <= 2 * factor)
    outcome = m.enumerate(solver="cpsat")
    assert outcome.count == 9
    assert ("presolve" in outcome.statistics) == (factor == 2**31)
