"""Region puzzles with one solution, made by a seed: one or two queens a line and region, none touching."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise

from cpqueens.errors import ModelError
from cpqueens.puzzles.pairs import arrangements, joined, random_pairs
from cpqueens.puzzles.squares import Owner, Square, Squares, beside, parts

LETTERS = "ABCDEFGHIJKLMNOPRSTUVWXYZ"
"""Without Q, which is a queen."""

SMALLEST = {1: 4, 2: 8}
"""The smallest board by the number of queens in a line: on smaller ones they cannot but touch."""

LARGEST = 16
_REPAIRS = 400


def generated_regions(size: int, seed: int, stars: int = 1) -> tuple[str, ...]:
    """Return rows of letters of a puzzle with exactly one solution and connected regions.

    A random solution is drawn and a region grown around each queen, or around each two that are near. While
    there is a second solution, a square of it, at the border of its region, is given to the neighbouring
    region, so that the second falls.

    Raises
    ------
    ModelError
        For another number of queens in a line than 1 or 2, or a size outside 4..16 or 8..16.

    >>> generated_regions(5, 1) == generated_regions(5, 1)
    True
    """
    if stars not in SMALLEST:
        raise ModelError(f"stars: 1 or 2 are needed, got {stars}")
    if not SMALLEST[stars] <= size <= LARGEST:
        raise ModelError(f"size: {SMALLEST[stars]} to {LARGEST} is needed, got {size}")
    shuffle = random.Random(f"{size} {seed}" if stars == 1 else f"{size} {seed} {stars}")
    while True:
        queens = _random_solution(size, shuffle) if stars == 1 else random_pairs(size, shuffle)
        owner = _grown(queens, size, shuffle)
        if (stars == 1 or joined(owner, shuffle)) and _made_unique(owner, queens, stars, shuffle):
            return tuple("".join(LETTERS[k] for k in row) for row in owner)


def solutions(owner: Owner) -> Iterator[tuple[int, ...]]:
    """Yield the columns of all solutions, row by row; the line or region with the fewest squares goes first.

    Sets of squares are the bits of an integer, square (r, c) the bit r * size + c.
    """
    size = len(owner)
    squares = [(r, c) for r in range(size) for c in range(size)]
    lines = [(("row", r), ("column", c), ("region", owner[r][c])) for r, c in squares]
    units = {line: 0 for three in lines for line in three}
    for k, three in enumerate(lines):
        for line in three:
            units[line] |= 1 << k
    taken = [
        sum(1 << j for j in range(size * size) if _excludes(k, j, lines, squares))
        for k in range(len(squares))
    ]

    def deeper(open_squares: int, left: list[int], placed: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not left:
            yield tuple(k % size for k in sorted(placed))
            return
        least = min((open_squares & unit for unit in left), key=int.bit_count)
        while least:
            k = (least & -least).bit_length() - 1
            least &= least - 1
            rest = [unit for unit in left if not unit >> k & 1]
            yield from deeper(open_squares & ~taken[k], rest, (*placed, k))

    return deeper((1 << size * size) - 1, list(units.values()), ())


def _excludes(k: int, j: int, lines: Sequence[tuple[object, ...]], squares: Sequence[Square]) -> bool:
    """Return whether two squares share a row, column or region, or touch; a square excludes itself."""
    (a, b), (c, d) = squares[k], squares[j]
    return not set(lines[k]).isdisjoint(lines[j]) or max(abs(a - c), abs(b - d)) <= 1


def _random_solution(size: int, shuffle: random.Random) -> Squares:
    while True:
        columns = tuple(shuffle.sample(range(size), size))
        if all(abs(a - b) > 1 for a, b in pairwise(columns)):
            return tuple(enumerate(columns))


def _grown(queens: Squares, size: int, shuffle: random.Random) -> Owner:
    """Give each square to a region of a neighbour, until none is left; region k is that of queen k.

    Some regions are eager and some are not: where all are equally large, thousands of solutions are left.
    """
    eager = [shuffle.random() ** 3 + 0.005 for _ in queens]
    owner = [[-1] * size for _ in range(size)]
    for k, (row, column) in enumerate(queens):
        owner[row][column] = k
    border = [(r, c) for r in range(size) for c in range(size) if owner[r][c] < 0]
    while border:
        shuffle.shuffle(border)
        for r, c in border:
            near = [owner[a][b] for a, b in beside((r, c), size) if owner[a][b] >= 0]
            if near and owner[r][c] < 0:
                region = shuffle.choice(near)
                owner[r][c] = region if shuffle.random() < eager[region] else -1
        border = [(r, c) for r, c in border if owner[r][c] < 0]
    return owner


def _made_unique(owner: Owner, queens: Squares, stars: int, shuffle: random.Random) -> bool:
    """Shift borders until ``queens`` is the only solution; say whether that came about."""
    size = len(owner)
    for _ in range(_REPAIRS):
        found = map(tuple, map(enumerate, solutions(owner))) if stars == 1 else arrangements(owner, stars)
        second = next((s for s in found if s != queens), None)
        if second is None:
            return True
        shifts = [
            ((r, c), owner[a][b])
            for r, c in second
            if (r, c) not in queens
            for a, b in beside((r, c), size)
            if owner[a][b] != owner[r][c] and _may_leave(owner, (r, c))
        ]
        if not shifts:
            return False
        (r, c), region = shuffle.choice(shifts)
        owner[r][c] = region
    return False


def _may_leave(owner: Owner, square: Square) -> bool:
    """Return whether a region stays connected without one of its squares."""
    region = owner[square[0]][square[1]]
    rest = {(r, c) for r, row in enumerate(owner) for c, k in enumerate(row) if k == region} - {square}
    return len(parts(rest, len(owner))) == 1
