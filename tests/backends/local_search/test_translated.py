"""What single constraints become: each search ends in a solution, which the model's checker accepts."""

from __future__ import annotations

import pytest
from searched import run

from cpqueens import AllDifferent, Count, Model

SEEDS = range(6)


@pytest.mark.parametrize("number", [0, 2, 4])
def test_a_counted_value_is_a_term_with_a_constant(number: int) -> None:
    m = Model()
    x, y = m.intvar(0, 3, shape=4, name="x"), m.intvar(0, 1, name="y")
    m.add(Count(x, y + 2, "==", number))
    for seed in SEEDS:
        found = run(m, "min-conflicts", seed, 2000)
        assert found[x].tolist().count(found[y] + 2) == number


@pytest.mark.parametrize("factors", [(1, 1, 1), (1, 2, 1), (3, 2, 1)])
def test_all_pairs_of_terms_over_a_wide_range_differ(factors: tuple[int, ...]) -> None:
    m = Model()
    x = m.intvar(domain=[0, 1, 2**45], shape=3, name="x")
    m.add(AllDifferent([a * term for a, term in zip(factors, x, strict=True)]))
    for seed in SEEDS:
        assert run(m, "tabu", seed, 5000).solution is not None


def test_short_rows_that_are_left_out_at_first_hold_in_the_end() -> None:
    """Unlike those of a Costas array, these follow from no others."""
    m = Model()
    x = m.intvar(0, 5, shape=7, name="x")
    m.add(AllDifferent(x[1:] - x[:-1]), AllDifferent(x[1:] + 2 * x[:-1]))
    m.add(*(AllDifferent([x[k] - x[k + 3], x[k + 1] - x[k + 2]]) for k in range(4)))
    for seed in SEEDS:
        assert run(m, "auto", seed, 20_000).solution is not None
