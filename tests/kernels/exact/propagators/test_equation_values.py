"""Linear equations by values against all assignments."""

import random

from each import each
from propagation import Bench, Strength, random_domains

from cpqueens.kernels.exact.propagators.equation_values import equation_values

APART = 31


@each("seed", range(40))
def test_equations_leave_what_some_solution_has(seed: int) -> None:
    source = random.Random(seed)
    factors = [source.choice((1, -1, 2, -3)) for _ in range(source.choice((2, 3, 3)))]
    constant = source.randint(-4, 4)
    domains = random_domains(source, [(-3, 4)] * len(factors))

    def meaning(row: tuple[int, ...]) -> bool:
        return sum(a * w for a, w in zip(factors, row, strict=True)) + constant == 0

    bench = Bench(equation_values, domains, meaning, coefficients=factors, constant=constant)
    bench.walk(source, Strength.DOMAIN)


@each("seed", range(30))
def test_values_far_apart(seed: int) -> None:
    source = random.Random(seed)
    factors = [source.choice((1, -1, 2)), source.choice((1, -1)), source.choice((1, -1))]
    source.shuffle(factors)
    domains = []
    for a in factors:
        low = source.randint(-40, 10)
        high = low + source.choice((APART - 2, APART - 1, APART)) // abs(a)
        domains.append(sorted({low, high, *source.sample(range(low, high), 8)}))
    constant = -sum(a * source.choice(domain) for a, domain in zip(factors, domains, strict=True))

    def meaning(row: tuple[int, ...]) -> bool:
        return sum(a * w for a, w in zip(factors, row, strict=True)) + constant == 0

    bench = Bench(equation_values, domains, meaning, coefficients=factors, constant=constant)
    bench.walk(source, Strength.DOMAIN)


def test_many_pairs_are_left_alone() -> None:
    """With 12 x 12 pairs nothing is done, with 11 x 11 odd values go."""
    for many, step in ((12, 1), (11, 2)):
        domains = [list(range(0, 2 * many, 2))] * 2 + [list(range(4 * many))]
        bench = Bench(equation_values, domains, lambda row: False, coefficients=[1, 1, -1])
        assert bench.propagate()
        assert bench.left()[2] == list(range(0, 4 * many if step == 1 else 4 * many - 3, step))
