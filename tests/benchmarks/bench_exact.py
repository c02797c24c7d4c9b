"""The exact engine against python-constraint2, CP-SAT and Gecode: listing, and general models.

Run as ``python tests/benchmarks/bench_exact.py [--rounds N] [part ...]`` with the parts ``callback``,
``arrays``, ``general`` and ``process``. The works of a table run interleaved, warm, and each row takes the
median of the rounds (wall time); every work must find the same number of solutions. Gecode is measured where
`minizinc` and its Gecode library are installed (Debian: packages ``minizinc`` and ``flatzinc``).
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import constraint
import numpy as np
from cpqueens.models.costas_array import costas_array
from cpqueens.models.graph_colouring import build_graph, graph_colouring
from cpqueens.models.langford import langford
from cpqueens.models.latin_square import latin_square
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens
from ortools.sat.python import cp_model

from cpqueens.backends.backtracking.recognise import Recognised, recognise
from cpqueens.compiled import compile_model
from cpqueens.kernels.mirrored import MirroredSearch
from cpqueens.model import Model

Work = Callable[[], int]
"""Does the job once and returns the number of solutions."""


TURN = 0.05  # seconds, at least about so long for each work and round


def measured(works: Mapping[str, Work], rounds: int) -> dict[str, tuple[float, int]]:
    """Return the median seconds and the number of solutions of each work, run interleaved after a warm-up.

    A short work is done several times in its turn, so that it is measured warm as a long one is.
    """
    counts, often = {}, {}
    for name, work in works.items():
        work()
        started = time.perf_counter()
        counts[name] = work()
        often[name] = max(1, int(TURN / (time.perf_counter() - started)))
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            gc.collect()  # nobody pays for what another left behind
            started = time.perf_counter()
            for _ in range(often[name]):
                again = work()
            seconds[name].append((time.perf_counter() - started) / often[name])
            if again != counts[name]:
                raise SystemExit(f"{name}: {again} solutions, {counts[name]} before")
    if len(set(counts.values())) > 1:
        raise SystemExit(f"different numbers of solutions: {counts}")
    return {name: (statistics.median(times), counts[name]) for name, times in seconds.items()}


# ---- listing queens -------------------------------------------------------------------------------------


def ours_callback(n: int) -> Work:
    """A Python function gets each checked solution."""
    model = queens(n)

    def work() -> int:
        seen = 0

        def see(solution: Any) -> None:
            nonlocal seen
            seen += 1

        model.enumerate(see, solver="backtracking")
        return seen

    return work


def python_constraint_queens(n: int) -> Work:
    """Pairs of rows, as its documentation writes queens."""

    def work() -> int:
        problem = constraint.Problem()
        problem.addVariables(range(n), range(n))
        for i, j in combinations(range(n), 2):
            problem.addConstraint(lambda a, b, gap=j - i: a != b and abs(a - b) != gap, (i, j))
        return sum(1 for _ in problem.getSolutionIter())

    return work


class _Counter(cp_model.CpSolverSolutionCallback):
    def __init__(self) -> None:
        super().__init__()
        self.seen = 0

    def on_solution_callback(self) -> None:
        self.seen += 1


def cpsat_queens(n: int) -> Work:
    """Three AllDifferents, all solutions through the callback."""
    m = cp_model.CpModel()
    q = [m.new_int_var(0, n - 1, f"q{i}") for i in range(n)]
    m.add_all_different(q)
    m.add_all_different([q[i] + i for i in range(n)])
    m.add_all_different([q[i] - i for i in range(n)])

    def work() -> int:
        solver, counter = cp_model.CpSolver(), _Counter()
        solver.parameters.enumerate_all_solutions = True
        solver.parameters.num_workers = 1
        solver.solve(m, counter)
        return counter.seen

    return work


_MINIZINC = """
include "alldifferent.mzn";
int: n; array[1..n] of var 1..n: q;
constraint alldifferent(q);
constraint alldifferent([q[i] + i | i in 1..n]);
constraint alldifferent([q[i] - i | i in 1..n]);
solve :: int_search(q, first_fail, indomain_min, complete) satisfy;
output [show(q[i]) ++ " " | i in 1..n];
"""


def gecode_queens(n: int, folder: Path) -> Work | None:
    """Flattened once by MiniZinc; Gecode's own program prints every solution. None where not installed."""
    if shutil.which("minizinc") is None or shutil.which("fzn-gecode") is None:
        return None
    source, flat = folder / "queens.mzn", folder / "queens.fzn"
    source.write_text(_MINIZINC)
    flatten = ["minizinc", "--solver", "gecode", "-c", "-D", f"n={n};", "--fzn", str(flat), str(source)]
    subprocess.run(flatten, check=True, capture_output=True)

    def work() -> int:
        done = subprocess.run(["fzn-gecode", "-a", str(flat)], check=True, capture_output=True)
        return done.stdout.count(b"----------")

    return work


def bench_callback(rounds: int) -> None:
    """Print the table of listing 12-queens."""
    with tempfile.TemporaryDirectory() as name:
        works = {
            "cpqueens, checked": ours_callback(12),
            "python-constraint2": python_constraint_queens(12),
            "CP-SAT": cpsat_queens(12),
        }
        gecode = gecode_queens(12, Path(name))
        if gecode is None:
            print("Gecode is not installed (minizinc, fzn-gecode): not measured")
        else:
            works["Gecode"] = gecode
        found = measured(works, rounds)
    own = found["cpqueens, checked"][0]
    print("\nlisting the 14,200 solutions of 12-queens; others unchecked")
    print(f"{'':<22}{'seconds':>9}{'solutions/s':>14}{'times ours':>12}")
    for label, (seconds, count) in found.items():
        print(f"{label:<22}{seconds:>9.3f}{count / seconds:>14,.0f}{seconds / own:>12.1f}")


