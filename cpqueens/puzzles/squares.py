"""Squares of a board, which share sides and belong to regions."""

from __future__ import annotations

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
