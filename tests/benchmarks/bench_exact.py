"""The exact engine against NuCS, python-constraint2, CP-SAT and Gecode: listing, and general models.

Run as ``python tests/benchmarks/bench_exact.py [--rounds N] [part ...]`` with the parts ``callback``,
``arrays``, ``general`` and ``process``; ``race.py`` says how it is measured. Every work builds its model,
solves it and reads the values of every solution, and must find the same number. Ours goes through
`Model.enumerate` and `Model.count` and checks each solution; no peer checks.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import constraint
import kept
from cpqueens.models.costas_array import costas_array
from cpqueens.models.graph_colouring import build_graph, graph_colouring
from cpqueens.models.langford import langford
from cpqueens.models.latin_square import latin_square
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens
from ortools.sat.python import cp_model
from peers import NUCS, gecode_all, nucs_all
from race import Absent, Work, arguments, race, show

from cpqueens import Model

# ---- listing queens -------------------------------------------------------------------------------------


def ours_callback(n: int, solver: str) -> Work:
    """A Python function gets each checked solution and reads value by value, the dearest way to read."""

    def work(turn: int) -> int:
        model, rows = queens(n), list[list[int]]()
        variables = list(model["q"])
        model.enumerate(lambda s: rows.append([s[v] for v in variables]), solver=solver, num_workers=1)
        return len(rows)

    return work


def ours_by_row(n: int, solver: str) -> Work:
    """The same, of each solution all values at once."""

    def work(turn: int) -> int:
        model, rows = queens(n), list[list[int]]()
        q = model["q"]
        model.enumerate(lambda s: rows.append(s[q].tolist()), solver=solver, num_workers=1)
        return len(rows)

    return work


def python_constraint_queens(n: int) -> Work:
    """Pairs of rows, as its documentation writes queens; its optimised backtracking, as by default."""

    def work(turn: int) -> int:
        problem = constraint.Problem()
        problem.addVariables(range(n), range(n))
        for i, j in combinations(range(n), 2):
            problem.addConstraint(lambda a, b, gap=j - i: a != b and abs(a - b) != gap, (i, j))
        return len([[solution[i] for i in range(n)] for solution in problem.getSolutionIter()])

    return work


class _Reader(cp_model.CpSolverSolutionCallback):
    def __init__(self, variables: list[Any]) -> None:
        super().__init__()
        self.variables = variables
        self.rows: list[list[int]] = []

    def on_solution_callback(self) -> None:
        self.rows.append([self.value(v) for v in self.variables])


def cpsat_queens(n: int) -> Work:
    """Three AllDifferents, a callback, one worker (two lose solutions), presolve on."""

    def work(turn: int) -> int:
        m = cp_model.CpModel()
        q = [m.new_int_var(0, n - 1, f"q{i}") for i in range(n)]
        m.add_all_different(q)
        m.add_all_different([q[i] + i for i in range(n)])
        m.add_all_different([q[i] - i for i in range(n)])
        solver, reader = cp_model.CpSolver(), _Reader(q)
        solver.parameters.enumerate_all_solutions = True
        solver.parameters.num_workers = 1
        solver.solve(m, reader)
        return len(reader.rows)

    return work


GECODE_QUEENS = """
include "alldifferent.mzn";
int: n; array[1..n] of var 1..n: q;
constraint alldifferent(q) :: bounds;
constraint alldifferent([q[i] + i | i in 1..n]) :: bounds;
constraint alldifferent([q[i] - i | i in 1..n]) :: bounds;
solve :: int_search(q, first_fail, indomain_min, complete) satisfy;
output [show(q[i]) ++ " " | i in 1..n];
"""


def nucs_queens(n: int) -> Work | Absent:
    """NuCS's own problem (three AllDifferents), default search, the values as lists."""

    def build() -> Any:
        from nucs.examples.queens.queens_problem import QueensProblem

        return QueensProblem(n)

    return nucs_all(build)


