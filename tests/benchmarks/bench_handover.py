"""What the hand-over is worth: CP-SAT alone against local search and CP-SAT, on one machine in one run.

python tests/benchmarks/bench_handover.py [--seeds 3] [--patience 20, seconds for CP-SAT on 1000 queens]

Times are those of the run less the compilation of kernels, one worker, means over the seeds
(one seed for the 7 x 7 board, which takes half a minute).
"""

from __future__ import annotations

import argparse
import statistics
from collections import Counter

from cpqueens.models.golomb_ruler import golomb_ruler
from cpqueens.models.peaceable_queens import peaceable_queens
from cpqueens.models.queens import queens

from cpqueens import Model, Outcome

LIMIT = 120.0
HAND_OVERS = ("local-search+cpsat", "local-search:tabu+cpsat")


def seconds(outcome: Outcome) -> float:
    """Return the seconds of a run less compilation."""
    return float(outcome.statistics["total_time"] - outcome.statistics["compile_time"])


def run(title: str, model: Model, solver: str, seeds: int, limit: float) -> None:
    """Run with several seeds and print a row."""
    runs = [model.solve(solver=solver, time_limit=limit, random_seed=seed) for seed in range(seeds)]
    status = ", ".join(f"{k} {v}" for k, v in Counter(str(r.status) for r in runs).items())
    found = Counter(str(r.statistics.get("found_by", "-")) for r in runs if r.solution is not None)
    hints = Counter(str(r.statistics.get("hint", "-")) for r in runs)
    first = [r.statistics["heuristic"]["seconds"] for r in runs if "heuristic" in r.statistics]
    share = f"{statistics.fmean(first):10.2f}" if first else f"{'':>10}"
    times = [seconds(r) for r in runs]
    print(
        f"{title:24}{solver:26}{statistics.fmean(times):9.2f}{max(times):9.2f}{share}  {status:14}"
        f" best {runs[0].objective}; found by {dict(found)}; hint {dict(hints)}",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--patience", type=float, default=20.0, help="seconds for CP-SAT on 1000 queens")
    arguments = parser.parse_args()
    seeds, patience = max(1, arguments.seeds), arguments.patience
    print(f"{'':24}{'solver':26}{'mean s':>9}{'worst s':>9}{'heuristic':>10}")
    run("1000 queens", queens(1000), "cpsat", 1, patience)
    run("1000 queens", queens(1000), "local-search+cpsat", max(2, seeds), patience)
    problems = [(f"Golomb ruler {marks}", golomb_ruler(marks)) for marks in (8, 9)]
    problems += [(f"peaceable queens {n}", peaceable_queens(n)) for n in (6, 7)]
    for title, model in problems:
        for solver in ("cpsat", *HAND_OVERS):
            run(title, model, solver, 1 if title.endswith("queens 7") else seeds, LIMIT)


if __name__ == "__main__":
    main()
