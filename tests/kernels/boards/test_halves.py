"""Counting by halves: published counts, blocked squares and given queens, units, limits, the estimate."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from math import comb
from typing import Any

import numpy as np
import pytest
from each import each
from numpy.typing import NDArray
from seeds import seeds

from cpqueens import StopReason
from cpqueens.backends.backtracking import patterned
from cpqueens.backends.base import Clock, Ended, Request, Want
from cpqueens.kernels.boards.halves import Room, match_buckets, slice_bits, sort_into_buckets
from cpqueens.kernels.boards.quadrants import MAX_N, Layout, layout, quadrant, quadrant_builders, row_sets

# A000170, n = 0 ..
QUEENS = [
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104,
    666090624,
]  # fmt: skip
# A032522 (fixed by a half turn) and A033148 (fixed by a quarter turn), n = 1 ..
HALF_TURN = [1, 0, 0, 2, 2, 4, 8, 4, 16, 12, 48, 80, 136, 420]
QUARTER_TURN = [1, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 8, 8, 0]

PLAIN_MODE = """
import numpy as np
from cpqueens.backends.backtracking import patterned
from cpqueens.backends.base import Clock, Request, Want
allowed = np.ones((7, 7), dtype=bool)
allowed[2, :3] = False
def count(n, allowed=None, workers=1):
    return patterned.count(n, allowed, Request(Want.COUNT, Clock(None), workers=workers), {}).count
