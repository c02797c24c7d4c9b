"""Annealing row by row: why the "wrong" acceptance rule is the one that works.

python examples/18_annealing_rows.py [N, 8 by default] [runs of each rule, 60 by default]
"""

from __future__ import annotations

import sys
import time

import numpy as np
from cpqueens.models.queens import queens


def main(n: int = 8, runs: int = 60) -> None:
    """Print rows annealed until a solution, and acceptance of worse moves by temperature."""
    model = queens(n)
    print(f"{n} queens, {runs} runs; each row is annealed from T = 100 by 0.8 down to 1")
    print(f"{'rule':>12}{'rows annealed':>15}{'+-':>7}{'seconds':>9}  worse moves accepted at T =")
    for rule in ("coarse", "metropolis"):
        start = time.monotonic()
        made = model.runs("local-search:annealing", runs, schedule="rowwise", rule=rule, step_limit=10**7)
        rows = made.statistics["anneals"]
        worse, accepted = (made.statistics[name].sum(axis=0) for name in ("worse", "accepted"))
        error = np.std(rows) / np.sqrt(runs)
        shares = ", ".join(f"{100 * 0.8**k:.3g}: {accepted[k] / worse[k]:.1%}" for k in (0, 5, 10, 15, 20))
        print(f"{rule:>12}{np.mean(rows):15.0f}{error:7.0f}{time.monotonic() - start:9.1f}  {shares}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
