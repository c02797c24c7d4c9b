"""A linear program over rows of a model, solved once or again and again within other ends of its variables.

Exact sums of its rows: what they prove of an objective, whatever floating point says of the multipliers.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpqueens.backends.backtracking.rows import Row
from cpqueens.backends.relaxation.inequalities import Inequality
from cpqueens.language.rows import IntArray, Mask
from cpqueens.system.stopping import heed, unstopped

EFFORT = 0.25
"""GLOP's own measure, about seconds, that never depends on the clock."""
FINEST, WIDEST = 40, 60
"""Bits of the denominator of multipliers, and of a sum of all terms, at most."""
BASE, NUMBER, STEP = 2000, 4, 12
"""What a solve costs, in runs of propagators: in itself, for each number, and a step for so many of these."""
NO_ROW: Row = ((), (), 0)


class Simplex(NamedTuple):
    """In floating point: multipliers of rows, values of columns, their objective, and steps to get there."""

    multipliers: NDArray[np.float64]
    vertex: NDArray[np.float64]
    objective: float
    iterations: int


class Proof(NamedTuple):
    """What a sum of rows proves within the ends: the least objective, and ends of columns, some closer."""

    least: int
    lower: IntArray
    upper: IntArray
    is_closer: Mask


class Coefficients(NamedTuple):
    """The coefficients of rows, column by column: where those of each that has some begin, and both sides."""

    used: IntArray
    first: IntArray
    column: IntArray
    row: IntArray
    coefficient: IntArray
    aim: IntArray
    constants: IntArray
    equal: Mask

    def added(self, multipliers: IntArray) -> IntArray:
        """Return the coefficients of sums of rows; multipliers may be those of many sums, sum by sum."""
        sums = np.zeros((*multipliers.shape[:-1], len(self.aim)), dtype=np.int64)
        parts = multipliers[..., self.row] * self.coefficient
        sums[..., self.used] = np.add.reduceat(parts, self.first, axis=-1)
        return sums


def is_installed() -> bool:
    """Say whether OR-Tools is there: not every platform has a wheel."""
    try:
        import ortools.linear_solver.pywraplp  # noqa: F401
    except ImportError:
        return False
    return True


