"""How many sideways moves hill climbing needs: the textbook's 14 % and 94 % on 8 queens.

python examples/16_sideways_moves.py [N, 8 by default] [attempts for each limit, 1000 by default]
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
from cpqueens.models.queens import queens

LIMITS = (0, 1, 2, 5, 10, 20, 50, 100)


def main(n: int = 8, attempts: int = 1000) -> None:
    """Print success and steps for several limits, with the three endings."""
    model = queens(n)
    print(f"{n} queens, {attempts} starts with independent random columns")
    print(f"{'limit':>6}{'solved':>9}{'steps':>8}{'stuck':>8}  endings")
    for limit in LIMITS:
        steps: dict[bool, list[int]] = {True: [], False: []}
        endings: Counter[str] = Counter()
        for seed in range(attempts):
            outcome = model.solve(
                solver="local-search:sideways", random_seed=seed, max_sideways=limit, start="independent"
            )
            solved = outcome.status == "FEASIBLE"
            steps[solved].append(outcome.statistics["steps"])
            endings["solved" if solved else str(outcome.stop_reason)] += 1
        means = [f"{np.mean(taken):8.2f}" if taken else f"{'-':>8}" for taken in (steps[True], steps[False])]
        print(f"{limit:6}{len(steps[True]) / attempts:9.1%}{''.join(means)}  {dict(endings)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
