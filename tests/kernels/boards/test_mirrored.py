"""Listing by mirroring gives what the plain search gives, in its order, with its nodes and failures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from each import each
from pattern_twin import list_all, superqueens

from cpqueens.kernels.boards.bitmask import BitmaskSearch
from cpqueens.kernels.boards.mirrored import MirroredSearch, is_mirrored
from cpqueens.kernels.boards.pattern import queens


@each("n", [6, 7, 8, 9, 10])
@each("batch", [1, 7, 4096])
def test_lists_what_the_plain_search_lists(n: int, batch: int) -> None:
    plain, mirrored = BitmaskSearch(queens(n)), MirroredSearch(queens(n))
    assert list_all(mirrored, batch) == list_all(plain, batch)
    assert (mirrored.nodes, mirrored.failures) == (plain.nodes, plain.failures)
    assert mirrored.exhausted


@each("n", [8, 9])
@each("max_kept", [0, 100, 500])
def test_searches_the_second_half_when_too_much_would_be_kept(n: int, max_kept: int) -> None:
    plain, mirrored = BitmaskSearch(queens(n)), MirroredSearch(queens(n), max_kept)
    assert list_all(mirrored, 16) == list_all(plain, 16)
    assert (mirrored.nodes, mirrored.failures) == (plain.nodes, plain.failures)


@pytest.mark.parametrize("n", [8, 9])
def test_a_board_with_fewer_rows_than_columns(n: int) -> None:
    pattern = replace(queens(n), allowed=queens(n).allowed[:6], groups=queens(6).groups)
    plain, mirrored = BitmaskSearch(pattern), MirroredSearch(pattern)
    assert list_all(mirrored, 50) == list_all(plain, 50)
    assert (mirrored.nodes, mirrored.failures) == (plain.nodes, plain.failures)


def test_counts_never_fall_and_a_small_budget_is_kept() -> None:
    mirrored, out = MirroredSearch(queens(8)), np.zeros((100, 8), dtype=np.uint8)
    seen = [(mirrored.nodes, mirrored.failures)]
    assert seen == [(1, 0)]
    found = 0
    while not mirrored.exhausted:
        found += mirrored.fill(out, 10)
        seen.append((mirrored.nodes, mirrored.failures))
    assert found == 92
    assert seen == sorted(seen)
    assert seen[1][0] <= 13


def test_only_full_boards_of_queens() -> None:
    assert is_mirrored(queens(6))
    assert not is_mirrored(queens(5))
    assert not is_mirrored(superqueens(8))
    blocked = queens(8).allowed.copy()
    blocked[3] ^= np.uint64(1)
    assert not is_mirrored(replace(queens(8), allowed=blocked))
    with pytest.raises(ValueError, match="full board"):
        MirroredSearch(replace(queens(8), allowed=blocked))
