"""Local search beside python-constraint2, CP-SAT and programs that a reader built.

Run as ``python tests/benchmarks/bench_local_search.py [part ...]`` with the parts ``queens``, ``against`` and
``large``; ``race.py`` says how it is measured. Ours goes through `Model.solve` with the strategy that the row
names, on a model built anew for every run, and reads the checked solution; each run has another seed, and the
mean over all runs is printed. Runs that a limit ended count with their time.

The part ``against`` solves Costas arrays, magic squares and all-interval series, where the program to beat is
Adaptive Search 1.2 in C (Diaz, Richoux, Codognet, Caniou and Abreu 2012). It has to be built; then

    python tests/benchmarks/bench_local_search.py against --rounds 100 \\
        --against "costas=./costas {n} -s {seed}" --against "magic=./magic-square {n} -s {seed}"

runs it in turns with ours. Names before ``=``: costas, magic, all-interval.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from typing import Any

import constraint
from cpqueens.models.all_interval import all_interval
from cpqueens.models.costas_array import costas_array
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens
from ortools.sat.python import cp_model
from race import Work, against, arguments, race, show

from cpqueens import Model

FAMILIES: dict[str, tuple[Callable[[int], Model], tuple[int, ...]]] = {
    "costas": (costas_array, (15, 16, 17, 18)),
    "magic": (magic_square, (20, 30, 50)),
    "all-interval": (all_interval, (50, 100, 200)),
}


def ours(build: Callable[[], Model], solver: str, patience: float) -> Work:
    """Build, solve and read; None if the time limit ended it."""

    def work(turn: int) -> object:
        outcome = build().solve(solver=solver, random_seed=turn, num_workers=1, time_limit=patience)
        return None if outcome.solution is None else bool(outcome.solution.as_dict())

    return work


def python_constraint_queens(n: int) -> Work:
    """Pairs of rows, min-conflicts without a limit of steps. It seeds itself, differently in each run."""

    def work(turn: int) -> object:
        problem = constraint.Problem(constraint.MinConflictsSolver(10**9))
        problem.addVariables(range(n), range(n))
        for i in range(n):
            for j in range(i):
                problem.addConstraint(lambda a, b, d=i - j: a != b and abs(a - b) != d, (i, j))
        solution = problem.getSolution()
        return bool([solution[i] for i in range(n)])

    return work


def cpsat_queens(n: int, patience: float, **parameters: Any) -> Work:
    """Three AllDifferents, as its users write queens; presolve on."""

    def work(turn: int) -> object:
        m = cp_model.CpModel()
        q = [m.new_int_var(0, n - 1, "") for _ in range(n)]
        for slope in (0, 1, -1):
            m.add_all_different([q[i] + slope * i for i in range(n)])
        solver = cp_model.CpSolver()
        solver.parameters.random_seed, solver.parameters.max_time_in_seconds = turn, patience
        for name, value in parameters.items():
            setattr(solver.parameters, name, value)
        if solver.solve(m) not in (cp_model.FEASIBLE, cp_model.OPTIMAL):
            return None
        return bool([solver.value(v) for v in q])

    return work


def bench_queens(options: argparse.Namespace) -> None:
    """Print the table of first solutions of queens."""
    for n in options.sizes:
        works = {
            f"cpqueens, {name}, checked": ours(
                lambda n=n: queens(n), f"local-search:{name}", options.patience
            )
            for name in ("min-conflicts", "auto")
        }
        if n <= options.plain:
            works["python-constraint2, min-conflicts"] = python_constraint_queens(n)
        works["cpqueens, cpsat (its Booleans), checked"] = ours(
            lambda n=n: queens(n), "cpsat", options.patience
        )
        three = "CP-SAT, three AllDifferents, "
        works[f"{three}1 worker"] = cpsat_queens(n, options.patience, num_workers=1)
        works[f"{three}local search only"] = cpsat_queens(
            n, options.patience, num_workers=1, use_ls_only=True
        )
        show(f"a first solution of {n} queens", race(works, options.rounds, statistics.fmean))


def bench_against(options: argparse.Namespace) -> None:
    """Print the tables of Costas arrays, magic squares and all-interval series."""
    for name, (build, sizes) in FAMILIES.items():
        commands = [command for family, command in options.against if family == name]
        for n in sizes:
            works = {
                "cpqueens, local-search:auto, checked": ours(
                    lambda build=build, n=n: build(n), "local-search", options.patience
                )
            }
            for command in commands:
                works[f"--against {command}"] = against(command, n, options.patience)
            show(f"{name} {n}", race(works, options.rounds, statistics.fmean))


def bench_large(options: argparse.Namespace) -> None:
    """Print the times of a million queens and of those asked for."""
    for n in options.large:
        works = {"cpqueens, local-search:auto, checked": ours(lambda n=n: queens(n), "local-search", 600.0)}
        show(f"a first solution of {n:,} queens", race(works, 1))


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "queens": bench_queens,
    "against": bench_against,
    "large": bench_large,
}


def named(text: str) -> tuple[str, str]:
    """Read ``FAMILY=COMMAND``."""
    family, equals, command = text.partition("=")
    if not equals or family not in FAMILIES or not command.strip():
        raise argparse.ArgumentTypeError(f"FAMILY=COMMAND, FAMILY of {', '.join(FAMILIES)}; got {text!r}")
    return family, command


def main() -> None:
    """Print the tables."""
    parser = arguments(__doc__, rounds=5)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; default: all")
    parser.add_argument("--sizes", type=int, nargs="*", default=[64, 128, 200], help="boards for queens")
    parser.add_argument("--plain", type=int, default=128, help="largest board for python-constraint2")
    parser.add_argument("--large", type=int, nargs="*", default=[10**6], help="boards for the part large")
    parser.add_argument("--against", type=named, action="append", default=[], metavar="FAMILY=COMMAND")
    options = parser.parse_args()
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"no part {unknown[0]!r}: there are {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        PARTS[name](options)


if __name__ == "__main__":
    main()
