"""What a first run meets: limits of time on an empty cache, and what a call costs beside its search.

Run as ``python tests/benchmarks/bench_first.py``; ``--help`` names the options. Each run of the
first table is a fresh process with a cache of its own, which is empty; shown is the worst over several models
of how far `time_limit` is overshot: by the clock, and in processor seconds that the process took after the
limit (Linux alone tells), which say the same on a machine that is busy otherwise. The second table is
``model.solve`` on a warm model of 8 queens, less what its kernels took, in processor time of the thread.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import kept
import numpy as np
from cpqueens.models.all_interval import all_interval
from cpqueens.models.costas_array import costas_array
from cpqueens.models.golomb_ruler import golomb_ruler
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens

from cpqueens import AllDifferent, CpqueensError, Model, cross_check

SOLVERS = ("auto", "local-search+cpsat", "cpsat+backtracking")
TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def pigeonholes() -> Model:
    """Return 14 pigeons for 13 holes, pair by pair."""
    m = Model("pigeonholes")
    x = m.intvar(0, 12, shape=14, name="x")
    m += [x[a] != x[b] for a in range(14) for b in range(a)]
    return m


def market_split() -> Model:
    """Return five equations over 40 variables of 0 and 1, which hardly ever have a solution."""
    m = Model("market split")
    x = m.boolvar(shape=40, name="x")
    weights = np.random.default_rng(1).integers(0, 100, (5, 40))
    m += [(row * x).sum() == int(row.sum()) // 2 for row in weights]
    return m


def wide() -> Model:
    """Return products over large domains."""
    m = Model("wide")
    x = m.intvar(1, 1_000_000, shape=12, name="x")
    m += [x[k] * x[k + 1] == x[k + 2] * 7 + 1_000_003 * (k + 1) for k in range(10)]
    m += AllDifferent(x)
    return m


MODELS: dict[str, Callable[[], Model]] = {
    "pigeonholes": pigeonholes,
    "market split": market_split,
    "wide": wide,
    "queens 1000": lambda: queens(1000),
    "Costas 22": lambda: costas_array(22),
    "magic 20": lambda: magic_square(20),
    "all-interval 100": lambda: all_interval(100),
    "Golomb 14": lambda: golomb_ruler(14),
}


def solvers() -> list[str]:
    """Return every backend and strategy that is installed, and solvers that are made of two."""
    listing = subprocess.run(
        [sys.executable, "-m", "cpqueens", "strategies", "--json"], check=True, capture_output=True
    )
    names = [entry["name"] for entry in json.loads(listing.stdout)["strategies"]]
    bare = {name.partition(":")[0] for name in names if ":" in name}  # the same as one of their strategies
    return [*SOLVERS, *(name for name in names if name not in bare)]


def by_clock(began: float, limit: float) -> str:
    """Return why something ended of which only the clock tells."""
    return "time_limit" if time.monotonic() - began >= limit else "finished"


def checked(model: Model, solver: str, limit: float) -> str:
    """Return why a cross-check by one solver with one seed ended."""
    began = time.monotonic()
    cross_check(model, [solver], seeds=1, time_limit=limit)
    return by_clock(began, limit)


VERBS: dict[str, Callable[[Model, str, float], str]] = {
    "solve": lambda m, solver, limit: m.solve(solver=solver, time_limit=limit).stop_reason.value,
    "enumerate": lambda m, solver, limit: (
        m.enumerate(lambda _: None, solver=solver, time_limit=limit).stop_reason.value
    ),
    "runs": lambda m, solver, limit: str(m.runs(solver, 1, time_limit=limit).stop_reason[0]),
    "cross-check": checked,
}
"""What is asked, each under a limit."""


def answer(model: str, solver: str, limit: float, verb: str) -> None:
    """Ask in this process, and print when it began, how far it went beyond the limit, and its seconds."""
    m = MODELS[model]()
    print("begins", flush=True)
    began = time.monotonic()
    try:
        print(VERBS[verb](m, solver, limit), end=" ")
    except CpqueensError:
        print("refused", end=" ")
    print(time.monotonic() - began - limit, time.process_time(), flush=True)
    os._exit(0)


def processor_seconds(process: int) -> float:
    """Return the processor seconds that a process has taken, 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICK


