"""A region puzzle or a queens completion: its squares, its units, and which squares exclude each other."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cpqueens.errors import ModelError
from cpqueens.puzzles.squares import Square, parts

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
