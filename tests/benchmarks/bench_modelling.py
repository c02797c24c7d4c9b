"""Modelling, translating, checking and enumerating against raw OR-Tools and CPMpy, in one run.

Run as ``python tests/benchmarks/bench_modelling.py [--rounds N]``. Each row takes the median of interleaved
rounds; ratios below 1 mean that cpqueens is faster.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from cpqueens import AllDifferent, Model
from cpqueens.backends.cpsat import translate
from cpqueens.check import Checker

Work = Callable[[], Any]


def queens(n: int) -> Model:
    """Return the model as a user writes it."""
    m = Model("queens")
    q = m.intvar(0, n - 1, shape=n, name="q")
    i = np.arange(n)
    m += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    return m


def ours_translated(n: int) -> Work:
    return lambda: translate(queens(n))


def raw_queens(n: int) -> cp_model.CpModel:
    """Return the model as a person writes it in OR-Tools."""
    m = cp_model.CpModel()
    q = [m.new_int_var(0, n - 1, f"q{i}") for i in range(n)]
    m.add_all_different(q)
    m.add_all_different([q[i] + i for i in range(n)])
    m.add_all_different([q[i] - i for i in range(n)])
    return m


def cpmpy_translated(n: int) -> Work:
    import cpmpy

    def build() -> Any:
        q = cpmpy.intvar(0, n - 1, shape=n, name="q")
        i = np.arange(n)
        m = cpmpy.Model(cpmpy.AllDifferent(q), cpmpy.AllDifferent(q + i), cpmpy.AllDifferent(q - i))
        return cpmpy.SolverLookup.get("ortools", m)

    return build


def ours_double_loop(n: int) -> Work:
    def build() -> Any:
        m = Model("queens")
        q = m.intvar(0, n - 1, shape=n, name="q")
        for i in range(n):
            for j in range(i):
                m.add(q[i] != q[j])
                m.add(q[i] - q[j] != i - j)
                m.add(q[i] - q[j] != j - i)
        return translate(m)

    return build


def raw_double_loop(n: int) -> Work:
    def build() -> Any:
        m = cp_model.CpModel()
        q = [m.new_int_var(0, n - 1, f"q{i}") for i in range(n)]
        for i in range(n):
            for j in range(i):
                m.add(q[i] != q[j])
                m.add(q[i] - q[j] != i - j)
                m.add(q[i] - q[j] != j - i)
        return m

    return build


def ours_enumerated(n: int) -> Work:
    def run() -> int:
        m = queens(n)
        q = m["q"]
        seen: list[Any] = []
        m.enumerate(lambda s: seen.append(s[q]), solver="cpsat")
        return len(seen)

    return run


def raw_enumerated(n: int) -> Work:
    def run() -> int:
        m = cp_model.CpModel()
        q = [m.new_int_var(0, n - 1, f"q{i}") for i in range(n)]
        m.add_all_different(q)
        m.add_all_different([q[i] + i for i in range(n)])
        m.add_all_different([q[i] - i for i in range(n)])

        class Callback(cp_model.CpSolverSolutionCallback):
            def __init__(self) -> None:
                super().__init__()
                self.seen: list[list[int]] = []

            def on_solution_callback(self) -> None:
                self.seen.append([self.value(v) for v in q])

        solver = cp_model.CpSolver()
        solver.parameters.enumerate_all_solutions = True
        solver.parameters.num_workers = 1
        callback = Callback()
        solver.solve(m, callback)
        return len(callback.seen)

    return run


def shifted(size: int) -> Work:
    m = Model()
    q = m.intvar(0, size, shape=size)
    i = np.arange(size)
    return lambda: q + i


def checked(count: int) -> Work:
    m = queens(12)
    matrix = m.enumerate(solver="backtracking").solutions.matrix
    many = np.tile(matrix, (count // len(matrix) + 1, 1))[:count]
    checker = Checker(m)
    return lambda: checker.accepts(many)


def median_times(works: list[Work], rounds: int) -> list[float]:
    """Return each work's median seconds over interleaved rounds, the first of which is not counted."""
    times: list[list[float]] = [[] for _ in works]
    for turn in range(rounds + 1):
        for k, work in enumerate(works):
            start = time.perf_counter()
            work()
            if turn:
                times[k].append(time.perf_counter() - start)
    return [statistics.median(t) for t in times]


def row(title: str, target: str, rounds: int, ours: Work, peer: Work | None = None) -> None:
    """Measure and print one row."""
    if peer is None:
        (mine,) = median_times([ours], rounds)
        print(f"{title:<52} {mine * 1e3:10.1f} ms {'':>14} {'':>8}   target {target}")
        return
    mine, theirs = median_times([ours, peer], rounds)
    print(f"{title:<52} {mine * 1e3:10.1f} ms {theirs * 1e3:11.1f} ms {mine / theirs:8.2f}   target {target}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = max(1, parser.parse_args().rounds)
    print(f"{'':<52} {'cpqueens':>13} {'peer':>14} {'ratio':>8}")
    row(
        "model + translate queens 1000, raw OR-Tools",
        "<= 1",
        rounds,
        ours_translated(1000),
        lambda: raw_queens(1000),
    )
    if importlib.util.find_spec("cpmpy"):
        title = "model + translate queens 1000, CPMpy"
        row(title, "<= 0.125", rounds, ours_translated(1000), cpmpy_translated(1000))
    else:
        print("CPMpy is not installed: its row is left out")
    row(
        "double loop over terms, queens 200, raw OR-Tools",
        "<= 1.5",
        rounds,
        ours_double_loop(200),
        raw_double_loop(200),
    )
    row(
        "enumerate 10-queens by callback, raw CP-SAT",
        "<= 1.15",
        rounds,
        ours_enumerated(10),
        raw_enumerated(10),
    )
    row("q + i for 10^6 variables", "<= 50 ms", rounds, shifted(10**6))
    row("check 10^5 solutions of 12-queens", "<= 300 ms", rounds, checked(10**5))
    code = [sys.executable, "-c", "import cpqueens"]
    row("import cpqueens in a new process", "", rounds, lambda: subprocess.run(code, check=True))


if __name__ == "__main__":
    main()
