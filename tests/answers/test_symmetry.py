import itertools
from typing import Any

import numpy as np
import pytest
from each import each
from known_counts import QUEENS, QUEENS_FIXED_BY_90, QUEENS_FIXED_BY_180, QUEENS_FUNDAMENTAL

from cpqueens import IntegerError, ModelError
from cpqueens.answers.symmetry import (
    CELL_BOARD,
    PERMUTATIONS,
    QUEENS_BOARD,
    REVERSAL,
    Group,
    canonical,
    fixed,
    fundamental,
    images,
    orbit_sizes,
    orbits,
)


def boards(n: int) -> np.ndarray:
    """All placements of n queens, by extending rows."""
    found: list[tuple[int, ...]] = [()]
    for row in range(n):
        found = [
            (*q, c)
            for q in found
            for c in range(n)
            if all(c != d and abs(c - d) != row - i for i, d in enumerate(q))
        ]
    return np.array(found, dtype=np.int64).reshape(-1, n)


def squares(row: np.ndarray) -> frozenset[tuple[int, int]]:
    return frozenset((i, int(c)) for i, c in enumerate(row))


TURNS: dict[str, Any] = {
    "identity": lambda i, c, e: (i, c),
    "rotation by 90": lambda i, c, e: (e - c, i),
    "rotation by 180": lambda i, c, e: (e - i, e - c),
    "rotation by 270": lambda i, c, e: (c, e - i),
    "mirror left to right": lambda i, c, e: (i, e - c),
    "mirror top to bottom": lambda i, c, e: (e - i, c),
    "transposition": lambda i, c, e: (c, i),
    "transposition along the other diagonal": lambda i, c, e: (e - c, e - i),
}


@each("symmetry", QUEENS_BOARD, ids=lambda s: s.name)
def test_a_symmetry_moves_every_queen_as_geometry_says(symmetry: Any) -> None:
    q = np.array(list(itertools.permutations(range(5))))
    turn = TURNS[symmetry.name]
    for before, after in zip(q, symmetry(q), strict=True):
        assert squares(after) == {turn(i, c, 4) for i, c in squares(before)}


@each("k", range(8))
def test_boards_of_cells_turn_like_boards_of_queens(k: int) -> None:
    q = boards(6)
    cells = (q[:, :, None] == np.arange(6)).astype(np.int64)
    turned = CELL_BOARD[k](cells.reshape(len(q), 36)).reshape(-1, 6, 6)
    assert CELL_BOARD[k].name == QUEENS_BOARD[k].name
    assert np.array_equal(turned.argmax(axis=2), QUEENS_BOARD[k](q))


@pytest.mark.parametrize(
    "group", [QUEENS_BOARD, PERMUTATIONS, REVERSAL], ids=["board", "permutations", "reversal"]
)
def test_groups_are_closed_and_begin_with_the_identity(group: Group) -> None:
    q = np.array([[2, 0, 3, 1, 4], [4, 1, 3, 0, 2]])  # no symmetry of its own
    known = {symmetry(q).tobytes() for symmetry in group}
    assert len(known) == len(group)
    assert np.array_equal(group[0](q), q)
    for first, second in itertools.product(group, repeat=2):
        assert second(first(q)).tobytes() in known


def test_cell_boards_are_a_group_of_eight() -> None:
    cells = np.arange(9).reshape(1, 9)
    known = {symmetry(cells).tobytes() for symmetry in CELL_BOARD}
    assert len(known) == 8
    for first, second in itertools.product(CELL_BOARD, repeat=2):
        assert second(first(cells)).tobytes() in known


@each("n", range(1, 10))
def test_published_orbits_of_queens(n: int) -> None:
    q = boards(n)
    assert len(q) == QUEENS[n]
    assert len(fundamental(q)) == QUEENS_FUNDAMENTAL[n]
    assert fixed(q, QUEENS_BOARD[2]).sum() == QUEENS_FIXED_BY_180[n]
    assert fixed(q, QUEENS_BOARD[1]).sum() == QUEENS_FIXED_BY_90[n]


def test_eight_queens_are_eleven_full_orbits_and_one_half() -> None:
    found = orbits(boards(8))
    assert sorted(found.sizes.tolist()) == [4] + [8] * 11
    assert found.total == 92
    assert np.array_equal(found.sizes, found.found)


@pytest.mark.parametrize("n", [5, 6, 7])
def test_canonical_is_the_least_image(n: int) -> None:
    q = boards(n)
    for row, least, size in zip(q, canonical(q), orbit_sizes(q), strict=True):
        orbit = {tuple(image) for image in images(row[None, :])[:, 0].tolist()}
        assert tuple(least.tolist()) == min(orbit)
        assert size == len(orbit)


def test_orbits_of_a_part_know_what_is_missing() -> None:
    q = boards(8)
    part = orbits(q[:10])
    assert part.found.sum() == 10
    assert part.total == sum(part.sizes)
    assert np.array_equal(part.representatives[part.labels], canonical(q[:10]))


def test_small_and_empty_batches() -> None:
    assert fundamental(np.zeros((0, 5), dtype=np.int64)).shape == (0, 5)
    assert fundamental(np.zeros((1, 0), dtype=np.int64)).shape == (1, 0)
    assert orbit_sizes(np.zeros((1, 0), dtype=np.int64)).tolist() == [1]
    assert orbit_sizes([[0]]).tolist() == [1]
    assert fundamental([[1, 3, 0, 2], [2, 0, 3, 1]]).tolist() == [[1, 3, 0, 2]]


def test_solutions_are_not_changed() -> None:
    q = boards(5)
    before = q.copy()
    canonical(q)
    orbits(q)
    assert np.array_equal(q, before)


@pytest.mark.parametrize(
    ("solutions", "message"),
    [
        ([0, 1, 2], "an array .* got shape"),
        ([[0, 0, 2]], "one queen in each row and column"),
        ([[1, 2, 3]], "one queen in each row and column"),
        ([[0, 1, -1]], "one queen in each row and column"),
    ],
)
def test_what_is_not_a_batch_of_boards_is_refused(solutions: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        canonical(solutions)


def test_floats_are_refused() -> None:
    with pytest.raises(IntegerError):
        canonical([[0.0, 1.0]])


def test_cells_must_be_a_square() -> None:
    with pytest.raises(ModelError, match="a square of cells"):
        canonical([[1, 2, 3]], CELL_BOARD)


def test_a_hundred_thousand_boards_are_quick_to_sort_into_orbits() -> None:
    random = np.random.default_rng(0)
    q = random.permuted(np.broadcast_to(np.arange(12), (100_000, 12)), axis=1)
    found = orbits(q)
    assert found.found.sum() == 100_000
    assert set(found.sizes.tolist()) <= {1, 2, 4, 8}
