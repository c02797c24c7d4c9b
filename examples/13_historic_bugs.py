"""Known faults of solvers, tried on the installed versions: a table of verdicts.

Each case is a tiny model. *As a user would call it* means that the solver is called directly and its answer
is believed; the backends of cpqueens solve the same model. A verdict other than "agrees" is a disagreement
that the cross-check found, with its code.

Run as ``python examples/13_historic_bugs.py [n]`` (n: the board of the first case).
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from cpqueens import AllDifferent, Model, Table, cross_check, maximum
from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Deliver, Ended, Feature, Order, Request
from cpqueens.problems import catalog
from cpqueens.system.requirements import versions


class Raw:
    """A solver as a user would call it: ``solve(model)`` returns all solutions and whether it says so."""

    proves = True
    features = frozenset({Feature.ENUMERATE})
    order = Order.DISTINCT
    parameters: dict[str, Any] = {}
    strategies: tuple[str, ...] = ()

    def __init__(self, name: str, solve: Callable[[Model], tuple[list[list[int]], bool]]) -> None:
        self.name, self.solve = name, solve

    def run(self, model: Model, request: Request, deliver: Deliver) -> Ended:
        """Believe what it says."""
        rows, complete = self.solve(model)
        deliver(np.array(rows, dtype=np.int64).reshape(len(rows), len(model.decisions)))
        return Ended(complete, StopReason.EXHAUSTED if complete else StopReason.SOLUTION_LIMIT)


def enumerated(
    native: cp_model.CpModel,
    variables: list[cp_model.IntVar],
    workers: int = 1,
    presolve: bool = True,
    stop_after: int | None = None,
) -> tuple[list[list[int]], bool]:
    """Return the solutions that OR-Tools enumerates, and whether its status claims that they are all."""
    rows: list[list[int]] = []

    class Keep(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            rows.append([self.value(v) for v in variables])
            if stop_after is not None and len(rows) >= stop_after:
                self.stop_search()

    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = workers
    solver.parameters.cp_model_presolve = presolve
    return rows, solver.solve(native, Keep()) in (cp_model.OPTIMAL, cp_model.INFEASIBLE)


def ortools(
    workers: int = 1, presolve: bool = True, stop_after: int | None = None, one_sided: bool = False
) -> Callable[[Model], tuple[list[list[int]], bool]]:
    """Return a way of calling OR-Tools that enumerates and believes the status."""

    def solve(model: Model) -> tuple[list[list[int]], bool]:
        native = model.to_cpsat()
        if one_sided:  # a Boolean that only implies something is free where nothing implies it
            first = next(iter(native.variables.values()))
            chosen = native.model.new_bool_var("chosen")
            native.model.add(first >= 1).only_enforce_if(chosen)
        return enumerated(native.model, list(native.variables.values()), workers, presolve, stop_after)

    return solve


def table_by_hand(presolve: bool = True) -> Callable[[Model], tuple[list[list[int]], bool]]:
    """Return OR-Tools called on a model whose one constraint is a table over all its variables.

    Written by hand, since our translation does not use OR-Tools' tables for values beyond 32 bits.
    """

    def solve(model: Model) -> tuple[list[list[int]], bool]:
        native = cp_model.CpModel()
        bounds = zip(model.lower.tolist(), model.upper.tolist(), strict=True)
        variables = [native.new_int_var(low, high, "") for low, high in bounds]
        native.add_allowed_assignments(variables, model.constraints[0].constraint.rows.tolist())
        return enumerated(native, variables, presolve=presolve)

    return solve


def negative_multipliers(model: Model) -> tuple[list[list[int]], bool]:
    """Call python-constraint's own sum with multipliers, one of them negative."""
    import constraint

    problem = constraint.Problem()
    problem.addVariables(["x", "y"], list(range(4)))
    problem.addConstraint(constraint.MaxSumConstraint(0, multipliers=[1, -1]), ["x", "y"])
    return [[s["x"], s["y"]] for s in problem.getSolutions()], True


def queens(n: int) -> Model:
    """Return n queens."""
    return catalog.load("queens", [f"n={n}"]).model


def far_apart() -> Model:
    """Return two variables with the values 0 and 2^31, all different."""
    model = Model("far apart")
    x, y = model.intvar(0, 0, name="x"), model.intvar(2**31, 2**31, name="y")
    model.add(AllDifferent([x, y]))
    return model


def difference() -> Model:
    """Return x - y <= 0."""
    model = Model("difference")
    x, y = model.intvar(0, 3, name="x"), model.intvar(0, 3, name="y")
    model.add(x - y <= 0)
    return model


