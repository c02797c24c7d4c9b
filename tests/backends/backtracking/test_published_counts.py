"""Published counts of queens and their relatives on the exact engine's strategies.

The values stand in `known_counts`, typed in from OEIS; none is computed by a solver.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from cpqueens.models.costas_array import costas_array
from cpqueens.models.langford import langford
from cpqueens.models.latin_square import latin_square
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens
from cpqueens.models.superqueens import superqueens
from cpqueens.models.toroidal_queens import toroidal_queens
from each import each

sys.path.insert(0, str(Path(__file__).parents[2]))
from known_counts import (
    COSTAS,
    LANGFORD,
    LATIN_SQUARES,
    MAGIC_SQUARES,
    QUEENS,
    QUEENS_FIRST,
    QUEENS_FIXED_BY_90,
    QUEENS_FIXED_BY_180,
    SUPERQUEENS,
    TOROIDAL_QUEENS,
)


def checked(n: int, total: int) -> int:
    """Return a total after the checksum: boards come in orbits of eight but for those that turns fix."""
    if n > 1 and n in QUEENS_FIXED_BY_180:
        assert (total + QUEENS_FIXED_BY_180[n] + 2 * QUEENS_FIXED_BY_90[n]) % 8 == 0
    return total


@each("strategy", ["bitmask", "rowmask", "table", "check", "forward"])
@each("n", range(1, 11))
def test_queens_on_every_strategy(strategy: str, n: int) -> None:
    assert checked(n, queens(n).count(solver=f"backtracking:{strategy}")) == QUEENS[n]


@each("workers", [1, 2])
@each("n", range(15))
def test_queens_by_auto(n: int, workers: int) -> None:
    assert checked(n, queens(n).count(solver="backtracking", num_workers=workers)) == QUEENS[n]


@pytest.mark.parametrize("n", [11, 12, 13, 14])
def test_queens_by_conflict_masks(n: int) -> None:
    assert checked(n, queens(n).count(solver="backtracking:bitmask", num_workers=2)) == QUEENS[n]


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["halves", "bitmask"])
@pytest.mark.parametrize("n", [15, 16, 17, 18])
def test_queens_up_to_18(n: int, strategy: str) -> None:
    if strategy == "bitmask" and n > 17:
        pytest.skip("18-queens by conflict masks take minutes; halves and the published value cover them")
    assert checked(n, queens(n).count(solver=f"backtracking:{strategy}", num_workers=2)) == QUEENS[n]


@pytest.mark.parametrize("n", sorted(QUEENS_FIRST))
def test_first_queens_in_lexicographic_order(n: int) -> None:
    solution = queens(n).solve(solver="backtracking").solution
    assert solution is not None
    assert tuple(v + 1 for v in solution.values.tolist()) == QUEENS_FIRST[n]


@each("n", [k for k in TOROIDAL_QUEENS if k < 13])
@each("strategy", ["bitmask", "table", "forward"])
def test_toroidal_queens(n: int, strategy: str) -> None:
    if strategy == "bitmask" or n < 10:
        assert toroidal_queens(n).count(solver=f"backtracking:{strategy}") == TOROIDAL_QUEENS[n]


@each("n", list(SUPERQUEENS))
@each("strategy", ["bitmask", "rowmask", "forward"])
def test_superqueens(n: int, strategy: str) -> None:
    if strategy != "forward" or n < 11:
        assert superqueens(n).count(solver=f"backtracking:{strategy}") == SUPERQUEENS[n]


def test_toroidal_queens_13() -> None:
    assert toroidal_queens(13).count(solver="backtracking") == TOROIDAL_QUEENS[13]


@each("n", [k for k in LANGFORD if k <= 8])
@each("strategy", ["auto", "check", "forward"])
def test_langford(n: int, strategy: str) -> None:
    assert langford(n).count(solver=f"backtracking:{strategy}") == 2 * LANGFORD[n]


@pytest.mark.parametrize("strategy", ["auto", "check", "forward"])
def test_other_problems(strategy: str) -> None:
    solver = f"backtracking:{strategy}"
    assert latin_square(4).count(solver=solver) == LATIN_SQUARES[4]
    assert costas_array(7).count(solver=solver) == COSTAS[7]
    assert magic_square(3, normal=True).count(solver=solver) == MAGIC_SQUARES[3]
