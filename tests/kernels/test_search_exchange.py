"""Exchanges between lines: the pattern, the changes of the error, and solved squares."""

import sys
from pathlib import Path

import numpy as np
import pytest

from cpqueens.backends.local_search.engine import solve_problem
from cpqueens.backends.local_search.exchange import PARAMETERS, _incidence, solve_sums
from cpqueens.backends.local_search.problem import Builder, Kind, Problem
from cpqueens.backends.local_search.search import Limits
from cpqueens.backends.local_search.sums import Sums, find_sums
from cpqueens.kernels.search_exchange import aligned, swap_change

sys.path.insert(0, str(Path(__file__).parents[1] / "backends" / "local_search"))

from lowered_problems import all_interval, costas, magic, queens

DEFAULTS = {name: parameter.default for name, parameter in PARAMETERS.items()}


def lines_of(problem: Problem) -> Sums:
    sums = find_sums(problem)
    assert sums is not None
    return sums


def test_the_pattern_of_a_magic_square() -> None:
    sums = lines_of(magic(7))
    assert (sums.size, sums.low, len(sums.lines)) == (49, 1, 16)
    assert set(sums.totals) == {7 * 50 // 2 - 7}


@pytest.mark.parametrize("problem", [queens(40), costas(40), all_interval(40), magic(5)])
def test_other_models_do_not_have_it(problem: Problem) -> None:
    assert find_sums(problem) is None


def test_an_inequality_or_a_coefficient_is_not_the_pattern() -> None:
    for coefficients, relation in (([1, 1, 2], "=="), ([1, 1, 1], "<=")):
        b = Builder(np.zeros(40), np.full(40, 39))
        b.add(Kind.ALL_DIFFERENT, b.add_terms(np.arange(40)[:, None], 1, 0))
        b.add(Kind.LINEAR, b.add_terms([[0, 1, 2]], [coefficients], -30), relation=relation)
        assert find_sums(b.build()) is None


def test_changes_of_the_error_are_those_of_a_fresh_computation() -> None:
    sums = lines_of(magic(6))
    line_start, _, cell_start, cell_lines, cross = _incidence(sums)
    rng = np.random.default_rng(5)
    x = rng.permutation(36)

    def errors(x: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        return np.array([x[line].sum() for line in sums.lines]) - sums.totals

    before = errors(x)
    found = 0
    for a in range(36):
        for b in range(36):
            y = x.copy()
            y[a], y[b] = x[b], x[a]
            after = errors(y)
            expected = np.abs(after).sum() - np.abs(before).sum()
            assert swap_change(a, b, x, cell_start, cell_lines, before) == expected
            touched = [k for k, line in enumerate(sums.lines) if (a in line) != (b in line)]
            for one in touched:
                for other in touched:
                    clean = len(touched) == 2 and a in sums.lines[one] and b in sums.lines[other]
                    if clean and one != other:
                        found += 1
                        assert aligned(a, b, one, other, cell_start, cell_lines)
                    elif one != other and a in sums.lines[one] and b in sums.lines[other]:
                        assert not aligned(a, b, one, other, cell_start, cell_lines)
    assert found > 36
    assert line_start[-1] == sum(map(len, sums.lines))
    assert (cross.reshape(14, 14) >= 0).sum() == 2 * 36 + 14 + 4 * 12


@pytest.mark.parametrize("n", [6, 7, 10, 20])
def test_squares_are_solved(n: int) -> None:
    for seed in range(5):
        result = solve_problem(magic(n), seed=seed, limits=Limits(200_000))
        square = result.x.reshape(n, n)
        total = n * (n * n + 1) // 2
        assert result.statistics["strategy"] == "exchange"
        assert (square.sum(axis=0) == total).all()
        assert (square.sum(axis=1) == total).all()
        assert square.trace() == square[:, ::-1].trace() == total
        assert sorted(result.x) == list(range(1, n * n + 1))


def test_what_has_no_solution_goes_on_elsewhere_within_the_limit() -> None:
    b = Builder(np.zeros(36), np.full(36, 35))
    b.add(Kind.ALL_DIFFERENT, b.add_terms(np.arange(36)[:, None], 1, 0))
    b.add(Kind.LINEAR, b.add_terms([[0, 1]], 1, -1000))
    problem = b.build()
    stuck = solve_sums(lines_of(problem), 1, Limits(), DEFAULTS)
    assert (stuck.reason, stuck.statistics["restarts"]) == ("stalled", DEFAULTS["starts"] - 1)
    result = solve_problem(problem, seed=1, limits=Limits(stuck.steps + 500))
    assert (result.reason, result.steps) == ("step_limit", stuck.steps + 500)
    assert result.cost == 1000 - 69


def test_the_same_seed_gives_the_same_trajectory() -> None:
    first, second = (solve_problem(magic(12), seed=3, limits=Limits(10_000)) for _ in range(2))
    assert first.trajectory == second.trajectory
    assert (first.x == second.x).all()
