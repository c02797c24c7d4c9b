"""The number of different values against all assignments."""

import random

import pytest
from each import each
from propagation import Bench, Strength, random_domains

from cpqueens.kernels.exact.propagators.different_values import different_data, different_values


@each("seed", range(40))
def test_so_many_values_are_taken(seed: int) -> None:
    source = random.Random(seed)
    domains = random_domains(source, [(0, 4)] * 4 + [(0, 5)])
    bench = Bench(different_values, domains, lambda row: len({*row[:4]}) == row[4], data=different_data(0, 4))
    bench.walk(source, Strength.SOUND)


@pytest.mark.parametrize(
    ("domains", "left"),
    [
        ([[0], [1], [0, 1, 2], [2]], [[0], [1], [0, 1], [2]]),  # no other value
        ([[0], [0, 1], [0, 1, 2], [3]], [[0], [1], [2], [3]]),  # all differ
        ([[0, 1], [0, 1], [1, 2], [3]], [[0, 1], [0, 1], [2], [3]]),  # all values occur
        ([[1, 2], [2, 3], [4, 5], [1, 2, 3]], [[1, 2], [2, 3], [4, 5], [2, 3]]),  # two are disjoint
        ([[0], [1, 2], [1, 2], [0, 1, 2, 3]], [[0], [1, 2], [1, 2], [2, 3]]),  # 0, and another
        ([[0], [1], [2], [2]], None),
    ],
)
def test_what_the_number_leaves(domains: list[list[int]], left: list[list[int]] | None) -> None:
    """Worked by hand; the last variable is the number."""
    bench = Bench(different_values, domains, lambda row: False, data=different_data(0, 5))
    assert bench.propagate() == (left is not None)
    assert left is None or bench.left() == left