print([count(n) for n in range(9)], count(7, allowed), count(6, None, 2))
"""


def count(
    n: int,
    allowed: NDArray[np.bool_] | None = None,
    num_workers: int = 1,
    should_stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Any], None] | None = None,
    seed: int = 0,
) -> Ended:
    """Count as the backend does."""
    request = Request(
        Want.COUNT, Clock(None), workers=num_workers, interrupted=should_stop, seed=seed,
        on_progress=on_progress,
    )  # fmt: skip
    return patterned.count(n, allowed, request, {})


def slow_count(allowed: NDArray[np.bool_]) -> int:
    """Count by plain backtracking."""
    n = len(allowed)

    def below(row: int, columns: set[int], up: set[int], down: set[int]) -> int:
        if row == n:
            return 1
        return sum(
            below(row + 1, columns | {c}, up | {row + c}, down | {row - c})
            for c in range(n)
            if allowed[row, c] and c not in columns and row + c not in up and row - c not in down
        )

    return below(0, set(), set(), set())


@each("n", range(16))
def test_published_counts(n: int) -> None:
    result = count(n)
    assert result.exhausted
    assert result.count == QUEENS[n]


@pytest.mark.slow
@pytest.mark.parametrize("n", [16, 17, 18])
def test_published_counts_of_large_boards(n: int) -> None:
    assert count(n, num_workers=2).count == QUEENS[n]


@each("n", range(2, 15))
def test_totals_pass_the_checksum_modulo_8(n: int) -> None:
    found = count(n).count
    assert found is not None
    assert (found + HALF_TURN[n - 1] + 2 * QUARTER_TURN[n - 1]) % 8 == 0


@seeds(range(30))
def test_blocked_squares(seed: int) -> None:
    source = np.random.default_rng(seed)
    n = int(source.integers(1, 9))
    allowed = source.random((n, n)) < source.uniform(0.6, 1.0)
    assert count(n, allowed).count == slow_count(allowed)


@pytest.mark.parametrize("n", [7, 8])
def test_given_queens_sum_to_the_whole(n: int) -> None:
    for row in (0, n // 2):
        total = 0
        for column in range(n):
            allowed = np.ones((n, n), dtype=bool)
            allowed[row] = np.arange(n) == column
            found = count(n, allowed).count
            assert found is not None
            total += found
        assert total == QUEENS[n]


def test_symmetry_and_no_symmetry_agree() -> None:
    for n in (9, 10):
        allowed = np.ones((n, n), dtype=bool)
        allowed[0, 0] = False
        with_corner = np.ones((n, n), dtype=bool)
        with_corner[0] = np.arange(n) == 0
        with_and_without = [count(n, squares).count for squares in (allowed, with_corner)]
        assert sum(found for found in with_and_without if found is not None) == QUEENS[n]


def test_no_allowed_square() -> None:
    for n in range(1, 8):
        assert count(n, np.zeros((n, n), dtype=bool)).count == 0


def test_threads_give_the_same() -> None:
    assert count(13, num_workers=3).count == QUEENS[13]


def test_order_of_units_does_not_matter() -> None:
    assert {count(11, seed=seed).count for seed in range(4)} == {QUEENS[11]}


@each("n", range(2, 17))
def test_weights_cover_all_row_sets(n: int) -> None:
    units = row_sets(layout(n))
    half = n // 2
    assert int(units.weights.sum()) == (comb(n, half) if n % 2 == 0 else n * comb(n - 1, half))
    if n == 8:
        assert set(units.weights.tolist()) <= {1, 2, 4}


@pytest.mark.parametrize("central", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [11, 12])
def test_any_number_of_central_lines_counts_the_same(
    n: int, central: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterned, "layout", lambda n: Layout(n, central))
    assert count(n).count == QUEENS[n]


@each("n", [4, 7, 12, 17, 20, MAX_N])
def test_lines_have_bits_of_their_own(n: int) -> None:
    board = layout(n)
    assert board.side <= 16  # 32 lines are left for the words of 32 bits
    squares = [(r, d) for r in range(n) for d in range(board.half)]
    falling = {r + d: board.falling(r, d) for r, d in squares}
    climbing = {r - d: board.climbing(r, d) for r, d in squares}
    bits = [*falling.values(), *climbing.values()]
    assert len(set(bits)) == len(bits)
    assert 0 <= min(bits) <= max(bits) < 64
    for line, bit in falling.items():  # west meets east where the two directions change places
        other = climbing.get(line + board.gap)
        if other is not None:
            assert other == bit + (board.side if bit < 2 * board.side else board.central)


def test_quadrant_table_has_all_placements() -> None:
    board = layout(16)
    table = quadrant(board, 0, 8, np.ones((16, 8), dtype=bool))
    assert len(table.entries) == 118_969  # all non-attacking placements on 8 x 8, counted independently
    key = 0b10000001 << 8 | 0b00010010  # two queens
    assert table.starts[0, key + 1] - table.starts[0, key] == 2


def test_slicing_transposes_blocks() -> None:
    words = np.random.default_rng(3).integers(0, 2**32, 128, dtype=np.uint32)
    lines = np.zeros(64, dtype=np.uint64)
    slice_bits(words, 128, lines)
    for block, line, entry in np.ndindex(2, 32, 64):
        assert int(lines[32 * block + line]) >> entry & 1 == int(words[64 * block + entry]) >> line & 1


@pytest.mark.parametrize(("side", "central"), [(15, 0), (15, 2), (16, 0), (16, 2), (12, 1), (3, 3), (0, 1)])
@pytest.mark.parametrize(("west_size", "east_size"), [(1, 1), (3, 70), (50, 600), (130, 4000)])
def test_matching_equals_the_plain_product(side: int, central: int, west_size: int, east_size: int) -> None:
    source = np.random.default_rng(west_size)
    buckets, low = 1 << 2 * central, min(30, 2 * side)
    parts = buckets << 2 * side - low
    west, east = (
        np.bitwise_and.reduce(source.integers(0, 2 ** (2 * side + 2 * central), (2, size), dtype=np.uint64))
        for size in (west_size, east_size)
    )
    size = 6144 + 64 * parts
    words, lines, numbers = (partial(np.zeros, dtype=kind) for kind in (np.uint32, np.uint64, np.int64))
    room = Room(
        buffer=lines(0), west=words(size), east=words(size), lines=lines(size), blocks=numbers(size),
        padding=lines(size), rows=lines(38 * 8), unions=lines(5 * 64 * 8),
        west_starts=numbers(parts + 1), west_counts=numbers(parts),
        east_starts=numbers(buckets + 1), east_counts=numbers(buckets),
    )  # fmt: skip
    sort_into_buckets(west, west_size, low, 4, room.west_starts, room.west_counts, room.west)
    sort_into_buckets(east, east_size, 2 * side, 64, room.east_starts, room.east_counts, room.east)
    slice_bits(room.east, int(room.east_starts[-1]) + 64, room.lines)
    found = match_buckets(room, side, central)

    def as_met_by_the_west(board: int) -> int:
        swapped = 0
        for first, width in ((0, side), (2 * side, central)):
            a, b = board >> first & (1 << width) - 1, board >> first + width & (1 << width) - 1
            swapped |= (b | a << width) << first
        return swapped

    swapped = np.array([as_met_by_the_west(int(board)) for board in east], dtype=np.uint64)
    assert found == int((west[:, None] & swapped[None, :] == 0).sum())


@pytest.mark.parametrize("workers", [1, 2])
def test_stopping_gives_a_part(workers: int) -> None:
    looks = iter(range(10**9))
    result = count(15, num_workers=workers, should_stop=lambda: next(looks) >= 2)
    assert (result.exhausted, result.stop_reason) == (False, StopReason.INTERRUPTED)
    assert result.count is not None
    assert result.count <= QUEENS[15]
    at_once = count(8, should_stop=lambda: True)
    assert (at_once.exhausted, at_once.count, at_once.statistics["units_done"]) == (False, 0, 0)


def test_the_estimate_covers_the_count() -> None:
    covered = 0
    for seed in range(40):
        looks = iter(range(10**9))
        result = count(14, should_stop=lambda looks=looks: next(looks) >= 7, seed=seed)
        low, high = result.statistics["interval"]
        covered += low <= QUEENS[14] <= high
    assert covered >= 30  # 95 % intervals: fewer than 31 of 40 has probability below 1e-4


def test_progress_is_reported() -> None:
    seen: list[dict[str, Any]] = []
    result = count(15, num_workers=2, on_progress=seen.append, should_stop=lambda: len(seen) > 1)
    assert all(a["done"] <= b["done"] for a, b in itertools.pairwise(seen))
    assert result.statistics["units_done"] >= (seen[-1]["done"] if seen else 0)


def test_counts_run_side_by_side() -> None:
    results: list[int | None] = []
    threads = [threading.Thread(target=lambda: results.append(count(11).count)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [QUEENS[11]] * 3


def test_plain_mode_gives_the_same() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", PLAIN_MODE],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    allowed = np.ones((7, 7), dtype=bool)
    allowed[2, :3] = False
    assert run.stdout.split() == f"{QUEENS[:9]} {slow_count(allowed)} {QUEENS[6]}".split()


def test_threads_that_build_tables_end_after_a_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(board: object, allowed: object, look: Callable[[], None]) -> list[Callable[[], None]]:
        def build() -> None:
            while True:
                look()
                time.sleep(0.001)

        return [build] * 4

    monkeypatch.setattr(patterned, "quadrant_builders", endless)
    stop = time.monotonic() + 0.1
    assert not count(12, num_workers=2, should_stop=lambda: time.monotonic() > stop).exhausted
    for thread in threading.enumerate():
        if thread.name.startswith("cpqueens-tables"):
            thread.join(60)
            assert not thread.is_alive()


def test_builders_look_between_their_steps() -> None:
    looks: list[None] = []
    for build in quadrant_builders(layout(8), None, lambda: looks.append(None)):
        before = len(looks)
        build()
        assert len(looks) - before >= 8
