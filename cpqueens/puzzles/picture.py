"""The board of a puzzle as pictures show it."""

from __future__ import annotations

from cpqueens.puzzles.puzzle import Puzzle
from cpqueens.puzzles.squares import Square
from cpqueens.report.board import BLACK, BoardPicture


def picture_of(puzzle: Puzzle, given: frozenset[Square] = frozenset()) -> BoardPicture:
    """Return the board with its regions, queens, empty squares, and what breaks the rules.

    Parameters
    ----------
    given
        Queens that were there from the start.
    """
    clashes = [(a, b) for a in puzzle.queens for b in puzzle.seen[a] & puzzle.queens if a < b]
    for unit in puzzle.units.values():
        inside = sorted(unit & puzzle.queens)
        if len(inside) > puzzle.stars:
            clashes += [(a, b) for k, a in enumerate(inside) for b in inside[k + 1 :]]
    return BoardPicture(
        rows=puzzle.size,
        columns=puzzle.size,
        queens=dict.fromkeys(sorted(puzzle.queens), BLACK),
        attacks=tuple(sorted(set(clashes))),
        given=given,
        blocked=puzzle.empty,
        piece="queen" if puzzle.stars == 1 else "star",
        regions=puzzle.regions,
    )