def overshoot(model: str, solver: str, limit: float, verb: str) -> tuple[float, float] | None:
    """Return seconds beyond the limit, by the clock and of the processor; None if it was not reached."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "CPQUEENS_KERNELS": "tiers"}
        command = [sys.executable, __file__, "--run", model, solver, "--limit", str(limit), "--verb", verb]
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(limit)
            before = processor_seconds(process.pid)
            reason, beyond, after = [*process.stdout.readline().split(), "failed", "0", "0"][:3]
            os.killpg(process.pid, signal.SIGKILL)  # what compiles for it would outlive it
    if reason == "failed":
        raise SystemExit(f"{solver} has failed on {model}")
    return (float(beyond), float(after) - before) if reason == "time_limit" else None


def show_limits(only: str, limit: float, verb: str) -> None:
    """Print the worst of each solver."""
    print(f"{verb}, limit of {limit:g} s, empty cache: the worst model's seconds beyond (clock, processor)\n")
    for solver in solvers():
        if only not in solver:
            continue
        runs = {model: overshoot(model, solver, limit, verb) for model in MODELS}
        reached = {model: run for model, run in runs.items() if run is not None}
        if not reached:
            print(f"{solver:32}  limit not reached", flush=True)
            continue
        worst = max(reached, key=lambda model: reached[model][1])
        clock = max(run[0] for run in reached.values())
        print(
            f"{solver:32} {clock:7.2f} {reached[worst][1]:7.2f}  {worst} ({len(reached)} models)", flush=True
        )
        told: dict[str, float | str | None] = {
            "clock": clock, "processor": reached[worst][1], "worst on": worst, "models": len(reached)
        }  # fmt: skip
        kept.keep_cells(f"seconds beyond a limit of {limit:g} s on an empty cache", solver, told, "processor")


def show_calls(only: str, calls: int) -> None:
    """Print what a call costs beside its kernels, in milliseconds."""
    m = queens(8)
    print(f"\nm.solve of 8 queens, {calls} calls: milliseconds beside the kernels (least, 10 %, median)\n")
    for solver in solvers():
        if only not in solver or not solver.startswith("local-search:"):
            continue
        try:
            m.solve(solver=solver)
        except CpqueensError:
            continue
        beside = sorted(_beside(m, solver, seed) for seed in range(calls))
        beside = [seconds for seconds in beside if seconds < math.inf] or beside
        least, tenth, median = (1000 * beside[k] for k in (0, len(beside) // 10, len(beside) // 2))
        print(f"{solver:32} {least:7.3f} {tenth:7.3f} {median:7.3f}", flush=True)
        told: dict[str, float | str | None] = {"least": least, "10 %": tenth, "median": median}
        kept.keep_cells("m.solve of 8 queens: milliseconds beside the kernels", solver, told, "10 %")


def _beside(model: Model, solver: str, seed: int) -> float:
    """Return the processor seconds beside the kernels; infinite if another process had the processor."""
    wall, began = time.perf_counter(), time.thread_time()
    outcome = model.solve(solver=solver, seed=seed, step_limit=1000)
    seconds, wall = time.thread_time() - began, time.perf_counter() - wall
    kernels = sum(outcome.statistics[name] for name in ("plain_time", "compiled_time", "compile_time"))
    return seconds - kernels if wall < 1.1 * seconds else math.inf


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="solvers whose name has this in it")
    parser.add_argument("--limit", type=float, default=1.0, metavar="SECONDS")
    parser.add_argument("--calls", type=int, default=1000, metavar="N")
    parser.add_argument("--verb", choices=VERBS, default="solve", help="what is asked for under the limit")
    parser.add_argument("--run", nargs=2, metavar=("MODEL", "SOLVER"), help=argparse.SUPPRESS)
    kept.recording(parser)
    options = parser.parse_args()
    if options.run:
        answer(*options.run, options.limit, options.verb)
    if options.calls:
        show_calls(options.only, options.calls)
    show_limits(options.only, options.limit, options.verb)


if __name__ == "__main__":
    main()
