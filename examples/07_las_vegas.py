"""Las Vegas search on queens: the published table reproduced, exactly and by sampling.

python examples/07_las_vegas.py [N, 8 by default] [attempts for each row, 20000 by default]
"""

from __future__ import annotations

import sys
from typing import Any

from cpqueens.models.queens import queens

from cpqueens.lab.source_tables import DIGITS, PUBLISHED, cells, findings, las_vegas_expectations


def interval(estimate: dict[str, Any], digits: int) -> str:
    """Return a sampled interval as text."""
    ends = estimate["interval"]
    return "-" if ends is None else f"{ends[0]:.{digits}f}..{ends[1]:.{digits}f}"


def main(n: int, attempts: int) -> None:
    """Print, for every k, the exact figures, the sampled ones, and the published ones."""
    model = queens(n)
    exact = las_vegas_expectations(model)
    print(f"{n} queens, the first k at random, then backtracking; a new start after a failure")
    print(
        f"p success, s and e nodes of a success and of a failure, t nodes until the first success; {attempts}"
    )
    print("attempts sampled for each k, 95 % intervals; * differs from the published table\n")
    print(f"{'k':>2}" + "".join(f"{c:>9}  {'sampled':<17}" for c in DIGITS) + "100 attempts all fail")
    wrong = {(f.stop_vegas, f.column) for f in findings(n, exact)}
    for found in exact:
        k, row = found.stop_vegas, cells(found)
        outcome = model.solve(solver="las-vegas", stop_vegas=k, attempts=attempts, random_seed=k)
        sampled = outcome.statistics["estimates"]
        columns = "".join(
            f"{row[c] + ('*' if (k, c) in wrong else ''):>9}  {interval(sampled[c], digits):<17}"
            for c, digits in DIGITS.items()
        )
        print(f"{k:>2}{columns}{float(found.all_fail(100)):.2g}")
    solvable = [found for found in exact if found.t is not None]
    if solvable:
        best = min(solvable, key=lambda found: (found.t, found.stop_vegas))
        print(f"\nfewest nodes until a solution: k = {best.stop_vegas}")
    printed = sum(len(row) for row in PUBLISHED.get(n, {}).values())
    print(f"{printed} published cells, {len(wrong)} of them not exact")
    for finding in findings(n, exact):
        print(f"* {finding}")


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:3]]
    main(*given, *(8, 20_000)[len(given) :])
