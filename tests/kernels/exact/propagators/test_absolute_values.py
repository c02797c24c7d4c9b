"""The absolute value by values against all assignments."""

import random

from each import each
from propagation import Bench, Strength, random_domains

from cpqueens.kernels.exact.propagators.absolute_values import absolute_values


@each("seed", range(20))
def test_values_without_their_absolute_value_go(seed: int) -> None:
    source = random.Random(seed)
    domains = random_domains(source, [(-4, 4), (-1, 5)])
    bench = Bench(absolute_values, domains, lambda row: abs(row[0]) == row[1])
    bench.walk(source, Strength.DOMAIN)
