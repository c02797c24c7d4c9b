"""Lexicographic order against all assignments."""

import random

from each import each
from propagation import Bench, Strength, random_domains

from cpqueens.kernels.exact.propagators.lexicographic import lexicographic


@each("strict", [0, 1])
@each("seed", range(20))
def test_the_order_leaves_what_some_solution_has(seed: int, strict: int) -> None:
    source = random.Random(seed)
    domains = random_domains(source, [(0, 2)] * 2 * source.randint(1, 3))

    def in_order(row: tuple[int, ...]) -> bool:
        return row[::2] < row[1::2] or (not strict and row[::2] == row[1::2])

    Bench(lexicographic, domains, in_order, constant=strict, words=[0]).walk(source, Strength.DOMAIN)
