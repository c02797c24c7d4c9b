"""Many variables, wide domains and far values."""

from __future__ import annotations

import gc
import sys
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from cpqueens.models.queens import queens

from cpqueens import AllDifferent, Model, Table
from cpqueens.backends.backtracking import memory, network, rows, searching
from cpqueens.backends.backtracking.network import Builder
from cpqueens.backends.backtracking.wholes import registry
from cpqueens.backends.backtracking.wholes.registry import table_propagator
from cpqueens.backends.local_search.layers import build_arrays
from cpqueens.errors import ModelError
from cpqueens.language.constraints.table_rows import STAR
from cpqueens.lowered.forms import DECOMPOSED, compiled_of

AHEAD = ("backtracking", "backtracking:forward")
"""`check` would go through wide intervals value by value."""

ALL = (*AHEAD, "backtracking:check")


@pytest.mark.parametrize("solver", AHEAD)
def test_a_thousand_variables(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 1100, shape=1000, name="x")
    m += [AllDifferent(x), x[1:] > x[:-1], x[-1] <= 1000, x[0] >= 1]
    outcome = m.enumerate(solver=solver, solution_limit=2, step_limit=200_000)
    assert outcome.solutions.matrix.tolist() == [list(range(1, 1001))]


def test_a_chain_of_a_thousand_equalities() -> None:
    m = Model()
    x = m.intvar(0, 9, shape=1000, name="x")
    m += [x[1:] == x[:-1], x[500] >= 7]
    outcome = m.enumerate(solver="backtracking:forward")
    assert outcome.complete
    assert outcome.solutions.matrix.tolist() == [[v] * 1000 for v in (7, 8, 9)]