def bench_callback(rounds: int, patience: float) -> None:
    """Print the table of listing 12-queens."""
    n = 12
    with tempfile.TemporaryDirectory() as name:
        works: dict[str, Work | Absent] = {
            "cpqueens, backtracking, checked": ours_callback(n, "backtracking"),
            "    the same, all values of a solution at once": ours_by_row(n, "backtracking"),
            NUCS: nucs_queens(n),
            "Gecode, first-fail, flattened before": gecode_all(
                GECODE_QUEENS, f"n={n};", Path(name), patience
            ),
            "python-constraint2, pairs": python_constraint_queens(n),
            "CP-SAT, three AllDifferents, one worker": cpsat_queens(n),
        }
        entries = race(works, rounds)
    show(
        f"list {n} queens, value by value in Python (NuCS: a row at once; Gecode: printed)",
        entries,
        "peers unchecked",
    )
    for label, entry in entries.items():
        if not isinstance(entry, Absent) and isinstance(entry.found, int):
            print(f"    {label:<44}{entry.found / entry.seconds:12,.0f} solutions/s")


def arrays_checked(n: int) -> Work:
    """The whole pipeline, solutions kept in one matrix of which every value is read."""

    def work(turn: int) -> int:
        matrix = queens(n).enumerate(solver="backtracking").solutions.matrix
        assert int(matrix.sum()) == len(matrix) * n * (n - 1) // 2
        return len(matrix)

    return work


def bench_arrays(rounds: int, patience: float) -> None:
    """Print the table of listing into arrays."""
    for n in (12, 13, 14, 15):
        works = {"cpqueens, backtracking, checked": arrays_checked(n)}
        entries = race(works, rounds if n < 15 else 1)
        show(f"list {n} queens into one array", entries)
        for entry in entries.values():
            if not isinstance(entry, Absent) and isinstance(entry.found, int):
                print(f"    {entry.found / entry.seconds / 1e6:.2f} million solutions/s")


# ---- general models -------------------------------------------------------------------------------------


def native(build: Callable[[constraint.Problem], None]) -> Work:
    """Return all solutions of a problem in python-constraint2's own words, by its default solver."""

    def work(turn: int) -> int:
        problem = constraint.Problem()
        build(problem)
        return len([list(solution.values()) for solution in problem.getSolutions()])

    return work


def native_latin(problem: constraint.Problem) -> None:
    n = 5
    problem.addVariables([(0, j) for j in range(n)], range(n))
    problem.addVariables([(i, j) for i in range(1, n) for j in range(n)], range(n))
    for j in range(n):
        problem.addConstraint(constraint.InSetConstraint([j]), [(0, j)])
    for i in range(n):
        problem.addConstraint(constraint.AllDifferentConstraint(), [(i, j) for j in range(n)])
        problem.addConstraint(constraint.AllDifferentConstraint(), [(j, i) for j in range(n)])


def native_costas(problem: constraint.Problem) -> None:
    n = 9
    problem.addVariables(range(n), range(n))
    problem.addConstraint(constraint.AllDifferentConstraint())
    for d in range(1, n - 1):
        for i, j in combinations(range(n - d), 2):
            problem.addConstraint(lambda a, b, c, e: b - a != e - c, (i, i + d, j, j + d))


def native_magic(problem: constraint.Problem) -> None:
    cells = [(i, j) for i in range(3) for j in range(3)]
    problem.addVariables(cells, range(1, 10))
    problem.addConstraint(constraint.AllDifferentConstraint(), cells)
    lines = [[(i, j) for j in range(3)] for i in range(3)] + [[(j, i) for j in range(3)] for i in range(3)]
    for line in [*lines, [(i, i) for i in range(3)], [(i, 2 - i) for i in range(3)]]:
        problem.addConstraint(constraint.ExactSumConstraint(15), line)


def native_langford(problem: constraint.Problem) -> None:
    n = 7
    for k in range(1, n + 1):
        problem.addVariable(k, range(2 * n - k - 1))
    for a, b in combinations(range(1, n + 1), 2):
        problem.addConstraint(
            lambda p, q, g=a + 1, h=b + 1: p != q and p + g != q and p != q + h and p + g != q + h, (a, b)
        )


