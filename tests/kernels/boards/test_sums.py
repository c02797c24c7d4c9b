"""The search with used-value words against a plain twin: lists, nodes, dead ends, resuming, splitting."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from each import each
from pattern_twin import list_all
from seeds import seeds

from cpqueens.kernels.boards.pattern import Sum, SumPattern, layout
from cpqueens.kernels.boards.sums import SumsSearch

COSTAS = {1: 1, 2: 2, 3: 4, 4: 12, 5: 40, 6: 116, 7: 200, 8: 444}  # A008404


def costas(n: int) -> SumPattern:
    single = tuple(Sum((i,), (1,), 0) for i in range(n))
    groups = [tuple(Sum((i, i + d), (-1, 1), 0) for i in range(n - d)) for d in range(1, n - 1)]
    return SumPattern(n, np.full(n, (1 << n) - 1, dtype=np.uint64), (single, *groups))


def random_pattern(source: random.Random) -> SumPattern:
    n, width = source.randint(1, 5), source.choice([1, 3, 5, 64])
    allowed = [
        sum(1 << v for v in source.sample(range(width), min(width, source.randint(1, 5)))) for _ in range(n)
    ]
    groups = []
    for _ in range(source.randint(0, 4)):
        terms = []
        for _ in range(source.randint(0, 6)):
            rows = tuple(sorted(source.sample(range(n), source.randint(1, n))))
            sizes = [source.choice([-3, -1, 1, 2, 5]) for _ in rows[:-1]]
            terms.append(Sum(rows, (*sizes, source.choice([-1, 1])), source.randint(-70, 70)))
        groups.append(tuple(terms))
    return SumPattern(width, np.array(allowed, dtype=np.uint64), tuple(groups))


def twin(pattern: SumPattern) -> tuple[list[list[int]], int, int]:
    """Return the solutions in order, nodes and dead ends, by trying every column of every row."""
    solutions: list[list[int]] = []

    def consistent(x: list[int]) -> bool:
        for group in pattern.groups:
            known = [
                t.constant + sum(a * x[r] for r, a in zip(t.rows, t.coefficients, strict=True))
                for t in group
                if t.rows[-1] < len(x)
            ]
            if len(set(known)) < len(known):
                return False
        return True

    def place(x: list[int]) -> tuple[int, int]:
        if len(x) == pattern.n:
            solutions.append(x)
            return 1, 0
        below = [
            place([*x, v])
            for v in range(pattern.width)
            if int(pattern.allowed[len(x)]) >> v & 1 and consistent([*x, v])
        ]
        return 1 + sum(a for a, _ in below), (not below) + sum(b for _, b in below)

    nodes, failures = place([])
    return solutions, nodes, failures


@each("n", COSTAS)
def test_published_counts_of_costas_arrays(n: int) -> None:
    search = SumsSearch(costas(n))
    while not search.exhausted:
        search.count()
    assert search.solutions == COSTAS[n]


@seeds(range(150))
def test_random_patterns(seed: int) -> None:
    pattern = random_pattern(random.Random(seed))
    solutions, nodes, failures = twin(pattern)
    search = SumsSearch(pattern)
    assert list_all(search, 3, 7) == solutions
    assert (search.nodes, search.failures, search.solutions) == (nodes, failures, len(solutions))
    counting = SumsSearch(pattern)
    while not counting.exhausted:
        counting.count(5)
    assert (counting.nodes, counting.failures, counting.solutions) == (nodes, failures, len(solutions))


@seeds(range(20))
def test_resuming_behind_each_solution(seed: int) -> None:
    pattern = random_pattern(random.Random(1000 + seed))
    solutions = list_all(SumsSearch(pattern))
    for i in range(0, len(solutions), 1 + len(solutions) // 10):
        assert list_all(SumsSearch(pattern, after=solutions[i])) == solutions[i + 1 :]


def test_resuming_behind_what_is_no_solution() -> None:
    solutions = list_all(SumsSearch(costas(4)))
    for after in itertools.product(range(4), repeat=4):
        expected = [s for s in solutions if s > list(after)]
        assert list_all(SumsSearch(costas(4), after=after)) == expected


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_prefixes_split_the_space(depth: int) -> None:
    whole = SumsSearch(costas(6))
    solutions = list_all(whole)
    parts = [SumsSearch(costas(6), prefix=p) for p in itertools.product(range(6), repeat=depth)]
    assert [x for part in parts for x in list_all(part)] == solutions


def test_terms_of_one_row_in_one_all_different() -> None:
    """x + 1 and -x + 3 of the same row must differ (not for x = 1), and equal sums leave nothing."""
    full = np.array([7], dtype=np.uint64)
    both = SumPattern(3, full, ((Sum((0,), (1,), 1), Sum((0,), (-1,), 3)),))
    assert list_all(SumsSearch(both)) == [[0], [2]]
    same = SumPattern(3, full, ((Sum((0,), (1,), 1), Sum((0,), (1,), 1)),))
    assert list_all(SumsSearch(same)) == []


@pytest.mark.parametrize("term", [Sum((), (), 3), Sum((0,), (2,), 0), Sum((0, 1), (1, -3), 0)])
def test_what_does_not_fit(term: Sum) -> None:
    with pytest.raises(ValueError, match="coefficient 1 or -1"):
        layout(SumPattern(3, np.array([7, 7], dtype=np.uint64), ((term,),)))


def test_too_wide_a_range() -> None:
    wide = Sum((0, 1), (2**40, 1), 0)
    with pytest.raises(ValueError, match="AllDifferents over more than"):
        layout(SumPattern(3, np.array([7, 7], dtype=np.uint64), ((wide,),)))
