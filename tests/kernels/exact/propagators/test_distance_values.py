"""Distances of two variables by values against all assignments."""

import random

from each import each
from propagation import Bench, Strength, random_domains

from cpqueens.kernels.exact.propagators.distance_values import distance_values
from cpqueens.kernels.exact.value_marks import WIDEST


def bench_of(domains: list[list[int]], factors: tuple[int, int], constant: int) -> Bench:
    def meaning(row: tuple[int, ...]) -> bool:
        return abs(factors[0] * row[0] + factors[1] * row[1] + constant) == row[2]

    return Bench(distance_values, domains, meaning, coefficients=[*factors, 1], constant=constant)


@each("seed", range(40))
def test_distances_leave_what_some_solution_has(seed: int) -> None:
    source = random.Random(seed)
    factors = source.choice((1, -1)), source.choice((1, -1))
    domains = random_domains(source, [(-3, 3), (-2, 4), (0, 9)])
    bench_of(domains, factors, source.randint(-4, 4)).walk(source, Strength.DOMAIN)


@each("seed", range(30))
def test_values_up_to_a_word_apart(seed: int) -> None:
    """The sum of the two takes as many values as a word has bits, on one side of 0 or on both."""
    source = random.Random(seed)
    factors = source.choice((1, -1)), source.choice((1, -1))
    width = source.randint(1, WIDEST - 2)
    domains = []
    for last in (width, WIDEST - 1 - width):
        low = source.randint(-40, 40)
        few = [source.randint(low, low + last) for _ in range(6)]
        domains.append(sorted({low, low + last, *few}))
    ends = [
        sorted(a * w for w in (domain[0], domain[-1])) for a, domain in zip(factors, domains, strict=True)
    ]
    least = ends[0][0] + ends[1][0]
    constant = -least + source.choice((0, 0, 7, -WIDEST // 2))
    low, high = max(0, least + constant), max(WIDEST - 1 + least + constant, -least - constant)
    domains.append(sorted({low, high, *source.sample(range(low, high), 12)}))
    bench_of(domains, factors, constant).walk(source, Strength.DOMAIN)
