"""Propagators of the kernel core are as strong as their names say, and the bench notices if one is not."""

import random
from typing import Any

import pytest
from each import each
from propagation import Bench, Strength, random_domains

from cpqueens.kernels.exact import kinds
from cpqueens.kernels.exact.domains import Memory, tighten
from cpqueens.kernels.exact.propagators.rows import linear

SUM = [1, 2, -3]


def row_sum(row: tuple[int, ...]) -> int:
    return row[0] + 2 * row[1] - 3 * row[2] + 1


@each("seed", range(10))
def test_linear_rows(seed: int) -> None:
    source = random.Random(seed)
    domains = random_domains(source, [(0, 4)] * 3)
    for kind, meaning, strength in (
        (kinds.AT_MOST, lambda row: row_sum(row) <= 0, Strength.BOUNDS),
        (kinds.EQUAL, lambda row: row_sum(row) == 0, Strength.SOUND),
        (kinds.DIFFERENT, lambda row: row_sum(row) != 0, Strength.SOUND),
    ):
        for bounds_only in ([], [1]):
            domains[1] = list(range(domains[1][0], domains[1][-1] + 1))
            bench = Bench(
                linear, domains, meaning, kind=kind, coefficients=SUM, constant=1, bounds_only=bounds_only
            )
            bench.walk(source, strength)


@pytest.mark.parametrize(
    ("run", "meaning", "strength"),
    [
        (lambda m, p: 1, lambda row: row[0] < row[1], Strength.BOUNDS),
        (lambda m, p: 1, lambda row: row[0] != row[1] + 1, Strength.DOMAIN),
        (lambda m, p: 1, lambda row: row[0] < row[1], Strength.SOUND),
        (lambda m, p: 0, lambda row: row[0] < row[1], Strength.SOUND),
        (lambda m, p: tighten(m, 0, 0, 1), lambda row: row[0] <= 2, Strength.SOUND),
    ],
)
def test_a_propagator_that_does_too_little_or_too_much_is_noticed(
    run: Any, meaning: Any, strength: Strength
) -> None:
    def walks() -> None:
        for seed in range(20):
            Bench(run, [[0, 1, 2, 3]] * 2, meaning).walk(random.Random(seed), strength)

    with pytest.raises(AssertionError):
        walks()


def test_a_propagator_that_forgets_to_take_back_is_noticed() -> None:
    """It counts its calls in a word that nobody restores, and fails from the fifth on."""

    def forgetful(m: Memory, p: int) -> int:
        m.net[len(m.net) - 1] += 1
        return int(m.net[len(m.net) - 1] < 5)

    bench = Bench(forgetful, [[0, 1, 2]] * 3, lambda row: True, data=[0])
    with pytest.raises(AssertionError, match="is a solution"):
        bench.walk(random.Random(0), Strength.SOUND)
