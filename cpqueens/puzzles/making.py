"""Puzzles of a size and of a difficulty, by a seed."""

from __future__ import annotations

from cpqueens.errors import ModelError
from cpqueens.puzzles.generating import generated_regions
from cpqueens.puzzles.puzzle import Puzzle
from cpqueens.puzzles.rules import difficulty

_TRIES = 200


def made(size: int, seed: int, level: str | None = None, stars: int = 1) -> tuple[Puzzle, str, int]:
    """Return a puzzle with one solution, its difficulty, and the seed that gave it.

    Of a wanted difficulty the seeds from ``seed`` on are tried.

    Raises
    ------
    ModelError
        For a size or a number of stars that is not made, or if none of 200 seeds gives that difficulty.
    """
    for used in range(seed, seed + _TRIES):
        puzzle = Puzzle(size, generated_regions(size, used, stars), stars)
        found = difficulty(puzzle)
        if level in (None, found):
            return puzzle, found, used
    raise ModelError(f"--level {level}: none of the seeds {seed} to {seed + _TRIES - 1} gives such a puzzle")
