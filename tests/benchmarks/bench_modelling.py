"""Modelling and translating, by which nothing is solved, and enumerating against raw OR-Tools and CPMpy.

Run as ``python tests/benchmarks/bench_modelling.py [--rounds N]``; ``race.py`` says how it is measured. Ours
goes through `Model`, `Model.to_cpsat` and `Model.enumerate`.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from ortools.sat.python import cp_model
from race import Absent, Work, arguments, race, show

from cpqueens import AllDifferent, Model

NO_CPMPY = Absent("make bench installs it (pip install --group benchmark)")


def done(build: Callable[[], object]) -> Work:
    """Return the work of building something; nothing is compared."""

    def work(turn: int) -> bool:
        return build() is not None

    return work


def queens(n: int) -> Model:
    """Return the model as a user writes it."""
    m = Model("queens")
    q = m.intvar(0, n - 1, shape=n, name="q")
    i = np.arange(n)
    m += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    return m


def ours_translated(n: int) -> Work:
    return done(lambda: queens(n).to_cpsat())


def raw_queens(n: int) -> cp_model.CpModel:
    """Return the model as a person writes it in OR-Tools."""
    m = cp_model.CpModel()
    q = [m.new_int_var(0, n - 1, f"q{i}") for i in range(n)]
    m.add_all_different(q)
    m.add_all_different([q[i] + i for i in range(n)])
    m.add_all_different([q[i] - i for i in range(n)])
    return m


def cpmpy_translated(n: int) -> Work | Absent:
    if importlib.util.find_spec("cpmpy") is None:
        return NO_CPMPY
    import cpmpy

    def build() -> Any:
        q = cpmpy.intvar(0, n - 1, shape=n, name="q")
        i = np.arange(n)
        m = cpmpy.Model(cpmpy.AllDifferent(q), cpmpy.AllDifferent(q + i), cpmpy.AllDifferent(q - i))
        return cpmpy.SolverLookup.get("ortools", m)

    return done(build)


def ours_double_loop(n: int) -> Work:
    def build() -> Any:
        m = Model("queens")
        q = m.intvar(0, n - 1, shape=n, name="q")
        for i in range(n):
            for j in range(i):
                m.add(q[i] != q[j])
                m.add(q[i] - q[j] != i - j)
                m.add(q[i] - q[j] != j - i)
        return m.to_cpsat()

    return done(build)


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

    return done(build)


def ours_enumerated(n: int) -> Work:
    def run(turn: int) -> int:
        m = queens(n)
        variables = list(m["q"])
        seen: list[Any] = []
        m.enumerate(lambda s: seen.append([s[v] for v in variables]), solver="cpsat")
        return len(seen)

    return run


def raw_enumerated(n: int) -> Work:
    def run(turn: int) -> int:
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
    return done(lambda: q + i)


def imported(turn: int) -> bool:
    """Import the package in a new process."""
    subprocess.run([sys.executable, "-c", "import cpqueens"], check=True)
    return True


def main() -> None:
    """Print the tables."""
    rounds = arguments(__doc__, rounds=7).parse_args().rounds
    translated = {
        "cpqueens, to_cpsat": ours_translated(1000),
        "raw OR-Tools": done(lambda: raw_queens(1000)),
        "CPMpy, to OR-Tools": cpmpy_translated(1000),
    }
    show("model and translate 1000 queens for CP-SAT", race(translated, rounds))
    loops = {"cpqueens, to_cpsat": ours_double_loop(200), "raw OR-Tools": raw_double_loop(200)}
    show("200 queens as a double loop over scalar terms", race(loops, rounds))
    listed = {
        "cpqueens, cpsat, checked": ours_enumerated(10),
        "raw CP-SAT loop, unchecked": raw_enumerated(10),
    }
    show(
        "enumerate 10 queens by callback, value by value",
        race(listed, rounds),
        "three AllDifferents, one worker",
    )
    show("q + i for 10^6 variables", race({"cpqueens": shifted(10**6)}, rounds))
    show("a new process imports the package", race({"cpqueens": imported}, rounds))


if __name__ == "__main__":
    main()
