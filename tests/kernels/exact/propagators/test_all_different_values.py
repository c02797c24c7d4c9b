"""AllDifferent by matching against all assignments."""

import random

from each import each
from propagation import Bench, Strength, random_domains

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.exact.propagators.all_different_values import all_different_values, matching_data

Terms = list[tuple[int, int]]
"""Coefficient and constant of each variable's term."""


def differ(terms: Terms, row: tuple[int, ...]) -> bool:
    return len({a * w + c for (a, c), w in zip(terms, row, strict=True)}) == len(terms)


def random_terms(source: random.Random, multiples: tuple[int, ...]) -> Terms:
    plain = source.random() < 0.5
    return [(1, 0) if plain else (source.choice(multiples), source.randint(-2, 2)) for _ in range(4)]


def fixed_are_taken(m: Memory, terms: list[tuple[int, int, int]]) -> int:
    """Take the values of fixed terms from the others, as the search does before it runs a propagator."""
    for v, a, c in terms:
        value = a * m.x[v + at.LOW] + c
        for u, b, d in terms:
            fixed = m.x[v + at.LOW] == m.x[v + at.HIGH]
            if u != v and fixed and (value - d) % b == 0 and not at.remove(m, u, (value - d) // b):
                return 0
    return 1


@each("seed", range(40))
def test_a_matching_leaves_what_some_solution_has(seed: int) -> None:
    source = random.Random(seed)
    terms = random_terms(source, (1, -1, 2, -3))
    domains = random_domains(source, [(0, source.randint(2, 5)) for _ in terms])
    ends = [a * w + c for (a, c), values in zip(terms, domains, strict=True) for w in values]
    placed = [(v * at.X_WIDTH, a, c) for v, (a, c) in enumerate(terms)]
    data = matching_data(placed, min(ends), max(ends))

    def run(m: Memory, p: int) -> int:
        return fixed_are_taken(m, placed) and all_different_values.plain(m, p)

    bench = Bench(run, domains, lambda row: differ(terms, row), data=data)
    bench.walk(source, Strength.DOMAIN)