def native_colouring(kind: str, size: int, colours: int) -> Callable[[constraint.Problem], None]:
    vertices, edges = build_graph(kind, size)

    def build(problem: constraint.Problem) -> None:
        problem.addVariables(range(vertices), range(colours))
        for edge in edges:
            problem.addConstraint(lambda a, b: a != b, edge)

    return build


def listed(build: Callable[[], Model], counted: bool, solver: str) -> Work:
    """List all solutions, checked and read as one matrix, or count them."""

    def work(turn: int) -> int:
        if counted:
            return build().count(solver=solver)
        return len(build().enumerate(solver=solver).solutions.matrix.tolist())

    return work


def again(build: Callable[[], Model], counted: bool) -> Work:
    """The same, of a model that is there and was solved before: what was made of it is kept."""
    model = build()
    return listed(lambda: model, counted, "backtracking")


GENERAL: dict[str, tuple[Callable[[], Model], Callable[[constraint.Problem], None]]] = {
    "Latin squares of order 5, first row fixed": (lambda: latin_square(5, "row"), native_latin),
    "Costas arrays, order 9": (lambda: costas_array(9), native_costas),
    "magic squares, order 3": (lambda: magic_square(3), native_magic),
    "Langford pairings, 7": (lambda: langford(7), native_langford),
    "Petersen, 4 colours": (lambda: graph_colouring("petersen", 5, 4), native_colouring("petersen", 5, 4)),
    "Groetzsch, 4 colours": (lambda: graph_colouring("mycielski", 4, 4), native_colouring("mycielski", 4, 4)),
}
COUNTED = [label for label in GENERAL if label.endswith("colours")]
"""Numbers of colourings are what is asked for; python-constraint2 can only list them."""


def bench_general(rounds: int, patience: float) -> None:
    """Print the table of general models."""
    for label, (build, problem) in GENERAL.items():
        counted = label in COUNTED
        verb = "counted" if counted else "checked"
        works: dict[str, Work | Absent] = {
            f"cpqueens, backtracking, {verb}": listed(build, counted, "backtracking"),
            "    the same model again": again(build, counted),
            f"    backtracking:forward, {verb}": listed(build, counted, "backtracking:forward"),
            "    same model on python-constraint": listed(build, counted, "python-constraint"),
            "python-constraint2 in its own words": native(problem),
        }
        show(f"all {label}", race(works, rounds))


# ---- a new process --------------------------------------------------------------------------------------


def process_seconds(command: Sequence[str], cache: Path) -> float:
    """Return the seconds of one process that keeps compiled kernels in ``cache``."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "CPQUEENS_KERNELS": "tiers"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # with it Python compiles the package anew each time
    started = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    seconds = time.perf_counter() - started
    if "92" not in done.stdout:
        raise SystemExit(f"{' '.join(command)} printed {done.stdout!r}")
    return seconds


def bench_process(rounds: int, patience: float) -> None:
    """Print the wall seconds of a new process that counts 8 queens, without and with cached kernels."""
    command = [sys.executable, "-m", "cpqueens", "count", "queens", "n=8"]
    cold, warm = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            cold.append(process_seconds(command, Path(name)))
            warm.append(process_seconds(command, Path(name)))
    print("\ncpqueens count queens n=8 in a new process, seconds")
    print(f"kernels compiled {statistics.median(cold):.2f}, kernels cached {statistics.median(warm):.2f}")
    told = {"on an empty cache": statistics.median(cold), "kernels cached": statistics.median(warm)}
    kept.keep_cells("wall seconds of a new process", "cpqueens count queens n=8", told)


PARTS: dict[str, Callable[[int, float], None]] = {
    "callback": bench_callback,
    "arrays": bench_arrays,
    "general": bench_general,
    "process": bench_process,
}


def main() -> None:
    """Print the tables asked for, or all."""
    parser = arguments(__doc__, rounds=3)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; default: all")
    options = parser.parse_args()
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"no part {unknown[0]!r}: there are {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        PARTS[name](options.rounds, options.patience)


if __name__ == "__main__":
    main()
