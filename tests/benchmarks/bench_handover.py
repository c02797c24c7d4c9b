"""What hand-overs are worth: each exact solver by itself and beside local search, in turns.

python tests/benchmarks/bench_handover.py [--seeds 3] [--limit 60] [--only TEXT]

Times are those of the clock, as two run at a time, less the compilation of kernels; one worker each. A row
says how long both took to the proof or to the limit, the median ratio of the turns (at most 1.10 is asked
for), and in how many turns who found the best solution and who proved it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import kept
from cpqueens.models.golomb_ruler import golomb_ruler
from cpqueens.models.peaceable_queens import peaceable_queens
from cpqueens.models.queens import queens

from cpqueens import Model, Outcome

sys.path.append(str(Path(__file__).parents[1]))

from collection.registry import INSTANCES

EXACT = ("cpsat", "backtracking")
PROBLEMS: dict[str, Callable[[], Model]] = {
    "queens 3 (none)": lambda: queens(3),
    "1000 queens": lambda: queens(1000),
    "Golomb ruler 8": lambda: golomb_ruler(8),
    "Golomb ruler 9": lambda: golomb_ruler(9),
    "peaceable queens 5": lambda: peaceable_queens(5),
    "peaceable queens 6": lambda: peaceable_queens(6),
    **{
        name: INSTANCES[name].build
        for name in ("job shop ft06", "project j301_1", "knapsack of 50", "warehouses")
        if name in INSTANCES
    },
}


def seconds(outcome: Outcome) -> float:
    """Return the seconds of a run less compilation."""
    return float(outcome.statistics["total_time"] - outcome.statistics["compile_time"])


def row(title: str, build: Callable[[], Model], exact: str, seeds: int, limit: float) -> None:
    """Run both in turns, each on a model of its own, and print a row."""
    alone, together, found, proved = [], [], Counter[str](), Counter[str]()
    for seed in range(-1, seeds):  # the first turn loads what is compiled
        for solver, times in ((exact, alone), (f"local-search+{exact}", together)):
            outcome = build().solve(solver=solver, time_limit=limit, random_seed=max(seed, 0))
            if seed < 0:
                continue
            times.append(seconds(outcome))
            if times is together:
                found[str(outcome.statistics["found_by"])] += 1
                proved[str(outcome.statistics["proved_by"])] += 1
    ratio = statistics.median(b / a for a, b in zip(alone, together, strict=True))
    times = {f"local-search+{exact}": statistics.median(together), exact: statistics.median(alone)}
    kept.keep_race(f"{title}, {exact}", {name: (spent, spent >= limit) for name, spent in times.items()})
    both = f"{statistics.median(alone):9.2f}{statistics.median(together):9.2f}{ratio:8.2f}"
    print(f"{title:22}{exact:14}{both}   found {dict(found)}, proved {dict(proved)}", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of a run")
    parser.add_argument("--only", default="", help="problems and solvers with this in their names")
    kept.recording(parser)
    given = parser.parse_args()
    print(f"{'':22}{'':14}{'alone s':>9}{'both s':>9}{'ratio':>8}")
    for title, build in PROBLEMS.items():
        for exact in EXACT:
            if given.only in f"{title} {exact}":
                row(title, build, exact, max(1, given.seeds), given.limit)


if __name__ == "__main__":
    main()
