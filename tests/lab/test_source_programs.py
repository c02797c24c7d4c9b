"""The sources' programs with their mistakes: each costs what was published of it."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from cpqueens.lab.experiments import Cells
from cpqueens.lab.source_mistakes import acceptance, aliased_rows, sideways_mistakes, swap_mistakes
from cpqueens.lab.source_programs import (
    MISSED,
    SOLVED,
    SidewaysProgram,
    SwapProgram,
    _best_moves,
    _board,
    _Lines,
    _seen,
    climb,
    outcomes,
)


def interval(cell: str) -> tuple[float, float]:
    low, high = re.search(r"\(([\d.,]+) to ([\d.,]+)\)", cell).groups()  # type: ignore[union-attr]
    return float(low.replace(",", "")), float(high.replace(",", ""))


def pairs(columns: list[int]) -> int:
    q = np.array(columns)
    i, j = np.triu_indices(len(q), 1)
    return int(((q[i] == q[j]) | (np.abs(q[i] - q[j]) == j - i)).sum())


@pytest.mark.parametrize("seed", range(20))
def test_lines_count_pairs_and_the_best_moves_are_the_best(seed: int) -> None:
    rng = random.Random(seed)
    columns = [rng.randrange(6) for _ in range(6)]
    lines = _Lines(columns)
    assert lines.pairs == pairs(columns)
    best, moves = _best_moves(columns, lines)
    assert lines.pairs == pairs(columns)  # only looked
    after = {
        (row, column): pairs([*columns[:row], column, *columns[row + 1 :]])
        for row in range(6)
        for column in range(6)
        if column != columns[row]
    }
    assert best == min(after.values())
    assert sorted(moves) == sorted(move for move, value in after.items() if value == best)


def test_queens_are_seen_up_to_the_first_one_on_a_line() -> None:
    assert _seen(_board([0, 0, 0, 3]), [0, 0, 0, 3]) == 3  # two neighbours in the row, one diagonal
    assert _seen(_board([1, 3, 0, 2]), [1, 3, 0, 2]) == 0
    assert _board([2, 0, 1], aliased=True) == [[1, 1, 1]] * 3


def test_aliased_rows_end_every_climb_at_once() -> None:
    rng = random.Random(1)
    assert {climb(8, rng, aliased=True) for _ in range(40)} == {"failed"}


def test_an_untested_last_try_misses_what_is_solved() -> None:
    sound = Counter(outcomes(SidewaysProgram(10), 8, 500))
    careless = Counter(outcomes(SidewaysProgram(10, forgets_last=True), 8, 500))
    assert sound[MISSED] == 0
    assert 0.005 < careless[MISSED] / 500 < 0.05  # 2 % in its source
    assert careless[SOLVED] < sound[SOLVED]


def test_rounded_columns_are_rare_at_the_borders() -> None:
    rng, program = random.Random(0), SidewaysProgram(1, rounds=True)
    drawn = Counter(program._column(8, rng) for _ in range(7000))
    assert set(drawn) == set(range(8))
    assert 1.6 < drawn[3] / drawn[0] < 2.5


@pytest.mark.slow
def test_mistakes_cost_what_was_published() -> None:
    def found(table: Callable[[int], tuple[str, Cells]]) -> Cells:
        return table(200)[1][1:]

    aliased, separate = found(aliased_rows)
    assert aliased[2:4] == ["800", "0"]
    low, high = interval(separate[4])
    assert low <= 96.9 <= high
    rows = found(sideways_mistakes)
    assert interval(rows[0][2])[0] <= 58 <= interval(rows[0][2])[1] + 1
    assert interval(rows[2][3])[0] <= 2 <= interval(rows[2][3])[1]
    restarts = found(swap_mistakes)
    for column, published in ((1, 1.62), (2, 3.5), (3, 2.95)):
        low, high = interval(restarts[0][column])
        assert low - (high - low) / 2 <= published <= high + (high - low) / 2
        assert interval(restarts[4][column])[0] > 3 * published
    for cells in found(acceptance):
        for ours, theirs in (cells[1:3], cells[3:5]):
            low, high = interval(ours)
            assert low - (high - low) <= float(theirs.split()[0]) <= high + (high - low)


def test_sound_swaps_need_few_restarts() -> None:
    number = [SwapProgram().restarts(8, random.Random(seed)) for seed in range(300)]
    assert 1.2 < np.mean(number) < 2.1  # 1.62 published
