"""What many runs of one solver on one model say, as arrays with a row for each seed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.answers.outcome import StopReason
from cpqueens.answers.solution import SolutionSet
from cpqueens.language.rows import IntArray, Mask
from cpqueens.language.statement import Statement

Incumbents = tuple[tuple[float, int], ...]
"""Seconds and objective of better and better solutions."""


@dataclass(frozen=True, eq=False, repr=False)
class Runs:
    """Runs that differ only in their seeds; each one equals the single run with its seed.

    Only runs that came to their own end are here. One that Ctrl-C or ``total_time_limit`` broke off, and
    those after it, are not: ``ended_by`` then says why, and ``asked`` how many there would have been.

    >>> from cpqueens.models.queens import queens
    >>> runs = queens(8).runs("local-search:hill-climbing", seeds=20)
    >>> len(runs), len(runs.solutions) == int(runs.solved.sum()), runs.steps.shape
    (20, True, (20,))

    Attributes
    ----------
    model, solver
        What was solved, and by whom.
    seeds
        (runs,)
    status, stop_reason
        (runs,) `Status` and `StopReason` as text.
    solved
        (runs,) whether it found a solution; every solution is checked.
    matrix
        (runs, decision variables), 0 where there is none.
    steps
        (runs,) what the solver's ``step_limit`` counts, 0 where it counts nothing.
    seconds
        (runs,) where one call made many runs: its time, shared out by their steps.
    statistics
        Further counts by the names that an outcome's statistics have, (runs,) or (runs, ...): evaluations,
        moves, restarts, trajectory, ..., as far as the solver has them.
    incumbents
        (runs,) of a model with an objective: what each run found on its way, seconds after its beginning and
        (first) objective, ever better, of several within a hundredth of the time the last; else ().
    solutions
        The solutions of the solved runs, in the order of these.
    asked, ended_by
        How many runs there would have been, and what broke them off, or None.
    """

    model: Statement
    solver: str
    seeds: IntArray
    status: NDArray[np.str_]
    stop_reason: NDArray[np.str_]
    solved: Mask
    matrix: IntArray
    steps: IntArray
    seconds: NDArray[np.float64]
    statistics: Mapping[str, IntArray] = field(default_factory=dict)
    asked: int = 0
    ended_by: StopReason | None = None
    incumbents: Sequence[Incumbents] = ()
    solutions: SolutionSet = field(init=False)

    def __post_init__(self) -> None:
        arrays = (self.seeds, self.status, self.stop_reason, self.solved, self.matrix, self.steps)
        for array in (*arrays, self.seconds, *self.statistics.values()):
            array.flags.writeable = False
        found = SolutionSet(self.model, self.model.decisions, self.matrix[self.solved])
        object.__setattr__(self, "solutions", found)  # now: the model may get more variables

    def __len__(self) -> int:
        return len(self.seeds)

    def __getitem__(self, expression: Any) -> np.ma.MaskedArray[Any, Any]:
        """Return the values of an expression, of shape (runs, *shape), masked where there is no solution.

        Raises
        ------
        Undefined
            If a partial function in it has no value in one of the solutions.
        """
        found = self.solutions.values(expression)
        values = np.zeros((len(self), *found.shape[1:]), dtype=np.int64)
        values[self.solved] = found
        mask = np.zeros(values.shape, dtype=bool)
        mask[~self.solved] = True
        return np.ma.MaskedArray(values, mask)

    def __repr__(self) -> str:
        solved = f"{int(self.solved.sum())} solved"
        if self.solved.any() and self.steps.any():
            low, middle, high = np.percentile(self.steps[self.solved], [0, 50, 100])
            solved += f" in {low:,.0f} to {high:,.0f} steps (median {middle:,.0f})"
        others = Counter(self.stop_reason[~self.solved].tolist())
        parts = [solved, *(f"{number} ended by {reason}" for reason, number in others.most_common())]
        if self.ended_by is not None:
            parts.append(f"{self.asked - len(self)} left out by {self.ended_by}")
        parts.append(f"{self.seconds.sum():.3g} s")
        return f"<{len(self)} runs of {self.solver} on {self.model.name}: {', '.join(parts)}>"
