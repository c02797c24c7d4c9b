"""The sources' programs with their mistakes: each costs what was measured of the listings."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from each import each

from cpqueens.lab.experiments import FigureTable
from cpqueens.lab.source_programs import (
    MISSED,
    SOLVED,
    ClimbProgram,
    RowsProgram,
    SidewaysProgram,
    SwapProgram,
    _best_moves,
    _board,
    _chosen,
    _Lines,
    _seen,
    _surplus,
    lengths,
    played,
)
from cpqueens.lab.source_tables import acceptance, aliased_rows, sideways_mistakes, swap_mistakes


def interval(cell: str) -> tuple[float, float]:
    low, high = re.search(r"\[([\d.,]+), ([\d.,]+)\]", cell).groups()  # type: ignore[union-attr]
    return float(low.replace(",", "")), float(high.replace(",", ""))


def pairs(columns: list[int]) -> int:
    q = np.array(columns)
    i, j = np.triu_indices(len(q), 1)
    return int(((q[i] == q[j]) | (np.abs(q[i] - q[j]) == j - i)).sum())


@each("seed", range(20))
def test_lines_count_pairs_and_the_best_moves_are_the_best(seed: int) -> None:
    rng = random.Random(seed)
    columns = [rng.randrange(6) for _ in range(6)]
    lines = _Lines(columns)
    assert lines.cost == pairs(columns)
    best, moves = _best_moves(columns, lines)
    assert lines.cost == pairs(columns)  # only looked
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


@each("seed", range(20))
def test_counters_see_what_queens_see(seed: int) -> None:
    rng = random.Random(seed)
    state = [rng.randrange(6) for _ in range(6)]
    assert _surplus(state) == _seen(_board(state), state)


def test_aliased_rows_end_every_climb_at_once() -> None:
    assert {run.end for run in played(ClimbProgram(aliased=True), 8, 40)} == {"failed"}


def test_an_untested_last_try_misses_what_is_solved() -> None:
    sound = Counter(run.end for run in played(SidewaysProgram(10), 8, 500))
    careless = Counter(run.end for run in played(SidewaysProgram(10, forgets_last=True), 8, 500))
    assert sound[MISSED] == 0
    assert 0.005 < careless[MISSED] / 500 < 0.05
    assert careless[SOLVED] < sound[SOLVED]


def test_rounded_choices_are_rare_at_the_ends() -> None:
    rng = random.Random(0)
    drawn = Counter(_chosen(8, rng, rounded=True) for _ in range(7000))
    assert set(drawn) == set(range(8))
    assert 1.6 < drawn[3] / drawn[0] < 2.5
    even = Counter(_chosen(8, rng, rounded=False) for _ in range(7000))
    assert 0.8 < even[3] / even[0] < 1.25


@pytest.mark.slow
def test_programs_agree_with_what_was_measured_on_the_listings() -> None:
    def found(table: Callable[[int], FigureTable]) -> list[list[str]]:
        return table(400).rows[1:]

    aliased, separate = found(aliased_rows)
    assert interval(aliased[1])[0] == 0
    low, high = interval(separate[1])
    assert low <= 96.8 <= high + 1
    rows = found(sideways_mistakes)
    assert interval(rows[2][2])[0] <= 2 <= interval(rows[2][2])[1] + 0.5
    restarts = found(swap_mistakes)
    for column, sound, mended in ((1, 1.62, 6.1), (2, 3.5, 29), (3, 2.95, 48)):
        for row, known in ((0, sound), (3, mended), (4, (9.4, 55, 93)[column - 1])):
            low, high = interval(restarts[row][column])
            assert low - (high - low) / 2 <= known <= high + (high - low) / 2
    for cells, known in zip(found(acceptance), ((10.0, 98.4), (9.1, 85.8), (2.7, 24.4)), strict=True):
        for ours, share in zip(cells[1:3], known, strict=True):
            low, high = interval(ours)
            assert low - (high - low) <= share <= high + (high - low)


def test_sound_swaps_need_few_restarts() -> None:
    taken = lengths(played(SwapProgram(), 8, 300)).lengths
    assert 1.2 < np.mean(taken) < 2.1


def test_a_stale_trial_board_costs_more_restarts_than_the_same_program_with_it_refreshed() -> None:
    stale, fresh = (
        lengths(played(SwapProgram(True, True, stale), 8, 300)).lengths.mean() for stale in (True, False)
    )
    assert 5 < fresh < 7.2
    assert 7.2 < stale < 11


def test_rows_are_annealed_until_one_solves() -> None:
    runs = played(RowsProgram(), 6, 12)
    assert {run.end for run in runs} == {SOLVED}
    assert RowsProgram().play(3, random.Random(1), most=5) == ("failed", 5)
