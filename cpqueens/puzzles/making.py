"""Puzzles of a size and of a difficulty, by a seed."""

from __future__ import annotations

from cpqueens.backends.clock import limited, now
from cpqueens.errors import ModelError, NotInTime
from cpqueens.puzzles.generating import TIME_LIMIT, generated_regions
from cpqueens.puzzles.puzzle import Puzzle
from cpqueens.puzzles.rules import difficulty

_TRIES = 200


def made(
    size: int, seed: int, level: str | None = None, stars: int = 1, time_limit: float | None = None
) -> tuple[Puzzle, str, int]:
    """Return a puzzle with one solution, its difficulty, and the seed that gave it.

    Of a wanted difficulty the seeds from ``seed`` on are tried, within ``time_limit`` seconds; by default
    within 60 seconds of processor time.

    Raises
    ------
    ModelError
        For a size or a number of stars that is not made, or if none of 200 seeds gives that difficulty.
    NotInTime
        If there was no time for more seeds, or for one.
    """
    with limited(time_limit, TIME_LIMIT) as seconds:
        return _tried(size, seed, level, stars, seconds)


def _tried(size: int, seed: int, level: str | None, stars: int, seconds: float) -> tuple[Puzzle, str, int]:
    end = now() + seconds
    for used in range(seed, seed + _TRIES):
        left = max(end - now(), 1e-9) if used > seed else seconds
        try:
            regions = generated_regions(size, used, stars, left)
        except NotInTime:
            if used == seed:
                raise
            raise NotInTime(
                f"--level {level}: none of the seeds {seed} to {used - 1} gives such a puzzle, which took"
                f" {seconds:.3g} s"
            ) from None
        puzzle = Puzzle(size, regions, stars)
        found = difficulty(puzzle)
        if level in (None, found):
            return puzzle, found, used
    raise ModelError(f"--level {level}: none of the seeds {seed} to {seed + _TRIES - 1} gives such a puzzle")
