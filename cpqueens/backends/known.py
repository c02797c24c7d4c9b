"""What one solver knows of a model from before it grew, as it is kept with it and as a run is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.language.statement import State

MOST_WORDS = 1 << 17
"""Numbers of the clauses that are kept of one solver: 1 MB."""


class KeptGoal(NamedTuple):
    """The one objective: its variables and their coefficients as bytes of int64: there may be a million."""

    variables: bytes
    coefficients: bytes
    constant: int
    maximizing: bool

    def added_to(self, before: KeptGoal) -> Iterator[tuple[int, int]]:
        """Yield the variables whose coefficients are not what they were before, and by how much."""
        if self[:2] == before[:2]:
            return
        own, old = ([np.frombuffer(part, np.int64).tolist() for part in goal[:2]] for goal in (self, before))
        sums = dict(zip(*own, strict=True))
        for variable, coefficient in zip(*old, strict=True):
            sums[variable] = sums.get(variable, 0) - coefficient
        yield from ((variable, coefficient) for variable, coefficient in sums.items() if coefficient)


class LearnedClauses(NamedTuple):
    """Learned clauses over the model's own variables, which have the same numbers when it has grown.

    Attributes
    ----------
    lengths, levels
        Of each clause how many literals it has, and how many levels these had when it was learned.
    literals
        (literals, 2): four times the variable and the operator (of `kernels.exact.learning.literals`), and
        the value; those of each clause in turn.
    limit
        They hold for solutions whose objective, minimised, is at most this; None: for all.
    """

    lengths: IntArray
    levels: IntArray
    literals: IntArray
    limit: int | None

    @property
    def many(self) -> int:
        """How many clauses there are."""
        return len(self.lengths)


@dataclass(frozen=True)
class Known:
    """What one solver said of a model of a certain size and objective.

    Attributes
    ----------
    size, goal
        The model's then: how many variables and constraints it had, and the objective.
    solver, proved_by
        Who answered, and all who contributed to what is said here.
    infeasible, bound
        What was proved: that there is no solution, or that none has a better objective.
    row
        The best solution, (decision variables then,); in a request, with values for the new variables if it
        is still one (`is_solution`).
    conflicts
        How many the search had, where the solver counts them; where none was needed, the one before.
    before
        What it was told itself: solved again as it is, the model is to be solved in the same way.
    """

    size: State
    goal: KeptGoal | None
    solver: str
    proved_by: tuple[str, ...]
    infeasible: bool = False
    bound: int | None = None
    row: IntArray | None = None
    clauses: LearnedClauses | None = None
    before: Known | None = None
    is_solution: bool = False
    conflicts: int = 0

    def least(self) -> int | None:
        """Return the bound of the objective, minimised."""
        if self.bound is None or self.goal is None:
            return None
        return -self.bound if self.goal.maximizing else self.bound
