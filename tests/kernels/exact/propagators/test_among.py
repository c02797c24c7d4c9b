"""How many terms have a value of a set, against all assignments."""

import random

from each import each
from propagation import Bench, Strength, random_domains

from cpqueens.kernels.exact.propagators.among import among


@each("seed", range(40))
def test_as_many_values_are_in_the_set_as_is_said(seed: int) -> None:
    source = random.Random(seed)
    chosen = sorted(source.sample(range(-1, 6), source.randint(1, 3)))
    domains = random_domains(source, [(0, 3)] * 4 + [(-1, 5)])
    bench = Bench(among, domains, lambda row: sum(w in chosen for w in row[:4]) == row[4], data=chosen)
    bench.walk(source, Strength.DOMAIN)


def test_terms_without_flags_lose_ends_and_are_decided() -> None:
    for seed in range(20):
        source = random.Random(seed)
        domains = [[0, 1, 2, 3]] * 3 + [[0, 1, 2, 3]]
        chosen = sorted(source.sample(range(4), 2))
        bench = Bench(
            among,
            domains,
            lambda row, chosen=chosen: sum(w in chosen for w in row[:3]) == row[3],
            data=chosen,
            bounds_only=[0, 1, 2],
        )
        bench.walk(source, Strength.SOUND)
