"""Products, squares and divisions against all assignments."""

import random
from collections.abc import Callable

from each import each
from propagation import Bench, Strength, random_domains

from cpqueens.kernels.exact import kinds
from cpqueens.kernels.exact.propagators.functions import GREATEST_ROOT, division, product, root


def truncated(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


DIVISIONS: dict[int, Callable[[int, int], int]] = {
    kinds.QUOTIENT: lambda x, y: x // y,
    kinds.REMAINDER: lambda x, y: x % y,
    kinds.QUOTIENT_TRUNCATED: truncated,
    kinds.REMAINDER_TRUNCATED: lambda x, y: x - y * truncated(x, y),
}


def ends(source: random.Random) -> tuple[int, int]:
    low = source.randint(-7, 5)
    return low, low + source.randint(0, 6)


@each("seed", range(25))
def test_products_and_squares(seed: int) -> None:
    source = random.Random(seed)
    domains = random_domains(source, [ends(source), ends(source), (-12, 12)])
    bench = Bench(product, domains, lambda row: row[0] * row[1] == row[2], result=2)
    bench.walk(source, Strength.SOUND)
    domains = random_domains(source, [ends(source), (-2, 26)])
    bench = Bench(product, domains, lambda row: row[0] ** 2 == row[1], result=1, arguments=[0, 0])
    bench.walk(source, Strength.SOUND)


@each("kind", DIVISIONS)
@each("seed", range(15))
def test_divisions(seed: int, kind: int) -> None:
    source = random.Random(seed)
    domains = random_domains(source, [ends(source), ends(source), (-6, 6)])

    def meaning(row: tuple[int, ...]) -> bool:
        return row[2] == (DIVISIONS[kind](row[0], row[1]) if row[1] else 0)

    Bench(division, domains, meaning, kind=kind, result=2).walk(source, Strength.SOUND)


def test_roots_are_whole_up_to_the_last_of_64_bits() -> None:
    for value in [*range(30), GREATEST_ROOT**2 - 1, GREATEST_ROOT**2, 2**63 - 1]:
        assert root(value) ** 2 <= value < (root(value) + 1) ** 2


def test_what_bounds_of_a_product_leave() -> None:
    """Worked by hand: 13 <= x * y <= 20 with 2 <= y <= 3 leaves x from ceil(13 / 3) to 20 // 2."""

    def left(domains: list[list[int]], **which: object) -> list[tuple[int, int]]:
        bench = Bench(product, domains, lambda row: False, **which)  # type: ignore[arg-type]
        assert bench.propagate()
        return [(values[0], values[-1]) for values in bench.left()]

    wide = list(range(-50, 51))
    assert left([wide, [2, 3], [13, 20]], result=2) == [(5, 10), (2, 3), (13, 20)]
    assert left([wide, [-3, -2], [13, 20]], result=2) == [(-10, -5), (-3, -2), (13, 20)]
    assert left([wide, [-2, 0, 3], [12, 13]], result=2) == [(-13, 13), (-2, 3), (12, 13)]
    assert left([wide, wide[67:91]], result=1, arguments=[0, 0]) == [(-6, 6), (17, 36)]
    assert left([wide[47:], wide[67:91]], result=1, arguments=[0, 0]) == [(5, 6), (25, 36)]