class LinearProgram:
    """Minimise an objective over rows, or without one how far they are from holding.

    Parameters
    ----------
    lower, upper
        Of all variables of the model.
    spare
        As much of it as can be is left in all rows together: only those that hold with equality in all
        solutions have a multiplier then (as in Freund, Roundy and Todd 1985). Shorter rows, of which a model
        with many truths has most, are left without, which takes a third off the time.
    again
        Whether it is solved many times, each from where the last ended: the dual simplex, without presolve.

    Attributes
    ----------
    columns
        The variables, by column.
    ends
        Their ends now.
    infeasible
        Whether GLOP said of the last solve that no values fit: that is not to be trusted.
    """

    def __init__(
        self,
        rows: Sequence[Inequality],
        objective: Row | None,
        lower: IntArray,
        upper: IntArray,
        *,
        spare: float = 0.0,
        again: bool = False,
    ) -> None:
        from ortools.linear_solver import pywraplp

        heed()
        self._rows, self._objective = rows, objective or NO_ROW
        terms = (*(inequality.row for inequality in rows), self._objective)
        used = dict.fromkeys(v for variables, _, _ in terms for v in variables)
        self.columns = np.array(list(used), dtype=np.int64)
        self.ends = lower[self.columns], upper[self.columns]
        self.infeasible = False
        self._size = len(rows) + len(used) + sum(len(row[0]) for row, _ in rows)
        self._statuses, self._answer = pywraplp.Solver, None
        solver = self._solver = pywraplp.Solver.CreateSolver("GLOP")
        keeps = ""
        if again:  # to import it takes 0.05 s, to read numbers one by one most of the time of a solve
            from ortools.linear_solver.linear_solver_pb2 import MPSolutionResponse

            self._answer = MPSolutionResponse()
            keeps = "use_preprocessing:false use_dual_simplex:true"
        solver.SetSolverSpecificParametersAsString(f"max_deterministic_time:{EFFORT} {keeps}")
        infinity = solver.infinity()
        x = {v: solver.NumVar(lower.item(v), upper.item(v), "") for v in self.columns.tolist()}
        self._x, aim = list(x.values()), solver.Objective()
        for (variables, coefficients, constant), equal in rows:
            one = solver.RowConstraint(-constant if equal else -infinity, -constant, "")
            for v, a in zip(variables, coefficients, strict=True):
                one.SetCoefficient(x[v], a)
            for sign in (-1, 1) if objective is None else ():
                if sign < 0 or equal:
                    missing = solver.NumVar(0, infinity, "")
                    one.SetCoefficient(missing, sign)
                    aim.SetCoefficient(missing, 1)
            if spare and not equal and len(variables) > 2:
                left = solver.NumVar(0, spare, "")
                one.SetCoefficient(left, 1)
                aim.SetCoefficient(left, -1)
        for v, a in zip(*objective[:2], strict=True) if objective is not None else ():
            aim.SetCoefficient(x[v], a)
        aim.SetMinimization()

    def solve(self) -> Simplex | None:
        """Solve it; None if GLOP says nothing."""
        with unstopped():
            status = self._solver.Solve()
        heed()
        self.infeasible = status == self._statuses.INFEASIBLE
        if status not in (self._statuses.OPTIMAL, self._statuses.FEASIBLE):
            return None
        if self._answer is None:
            duals = [row.dual_value() for row in self._solver.constraints()]
            values = [x.solution_value() for x in self._x]
        else:
            self._solver.FillSolutionResponseProto(self._answer)
            duals, values = self._answer.dual_value, self._answer.variable_value[: len(self._x)]
        objective, steps = self._solver.Objective().Value(), self._solver.iterations()
        return Simplex(-np.array(duals), np.array(values), objective, steps)

    def basis(self) -> tuple[IntArray, IntArray]:
        """Return which rows hold with equality, and which columns are basic, when it was last solved."""
        basic = self._statuses.BASIC
        tight = [row.basis_status() != basic for row in self._solver.constraints()]
        return np.flatnonzero(tight), np.flatnonzero([x.basis_status() == basic for x in self._x])

    def within(self, lower: IntArray, upper: IntArray) -> None:
        """Solve it within other ends from now on."""
        low, high = self.ends
        self.ends = ends = lower[self.columns], upper[self.columns]
        for k in np.flatnonzero((ends[0] != low) | (ends[1] != high)).tolist():
            self._x[k].SetBounds(ends[0].item(k), ends[1].item(k))

    def work(self, steps: int) -> int:
        """Return what a solve of so many steps costs, in runs of propagators: an estimate without a clock."""
        return BASE + NUMBER * self._size + steps * self._size // STEP

    @cached_property
    def coefficients(self) -> Coefficients:
        """The coefficients of all rows, by variable."""
        number = {v: k for k, v in enumerate(self.columns.tolist())}
        each = sorted(
            (number[v], k, a)
            for k, inequality in enumerate(self._rows)
            for v, a in zip(*inequality.row[:2], strict=True)
        )
        column, row, coefficient = np.array(each, dtype=np.int64).reshape(-1, 3).T
        aim = np.zeros(len(self.columns), dtype=np.int64)
        aim[[number[v] for v in self._objective[0]]] = self._objective[1]
        used, first = np.unique(column, return_index=True)
        constants = np.array([inequality.row[2] for inequality in self._rows], dtype=np.int64)
        equal = np.array([inequality.equal for inequality in self._rows], dtype=bool)
        return Coefficients(used, first, column, row, coefficient, aim, constants, equal)

    def proof(self, multipliers: NDArray[np.float64], most: int) -> Proof | None:
        """Add up rows, with integer multipliers, none negative but of equations, within the ends.

        Parameters
        ----------
        most
            The objective may be so much: ends come closer where it else would be more.

        Returns
        -------
        None where integers of 64 bits are too short for the sum.
        """
        held = self.coefficients
        used, first, _, row, coefficient, aim, constants, equal = held
        y = np.where(np.isfinite(multipliers) & ((multipliers > 0) | equal), multipliers, 0.0)
        lower, upper = self.ends
        mass = np.abs(aim).astype(np.float64)
        mass[used] += np.add.reduceat(np.abs(y[row] * coefficient), first)
        reach = float(mass @ (np.maximum(np.abs(lower), np.abs(upper)) + 1.0)) + abs(
            self._objective[2] - most
        )
        bits = min(FINEST, WIDEST - math.ceil(math.log2(1 + reach + float(np.abs(y) @ np.abs(constants)))))
        if bits < 0:
            return None
        integers = np.rint(np.ldexp(y, bits)).astype(np.int64)
        sums = (aim << bits) + held.added(integers)
        low = (self._objective[2] << bits) + int(integers @ constants)
        low += int(np.where(sums > 0, lower, upper) @ sums)
        room = (most << bits) - low
        steps = max(0, room) // np.maximum(np.abs(sums), 1)
        is_closer = (sums != 0) & (upper - lower > steps)
        closer_lower = np.where(is_closer & (sums < 0), upper - steps, lower)
        closer_upper = np.where(is_closer & (sums > 0), lower + steps, upper)
        return Proof(-(-low >> bits), closer_lower, closer_upper, is_closer)
