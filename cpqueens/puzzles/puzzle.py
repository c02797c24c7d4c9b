"""A region puzzle or a queens completion: its squares, and which exclude each other; as text and JSON."""

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import msgspec

from cpqueens.errors import ModelError
from cpqueens.problems.boards import text_rows
from cpqueens.report.board import BLACK, BoardPicture
from cpqueens.text.plaintext import shown

Square = tuple[int, int]
Squares = tuple[Square, ...]
"""The squares with queens, row by row."""

Owner = list[list[int]]
"""The number of the region of each square."""


def parts(squares: set[Square], size: int) -> list[set[Square]]:
    """Return the connected parts of a set of squares, sides counting, corners not."""
    left, found = set(squares), []
    while left:
        part, new = set(), [min(left)]
        while new:
            square = new.pop()
            if square in left:
                left.remove(square)
                part.add(square)
                new += [s for s in beside(square, size) if s in left]
        found.append(part)
    return found


def beside(square: Square, size: int) -> list[Square]:
    """Return the squares that share a side with one."""
    r, c = square
    return [(a, b) for a, b in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)) if 0 <= a < size > b >= 0]


QUEEN, FREE, EMPTY = "Q", ".", "-"
SIGNS = {QUEEN: QUEEN, "*": QUEEN, "★": QUEEN, "♛": QUEEN, FREE: FREE, EMPTY: EMPTY, "x": EMPTY}
"""What stands on a square of a drawn board: a queen, nothing yet, certainly none."""


@dataclass(frozen=True)
class Puzzle:
    """A square board on which each row, column and region is to get so many queens.

    Parameters
    ----------
    size
        Rows and columns.
    regions
        One text a row, one letter a square; without regions it is a completion, where queens attack along
        diagonals too.
    stars
        How many in each row, column and region.
    touching
        Whether they may stand side by side; of regions alone.
    queens, empty
        What is on the board: given, or put there by a person.
    """

    size: int
    regions: tuple[str, ...] = ()
    stars: int = 1
    touching: bool = False
    queens: frozenset[Square] = field(default_factory=frozenset)
    empty: frozenset[Square] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        rows = self.regions or (FREE * self.size,) * self.size
        if self.size < 1 or len(rows) != self.size or any(len(row) != self.size for row in rows):
            raise ModelError(f"puzzle: {self.size} rows of {self.size} squares are needed")
        if self.regions and len(self.by_region) != self.size:
            raise ModelError(f"puzzle: {self.size} regions are needed, got {len(self.by_region)}")
        for r, c in sorted(self.queens | self.empty):
            if not (0 <= r < self.size > c >= 0):
                raise ModelError(f"puzzle: the square ({r}, {c}) is not on the board")

    @property
    def squares(self) -> tuple[Square, ...]:
        """All squares (row, column), row by row."""
        return _squares(self.size)

    @property
    def by_region(self) -> Mapping[str, frozenset[Square]]:
        """The squares of each region by its letter."""
        return _by_region(self.regions)

    @property
    def units(self) -> Mapping[str, frozenset[Square]]:
        """Rows, columns and regions by name, counted from 1 as people do."""
        return _units(self.size, self.regions)

    @property
    def seen(self) -> Mapping[Square, frozenset[Square]]:
        """The squares that a queen excludes by touching, or along its diagonals."""
        return _seen(self.size, bool(self.regions), self.touching)

    @property
    def warnings(self) -> list[str]:
        """One line for each region that is not connected."""
        split = {letter: len(parts(set(inside), self.size)) for letter, inside in self.by_region.items()}
        return [f"region {letter} is in {many} parts" for letter, many in split.items() if many > 1]

    def faults(self) -> list[str]:
        """Return which rules the queens on the board break; those that are missing are no fault."""
        wrong = [
            f"{name} has {len(inside & self.queens)} queens, {self.stars} allowed"
            for name, inside in self.units.items()
            if len(inside & self.queens) > self.stars
        ]
        verb = "touch" if self.regions else "attack each other on a diagonal"
        pairs = sorted((a, b) for a in self.queens for b in self.seen[a] & self.queens if a < b)
        wrong += [f"the queens at {place(a)} and {place(b)} {verb}" for a, b in pairs]
        return wrong + [
            f"{place(s)} has a queen and is marked empty" for s in sorted(self.queens & self.empty)
        ]


# What does not change while queens are put on a board is found once: a hint looks at hundreds of boards.


@functools.lru_cache(64)
def _squares(size: int) -> tuple[Square, ...]:
    return tuple((r, c) for r in range(size) for c in range(size))


@functools.lru_cache(64)
def _by_region(regions: tuple[str, ...]) -> Mapping[str, frozenset[Square]]:
    found: dict[str, set[Square]] = {}
    for r, row in enumerate(regions):
        for c, letter in enumerate(row):
            found.setdefault(letter, set()).add((r, c))
    return {letter: frozenset(found[letter]) for letter in sorted(found)}


@functools.lru_cache(64)
def _units(size: int, regions: tuple[str, ...]) -> Mapping[str, frozenset[Square]]:
    every = _squares(size)
    named = {f"row {r + 1}": frozenset(s for s in every if s[0] == r) for r in range(size)}
    named |= {f"column {c + 1}": frozenset(s for s in every if s[1] == c) for c in range(size)}
    return named | {f"region {letter}": inside for letter, inside in _by_region(regions).items()}


@functools.lru_cache(64)
def _seen(size: int, regions: bool, touching: bool) -> Mapping[Square, frozenset[Square]]:
    def sees(one: Square, other: Square) -> bool:
        down, across = abs(one[0] - other[0]), abs(one[1] - other[1])
        return (not touching and max(down, across) == 1) if regions else down == across

    every = _squares(size)
    return {s: frozenset(t for t in every if t != s and sees(s, t)) for s in every}


def place(square: Square) -> str:
    """Return a square as people name it: ``r3c5``, counted from 1.

    >>> place((2, 4))
    'r3c5'
    """
    return f"r{square[0] + 1}c{square[1] + 1}"


def places(squares: Iterable[Square]) -> str:
    """Return several squares in their order."""
    return " ".join(place(s) for s in sorted(squares))


# ---- the board as pictures show it -----------------------------------------------------------------------


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


# ---- puzzles as text grids and as JSON ----------------------------------------------------------------


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
    blocks = groupby(text.splitlines(), key=lambda line: bool(line.strip()))
    grids = [list(lines) for written, lines in blocks if written]
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
