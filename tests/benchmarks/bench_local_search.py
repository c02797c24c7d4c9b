"""Local search: the table of its speed, as ratios to other tools and to specialised C code.

Run with ``python tests/benchmarks/bench_local_search.py [--seeds 20] [--every 5] [--timeout 5]``. Times are
processor time of warm runs, so that other work on the machine disturbs little; failures count at the limit.
``--large`` adds 10**7 queens.

The reference for Costas arrays, magic squares and all-interval series is Adaptive Search 1.2 in an optimised
build (Diaz, Richoux, Codognet, Caniou and Abreu 2012). Its seconds are scaled by the speed of the machine at
hand: the time of a fixed loop of dependent integer operations (the draws of the generator of random numbers,
the least of five runs) over the time of the same loop on the machine for which the seconds hold. That
machine's loop time was itself read on a 2-core AMD EPYC of the kind on which the C code is said to take these
seconds; the C code was not run beside ours.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "backends" / "local_search"))

from lowered_problems import all_interval, costas, magic, queens

from cpqueens.backends.local_search.engine import solve_problem
from cpqueens.backends.local_search.problem import Problem
from cpqueens.backends.local_search.search import Limits, Search
from cpqueens.kernels.jit import kernel
from cpqueens.kernels.random import draw, seed_state
from cpqueens.kernels.search_state import swap_deltas

STEPS = 20_000_000
DRAW = 0.77e-9  # seconds per draw on the machine for which REFERENCES hold
REFERENCES = (  # make, n, seconds of Adaptive Search, target in seconds
    (costas, 16, 0.03, 0.03),
    (costas, 17, 0.13, 0.13),
    (costas, 18, 1.3, 1.3),
    (magic, 30, 0.04, 0.08),
    (magic, 50, 0.18, 0.36),
    (all_interval, 100, 0.06, 0.03),
    (all_interval, 200, 1.15, 0.6),
)

CONSTRAINT2 = """
import random, sys, time
from constraint import MinConflictsSolver, Problem
n, seed = int(sys.argv[1]), int(sys.argv[2])
random.seed(seed)
p = Problem(MinConflictsSolver(10**9))
p.addVariables(range(n), range(n))
for i in range(n):
    for j in range(i):
        p.addConstraint(lambda a, b, d=i - j: a != b and abs(a - b) != d, (i, j))
began = time.process_time()
assert p.getSolution() is not None
print(time.process_time() - began)
"""

CPSAT = """
import sys, time
from ortools.sat.python import cp_model
n, seed, only, limit = (int(a) for a in sys.argv[1:])
m = cp_model.CpModel()
x = [m.new_int_var(0, n - 1, "") for _ in range(n)]
for slope in (0, 1, -1):
    m.add_all_different([x[i] + slope * i for i in range(n)])
s = cp_model.CpSolver()
s.parameters.random_seed, s.parameters.max_time_in_seconds = seed, limit
if only:
    s.parameters.use_ls_only, s.parameters.num_workers = True, 1
