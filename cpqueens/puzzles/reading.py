"""Puzzles as text grids and as JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from cpqueens.errors import ModelError
from cpqueens.problems.boards import text_rows
from cpqueens.puzzles.puzzle import EMPTY, QUEEN, SIGNS, Puzzle
from cpqueens.puzzles.squares import Square
from cpqueens.text.plaintext import shown


class PuzzleEntry(msgspec.Struct, forbid_unknown_fields=True):
    """A puzzle in JSON: ``regions`` or a drawn ``board``; squares are (row, column) from 0."""

    regions: tuple[str, ...] = ()
    board: tuple[str, ...] = ()
    stars: int = 1
    touching: bool = False
    queens: tuple[tuple[int, int], ...] = ()
    empty: tuple[tuple[int, int], ...] = ()


def read_puzzle(text: str, *, stars: int = 1, touching: bool = False) -> Puzzle:
    """Return the puzzle that a text says.

    A grid of letters is one of regions, a grid of ``.``, ``Q`` and ``-`` a completion; spaces within lines do
    not count. Behind a blank line may follow a second grid: the same board with ``Q``, ``-`` and ``.``.

    >>> read_puzzle("A A B\\nA B B\\nC C C").by_region["B"] == {(0, 2), (1, 1), (1, 2)}
    True

    Raises
    ------
    ModelError
        For a text that is none, in one line.
    """
    if text.lstrip().startswith("{"):
        return _from_json(text)
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    grids = [block for block in blocks if block]
    if not grids or len(grids) > 2:
        raise ModelError(f"puzzle: one or two grids with a blank line between are needed, got {len(grids)}")
    regions: tuple[str, ...] = ()
    first = text_rows(grids[0], "puzzle", len(grids[0]))
    if set("".join(first)) <= SIGNS.keys():
        marks = grids[-1]
    else:
        regions, marks = first, grids[1] if len(grids) > 1 else ["." * len(first)] * len(first)
    return _puzzle(len(first), regions, marks, stars, touching)


def _puzzle(size: int, regions: tuple[str, ...], marks: Any, stars: int, touching: bool) -> Puzzle:
    board = marked(marks, size)
    queens = frozenset(s for s, sign in board.items() if sign == QUEEN)
    empty = frozenset(s for s, sign in board.items() if sign == EMPTY)
    if stars < 1 or (stars > 1 and not regions):
        raise ModelError(f"stars: 1 is needed, or more in regions, got {stars}")
    return Puzzle(size, regions, stars, touching, queens, empty)


def marked(rows: Any, size: int) -> dict[Square, str]:
    """Return what a drawn board has on its squares.

    Raises
    ------
    ModelError
        For another number of rows or squares, or another sign.
    """
    tight = text_rows(rows, "board", size)
    if len(tight) != size:
        raise ModelError(f"board: {size} rows are needed, got {len(tight)}")
    board = {(r, c): sign for r, row in enumerate(tight) for c, sign in enumerate(row)}
    for (r, c), sign in board.items():
        if sign not in SIGNS:
            raise ModelError(
                f"board: {shown(sign)} in row {r + 1}, column {c + 1}: allowed are Q . - x * ★ ♛"
            )
    return {square: SIGNS[sign] for square, sign in board.items()}


def _from_json(text: str) -> Puzzle:
    try:
        entry = msgspec.json.decode(text, type=PuzzleEntry)
    except msgspec.DecodeError as error:
        raise ModelError(f"puzzle: {str(error)[:200]}") from None
    if not entry.regions and not entry.board:
        raise ModelError("puzzle: regions or a board are needed")
    regions = text_rows(entry.regions, "regions", len(entry.regions)) if entry.regions else ()
    size = len(regions or entry.board)
    drawn = _puzzle(size, regions, entry.board or ["." * size] * size, entry.stars, entry.touching)
    more = (frozenset(entry.queens) | drawn.queens, frozenset(entry.empty) | drawn.empty)
    return Puzzle(size, regions, entry.stars, entry.touching, *more)
