"""Inverse arrays against all assignments."""

import random

from each import each
from propagation import Bench, Strength, random_domains

from cpqueens.kernels.exact.propagators.inverse import inverse


@each("seed", range(20))
def test_who_cannot_point_back_is_not_pointed_to(seed: int) -> None:
    source = random.Random(seed)
    domains = random_domains(source, [(-1, 3)] * 6)

    def meaning(row: tuple[int, ...]) -> bool:
        pairs = ((row[:3], row[3:]), (row[3:], row[:3]))
        return all(0 <= j < 3 and back[j] == i for there, back in pairs for i, j in enumerate(there))

    bench = Bench(inverse, domains, meaning)
    bench.walk(source, Strength.SOUND)
    if bench.propagate():
        left = bench.left()
        assert all((j in left[i]) == (i in left[3 + j]) for i in range(3) for j in range(3))
