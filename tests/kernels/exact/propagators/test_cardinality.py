"""Global cardinality against all assignments."""

import random

from each import each
from propagation import Bench, Strength, random_domains

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.propagators.cardinality import ANY, NEVER, cardinality, cardinality_data

TERMS, VALUES = 4, 3


@each("fixed", [False, True])
@each("seed", range(40))
def test_terms_and_numbers_agree(seed: int, fixed: bool) -> None:
    """With numbers that are intervals, the terms are domain consistent; else, sound."""
    source = random.Random(seed)
    numbers = [source.choice((ANY, NEVER, TERMS, TERMS + 1)) for _ in range(VALUES)]
    if numbers.count(TERMS) > 1 or numbers.count(TERMS + 1) > 1:
        numbers = [TERMS, TERMS + 1, source.choice((ANY, NEVER))]
    domains = random_domains(source, [(0, VALUES - 1)] * TERMS)
    for _ in range(2):
        low = source.randint(0, 2)
        domains.append(list(range(low, low + source.randint(1, 3))))

    def meaning(row: tuple[int, ...]) -> bool:
        terms = row[:TERMS]
        return all(
            number == ANY or terms.count(w) == (0 if number == NEVER else row[number])
            for w, number in enumerate(numbers)
        )

    places = {w: n * at.X_WIDTH if n >= 0 else n for w, n in enumerate(numbers)}
    data = cardinality_data([v * at.X_WIDTH for v in range(TERMS)], 0, VALUES - 1, places)
    bench = Bench(cardinality, domains, meaning, data=data)
    if not fixed:
        bench.walk(source, Strength.SOUND)
        return
    used = [n for n in range(TERMS, TERMS + 2) if n in numbers]
    for n in used:
        value = source.choice(domains[n])
        assert at.tighten(bench.memory, n * at.X_WIDTH, value, value)
    bench.check(Strength.DOMAIN)
