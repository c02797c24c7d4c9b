"""NuCS and Gecode as peers: each with the package that has it, and what is counted.

NuCS is a package of the dependency group `benchmark`. It pins its versions of Numba and numpy, so that
`make bench` has an environment of its own, in which ours runs with the same versions. Gecode is a program of
Debian's packages ``minizinc`` and ``flatzinc``; its models are flattened before the race, which favours it.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import shutil
import subprocess
from collections.abc import Callable
from importlib.metadata import version
from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import Any

from race import Absent, Work, timed

HAS_NUCS = importlib.util.find_spec("nucs") is not None
NUCS = f"NuCS {version('nucs')}" if HAS_NUCS else "NuCS"
"""Its name in tables: what another version took on an earlier day is not held to be the same."""

NO_NUCS = Absent("make bench installs it (pip install --group benchmark)")
NO_GECODE = Absent("Gecode and MiniZinc are needed (Debian: apt-get install minizinc flatzinc)")
SOLUTION = "----------"


Search = Callable[[], dict[str, Any]]
"""Returns the keywords of NuCS's solver: its heuristics."""


_OF_A_SEARCH = (
    "decision_variables", "var_heuristic", "var_heuristic_params", "dom_heuristic", "dom_heuristic_params"
)  # fmt: skip


def nucs_solver(problem: Any, *, last_conflict: bool = False, **search: Any) -> Any:
    """Return a solver of NuCS: newer ones take searches as objects, or come back to their last conflict."""
    from nucs.solvers.backtrack_solver import BacktrackSolver

    if importlib.util.find_spec("nucs.solvers.search") is not None:
        from nucs.solvers.search import Search as Order

        order = {key: search.pop(key) for key in _OF_A_SEARCH if key in search}
        search |= {"searches": [Order(**order)]} if order else {}
    if "last_conflict" in inspect.signature(BacktrackSolver.__init__).parameters:
        search |= {"last_conflict": last_conflict}
    return BacktrackSolver(problem, log_level="ERROR", **search)


def nucs_optimum(solver: Any, variable: int, *, greatest: bool = False, prune: bool = False) -> int:
    """Return the least value of a variable, or the greatest one, proved by NuCS; also ``prune``d by it."""
    options = {"mode": "PRUNE"} if prune else {}
    if hasattr(solver, "find_best"):
        from nucs.constants import DOMAIN_MAX, DOMAIN_MIN

        return int(solver.find_best(variable, DOMAIN_MAX if greatest else DOMAIN_MIN, **options)[variable])
    return int((solver.maximize if greatest else solver.minimize)(variable, **options)[variable])


def nucs(job: Callable[[], object]) -> Work | Absent:
    """Return a job that uses NuCS as a work, if it is installed."""
    return (lambda turn: job()) if HAS_NUCS else NO_NUCS


def nucs_all(build: Callable[[], Any], search: Search = dict) -> Work | Absent:
    """All solutions, each as a list of values."""
    return nucs(lambda: len([row.tolist() for row in nucs_solver(build(), **search()).solve()]))


def nucs_first(build: Callable[[], Any], search: Search = dict) -> Work | Absent:
    """A first solution, read; False if there is none."""

    def job() -> bool:
        row = next(nucs_solver(build(), **search()).solve(), None)
        return row is not None and bool(row.tolist())

    return nucs(job)


def nucs_least(build: Callable[[], Any], variable: Callable[[Any], int], search: Search) -> Work | Absent:
    """The least value of a variable, proved."""

    def job() -> int:
        solver = nucs_solver(build(), **search())
        return nucs_optimum(solver, variable(solver.problem))

    return nucs(job)


GLOBALS = {
    "fzn_all_different_int": ("[] x", "all_different_int", "x"),
    "fzn_circuit": ("[] x", "gecode_circuit", "int: min(index_set(x)), x"),
    "fzn_cumulative": ("[] s, [] d, [] r, var b", "cumulatives", "s, d, r, b"),
    "fzn_global_cardinality": ("[] x, [int] c, [] n", "gecode_global_cardinality", "x, c, n"),
    "fzn_inverse": ("[] f, [] g", "inverse_offsets", "f, int: min(index_set(g)), g, int: min(index_set(f))"),
    "fzn_lex_lesseq_int": ("[] x, [] y", "array_int_lq", "x, y"),
    "fzn_table_int": ("[] x, [,int] t", "gecode_table_int", "x, [int]: array1d(t)"),
    "fzn_value_precede_int": ("int s, int t, [] x", "gecode_precede", "x, s, t"),
}
"""MiniZinc's names of global constraints with their arguments, Gecode's name, and what it is given.

Libraries of Gecode 6.2 give these by names that MiniZinc has no longer asked for since 2.5.
"""

