"""NuCS and Gecode as peers: each with the package that has it, and what is counted.

NuCS is a package of the dependency group `benchmark`. It pins its versions of Numba and numpy, so that
`make bench` has an environment of its own, in which ours runs with the same versions. Gecode is a program of
Debian's packages ``minizinc`` and ``flatzinc``; its models are flattened before the race, which favours it.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from race import Absent, Work

NO_NUCS = Absent("make bench installs it (pip install --group benchmark)")
NO_GECODE = Absent("Gecode and MiniZinc are needed (Debian: apt-get install minizinc flatzinc)")
SOLUTION = "----------"


Search = Callable[[], dict[str, Any]]
"""Returns the keywords of NuCS's solver: its heuristics."""


def nucs_solver(build: Callable[[], Any], search: Search) -> Any:
    """Return a solver of NuCS for a problem built anew."""
    from nucs.solvers.backtrack_solver import BacktrackSolver

    return BacktrackSolver(build(), log_level="ERROR", **search())


def nucs(job: Callable[[], object]) -> Work | Absent:
    """Return a job that uses NuCS as a work, if it is installed."""
    return NO_NUCS if importlib.util.find_spec("nucs") is None else lambda turn: job()


def nucs_all(build: Callable[[], Any], search: Search = dict) -> Work | Absent:
    """All solutions, each as a list of values."""
    return nucs(lambda: len([row.tolist() for row in nucs_solver(build, search).solve()]))


def nucs_first(build: Callable[[], Any], search: Search = dict) -> Work | Absent:
    """A first solution, read; False if there is none."""

    def job() -> bool:
        row = next(nucs_solver(build, search).solve(), None)
        return row is not None and bool(row.tolist())

    return nucs(job)


def nucs_least(build: Callable[[], Any], variable: Callable[[Any], int], search: Search) -> Work | Absent:
    """The least value of a variable, proved."""

    def job() -> int:
        solver = nucs_solver(build, search)
        objective = variable(solver.problem)
        return int(solver.minimize(objective)[objective])

    return nucs(job)


def gecode(
    text: str, data: str, folder: Path, patience: float, *options: str
) -> Callable[[], str | None] | None:
    """Flatten a MiniZinc model; return a function that solves it and returns what Gecode prints."""
    if shutil.which("minizinc") is None or shutil.which("fzn-gecode") is None:
        return None
    source, flat = folder / "model.mzn", folder / "model.fzn"
    source.write_text(text, encoding="utf-8")
    flatten = ["minizinc", "--solver", "gecode", "-c", "-D", data, "--fzn", str(flat), str(source)]
    subprocess.run(flatten, check=True, capture_output=True)

    def solve() -> str | None:
        command = ["fzn-gecode", *options, str(flat)]
        try:
            done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=patience)
        except subprocess.TimeoutExpired:
            return None
        return done.stdout

    return solve


def gecode_all(text: str, data: str, folder: Path, patience: float) -> Work | Absent:
    """All solutions, printed; their values are not read."""
    solve = gecode(text, data, folder, patience, "-a")
    if solve is None:
        return NO_GECODE

    def work(turn: int) -> int | None:
        printed = solve()
        return None if printed is None else printed.count(SOLUTION)

    return work


def gecode_first(text: str, data: str, folder: Path, patience: float) -> Work | Absent:
    """A first solution, printed; False if there is none."""
    solve = gecode(text, data, folder, patience)
    if solve is None:
        return NO_GECODE

    def work(turn: int) -> bool | None:
        printed = solve()
        return None if printed is None else SOLUTION in printed

    return work


def gecode_least(text: str, data: str, folder: Path, patience: float, objective: str) -> Work | Absent:
    """The least value of a variable, proved: the last that is printed."""
    solve = gecode(text, data, folder, patience)
    if solve is None:
        return NO_GECODE

    def work(turn: int) -> int | None:
        printed = solve()
        if printed is None:
            return None
        values = [line for line in printed.splitlines() if line.startswith(f"{objective} = ")]
        return int(values[-1].removeprefix(f"{objective} = ").rstrip(";"))

    return work