began = time.process_time()
status = s.solve(m)
solved = status in (cp_model.FEASIBLE, cp_model.OPTIMAL)
print(time.process_time() - began if solved else "unsolved")
"""

EIGHT = """
from cpqueens.backends.local_search.engine import solve_problem
from lowered_problems import queens
assert solve_problem(queens(8), seed=1).cost == 0
"""

PUBLIC = """
import sys, time
began = time.process_time()
sys.path.insert(0, sys.argv[2])
from models.queens import queens
from cpqueens import Status
queens(8).solve(solver="local-search", random_seed=1)
began = time.process_time()
outcome = queens(int(sys.argv[1])).solve(solver="local-search", random_seed=1)
assert outcome.status is Status.FEASIBLE, outcome.status
print(time.process_time() - began)
"""


@kernel
def draws(number: int, random: Any) -> Any:
    """Draw ``number`` times."""
    total = 0
    for _ in range(number):
        total += draw(random)
    return total


def slowness() -> float:
    """Return how many times slower this machine is than the one of the references."""
    random, best = seed_state(1), float("inf")
    draws(10, random)
    for _ in range(5):
        began = time.process_time()
        draws(20_000_000, random)
        best = min(best, (time.process_time() - began) / 20_000_000)
    return best / DRAW


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


def script(text: str, *arguments: object, timeout: float) -> float | None:
    """Run ``text`` in a process of its own; return the seconds that it prints, None if it did not finish."""
    command = [sys.executable, "-c", text, *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return None if done.stdout.strip() == "unsolved" else float(done.stdout)


def against(name: str, n: int, theirs: float | None, limit: float, seeds: int) -> None:
    """Print one comparison on ``n`` queens; an unfinished run counts with its limit."""
    times, failures = timed(queens(n), seeds)
    mean, worst = float(np.mean(times)), max(times)
    shown = f"{theirs:9.3f} s" if theirs is not None else f"> {limit:7.1f} s"
    least = "" if theirs is not None else ">"
    ratio = (limit if theirs is None else theirs) / mean
    print(
        f"{name:34s} {n:5d}  {shown}  ours {mean * 1e3:8.3f} ms (most {worst * 1e3:.3f}, "
        f"{failures} of {seeds} failed)  {least}{ratio:.0f} times faster",
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


def fresh_process(cache: str) -> tuple[float, float]:
    """Return wall and processor seconds of a new process that solves 8 queens."""
    here = str(Path(__file__).parents[1] / "backends" / "local_search")
    environment = dict(os.environ, NUMBA_CACHE_DIR=cache, PYTHONPATH=here)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", EIGHT], check=True, env=environment)
    wall = time.perf_counter() - began
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime


def print_first_solve() -> None:
    """Print the first solve of 8 queens without and with a cache of compiled kernels."""
    with tempfile.TemporaryDirectory() as cache:
        for name, target in (("cold", 5.0), ("warm", 1.5)):
            wall, used = fresh_process(cache)
            print(
                f"8 queens in a fresh process, {name}: {used:.2f} s processor, {wall:.2f} s wall "
                f"(target {target} s)",
                flush=True,
            )


def print_others(seeds: int, timeout: float, rounds: int) -> None:
    """Print the comparisons with python-constraint2 and CP-SAT."""
    for n in (64, 128, 256):
        runs = [script(CONSTRAINT2, n, seed, timeout=timeout) for seed in range(rounds)]
        finished = [run for run in runs if run is not None]
        theirs = float(np.mean(finished)) if len(finished) == rounds else None
        against("python-constraint2 min-conflicts", n, theirs, timeout, seeds)
    limit = int(timeout)
    for n in (150, 200, 500, 1000):
        theirs = script(CPSAT, n, 1, 1, limit, timeout=5 * limit + 60)
        against("CP-SAT use_ls_only, 1 worker", n, theirs, limit, seeds)
    theirs = script(CPSAT, 200, 1, 0, 3 * limit, timeout=15 * limit + 60)
    against("CP-SAT default, all its workers", 200, theirs, 3 * limit, seeds)


def print_every_size(seeds: int) -> None:
    """Print the slowest board from 4 to 200 and how many runs failed."""
    failed, means = 0, {}
    for n in range(4, 201):
        times, failures = timed(queens(n), seeds)
        failed += failures
        means[n] = float(np.mean(times))
    worst = max(means, key=lambda n: means[n])
    print(
        f"queens 4 to 200, {seeds} seeds each: {failed} failed; "
        f"mean {np.mean(list(means.values())) * 1e3:.3f} ms, "
        f"slowest n={worst} with mean {means[worst] * 1e3:.3f} ms (target 1)",
        flush=True,
    )


def line(make: Callable[[int], Problem], n: int, seeds: int, reference: float, target: float) -> None:
    """Print one row of the table against Adaptive Search."""
    times, failures = timed(make(n), seeds)
    mean, scale = float(np.mean(times)), slowness()
    print(
        f"{make.__name__:14s} {n:4d} {seeds:5d} {mean * 1e3:9.2f} {np.median(times) * 1e3:9.2f} "
        f"{failures:4d} {scale:8.2f} {reference * scale * 1e3:9.1f} {mean / (reference * scale):9.2f} "
        f"{mean / (target * scale):9.2f}",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--every", type=int, default=5, help="seeds of each board from 4 to 200")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds for each run of another tool")
    parser.add_argument("--rounds", type=int, default=5, help="runs of python-constraint2 on each board")
    parser.add_argument("--large", action="store_true", help="10**7 queens too")
    options = parser.parse_args()
    root = str(Path(__file__).parents[2])
    for n, target in ((10**6, 1.0), (10**7, 10.0)) if options.large else ((10**6, 1.0),):
        seconds = script(PUBLIC, n, root, timeout=300)
        print(f"queens {n} through the public interface: {seconds:.2f} s (target {target} s)", flush=True)
    rate = evaluation_rate() / 1e6
    print(f"generic swap evaluations, queens 1000: {rate:.1f} million/s (target 40)", flush=True)
    print_first_solve()
    print_others(options.seeds, options.timeout, options.rounds)
    print_every_size(options.every)
    print(
        f"{'problem':14s} {'n':>4s} {'seeds':>5s} {'mean ms':>9s} {'median':>9s} {'fail':>4s} "
        f"{'slowness':>8s} {'C scaled':>9s} {'to C':>9s} {'to target':>9s}"
    )
    for make, n, reference, target in REFERENCES:
        line(make, n, options.seeds, reference, target)


if __name__ == "__main__":
    main()
