"""Validate your own heuristic: compare a function of a few lines with the exact solvers.

The heuristic is greedy: rows from top to bottom, each queen on a random square that no earlier queen
attacks; None at a dead end. The report says how often it succeeds (with a 95 % interval), how many of all
solutions it reaches, also up to symmetry, and checks every board that it claims.

Run as ``python examples/11_own_heuristic.py [n] [runs]``.
"""

from __future__ import annotations

import random
import sys
from typing import Any

from cpqueens import Model, cross_check
from cpqueens.problems import catalog


def greedy(model: Model, seed: int, time_limit: float | None) -> dict[str, Any] | None:
    """Place the queens at random on free squares, without ever going back."""
    choose = random.Random(seed)
    n = model["q"].size
    q: list[int] = []
    for row in range(n):
        free = [c for c in range(n) if all(c != d and abs(c - d) != row - r for r, d in enumerate(q))]
        if not free:
            return None
        q.append(choose.choice(free))
    return {"q": q}


def careless(model: Model, seed: int, time_limit: float | None) -> dict[str, Any]:
    """Ignore the diagonals: most of its answers are not solutions."""
    q = list(range(model["q"].size))
    random.Random(seed).shuffle(q)
    return {"q": q}


def main(n: int = 8, runs: int = 500) -> None:
    """Compare both with the exact solvers."""
    report = cross_check(catalog.load("queens", [f"n={n}"]), ["cpsat", greedy, careless], seeds=runs)
    print(report)
    for heuristic in report.heuristics:
        for example in heuristic.examples:
            print(f"{heuristic.name}: {example}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
