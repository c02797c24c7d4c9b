"""A linear relaxation solved by GLOP, the simplex of OR-Tools: what it says is never trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from cpqueens.backends.backtracking.rows import Row
from cpqueens.backends.relaxation.inequalities import Ends, Inequality

EFFORT = 0.25
"""GLOP's own measure, about seconds, that never depends on the clock."""


class Simplex(NamedTuple):
    """What GLOP says in floating point: a multiplier for each row, and the vertex by variable."""

    multipliers: list[float]
    vertex: dict[int, float]
    iterations: int


def is_installed() -> bool:
    """Say whether OR-Tools is there: not every platform has a wheel."""
    try:
        import ortools.linear_solver.pywraplp  # noqa: F401
    except ImportError:
        return False
    return True


def solve(rows: Sequence[Inequality], ends: Ends, objective: Row | None) -> Simplex | None:
    """Minimise the objective, or without one how far rows are from holding; None if GLOP says nothing."""
    from ortools.linear_solver import pywraplp

    solver = pywraplp.Solver.CreateSolver("GLOP")
    solver.SetSolverSpecificParametersAsString(f"max_deterministic_time:{EFFORT}")
    infinity = solver.infinity()
    used = dict.fromkeys(v for inequality in rows for v in inequality.row[0])
    if objective is not None:
        used |= dict.fromkeys(objective[0])
    x = {v: solver.NumVar(ends[0][v], ends[1][v], "") for v in used}
    aim, made = solver.Objective(), []
    for (variables, coefficients, constant), equal in rows:
        one = solver.RowConstraint(-constant if equal else -infinity, -constant, "")
        for v, a in zip(variables, coefficients, strict=True):
            one.SetCoefficient(x[v], a)
        for sign in (-1, 1) if objective is None else ():
            if sign < 0 or equal:
                missing = solver.NumVar(0, infinity, "")
                one.SetCoefficient(missing, sign)
                aim.SetCoefficient(missing, 1)
        made.append(one)
    for v, a in zip(*objective[:2], strict=True) if objective is not None else ():
        aim.SetCoefficient(x[v], a)
    aim.SetMinimization()
    if _run(solver) not in (pywraplp.Solver.OPTIMAL, pywraplp.Solver.FEASIBLE):
        return None
    vertex = {v: column.solution_value() for v, column in x.items()}
    return Simplex([-one.dual_value() for one in made], vertex, solver.iterations())


def _run(solver: Any) -> int:
    from cpqueens.system.stopping import unstopped

    with unstopped():
        status: int = solver.Solve()
    return status