def own_maximum() -> Model:
    """Return y >= max(x, y) with x - y != 1, which our fuzzer shrank to this on OR-Tools 9.15."""
    model = Model("own maximum")
    x, y = model.intvar(0, 3, name="x"), model.intvar(0, 4, name="y")
    model.add(x - y != 1)
    model.add(y >= maximum(x, y))
    return model


def beyond_32_bits() -> Model:
    """Return a table with values from 2^31 on, which our fuzzer found and shrank on OR-Tools 9.15."""
    model = Model("beyond 32 bits")
    low = 2**31 - 2
    x = model.intvar(low, low + 2, name="x")
    y = model.intvar(0, 1, shape=2, name="y")
    model.add(Table([x, *y], [(low, 1, 0), (low + 1, 1, 0), (low + 2, 0, 1), (low + 2, 1, 0)]))
    return model


def large_sum() -> Model:
    """Return a reified sum of 36 bits or x, found with random models of large numbers on OR-Tools 9.15."""
    model = Model("large sum")
    z, d = model.intvar(1, 2, name="z"), model.intvar(domain=[0, 122713351312, 157073089682], name="d")
    x = model.boolvar(name="x")
    small = 8589934591 * z + d <= 137438953470
    model.add(small | x, small | x)  # in two clauses it has a Boolean variable of its own
    return model


def shuffled_queens() -> Model:
    """Return 6 queens with the constraints of each pair, in a random order."""
    model = Model("shuffled queens")
    q = model.intvar(0, 5, shape=6, name="q")
    pairs = [
        c
        for i in range(6)
        for j in range(i)
        for c in (q[i] != q[j], q[i] - q[j] != i - j, q[j] - q[i] != i - j)
    ]
    random.Random(0).shuffle(pairs)
    model.add(pairs)
    return model


@dataclass(frozen=True)
class Case:
    """A model, what went wrong with it, and how a user would have met it."""

    name: str
    model: Model
    solution_count: int
    raw: Raw


def cases(n: int = 8) -> list[Case]:
    """Return the cases; the counts are known by hand or from OEIS A000170."""
    boards = {4: 2, 5: 10, 6: 4, 7: 40, 8: 92, 9: 352, 10: 724}
    return [
        Case("enumeration with two workers", queens(n), boards[n], Raw("OR-Tools, 2 workers", ortools(2))),
        Case("a stopped enumeration", queens(n), boards[n], Raw("OR-Tools, stopped", ortools(stop_after=5))),
        Case("one-sided Booleans", queens(5), 10, Raw("OR-Tools, half-reified", ortools(one_sided=True))),
        Case("AllDifferent of 0 and 2^31", far_apart(), 1, Raw("OR-Tools", ortools())),
        Case("order of constraints", shuffled_queens(), 4, Raw("OR-Tools", ortools())),
        Case("y >= max(x, y)", own_maximum(), 14, Raw("OR-Tools", ortools())),
        Case("y >= max(x, y), no presolve", own_maximum(), 14, Raw("OR-Tools", ortools(presolve=False))),
        Case("table beyond 32 bits", beyond_32_bits(), 4, Raw("OR-Tools", table_by_hand())),
        Case("same, no presolve", beyond_32_bits(), 4, Raw("OR-Tools", table_by_hand(presolve=False))),
        Case("reified sum of 36 bits", large_sum(), 9, Raw("OR-Tools", ortools())),
        Case("negative multipliers", difference(), 10, Raw("python-constraint's sum", negative_multipliers)),
    ]


def verdicts(case: Case) -> list[tuple[str, str]]:
    """Return (solver, verdict) for the raw solver and every exact backend."""
    from cpqueens.crosscheck.participants import default_solvers

    report = cross_check(case.model, [case.raw, *default_solvers()], published=case.solution_count)
    found = []
    for solver in report.solvers:
        codes = [
            f"{d.code} ({d.total})" if d.total else str(d.code)
            for d in report.disagreements
            if d.accused == solver.name
        ]
        found.append(
            (
                solver.name,
                ", ".join(codes) or ("agrees" if solver.complete else f"no claim: {solver.verdict}"),
            )
        )
    return found


def main(n: int = 8) -> None:
    """Print the table."""
    print(", ".join(f"{name} {version}" for name, version in versions().items()))
    for case in cases(n):
        print(f"\n{case.name} ({case.solution_count} solutions)")
        for solver, verdict in verdicts(case):
            print(f"  {solver:26} {verdict}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
