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
        runs = model.runs("local-search:sideways", attempts, max_sideways=limit, start="independent")
        parts = runs.steps[runs.solved], runs.steps[~runs.solved]
        means = [f"{taken.mean():8.2f}" if taken.size else f"{'-':>8}" for taken in parts]
        endings = Counter(np.where(runs.solved, "solved", runs.stop_reason).tolist())
        print(f"{limit:6}{runs.solved.mean():9.1%}{''.join(means)}  {dict(endings)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
