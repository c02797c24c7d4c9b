"""Tasks one after another."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import IntegerError, ModelError
from cpqueens.language.aligned import in_order, is_framed
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.intervals import Disjoint, of_one_length
from cpqueens.language.conversion import as_linear, listed, registry_of
from cpqueens.language.expressions import LinearArray, Operand, Registry
from cpqueens.language.ranges import LIMIT
from cpqueens.language.rows import IntArray


class NoOverlap(Disjoint):
    """Of any two tasks that are present, one ends before the other starts (Catalogue: disjunctive).

    Task k takes the time from ``start[k]`` up to, and without, ``start[k] + duration[k]``; it counts where
    ``present[k]`` is true (by default always). Single terms and integers stand for all tasks. As in CP-SAT
    (and MiniZinc's disjunctive_strict), a task of duration 0 may not lie within another one; a negative
    duration of a task that is present makes it false. The violation is the sum, over pairs, of how far one
    must move to be out of the other's way, plus what durations are below 0.

    With ``setup``, task j, where it comes after task i, starts ``setup[i, j]`` after its end or later. As in
    CP Optimizer, this holds of any two tasks, also where others lie between; setups between neighbours alone
    mean the same where a detour by a third task is no shorter. With ``types``, rows and columns of ``setup``
    are types of tasks.

    >>> from cpqueens import Model, NoOverlap
    >>> m = Model()
    >>> start = m.intvar(0, 3, shape=2, name="start")
    >>> m.add(NoOverlap(start, [1, 2]))
    >>> m.count(solver="python-constraint")
    9
    >>> m = Model()
    >>> start = m.intvar(0, 9, shape=3, name="start")
    >>> m.add(NoOverlap(start, 2, setup=[[0, 1], [3, 0]], types=[0, 1, 0]))
    >>> m.minimize(start.max())
    >>> m.solve(solver="backtracking")[start].tolist()
    [0, 5, 2]

    Parameters
    ----------
    start, duration
        Terms or integers, shape (tasks,); a single one is for all tasks.
    present
        Truths or 0/1 terms, shape (tasks,); by default all tasks are there.
    setup
        Times between two tasks, terms or integers: one for all, or shape (tasks, tasks) or (types, types).
    types
        Which row and column of ``setup`` each task has: terms or integers, shape (tasks,), counted from 0.

    Raises
    ------
    ModelError
        For lengths that differ, or terms of two models.
    IntegerError
        For what is no integer, where integers are needed.
    """

    fields: ClassVar[tuple[str, ...]] = ("start", "duration", "present", "setup")
    options: ClassVar[tuple[str, ...]] = ("setup",)
    dimensions = (("start", "duration"),)
    start: LinearArray
    duration: LinearArray
    present: LinearArray
    setup: LinearArray

    def __init__(
        self, start: Any, duration: Any, present: Any = None, setup: Any = 0, types: Any = None
    ) -> None:
        tasks = of_one_length(self.kind, present, start=start, duration=duration)
        registry = registry_of(*tasks.values(), setup, types)
        if is_framed(setup):
            setup, types = _by_labels(setup, types, start)
        between = as_linear(registry, setup, "NoOverlap: setup")
        if types is not None:
            between = _by_type(between, _rows_of_types(registry, types, len(between) if between.shape else 1))
        many = tasks["start"].size
        between = between if between.size else as_linear(registry, 0)  # of no tasks
        if between.shape not in ((), (many, many)):
            raise ModelError(
                f"NoOverlap: setup: one time, or shape ({many}, {many}), or types of tasks; got shape "
                f"{between.shape}"
            )
        super().__init__(**{name: as_linear(registry, side) for name, side in tasks.items()}, setup=between)

    @property
    def ranged(self) -> tuple[LinearArray, ...]:
        """Its arguments, the ends of the tasks, and these with what must lie behind them."""
        end = self.start + self.duration
        return (*super().ranged, end.reshape(-1, 1) + self.setup) if self.has_setup else super().ranged

    @property
    def has_setup(self) -> bool:
        """Whether any time must lie between two tasks."""
        setup = self.setup
        return bool((setup.width and setup.coefficients.any()) or setup.constants.any())

    def _after(self, end: LinearArray, i: IntArray, j: IntArray) -> LinearArray:
        return end._pick(i) + (self.setup[i, j] if self.setup.shape else self.setup)

    def _gaps(self, values: IntArray) -> IntArray:
        many = self.start.size if self.setup.shape else 1
        return self.setup.evaluate(values).reshape(-1, many, many)

    def simpler(self) -> list[Constraint]:
        """Return that tasks with the least setups behind them do not overlap, and the order of each two."""
        least, parts = self._least_setups(), super().simpler()
        if not (least.any() and parts):
            return parts
        longer = NoOverlap.make(
            start=self.start,
            duration=self.duration + least,
            present=self.present,
            setup=as_linear(self.registry, 0),
        )
        return [longer, *parts]

    def _least_setups(self) -> IntArray:
        """Return the least time that lies behind each task if any other one follows; 0 if one is negative."""
        many = self.start.size
        low = np.broadcast_to(self.setup.bounds()[0].reshape(self.setup.shape), (many, many))
        least = low.min(axis=1, initial=LIMIT, where=~np.eye(many, dtype=bool))
        return least if many > 1 and least.min() >= 0 else np.zeros(many, dtype=np.int64)


def _by_labels(setup: Any, types: Any, start: Any) -> tuple[Any, Any]:
    """Return the times of a frame in the order of the tasks, or of its rows, and the rows of named types."""
    if types is None:
        labels = start.registry.labels_along(start)[-1:] if isinstance(start, Operand) else []
        return listed(in_order(setup, 2 * labels, "the tasks")), None
    rows = setup.index.tolist()
    times = listed(in_order(setup, [rows, rows], "its index"))
    if isinstance(types, Operand):
        return times, types
    places = {label: k for k, label in enumerate(rows)}
    return times, [places.get(one, one) for one in np.asarray(listed(types)).reshape(-1).tolist()]


def _rows_of_types(registry: Registry, types: Any, many: int) -> LinearArray:
    try:
        return as_linear(registry, listed(types), "types").reshape(-1)
    except IntegerError as error:
        raise IntegerError(
            f"NoOverlap: {error}: for each task its row of setup, 0 to {many - 1}, or, of a frame, the label"
        ) from None


def _by_type(setup: LinearArray, types: LinearArray) -> LinearArray:
    """Return the time between each two tasks, by their types."""
    if setup.ndim != 2 or setup.shape[0] != setup.shape[1]:
        raise ModelError(f"NoOverlap: setup: a row and a column for each type, got shape {setup.shape}")
    if not types.coefficients.any():
        numbers = types.constants
        wrong = numbers[(numbers < 0) | (numbers >= len(setup))]
        if wrong.size:
            raise ModelError(f"NoOverlap: types: from 0 to {len(setup) - 1}, got {wrong[0]}")
        return setup[np.ix_(numbers, numbers)]
    return setup[types[:, None], types[None, :]]
