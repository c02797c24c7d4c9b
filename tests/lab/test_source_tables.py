from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from cpqueens.models.queens import queens
from each import each

from cpqueens import AllDifferent, Model, UnsupportedRequest
from cpqueens.lab.source_tables import (
    PUBLISHED,
    Expectations,
    cells,
    findings,
    las_vegas_expectations,
    rounded,
)

# Deng and Zhu (2006) print k = 0, 5 and 12 for 12 queens, p and t of the last two lost; the rest was computed
# independently of this package, as exact fractions.
TWELVE = {
    "p": (1, 1, 1, 0.9954, 0.8361, 0.5039, 0.2452, 0.1291, 0.0807, 0.0586, 0.0498, 0.0465, 0.0465),
    "s": (262, 311.5, 193.12, 136.99, 66.59, 33.88, 20.43, 15.8, 14.03, 13.32, 13.07, 13, 13),
    "e": (None, None, None, 692, 155.78, 47.23, 20.72, 13.27, 11.02, 10.36, 10.21, 10.2, 10.2),
    "t": (262, 311.5, 193.12, 140.21, 97.13, 80.39, 84.22, 105.3, 139.58, 179.73, 207.92, 222.11, 222.11),
}


def safe(x: tuple[int, ...], n: int) -> list[int]:
    row = len(x)
    return [v for v in range(n) if all(v != w and abs(v - w) != row - i for i, w in enumerate(x))]


def first(x: tuple[int, ...], n: int) -> tuple[bool, int]:
    """Backtrack below x to the first solution; return whether there is one and the nodes below x."""
    if len(x) == n:
        return True, 0
    nodes = 0
    for v in safe(x, n):
        found, below = first((*x, v), n)
        nodes += 1 + below
        if found:
            return True, nodes
    return False, nodes


def slow(n: int, k: int) -> Expectations:
    """The definition, attempt by attempt: every sequence of random choices with its probability."""
    chances, nodes = [Fraction(0)] * 2, [Fraction(0)] * 2

    def attempt(x: tuple[int, ...], chance: Fraction) -> None:
        values = safe(x, n) if len(x) < n else []
        if len(x) < min(k, n) and values:
            for v in values:
                attempt((*x, v), chance / len(values))
            return
        found, below = first(x, n) if len(x) == k else (False, 0)
        chances[found] += chance
        nodes[found] += chance * (1 + len(x) + below)

    attempt((), Fraction(1))
    means = [total / chance if chance else None for total, chance in zip(nodes, chances, strict=True)]
    return Expectations(k, chances[1], means[1], means[0])


@each("n", range(1, 8))
def test_expectations_follow_the_definition(n: int) -> None:
    assert las_vegas_expectations(queens(n)) == tuple(slow(n, k) for k in range(n + 1))


def test_the_published_table_is_reproduced_but_for_one_misprint() -> None:
    exact = las_vegas_expectations(queens(8))
    assert [found.stop_vegas for found in exact] == list(range(9))
    found = findings(8, exact)
    assert [(f.stop_vegas, f.column, f.printed, f.exact) for f in found] == [(6, "p", "0.1375", "0.1357")]
    assert "53.51 with the exact value and 52.83" in str(found[0])
    same = sum(PUBLISHED[8][k][c] == cells(exact[k])[c] for k, c in product(range(9), "pset"))
    assert same == 35


@pytest.mark.slow
def test_the_table_of_twelve_queens_is_completed() -> None:
    exact = las_vegas_expectations(queens(12))
    for column, digits in (("p", 4), ("s", 2), ("e", 2), ("t", 2)):
        wanted = ["-" if v is None else f"{v:.{digits}f}" for v in TWELVE[column]]
        assert [cells(found)[column] for found in exact] == wanted
    assert findings(12, exact) == []
    assert min(exact, key=lambda found: found.t or 0).stop_vegas == 5


def test_a_false_cell_is_found() -> None:
    exact = las_vegas_expectations(queens(8))
    wrong = [Expectations(f.stop_vegas, f.p, f.s and f.s + 1, f.e) for f in exact]
    found = findings(8, wrong)
    assert {(f.stop_vegas, f.column) for f in found} >= {(k, "s") for k in range(9)}
    assert {f.evidence for f in found if f.column == "t"} == {""}


def test_best_stop_for_eight_queens_is_two() -> None:
    exact = las_vegas_expectations(queens(8))
    assert min(exact, key=lambda found: found.t or 0).stop_vegas == 2


def test_attempts_all_fail_with_the_power() -> None:
    found = las_vegas_expectations(queens(4))[4]
    assert found.p == Fraction(1, 2)
    assert found.all_fail(3) == Fraction(1, 8)


def test_no_solution_means_no_expectation_of_success() -> None:
    for found in las_vegas_expectations(queens(3)):
        assert found.p == 0
        assert found.s is None
        assert found.t is None
        assert found.all_fail(10) == 1


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (Fraction(317, 8), 2, "39.63"),
        (Fraction(1, 8), 2, "0.13"),
        (Fraction(1249, 10000), 2, "0.12"),
        (Fraction(999, 1000), 2, "1.00"),
        (None, 2, "-"),
    ],
)
def test_half_is_rounded_up(value: Fraction | None, digits: int, text: str) -> None:
    assert rounded(value, digits) == text


def test_models_of_another_pattern_are_refused() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    m += [AllDifferent(x), x.sum() <= 5]
    with pytest.raises(UnsupportedRequest, match="AllDifferents over shifted variables"):
        las_vegas_expectations(m)
