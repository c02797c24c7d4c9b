"""Connected regions grown at random around the queens of a board."""

from __future__ import annotations

import random

from cpqueens.puzzles.squares import Owner, Squares, beside


def grown(queens: Squares, size: int, shuffle: random.Random) -> Owner:
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


def joined(owner: Owner, stars: int, shuffle: random.Random) -> Owner | None:
    """Return the board with one region of each ``stars`` that hang together; None if some are left alone.

    Who has the fewest neighbours that are free chooses first: it would be left alone.
    """
    size = len(owner)
    near: dict[int, set[int]] = {}
    for r in range(size):
        for c in range(size):
            mine = near.setdefault(owner[r][c], set())
            mine |= {owner[a][b] for a, b in beside((r, c), size)} - {owner[r][c]}
    free, new = set(near), dict[int, int]()
    while free:
        group = {min(free, key=lambda k: (len(near[k] & free), k))}
        free -= group
        while len(group) < stars:
            room = {k: len(near[k] & free) for k in sorted(set().union(*(near[k] for k in group)) & free)}
            if not room:
                return None
            least = min(room.values()) + (shuffle.random() < 0.3)
            chosen = shuffle.choice([k for k, many in room.items() if many <= least])
            group.add(chosen)
            free.remove(chosen)
        new |= dict.fromkeys(group, len(new) // stars)
    return [[new[k] for k in row] for row in owner]