def arrays_unchecked(n: int) -> Work:
    """The search that `backtracking` uses here fills byte arrays."""
    found = recognise(compile_model(queens(n)))
    assert isinstance(found, Recognised)

    def work() -> int:
        search, out = MirroredSearch(found.pattern), np.zeros((4096, n), dtype=np.uint8)
        count = 0
        while not search.exhausted:
            count += search.fill(out)
        return count

    return work


def arrays_checked(n: int) -> Work:
    """The whole pipeline, solutions kept in one matrix."""
    model = queens(n)
    return lambda: len(model.enumerate(solver="backtracking").solutions.matrix)


def bench_arrays(rounds: int) -> None:
    """Print the table of listing into arrays."""
    print("\nlisting queens into arrays, million solutions/s")
    print(f"{'n':>3}{'solutions':>12}{'unchecked':>12}{'checked':>10}")
    for n in (12, 13, 14, 15):
        works = {"unchecked": arrays_unchecked(n), "checked": arrays_checked(n)}
        found = measured(works, rounds if n < 15 else 1)
        rates = [count / seconds / 1e6 for seconds, count in found.values()]
        print(f"{n:>3}{found['checked'][1]:>12,}{rates[0]:>12.2f}{rates[1]:>10.2f}")


# ---- general models -------------------------------------------------------------------------------------


def native(build: Callable[[constraint.Problem], None]) -> Work:
    """Return all solutions of a problem that python-constraint2 gets in its own words."""

    problem = constraint.Problem()
    build(problem)
    return lambda: len(problem.getSolutions())


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


def listed(model: Callable[[], Model], counted: bool, solver: str = "backtracking") -> Work:
    """List all solutions, kept and checked, or count them."""
    if counted:
        return lambda: model().count(solver=solver)
    return lambda: model().enumerate(solver=solver).count


GENERAL: dict[str, tuple[Callable[[], Model], Callable[[constraint.Problem], None]]] = {
    "Latin squares, order 5": (lambda: latin_square(5, "row"), native_latin),
    "Costas arrays, order 9": (lambda: costas_array(9), native_costas),
    "magic squares, order 3": (lambda: magic_square(3), native_magic),
    "Langford pairings, 7": (lambda: langford(7), native_langford),
    "Petersen, 4 colours": (lambda: graph_colouring("petersen", 5, 4), native_colouring("petersen", 5, 4)),
    "Groetzsch, 4 colours": (lambda: graph_colouring("mycielski", 4, 4), native_colouring("mycielski", 4, 4)),
}
COUNTED = [label for label in GENERAL if label.endswith("colours")]
"""Numbers of colourings are what is asked for; python-constraint2 can only list them."""


def bench_general(rounds: int) -> None:
    """Print the table of general models, built before, and in one column from building them on."""
    print("\nall solutions of general models, milliseconds; ours checked, colourings counted. The model is")
    print("there and was solved before, but for 'anew': built, then solved once. python-constraint2 solves")
    print("the same model, and one in its own words (alone); ratios to backtracking")
    head = ("cpqueens", "forward", "same", "ratio", "alone", "ratio", "anew", "ratio")
    print(f"{'':<24}{'solutions':>10}{''.join(f'{h:>9}' for h in head)}")
    for label, (build, problem) in GENERAL.items():
        at_hand, counted = cache(build), label in COUNTED
        works = {
            "cpqueens": listed(at_hand, counted),
            "forward": listed(at_hand, counted, "backtracking:forward"),
            "same model": listed(at_hand, counted, "python-constraint"),
            "alone": native(problem),
            "anew": listed(build, counted),
        }
        found = measured(works, rounds)
        own, forward, same, alone, anew = (1000 * seconds for seconds, _ in found.values())
        print(
            f"{label:<24}{found['cpqueens'][1]:>10,}{own:>9.2f}{forward:>9.2f}{same:>9.1f}{same / own:>9.1f}"
            f"{alone:>9.1f}{alone / own:>9.1f}{anew:>9.2f}{alone / anew:>9.1f}"
        )


# ---- a new process --------------------------------------------------------------------------------------


def process_seconds(command: Sequence[str], cache: Path) -> float:
    """Return the seconds of one process that keeps compiled kernels in ``cache``."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # with it Python compiles the package anew each time
    started = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    seconds = time.perf_counter() - started
    if "92" not in done.stdout:
        raise SystemExit(f"{' '.join(command)} printed {done.stdout!r}")
    return seconds


def bench_process(rounds: int) -> None:
    """Print the seconds of `cpqueens count queens n=8` in a new process, without and with cached kernels."""
    command = [sys.executable, "-m", "cpqueens", "count", "queens", "n=8"]
    cold, warm = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            cold.append(process_seconds(command, Path(name)))
            warm.append(process_seconds(command, Path(name)))
    print("\ncpqueens count queens n=8 in a new process, seconds")
    print(f"kernels compiled {statistics.median(cold):.2f}, kernels cached {statistics.median(warm):.2f}")


PARTS: dict[str, Callable[[int], None]] = {
    "callback": bench_callback,
    "arrays": bench_arrays,
    "general": bench_general,
    "process": bench_process,
}


def main() -> None:
    """Print the tables asked for, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; default: all")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.parts) - set(PARTS))
    if unknown or arguments.rounds < 1:
        parser.error(f"parts are {', '.join(PARTS)}, rounds at least 1")
    for name in arguments.parts or PARTS:
        PARTS[name](arguments.rounds)


if __name__ == "__main__":
    main()