def rows_of_all_sorts(n: int) -> Model:
    """Return a model of n rows of each sort that a network has without a look at values."""
    m = Model()
    x = m.intvar(0, 9999, shape=n, name="x")
    b = m.boolvar(shape=n, name="b")
    m.add(x[1:] != x[:-1], x[1:] + 2 * x[:-1] >= 1, 3 * x[1:] - x[:-1] <= 20_000, b[1:] | b[:-1])
    m.add(x[1:] // 7 + x[:-1] >= 2)
    return m


@pytest.mark.parametrize("build", ["network", "arrays of local search"])
def test_many_rows_are_numbers_and_no_objects(build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A million of objects take long to free, which nothing can break off when a limit has passed."""
    monkeypatch.setattr(rows, "AT_ONCE", 64)
    many = 2000
    compiled = compiled_of(rows_of_all_sorts(many), DECOMPOSED, "backtracking")

    def make() -> object:
        if build == "arrays of local search":
            return build_arrays(compiled, frozenset())
        builder = Builder(compiled, strong=True)
        builder.build()
        return builder

    def blocks() -> int:
        gc.collect()  # else Python keeps up to 2000 tuples of each length for later, and these count too
        return sys.getallocatedblocks()

    before = make(), blocks()
    made = make()
    grown = blocks() - before[1]
    assert made is not None
    assert grown < many


def test_a_network_is_the_same_however_few_rows_are_there_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def built() -> list[list[int]]:
        compiled = compiled_of(rows_of_all_sorts(50), DECOMPOSED, "backtracking")
        return [part.tolist() for part in memory.build_memory(compiled, False, learning=True)[0]]

    whole = built()
    monkeypatch.setattr(rows, "AT_ONCE", 7)
    assert built() == whole


def test_short_equations_among_many_rows_give_the_network_that_rows_one_by_one_give(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    m = rows_of_all_sorts(100)
    x = m.intvar(0, 9, shape=(100, 4), name="y")
    m.add(x.sum(axis=1) == 9, x[:, 0] <= x[:, 1], x[:, 1] + x[:, 3] == 5)
    compiled = compiled_of(m, DECOMPOSED, "backtracking")

    def columns() -> list[list[int]]:
        builder = Builder(compiled, strong=True)
        builder.build()
        made = builder.propagators
        return [list(c) for c in (made.kinds, made.constants, made.variables, made.coefficients)]

    runs = columns()
    monkeypatch.setattr(network, "FEW_ROWS", len(compiled.linear) + 1)
    assert columns() == runs


def test_a_hundred_queens() -> None:
    outcome = queens(100).solve(solver="backtracking", step_limit=100_000)
    assert outcome.solution is not None
    assert outcome.solution.check().ok


@pytest.mark.parametrize("solver", AHEAD)
def test_variables_with_bounds_only(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 10**9, shape=3, name="x")
    m += [x[0] + x[1] == 10**9, x[0] - x[1] == 4, x[2] == 2 * x[0] - 10**9, AllDifferent(x)]
    outcome = m.enumerate(solver=solver, time_limit=600)
    assert outcome.complete
    assert outcome.solutions.matrix.tolist() == [[500_000_002, 499_999_998, 4]]


def test_disequalities_inside_bounds() -> None:
    m = Model()
    x = m.intvar(10**9 - 3, 10**9, shape=2, name="x")
    y = m.intvar(-(10**9), 10**9, name="y")
    m += [x[0] != x[1], y == x[0] - x[1], y != 1, y != -1]
    rows = m.enumerate(solver="backtracking:forward").solutions.matrix.tolist()
    ends = range(10**9 - 3, 10**9 + 1)
    assert rows == [[a, b, a - b] for a in ends for b in ends if abs(a - b) > 1]


@pytest.mark.parametrize("solver", ALL)
def test_far_values_with_a_gap(solver: str) -> None:
    """AllDifferent of 0 and 2^31 was called infeasible by a solver that kept values in 32 bits."""
    m = Model()
    x = m.intvar(domain=[0, 2**31], shape=2, name="x")
    m += AllDifferent(x)
    assert m.enumerate(solver=solver).solutions.matrix.tolist() == [[0, 2**31], [2**31, 0]]


@pytest.mark.parametrize("solver", ALL)
def test_far_values_in_tables_and_sums(solver: str) -> None:
    m = Model()
    x = m.intvar(domain=[-(2**40), 0, 2**40], shape=3, name="x")
    m += [Table(x[:2], [(2**40, 0), (0, -(2**40)), (0, 7)]), x.sum() == 0]
    assert m.enumerate(solver=solver).solutions.matrix.tolist() == [
        [0, -(2**40), 2**40],
        [2**40, 0, -(2**40)],
    ]


@pytest.mark.parametrize("solver", ALL)
def test_gaps_are_jumped_over_and_resumed_behind(solver: str) -> None:
    """The strategy `check` once walked through all 2^31 values of a gap."""
    values = [-(2**50), -7, 0, 2**31, 2**40, 2**60]
    m = Model()
    x = m.intvar(domain=values, shape=3, name="x")
    m += [AllDifferent(x), x[2] > x[0], x[1] != -7]
    expected = [[a, b, c] for a, b, c in permutations(values, 3) if c > a and b != -7]
    assert m.enumerate(solver=solver).solutions.matrix.tolist() == expected
    for after in ([0, 2**31, 2**40], [0, 2**30, 0], [-(2**63), 5, 5], [2**31, 2**63 - 1, 0]):
        rest = m.enumerate(solver=solver, after={"x": after}).solutions.matrix.tolist()
        assert rest == [row for row in expected if row > after]


def test_an_optimum_far_away() -> None:
    m = Model()
    x, y = m.intvar(-(10**9), 10**9, shape=2, name="x")
    m += [x + y == 7, x >= 10**9 - 3]
    m.minimize(x + 2 * y)
    outcome = m.solve(solver="backtracking", time_limit=600)
    assert outcome.complete
    assert outcome.objective == 10**9 + 2 * (7 - 10**9)


def test_too_many_listed_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "CELLS", 1000)
    m = Model()
    x = m.intvar(0, 99, shape=11, name="x")
    m.add(x.sum() == 5)
    with pytest.raises(ModelError, match="would list 1100 values, allowed are 1000"):
        m.solve(solver="backtracking")


def test_wide_listing_grows_the_trail() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=3000, name="x")
    m.add(x[np.arange(2990)] == 0)
    assert m.count(solver="backtracking:forward") == 2**10
    assert m.count(solver="backtracking") == 2**10


@pytest.mark.parametrize("size", [5, 400], ids=["kept with the model", "too large to be kept"])
def test_a_run_makes_its_network_once(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    made = []

    def build_memory(*arguments: Any) -> Any:
        made.append(arguments)
        return memory.build_memory(*arguments)

    monkeypatch.setattr(searching, "build_memory", build_memory)
    m = Model()
    x = m.boolvar(shape=size, name="x")
    m.add(x.sum() == 1)
    assert m.solve(solver="backtracking").solution is not None
    assert len(made) == 1


def test_tables_with_the_same_rows_are_laid_out_once() -> None:
    rows = np.arange(6)
    first, second = (table_propagator("table", [k, k + 1], rows.reshape(3, 2)) for k in range(2))
    third = table_propagator("table", [0, 1, 2], rows.reshape(2, 3))  # the same bytes
    assert first.numbers is second.numbers
    assert first.variables != second.variables
    assert len(third.words) != len(first.words)


def test_columns_of_a_table_are_laid_out_alike_together_and_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(1)
    rows = random.integers(-3, 40, (1500, 4))
    rows[random.random(rows.shape) < 0.02] = STAR
    rows = np.unique(rows, axis=0)
    together = table_propagator("table", range(4), rows)
    monkeypatch.setattr(registry, "MOST_TOGETHER", 1)
    alone = table_propagator("table", range(4), rows)
    assert (np.asarray(together.numbers) == alone.numbers).all()
    assert together.words == alone.words