_TYPES = {
    "[]": "array[int] of var int",
    "[int]": "array[int] of int",
    "[,int]": "array[int, int] of int",
    "var": "var int",
    "int": "int",
}


def own_globals(folder: Path) -> Path:
    """Write a solver configuration for ``fzn-gecode`` with a library of its own globals; return its file."""
    library = folder / "library"
    library.mkdir(exist_ok=True)
    for name, (declared, native, given) in GLOBALS.items():
        types = dict(reversed(part.split(" ")) for part in declared.split(", "))
        mine = ", ".join(f"{_TYPES[kind]}: {argument}" for argument, kind in types.items())
        theirs, values = [], []
        for k, part in enumerate(given.split(", ")):
            kind, _, value = part.rpartition(": ")
            theirs.append(f"{_TYPES[kind or types[value]]}: a{k}")
            values.append(value)
        text = f"predicate {native}({', '.join(theirs)});\n"
        text += f"predicate {name}({mine}) = {native}({', '.join(values)});\n"
        (library / f"{name}.mzn").write_text(text, encoding="utf-8")
    for file in Path("/usr/share/minizinc/gecode").glob("redefinitions*.mzn"):
        shutil.copy(file, library)
    configuration = folder / "native.msc"
    words = {"id": "native", "name": "Gecode, own globals", "version": "6.2.0", "mznlib": str(library)}
    words |= {"executable": str(shutil.which("fzn-gecode"))}
    configuration.write_text(json.dumps({**words, "supportsFzn": True, "supportsMzn": False}))
    return configuration


def gecode(
    text: str, data: str, folder: Path, patience: float, *options: str, native: bool = False
) -> Callable[[], str | None] | None:
    """Flatten a MiniZinc model; return a function that solves it and returns what Gecode prints.

    With ``native`` Gecode's own global constraints are used, which Debian's packages decompose.
    """
    if shutil.which("minizinc") is None or shutil.which("fzn-gecode") is None:
        return None
    source, flat = folder / "model.mzn", folder / "model.fzn"
    source.write_text(text, encoding="utf-8")
    solver = str(own_globals(folder)) if native else "gecode"
    flatten = ["minizinc", "--solver", solver, "-c", "-D", data, "--fzn", str(flat), str(source)]
    subprocess.run(flatten, check=True, capture_output=True)

    def solve() -> str | None:
        command = ["fzn-gecode", *options, str(flat)]
        try:
            done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=patience)
        except subprocess.TimeoutExpired:
            return None
        return done.stdout

    return solve


def best_gecode(
    text: str, data: str, folder: Path, patience: float, *options: str
) -> Callable[[], str | None] | None:
    """Return the fastest of Gecode with its own globals and with those of Debian's packages, tried once each.

    Which it is depends on the model: pairs of disequalities list queens twice as fast as its AllDifferent.
    So does whether it keeps a copy of every node (``-c-d 1``), which small models are listed faster by.
    """
    found = []
    for native, more in product((True, False), ((), ("-c-d", "1"))):
        own = folder / f"{'own' if native else 'decomposed'}{len(more)}"
        own.mkdir(exist_ok=True)
        solve = gecode(text, data, own, patience, *options, *more, native=native)
        if solve is None:
            return None
        found.append((timed(lambda turn, solve=solve: solve(), range(1))[0], solve))
    return min(found, key=itemgetter(0))[1]


def gecode_all(text: str, data: str, folder: Path, patience: float) -> Work | Absent:
    """All solutions, printed; their values are not read."""
    solve = best_gecode(text, data, folder, patience, "-a")
    if solve is None:
        return NO_GECODE

    def work(turn: int) -> int | None:
        printed = solve()
        return None if printed is None else printed.count(SOLUTION)

    return work


def gecode_first(text: str, data: str, folder: Path, patience: float) -> Work | Absent:
    """A first solution, printed; False if there is none."""
    solve = best_gecode(text, data, folder, patience)
    if solve is None:
        return NO_GECODE

    def work(turn: int) -> bool | None:
        printed = solve()
        return None if printed is None else SOLUTION in printed

    return work


def gecode_least(text: str, data: str, folder: Path, patience: float, objective: str) -> Work | Absent:
    """The least value of a variable, proved: the last that is printed."""
    solve = best_gecode(text, data, folder, patience)
    if solve is None:
        return NO_GECODE

    def work(turn: int) -> int | None:
        printed = solve()
        if printed is None:
            return None
        values = [line for line in printed.splitlines() if line.startswith(f"{objective} = ")]
        return int(values[-1].removeprefix(f"{objective} = ").rstrip(";"))

    return work
