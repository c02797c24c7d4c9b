"""A heuristic to validate: steepest descent on the number of attacks, with restarts."""

import random
import time
from collections import Counter


def attacks(columns):
    """Return how many pairs of queens attack each other."""
    lines = [columns, [c + r for r, c in enumerate(columns)], [c - r for r, c in enumerate(columns)]]
    return sum(k * (k - 1) // 2 for line in lines for k in Counter(line).values())


def descent(model, seed, time_limit):
    """Return a board, or None."""
    n, generator, end = len(model["q"]), random.Random(seed), time.monotonic() + (time_limit or 1)
    for _ in range(3):  # starts
        columns = [generator.randrange(n) for _ in range(n)]
        while time.monotonic() < end:
            moves = [
                (attacks([*columns[:r], c, *columns[r + 1 :]]), r, c) for r in range(n) for c in range(n)
            ]
            best, row, column = min(moves)
            if best >= attacks(columns):
                break  # a local minimum
            columns[row] = column
        if attacks(columns) == 0:
            return {"q": columns}
    return None
