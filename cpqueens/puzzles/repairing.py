"""Borders shifted until a board of regions has one solution."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator

import numpy as np

from cpqueens.puzzles.puzzle import Owner, Square, Squares, beside, parts

REPAIRS = 150
"""Where so many shifts were not enough, other regions are sooner found than these are mended."""

_FAR = 4
"""A square that no other region touches is given away with the way to it, of at most so many squares."""

Shift = tuple[list[Square], int]
"""Squares of one region, and the region that gets them."""


def made_unique(
    owner: Owner,
    queens: Squares,
    second: Callable[[Owner, int], Collection[Square] | None],
    shuffle: random.Random,
) -> bool:
    """Shift borders until ``queens`` is the only solution; say whether that came about.

    ``second(owner, k)`` returns a solution other than ``queens``, or None where there is none. A square of it
    goes to a region beside, so that it falls while ``queens`` stands; and of all such shifts one is made that
    leaves, of the solutions met so far, as few as possible.
    """
    size = len(owner)
    everywhere = [(r, c) for r in range(size) for c in range(size)]
    met = np.zeros((0, size * size), dtype=np.int16)
    for repair in range(REPAIRS):
        wrong = second(owner, repair)
        if wrong is None:
            return True
        met = np.vstack([met, [[s in wrong for s in everywhere]]])
        shifts = list(shifts_of(owner, queens, sorted(set(wrong) - set(queens))))
        shifts = shifts or list(shifts_of(owner, queens, everywhere))
        if not shifts:
            return False
        left = _left(owner, met, shifts, len(queens) // size)
        squares, region = shuffle.choice(
            [s for s, many in zip(shifts, left, strict=True) if many == min(left)]
        )
        for r, c in squares:
            owner[r][c] = region
    return False


def shifts_of(owner: Owner, queens: Squares, squares: Collection[Square]) -> Iterator[Shift]:
    """Yield the shifts that give away one of ``squares``, no queen, and leave all regions connected.

    What such a square cuts off from the queens of its region goes with it.
    """
    size, kept = len(owner), set(queens)
    for square in squares:
        if square in kept:
            continue
        mine = owner[square[0]][square[1]]
        region = {(r, c) for r, row in enumerate(owner) for c, k in enumerate(row) if k == mine}
        for other, way in _ways_out(owner, square, kept):
            pieces = parts(region - set(way), size)
            held = [piece for piece in pieces if piece & kept]
            if len(held) == 1:
                yield [*way, *(s for piece in pieces if piece is not held[0] for s in sorted(piece))], other


def _ways_out(owner: Owner, square: Square, kept: Collection[Square]) -> Iterator[tuple[int, list[Square]]]:
    """Yield the regions nearest to a square, and the way to each, within its own region and past no queen."""
    size, mine = len(owner), owner[square[0]][square[1]]
    came: dict[Square, Square | None] = {square: None}
    front, found = [square], dict[int, Square]()
    for _ in range(_FAR):
        further = []
        for s in front:
            for t in beside(s, size):
                region = owner[t[0]][t[1]]
                if region != mine:
                    found.setdefault(region, s)
                elif t not in came and t not in kept:
                    came[t] = s
                    further.append(t)
        if found:
            break
        front = further
    for region, last in sorted(found.items()):
        way: list[Square] = []
        at: Square | None = last
        while at is not None:
            way.append(at)
            at = came[at]
        yield region, way


def _left(owner: Owner, met: np.ndarray, shifts: list[Shift], stars: int) -> list[int]:
    """Return for each shift how many of the solutions met so far (rows of 0 and 1) it would leave."""
    size = len(owner)
    inside = (np.array(owner).reshape(-1, 1) == np.arange(size)).astype(np.int16)
    spare = met @ inside - stars  # of each solution in each region; a solution has 0 everywhere
    wrong = (spare != 0).sum(axis=1)
    left = []
    for squares, region in shifts:
        mine = owner[squares[0][0]][squares[0][1]]
        moved = met[:, [r * size + c for r, c in squares]].sum(axis=1)
        before = (spare[:, mine] != 0).astype(int) + (spare[:, region] != 0)
        after = (spare[:, mine] - moved != 0).astype(int) + (spare[:, region] + moved != 0)
        left.append(int((wrong - before + after == 0).sum()))
    return left
