"""Conflict minimisation by swaps (Sosic and Gu 1990, 1991): sweeps with restarts, and almost free starts.

python examples/17_conflict_minimisation.py [largest board of the second table, 100000 by default]
"""

from __future__ import annotations

import sys

import numpy as np
from cpqueens.models.queens import queens


def collisions(n: int, times: int = 20) -> tuple[float, float]:
    """Return the mean collisions of a random permutation over n: neighbours on a line, and pairs."""
    random, totals = np.random.default_rng(n), np.zeros(2)
    for _ in range(times):
        x = random.permutation(n)
        for line in (x + np.arange(n), x - np.arange(n) + n):
            c = np.bincount(line)
            totals += np.maximum(c - 1, 0).sum(), (c * (c - 1) // 2).sum()
    return totals[0] / n / times, totals[1] / n / times


def main(largest: int = 100_000) -> None:
    """Print both tables."""
    print("QS1, sweeps over all pairs; means over 300 runs")
    print(f"{'N':>9}{'restarts':>10}{'swaps':>9}")
    for n in (8, 14, 20, 50):
        swept = queens(n).runs("local-search:sosic-gu", 300)
        restarts, swaps = (swept.statistics[name].mean() for name in ("restarts", "moves"))
        print(f"{n:9}{restarts:10.2f}{swaps:9.1f}")
    print("\nQS4, an almost conflict-free start; means over 5 runs")
    print("collisions of a random permutation over N: by surplus (0.53) and by pairs (0.667)")
    print(f"{'N':>9}{'surplus':>10}{'pairs':>9}{'left by the start':>20}{'swaps':>9}{'seconds':>10}")
    n = 1000
    while n <= largest:
        runs = [queens(n).solve(solver="local-search:sosic-gu-4", random_seed=seed) for seed in range(5)]
        left, swaps, seconds = (
            np.mean([r.statistics[name] for r in runs])
            for name in ("misplaced_by_start", "moves", "solve_time")
        )
        surplus, pairs = collisions(n)
        print(f"{n:9}{surplus:10.3f}{pairs:9.3f}{left:20.1f}{swaps:9.1f}{seconds:10.4f}")
        n *= 10


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
