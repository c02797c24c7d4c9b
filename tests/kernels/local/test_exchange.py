"""Exchanges between lines: the pattern, the changes of the error, and solved squares."""

import numpy as np
import pytest
from cpqueens.models.all_interval import all_interval
from cpqueens.models.costas_array import costas_array
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens

from cpqueens import AllDifferent, Model
from cpqueens.backends.local_search.engine import search_special
from cpqueens.backends.local_search.permutations import LinesWalk, _incidence
from cpqueens.backends.local_search.search import Limits
from cpqueens.backends.local_search.specials import DEFAULTS, Task
from cpqueens.kernels.local.exchange import aligned, swap_change
from cpqueens.lowered.forms import compile_model
from cpqueens.lowered.structures.lines import LinesPermutation, find


def lines_of(model: Model) -> LinesPermutation:
    pattern = find(compile_model(model))
    assert pattern is not None
    return pattern


def test_the_pattern_of_a_magic_square() -> None:
    pattern = lines_of(magic_square(7))
    assert (pattern.size, pattern.low, len(pattern.lines)) == (49, 1, 16)
    assert set(pattern.totals) == {7 * 50 // 2 - 7}


@pytest.mark.parametrize("model", [queens(40), costas_array(40), all_interval(40), magic_square(5)])
def test_other_models_do_not_have_it(model: Model) -> None:
    assert find(compile_model(model)) is None


def permutation(n: int) -> Model:
    m = Model("permutation")
    m += AllDifferent(m.intvar(0, n - 1, shape=n, name="x"))
    return m


def test_an_inequality_or_a_coefficient_is_not_the_pattern() -> None:
    for factor, relation in ((2, "=="), (1, "<=")):
        m = permutation(40)
        x = m["x"]
        total = x[0] + x[1] + factor * x[2]
        m += total == 30 if relation == "==" else total <= 30
        assert find(compile_model(m)) is None


def test_changes_of_the_error_are_those_of_a_fresh_computation() -> None:
    sums = lines_of(magic_square(6))
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
        model = magic_square(n)
        outcome = model.solve(solver="local-search", random_seed=seed, step_limit=200_000)
        square = outcome[model["x"]]
        total = n * (n * n + 1) // 2
        assert outcome.statistics["strategy"] == "exchange"
        assert (square.sum(axis=0) == total).all()
        assert (square.sum(axis=1) == total).all()
        assert square.trace() == square[:, ::-1].trace() == total
        assert sorted(square.ravel()) == list(range(1, n * n + 1))


def test_what_has_no_solution_goes_on_elsewhere_within_the_limit() -> None:
    model = permutation(36)
    x = model["x"]
    model += x[0] + x[1] == 1000
    task = Task("exchange", 1, Limits(), {}, DEFAULTS)
    stuck = search_special("lines", lines_of(model), task, lambda batch: False)
    assert (stuck.reason, stuck.statistics["restarts"]) == (
        "stalled",
        LinesWalk.PARAMETERS["starts"].default - 1,
    )
    outcome = model.solve(solver="local-search", random_seed=1, step_limit=stuck.steps + 500)
    assert (outcome.stop_reason, outcome.statistics["steps"]) == ("step_limit", stuck.steps + 500)
    assert outcome.closest is not None
    assert outcome.closest.check().amount == 1000 - 69


def test_the_same_seed_gives_the_same_trajectory() -> None:
    model = magic_square(12)
    first, second = (model.solve(solver="local-search", random_seed=3, step_limit=10_000) for _ in range(2))
    assert first.statistics["trajectory"] == second.statistics["trajectory"]
    ends = [outcome.solution or outcome.closest for outcome in (first, second)]
    assert ends[0] is not None
    assert ends[1] is not None
    assert (ends[0].values == ends[1].values).all()
