"""Boards with so many queens in each row and column, none touching, drawn at random."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import pairwise

from cpqueens.puzzles.squares import Squares

_NODES = 1000
"""After so many rows a board is begun anew: what its first rows spoilt is not mended by later ones."""


def random_placement(
    size: int, stars: int, shuffle: random.Random, watch: Callable[[], object] = lambda: None
) -> Squares:
    """Return squares with ``stars`` queens in each row and column, none touching, row by row.

    There are such boards from 4 * stars rows on: on smaller ones queens cannot but touch, which CP-SAT proves
    for up to six a line. ``watch`` is called for each board begun, and may raise.

    >>> len(random_placement(8, 2, random.Random(1)))
    16
    """

    nodes = 0

    def deeper(rows: list[tuple[int, ...]], lacks: list[int]) -> list[tuple[int, ...]] | None:
        nonlocal nodes
        if len(rows) == size:
            return rows
        near = {c + d for c in (rows[-1] if rows else ()) for d in (-1, 0, 1)}
        open_columns = [c for c in range(size) if lacks[c] and c not in near]
        fitting = [p for p in _spread(open_columns, stars) if _leaves_room(p, lacks, size - len(rows) - 1)]
        shuffle.shuffle(fitting)
        for row in fitting[:2]:
            nodes += 1
            found = deeper([*rows, row], _less(lacks, row)) if nodes <= _NODES else None
            if found:
                return found
        return None

    while True:
        watch()
        nodes = 0
        rows = deeper([], [stars] * size)
        if rows:
            return tuple((r, c) for r, row in enumerate(rows) for c in row)


def _spread(columns: list[int], many: int, first: int = 0) -> Iterator[tuple[int, ...]]:
    """Yield all choices of so many columns from ``first`` on, no two of them neighbours."""
    if not many:
        yield ()
        return
    for c in columns:
        if c >= first:
            for more in _spread(columns, many - 1, c + 2):
                yield (c, *more)


def _less(lacks: list[int], row: tuple[int, ...]) -> list[int]:
    left = lacks.copy()
    for c in row:
        left[c] -= 1
    return left


def _leaves_room(row: tuple[int, ...], lacks: list[int], below: int) -> bool:
    """Return whether each column still has room in the rows below for the queens that it lacks.

    Two neighbouring columns have room for one in each two rows together.
    """
    left = _less(lacks, row)
    room = (below + 1) // 2
    if any(many > (below // 2 if c in row else room) for c, many in enumerate(left)):
        return False
    return all(a + b <= room for a, b in pairwise(left))
