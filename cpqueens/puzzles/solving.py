"""The model of a puzzle, and its first two solutions."""

from __future__ import annotations

from typing import Any

from cpqueens.model import Model
from cpqueens.problems import catalog
from cpqueens.puzzles.puzzle import Puzzle
from cpqueens.puzzles.squares import Square


def model_of(puzzle: Puzzle) -> Model:
    """Return the model: that of star_battle, or of queens square by square, with what is on the board."""
    if puzzle.regions:
        given = {"regions": puzzle.regions, "stars": puzzle.stars, "touching": puzzle.touching}
        model = catalog.find("star_battle").instance(**given).model
    else:
        model = catalog.find("queens").instance(n=puzzle.size, viewpoint="booleans").model
    x = model["x"]
    model += [x[r, c] == 1 for r, c in sorted(puzzle.queens)]
    model += [x[r, c] == 0 for r, c in sorted(puzzle.empty)]
    return model


def first_two(puzzle: Puzzle, solver: str = "auto", **options: Any) -> tuple[list[frozenset[Square]], bool]:
    """Return at most two solutions, as squares with queens, and whether there are surely no others."""
    model = model_of(puzzle)
    outcome = model.enumerate(solver=solver, solution_limit=2, **options)
    found = [
        frozenset((r, c) for r, row in enumerate(s[model["x"]].tolist()) for c, v in enumerate(row) if v)
        for s in outcome.solutions
    ]
    return found, outcome.complete
