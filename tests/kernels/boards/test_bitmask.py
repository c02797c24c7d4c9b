"""The conflict-mask kernels against a plain twin: sets, order, nodes, failures, resuming, splitting."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from each import each
from pattern_twin import list_all, random_pattern, superqueens, toroidal, twin
from seeds import seeds

from cpqueens.kernels.boards.bitmask import BitmaskSearch
from cpqueens.kernels.boards.pattern import Group, Pattern, queens
from cpqueens.kernels.boards.search import PatternSearch

# A000170 (n queens, from n = 0), A051906 (toroidal), A051223 (superqueens), A319284 (tree profile of n = 8)
QUEENS = [1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200]
TOROIDAL = {1: 1, 2: 0, 3: 0, 4: 0, 5: 10, 6: 0, 7: 28, 8: 0, 9: 0, 10: 0, 11: 88, 12: 0, 13: 4524}
SUPERQUEENS = {5: 0, 9: 0, 10: 4, 11: 44, 12: 156}
PROFILE_8 = [1, 8, 42, 140, 344, 568, 550, 312, 92]


def count_all(search: PatternSearch, budget: int | None = None) -> PatternSearch:
    while not search.exhausted:
        search.count(budget)
    return search


@each("n", range(13))
def test_published_counts_of_queens(n: int) -> None:
    assert count_all(BitmaskSearch(queens(n))).solutions == QUEENS[n]


@pytest.mark.parametrize(("n", "expected"), TOROIDAL.items())
def test_published_counts_of_toroidal_queens(n: int, expected: int) -> None:
    assert count_all(BitmaskSearch(toroidal(n))).solutions == expected


@pytest.mark.parametrize(("n", "expected"), SUPERQUEENS.items())
def test_published_counts_of_superqueens(n: int, expected: int) -> None:
    assert count_all(BitmaskSearch(superqueens(n))).solutions == expected


def test_nodes_of_8_queens_are_the_published_tree() -> None:
    search = count_all(BitmaskSearch(queens(8)))
    assert search.nodes == sum(PROFILE_8) == 2057
    for depth in range(1, 8):
        groups = tuple(Group(g.offsets[:depth]) for g in queens(8).groups)
        truncated = Pattern(8, queens(8).allowed[:depth], groups)
        assert count_all(BitmaskSearch(truncated)).solutions == PROFILE_8[depth]


@pytest.mark.parametrize(
    ("n", "nodes", "first"),
    [(8, 114, [0, 4, 7, 5, 2, 6, 1, 3]), (12, 262, [0, 2, 4, 7, 9, 11, 5, 10, 1, 6, 8, 3])],
)
def test_first_solution(n: int, nodes: int, first: list[int]) -> None:
    search = BitmaskSearch(queens(n))
    out = np.zeros((1, n), dtype=np.uint8)
    assert search.fill(out, budget=1000) == 1
    assert (search.nodes, out[0].tolist()) == (nodes, first)


@seeds(range(40))
def test_random_patterns_equal_the_plain_twin(seed: int) -> None:
    pattern = random_pattern(random.Random(seed))
    solutions, nodes, failures = twin(pattern)
    listing = BitmaskSearch(pattern)
    assert list_all(listing, batch=3, budget=7) == solutions
    counting = count_all(BitmaskSearch(pattern), 5)
    assert (listing.nodes, listing.failures, listing.solutions) == (nodes, failures, len(solutions))
    assert (counting.nodes, counting.failures, counting.solutions) == (nodes, failures, len(solutions))


def test_the_two_kernels_agree_on_queens_with_blocked_squares() -> None:
    allowed = queens(7).allowed.copy()
    allowed[[0, 3]] &= np.uint64(0b1011101)
    pattern = queens(7, allowed)
    general = Pattern(7, allowed, (*pattern.groups, Group(np.arange(7), np.arange(7) < 3)))
    assert pattern.is_queens
    assert not general.is_queens
    assert list_all(BitmaskSearch(pattern)) == list_all(BitmaskSearch(general)) == twin(pattern)[0]


@pytest.mark.parametrize("build", [queens, toroidal, superqueens])
def test_resuming_after_each_solution_gives_the_rest(build: object) -> None:
    pattern = build(7)  # type: ignore[operator]
    solutions = twin(pattern)[0]
    for i, solution in enumerate(solutions):
        assert list_all(BitmaskSearch(pattern, after=solution)) == solutions[i + 1 :]


def test_resuming_after_any_assignment() -> None:
    solutions = twin(queens(6))[0]
    for after in itertools.product(range(0, 6, 2), repeat=6):
        expected = [s for s in solutions if tuple(s) > after]
        assert list_all(BitmaskSearch(queens(6), after=after)) == expected


@each("build", [queens, toroidal, superqueens])
@each("depth", [1, 2, 3])
def test_prefixes_split_the_search(build: object, depth: int) -> None:
    pattern = build(7)  # type: ignore[operator]
    whole = count_all(BitmaskSearch(pattern))
    parts = [
        count_all(BitmaskSearch(pattern, prefix=prefix))
        for prefix in itertools.product(range(7), repeat=depth)
    ]
    assert sum(part.solutions for part in parts) == whole.solutions
    inner = twin(pattern, rows=depth)
    assert sum(part.nodes for part in parts) + inner[1] == whole.nodes
    assert sum(part.failures for part in parts) + inner[2] == whole.failures


def test_offsets_that_go_to_and_fro_lose_no_conflict() -> None:
    offsets = np.array([0, 60, 0, -60, 0], dtype=np.int64)
    pattern = Pattern(5, np.full(5, 31, dtype=np.uint64), (Group(offsets),))
    assert list_all(BitmaskSearch(pattern)) == twin(pattern)[0]


def test_64_columns() -> None:
    allowed = np.full(3, 0xF00F_0000_0300_800F, dtype=np.uint64)
    i = np.arange(3, dtype=np.int64)
    pattern = Pattern(64, allowed, (Group(0 * i), Group(i, None, 64), Group(-i)))
    search = count_all(BitmaskSearch(pattern))
    assert (search.solutions, search.nodes, search.failures) == (len(twin(pattern)[0]), *twin(pattern)[1:])


def test_a_prefix_of_all_rows_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 3 of 4 rows"):
        BitmaskSearch(queens(4), prefix=[1, 3, 0, 2])


def test_after_must_begin_with_the_prefix() -> None:
    with pytest.raises(ValueError, match="begin with the prefix"):
        BitmaskSearch(queens(4), prefix=[1], after=[2, 0, 3, 1])


def test_an_unsafe_prefix_has_nothing() -> None:
    assert BitmaskSearch(queens(5), prefix=[0, 1]).exhausted
    assert BitmaskSearch(queens(5), prefix=[0, 9]).exhausted
