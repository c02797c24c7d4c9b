"""Local search: search times and evaluation rates, as a printed table.

Run with ``python tests/benchmarks/bench_local_search.py [seeds]``. Times are processor time of warm runs in
one process, so that other work on the machine disturbs little; failures count at the step limit. The last
column divides by what the best known specialised C code takes on a comparable machine.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "backends" / "local_search"))

from lowered_problems import all_interval, costas, magic, queens

from cpqueens.backends.local_search.engine import solve_problem
from cpqueens.backends.local_search.problem import Problem
from cpqueens.backends.local_search.search import Limits, Search
from cpqueens.kernels.search_state import swap_deltas

STEPS = 20_000_000


def timed(problem: Problem, seeds: int) -> tuple[list[float], int]:
    """Return the search times in seconds and the number of failures."""
    solve_problem(problem, seed=10**6, limits=Limits(100))
    times, failures = [], 0
    for seed in range(seeds):
        began = time.process_time()
        result = solve_problem(problem, seed=seed, limits=Limits(STEPS))
        times.append(time.process_time() - began)
        failures += result.cost > 0
    return times, failures


def line(name: str, make: Callable[[], Problem], seeds: int, reference: float | None = None) -> None:
    """Print one row of the table."""
    times, failures = timed(make(), seeds)
    mean = float(np.mean(times))
    ratio = "" if reference is None else f"{mean / reference:8.2f}"
    print(
        f"{name:22s} {seeds:5d} {mean * 1e3:10.3f} {np.median(times) * 1e3:10.3f} {failures:5d} {ratio}",
        flush=True,
    )


def evaluation_rate(n: int = 1000) -> float:
    """Return swap evaluations per second on queens with the generic incidence arrays."""
    search = Search(queens(n), 0)
    search.start()
    candidates, out = np.arange(n), np.zeros(n, dtype=np.int64)
    swap_deltas(0, candidates, n, out, *search.layers, 0)
    began = time.process_time()
    for i in range(3000):
        swap_deltas(i % n, candidates, n, out, *search.layers, 0)
    return 3000 * n / (time.process_time() - began)


def main(seeds: int) -> None:
    """Print the table."""
    print(f"generic swap evaluations, queens 1000: {evaluation_rate() / 1e6:.1f} million/s")
    print(f"{'problem':22s} {'seeds':>5s} {'mean ms':>10s} {'median ms':>10s} {'fail':>5s} {'to C':>8s}")
    worst = max(range(4, 201), key=lambda n: float(np.mean(timed(queens(n), 20)[0])))
    line(f"queens {worst} (slowest)", lambda: queens(worst), seeds)
    for n, reference in ((16, 0.03), (17, 0.13), (18, 1.3)):
        line(f"costas {n}", lambda n=n: costas(n), seeds, reference)  # type: ignore[misc]
    for n, reference in ((30, 0.04), (50, 0.18)):
        line(f"magic square {n}", lambda n=n: magic(n), seeds, reference)  # type: ignore[misc]
    for n, reference in ((100, 0.06), (200, 1.15)):
        line(f"all-interval {n}", lambda n=n: all_interval(n), seeds, reference)  # type: ignore[misc]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
