"""Catch OR-Tools losing solutions: enumeration with two workers, called as a user would call it.

OR-Tools 9.15 answers OPTIMAL after 80 of the 92 solutions of 8 queens when `enumerate_all_solutions` meets
two workers. The adapter below makes exactly those calls and believes the result; the cross-check
compares it with CP-SAT on one worker and the other exact solvers, and prints the lost boards. (The
backend ``cpsat`` of cpqueens enumerates with one worker for this reason.)

Run as ``python examples/10_lost_solutions.py [n] [workers]``.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from cpqueens import Model, cross_check
from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Deliver, Ended, Feature, Order, Request
from cpqueens.problems import catalog


class Collect(cp_model.CpSolverSolutionCallback):
    """Keep every solution that CP-SAT reports."""

    def __init__(self, queens: list[Any]) -> None:
        super().__init__()
        self.queens = queens
        self.boards: set[tuple[int, ...]] = set()

    def on_solution_callback(self) -> None:
        """Keep one."""
        self.boards.add(tuple(self.value(q) for q in self.queens))


class RawOrTools:
    """The program that a reader of OR-Tools' manual would write, with the interface of a backend."""

    proves = True
    features = frozenset({Feature.ENUMERATE})
    order = Order.LEXICOGRAPHIC
    parameters: dict[str, Any] = {}
    strategies: tuple[str, ...] = ()

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.name = f"raw OR-Tools, {workers} workers"

    def run(self, model: Model, request: Request, deliver: Deliver) -> Ended:
        """Enumerate the native model with the given number of workers and believe the status."""
        native = model.to_cpsat()
        found = Collect(list(native.variables.values()))
        solver = cp_model.CpSolver()
        solver.parameters.enumerate_all_solutions = True
        solver.parameters.num_workers = self.workers
        status = solver.solve(native.model, found)
        deliver(np.array(sorted(found.boards), dtype=np.int64).reshape(len(found.boards), -1))
        done = status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
        return Ended(done, StopReason.EXHAUSTED, statistics={"status": solver.status_name(status)})


def main(n: int = 8, workers: int = 2) -> None:
    """Compare the solvers, and print the lost solutions."""
    problem = catalog.load("queens", [f"n={n}"])
    report = cross_check(problem, ["cpsat", "python-constraint", RawOrTools(workers)])
    print(report)
    print(f"status that OR-Tools reports: {report.solvers[-1].statistics['status']}")
    for found in report.disagreements:
        print(f"\n{found.total} solutions of {n} queens are lost; the first of them:")
        for witness in found.witnesses:
            print("  " + " ".join(map(str, witness.values["q"])))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
