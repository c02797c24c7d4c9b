"""What is known of a model beside its search.

That is the best bound that was proved in a run, by whichever solver; and what one solver knows from before
the model grew, as it is kept with the model and as a run is told of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.language.statement import State

MOST_WORDS = 1 << 17
"""Numbers of the clauses that are kept of one solver: 1 MB."""


class Bounds:
    """Keeps the best of all bounds that are told, from any thread, and passes each better one on.

    Parameters
    ----------
    maximizing
        Whether the objective is.
    told
        Called with ``{"bound": value}`` for each bound that is better than all before.
    """

    def __init__(self, maximizing: bool, told: Callable[[Mapping[str, Any]], None] | None = None) -> None:
        self._maximizing, self._told = maximizing, told
        self._one_at_a_time = threading.RLock()
        self.best: int | None = None

    def tell(self, value: int) -> None:
        """Take a proved bound: no solution is better than ``value``."""
        with self._one_at_a_time:
            better = self.best is None or (value < self.best if self._maximizing else value > self.best)
            if not better:
                return
            self.best = value
            if self._told is not None:
                self._told({"bound": value})

    def with_last(self, value: int | None) -> int | None:
        """Return the better one of the bound with which a solver ended and of what was told before."""
        if self.best is None or value is None:
            return self.best if value is None else value
        return min(value, self.best) if self._maximizing else max(value, self.best)


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
