"""The slow twin of all pattern searches, in plain Python from the definition, and patterns to try it on."""

from __future__ import annotations

import random

import numpy as np

from cpqueens.kernels.boards.pattern import Group, Pattern, queens
from cpqueens.kernels.boards.search import PatternSearch


def twin(pattern: Pattern, rows: int | None = None) -> tuple[list[list[int]], int, int]:
    """Return solutions, nodes and failures; with ``rows``, those of nodes above that depth only."""
    solutions: list[list[int]] = []
    counts = [1, 0]

    def safe(x: list[int], value: int) -> bool:
        j = len(x)
        if not int(pattern.allowed[j]) >> value & 1:
            return False
        for group in pattern.groups:
            member = group.members()
            for i in range(j):
                if member[i] and member[j]:
                    gap = x[i] + int(group.offsets[i]) - value - int(group.offsets[j])
                    if gap == 0 or (group.modulus and gap % group.modulus == 0):
                        return False
        return all(value != x[i] + gap for i, row, gap in pattern.pairs.tolist() if row == j)

    def place(x: list[int]) -> None:
        if rows is not None and len(x) >= rows:
            return
        if len(x) == pattern.n:
            solutions.append(x)
            return
        children = [[*x, value] for value in range(pattern.width) if safe(x, value)]
        counts[0] += len(children)
        counts[1] += not children
        for child in children:
            place(child)

    place([])
    return solutions, counts[0], counts[1]


def list_all(search: PatternSearch, batch: int = 5, budget: int | None = None) -> list[list[int]]:
    """Return all solutions in the order in which they come."""
    out = np.zeros((batch, search.pattern.n), dtype=np.uint8)
    result: list[list[int]] = []
    while not search.exhausted:
        result += out[: search.fill(out, budget)].tolist()
    return result


def toroidal(n: int) -> Pattern:
    """Return queens on a torus: both diagonals modulo n."""
    i = np.arange(n, dtype=np.int64)
    return Pattern(n, queens(n).allowed, (Group(0 * i), Group(i, None, n), Group(-i, None, n)))


def superqueens(n: int) -> Pattern:
    """Return queens that also move like knights: inequalities of rows one and two apart."""
    moves = ((1, 2), (1, -2), (2, 1), (2, -1))
    pairs = [(i, i + gap, step) for gap, step in moves for i in range(n - gap)]
    return Pattern(n, queens(n).allowed, queens(n).groups, np.array(pairs, dtype=np.int64).reshape(-1, 3))


def random_pattern(source: random.Random) -> Pattern:
    """Return a small pattern of a random kind: holes, part rows, moduli, offsets up and down, pairs."""
    n, width = source.randint(1, 6), source.randint(1, 7)
    groups = []
    for _ in range(source.randint(0, 4)):
        offsets = np.array([source.randint(-4, 4) for _ in range(n)], dtype=np.int64)
        if source.random() < 0.3:
            offsets *= 20
        if source.random() < 0.4:
            offsets = np.arange(n, dtype=np.int64) * source.randint(-2, 2)
        members = np.array([source.random() < 0.7 for _ in range(n)]) if source.random() < 0.5 else None
        groups.append(Group(offsets, members, source.choice([0, 0, 0, width, 3, width + 2])))
    full = (1 << width) - 1
    holes = [full & ~(source.getrandbits(width) & source.getrandbits(width)) for _ in range(n)]
    pairs = []
    for _ in range(source.randint(0, 4) if n > 1 else 0):
        i, j = sorted(source.sample(range(n), 2))
        pairs.append((i, j, source.randint(-width, width)))
    disequalities = np.array(pairs, dtype=np.int64).reshape(-1, 3)
    return Pattern(width, np.array(holes, dtype=np.uint64), tuple(groups), disequalities)
