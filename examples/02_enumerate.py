"""Four ways to list all solutions: an array, a callback, an iterator that stops early, and resuming later.

Run as ``python examples/02_enumerate.py [n]``.
"""

from __future__ import annotations

import sys

import numpy as np

from cpqueens import AllDifferent, Model, Solution


def main(n: int = 8) -> None:
    """Enumerate the n queens."""
    m = Model("queens")
    q = m.intvar(0, n - 1, shape=n, name="q")
    i = np.arange(n)
    m += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]

    outcome = m.enumerate(solver="backtracking")
    print(f"as an array: {outcome.solutions.values(q).shape}, complete: {outcome.complete}")

    corners: list[Solution] = []
    m.enumerate(lambda s: corners.append(s) if s[q[0]] == 0 else None, solver="cpsat")
    print(f"by callback on another solver: {len(corners)} with a queen in the first corner")

    with m.solutions(solver="backtracking") as stream:
        first = next(stream)
    print(f"by iterator, the first only: {first[q]}")

    rest = sum(1 for _ in m.solutions(solver="backtracking", after=first))
    print(f"resumed behind it: {rest} more, {rest + 1} in all")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
