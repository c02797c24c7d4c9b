"""Tasks that share a resource."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.arrays import constant_array, stack_last
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.intervals import not_negative, of_one_length, shortfalls
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.conversion import as_linear, registry_of
from cpqueens.language.expressions import LinearArray
from cpqueens.language.ranges import saturated_sum
from cpqueens.language.rows import IntArray


class Cumulative(Constraint):
    """At any time the tasks that run demand no more than the capacity (Aggoun and Beldiceanu 1993).

    Task k runs from ``start[k]`` up to, and without, ``start[k] + duration[k]``; it counts where
    ``present[k]`` is true (by default always). Single terms and integers stand for all tasks. As in CP-SAT, a
    task of duration 0 demands nothing; a negative duration or demand of a task that is present, and a
    negative capacity, make it false. The violation is the sum, over the starts of the tasks that are
    present, of what is demanded then beyond the capacity, plus what durations, demands and the capacity are
    below 0.

    >>> from cpqueens import Cumulative, Model
    >>> m = Model()
    >>> start = m.intvar(0, 1, shape=3, name="start")
    >>> m.add(Cumulative(start, 1, [1, 1, 2], 2))
    >>> m.count(solver="python-constraint")
    2

    Parameters
    ----------
    start, duration, demand
        Terms or integers, shape (tasks,); a single one is for all tasks.
    capacity
        An integer or a single term.
    present
        Truths or 0/1 terms, shape (tasks,); by default all tasks are there.

    Raises
    ------
    ModelError
        For lengths that differ, or terms of two models.
    IntegerError
        For what is no integer, where integers are needed.
    """

    fields: ClassVar[tuple[str, ...]] = ("start", "duration", "demand", "capacity", "present")
    start: LinearArray
    duration: LinearArray
    demand: LinearArray
    capacity: LinearArray
    present: LinearArray

    def __init__(self, start: Any, duration: Any, demand: Any, capacity: Any, present: Any = None) -> None:
        tasks = of_one_length(self.kind, present, start=start, duration=duration, demand=demand)
        registry = registry_of(*tasks.values(), capacity)
        limit = as_linear(registry, capacity, "Cumulative: capacity")
        if limit.size != 1:
            raise ModelError(
                f"Cumulative: one capacity, got {limit.size}; given are start, duration, demand, capacity"
            )
        sides = {name: as_linear(registry, side) for name, side in tasks.items()}
        if sides["demand"].coefficients.any():  # seldom; as it is where somebody gives ends, as elsewhere
            beyond = sides["demand"] - sides["start"] - sides["duration"]
            if not beyond.coefficients.any() and not beyond.constants.any():
                raise ModelError("Cumulative: demand is start + duration; ends are not given")
        super().__init__(**sides, capacity=limit.reshape(()))

    @property
    def ranged(self) -> tuple[LinearArray, ...]:
        """Its arguments, the ends of the tasks and the sum of all demands."""
        return (*self.arguments, self.start + self.duration, _side_by_side(self.demand))

    def amounts(self, values: IntArray) -> IntArray:
        """Return the summed excess at the starts of tasks, and how far numbers are below 0."""
        start, duration, demand, capacity, present = (a.evaluate(values) for a in self.arguments)
        end, here, limit = start + duration, present != 0, capacity[:, 0]
        wanted = np.where(here, np.maximum(demand, 0), 0)
        amounts = [saturated_sum(shortfalls(a, here)) for a in (duration, demand)]
        amounts.append(np.maximum(-limit, 0))
        for k in range(self.start.size):
            now = start[:, k : k + 1]
            load = saturated_sum(np.where((start <= now) & (now < end), wanted, 0))
            amounts.append(np.where(here[:, k], np.maximum(load - limit, 0), 0))
        return saturated_sum(np.stack(amounts, axis=1))[:, None]

    def simpler(self) -> list[Constraint]:
        """Return that the capacity suffices at the start of each task or, if fewer, at each time of one."""
        moments = self._times()
        if moments is None:
            moments = self.start
        signs = [c for a in (self.duration, self.demand) for c in not_negative(a, self.present)]
        return [*signs, Linear(self.capacity, ">="), *self._loads(moments)]

    def _times(self) -> LinearArray | None:
        """Return all times at which tasks may start, None if there are at least as many as tasks."""
        low, high = self.start.bounds()
        if not low.size or (high - low).max() >= low.size:
            return None
        times = np.unique(np.concatenate([np.arange(a, b + 1) for a, b in zip(low, high, strict=True)]))
        return constant_array(self.registry, times) if len(times) < low.size else None

    def _loads(self, moments: LinearArray) -> list[Constraint]:
        """Return that the demands of the tasks that may run at each moment add up to the capacity at most."""
        end = self.start + self.duration
        (low, _), (_, last), (_, demanded), (_, may_be) = (
            a.bounds() for a in (self.start, end, self.demand, self.present)
        )
        first, latest = moments.bounds()
        possible = (low <= latest[:, None]) & (first[:, None] < last) & (demanded > 0) & (may_be > 0)
        enough = int(self.capacity.bounds()[0][0])
        possible[np.where(possible, demanded, 0).sum(axis=1) <= enough] = False
        moment, task = np.nonzero(possible)
        if not task.size:
            return []
        now, tasks = moments._pick(moment), self.start._pick(task)
        literals = [(tasks <= now).truth(), (now < end._pick(task)).truth(), self.present._pick(task)]
        runs = (stack_last(literals).sum(axis=-1) >= len(literals)).truth()
        load = self.demand._pick(task) * runs
        groups = np.split(np.arange(len(task)), np.flatnonzero(np.diff(moment)) + 1)
        return [Linear(load._pick(group).sum() - self.capacity, "<=") for group in groups]


def _side_by_side(terms: LinearArray) -> LinearArray:
    """Return a term that reaches as far as all terms together, whatever cancels out in their sum."""
    rows = (terms.variables.reshape(1, -1), terms.coefficients.reshape(1, -1))
    return LinearArray(terms.registry, (1,), *rows, saturated_sum(np.abs(terms.constants)[None, :]))
