"""Boards with several queens in each line: a random one, regions that hold two, and all arrangements."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

from cpqueens.puzzles.squares import Owner, Squares, beside


def random_pairs(size: int, shuffle: random.Random) -> Squares:
    """Return squares with two queens in each row and column, none touching, row by row."""
    pairs = [(a, b) for a, b in combinations(range(size), 2) if b - a > 1]

    def deeper(rows: list[tuple[int, int]], left: list[int]) -> list[tuple[int, int]] | None:
        if len(rows) == size:
            return rows
        near = {c + d for c in (rows[-1] if rows else ()) for d in (-1, 0, 1)}
        fitting = [p for p in pairs if near.isdisjoint(p) and left[p[0]] and left[p[1]]]
        shuffle.shuffle(fitting)
        for pair in fitting[:3]:  # a board that cannot be completed is left soon
            rest = [many - (c in pair) for c, many in enumerate(left)]
            if max(rest) <= size - len(rows) - 1:
                found = deeper([*rows, pair], rest)
                if found:
                    return found
        return None

    while True:
        rows = deeper([], [2] * size)
        if rows:
            return tuple((r, c) for r, pair in enumerate(rows) for c in pair)


def joined(owner: Owner, shuffle: random.Random) -> bool:
    """Make one region of each two that share a border, numbered anew; say whether all found a partner."""
    size = len(owner)
    near: dict[int, set[int]] = {}
    for r in range(size):
        for c in range(size):
            mine = near.setdefault(owner[r][c], set())
            mine |= {owner[a][b] for a, b in beside((r, c), size)} - {owner[r][c]}
    new: dict[int, int] = {}
    while len(new) < len(near):
        lonely = min(near.keys() - new.keys(), key=lambda k: (len(near[k] - new.keys()), k))
        partners = sorted(near[lonely] - new.keys())
        if not partners:
            return False
        new[lonely] = new[shuffle.choice(partners)] = len(new) // 2
    for row in owner:
        row[:] = [new[k] for k in row]
    return True


def arrangements(owner: Owner, stars: int) -> Iterator[Squares]:
    """Yield all ways to put so many queens into each row, column and region, none touching.

    Sets of squares are the bits of an integer, square (r, c) the bit r * size + c. The line with the
    least room to spare is gone on with: all its squares if it needs them all, or one of them, with a queen
    and without.
    """
    size = len(owner)
    squares = [(r, c) for r in range(size) for c in range(size)]
    names = [(("row", r), ("column", c), ("region", owner[r][c])) for r, c in squares]
    lines = {line: 0 for three in names for line in three}
    for k, three in enumerate(names):
        for line in three:
            lines[line] |= 1 << k
    masks, place = list(lines.values()), {line: u for u, line in enumerate(lines)}
    through = [tuple(place[line] for line in three) for three in names]
    touched = [
        sum(1 << j for j, (a, b) in enumerate(squares) if max(abs(a - r), abs(b - c)) <= 1)
        for r, c in squares
    ]

    def put(free: int, needs: list[int], chosen: int, new: int) -> tuple[int, list[int], int] | None:
        """Put queens on the squares of ``new``; None if two touch or a line gets too many."""
        needs = needs.copy()
        while new:
            k = (new & -new).bit_length() - 1
            new &= new - 1
            if not free >> k & 1:
                return None
            free &= ~touched[k]
            chosen |= 1 << k
            for u in through[k]:
                needs[u] -= 1
                if needs[u] < 0:
                    return None
                if not needs[u]:
                    free &= ~masks[u]
        return free, needs, chosen

    def deeper(free: int, needs: list[int], chosen: int) -> Iterator[Squares]:
        spare = [((free & masks[u]).bit_count() - need, u) for u, need in enumerate(needs) if need]
        if not spare:
            yield tuple(squares[k] for k in range(size * size) if chosen >> k & 1)
            return
        room, u = min(spare)
        if room < 0:
            return
        split = free & masks[u]
        first = split if room == 0 else split & -split
        after = put(free, needs, chosen, first)
        if after:
            yield from deeper(*after)
        if room:
            yield from deeper(free & ~first, needs, chosen)

    return deeper((1 << size * size) - 1, [stars] * len(masks), 0)
