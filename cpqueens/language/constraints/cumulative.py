"""Tasks that share a resource, that run one after another, and rectangles side by side."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import IntegerError, ModelError
from cpqueens.language.arrays import constant_array, stack_last
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import Or
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.constraints.setups import by_labels, by_type, rows_of_types
from cpqueens.language.conversion import aligned, as_linear, registry_of, require_not_negative
from cpqueens.language.expressions import LinearArray
from cpqueens.language.labels import is_framed
from cpqueens.language.ranges import LIMIT, saturated_sum
from cpqueens.language.rows import IntArray, Mask
from cpqueens.language.truths import as_literals
from cpqueens.text.plaintext import shown


def of_one_length(kind: str, present: Any, **sides: Any) -> dict[str, LinearArray]:
    """Return the sides and the 0/1 terms of ``present`` (None: all), flat; single terms stand for all.

    Raises
    ------
    ModelError
        If they have different lengths.
    """
    present, *sizes = (aligned(side, *sides.values()) for side in (present, *sides.values()))
    sides = dict(zip(sides, sizes, strict=True))
    truths = _truths(kind, present, "start" in sides)
    registry = registry_of(*sides.values(), truths)
    arrays = {name: as_linear(registry, side, f"{kind}: {name}") for name, side in sides.items()}
    arrays["present"] = as_linear(registry, truths)
    sizes = sorted({array.size for array in arrays.values() if array.shape}) or [1]
    if len(sizes) > 1:
        got = " and ".join(map(str, sizes))
        raise ModelError(f"{kind}: arrays of one length, or single terms, got {got}")
    return {n: a.reshape(-1) if len(a.shape) > 1 else a.broadcast((sizes[0],)) for n, a in arrays.items()}


def _truths(kind: str, present: Any, in_time: bool) -> Any:
    """Return the 0/1 terms of which tasks are present."""
    try:
        return 1 if present is None else as_literals(present)[0]
    except ModelError as error:
        numbers = in_time and not isinstance(error, IntegerError)
        ends = "; ends are not given: they are start + duration" if numbers else ""
        wrong = f"{kind}: present: Booleans or 0/1 terms are needed, got {shown(present, 60)}{ends}"
        raise type(error)(wrong) from None


def not_negative(sizes: LinearArray, present: LinearArray) -> list[Constraint]:
    """Return that those sizes are at least 0 that are present, as far as bounds leave it open."""
    (low, _), (_, may_be) = sizes.bounds(), present.bounds()
    rows = np.flatnonzero((low < 0) & (may_be > 0))
    if not rows.size:
        return []
    return [Or.over(stack_last([(sizes._pick(rows) >= 0).truth(), 1 - present._pick(rows)]))]


def shortfalls(sizes: IntArray, present: Mask) -> IntArray:
    """Return how far below 0 the sizes are that are present, (batch, sizes)."""
    return np.where(present, np.maximum(-sizes, 0), 0)


class Disjoint(Constraint):
    """Boxes of one or more dimensions that do not overlap: two are apart along some dimension."""

    dimensions: ClassVar[tuple[tuple[str, str], ...]]
    """The fields of origins and sizes along each dimension."""
    present: LinearArray
    adds_up = True

    def _sides(self) -> list[tuple[LinearArray, LinearArray]]:
        return [(getattr(self, origin), getattr(self, size)) for origin, size in self.dimensions]

    def _after(self, end: LinearArray, i: IntArray, j: IntArray) -> LinearArray:
        """Return where boxes ``j`` may begin along a dimension in which boxes ``i`` end and come first."""
        return end._pick(i)

    def require_sense(self) -> None:
        """Refuse sizes below 0."""
        require_not_negative(self.kind, self.present, **{n: getattr(self, n) for _, n in self.dimensions})

    def _gaps(self, values: IntArray) -> IntArray | int:
        """Return what must lie between the end of one box and the origin of a later one, (batch, n, n)."""
        return 0

    @property
    def ranged(self) -> tuple[LinearArray, ...]:
        """Its arguments and the ends of the boxes."""
        return (*self.arguments, *(origin + size for origin, size in self._sides()))

    def amounts(self, values: IntArray) -> IntArray:
        """Return how far the pairs that overlap have to move, and how far sizes are below 0."""
        present = self.present.evaluate(values) != 0
        sides = [(first.evaluate(values), size.evaluate(values)) for first, size in self._sides()]
        gaps = np.broadcast_to(self._gaps(values), (*present.shape, present.shape[1]))
        amounts = [saturated_sum(shortfalls(size, present)) for _, size in sides]
        for k in range(1, self.present.size):
            overlap = np.where(present[:, :k] & present[:, k : k + 1], np.iinfo(np.int64).max, 0)
            for first, size in sides:
                last = first + size
                overlap = np.minimum(overlap, last[:, :k] + gaps[:, :k, k] - first[:, k : k + 1])
                overlap = np.minimum(overlap, last[:, k : k + 1] + gaps[:, k, :k] - first[:, :k])
            amounts.append(saturated_sum(np.maximum(overlap, 0)))
        return saturated_sum(np.stack(amounts, axis=1))[:, None]

    def simpler(self) -> list[Constraint]:
        """Return, for each pair, that one lies before the other along some dimension, or is absent."""
        parts = [c for _, size in self._sides() for c in not_negative(size, self.present)]
        i, j = np.triu_indices(self.present.size, 1)
        may_be = self.present.bounds()[1] > 0
        near = may_be[i] & may_be[j]
        waits = [
            self._after(origin + size, a, b) - origin._pick(b)
            for origin, size in self._sides()
            for a, b in ((i, j), (j, i))
        ]
        for wait in waits:
            near &= wait.bounds()[1] > 0
        if not near.any():
            return parts
        i, j = i[near], j[near]
        literals = [(wait._pick(np.flatnonzero(near)) <= 0).truth() for wait in waits]
        if self.present.coefficients.any():
            literals += [1 - self.present._pick(k) for k in (i, j)]
        return [*parts, Or.over(stack_last(literals))]


class Cumulative(Constraint):
    """At any time the running tasks need at most the capacity (Aggoun and Beldiceanu 1993).

    Task k runs from ``start[k]`` up to, and without, ``start[k] + duration[k]``; it counts where
    ``present[k]`` is true (by default always). Single terms and integers stand for all tasks. As in CP-SAT, a
    task of duration 0 has no demand; a negative duration or demand of a present task, and a negative
    capacity, make the constraint false. The violation is the excess over the capacity, summed over the
    starts of the present tasks, plus how far durations, demands and the capacity are below 0.

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
        Booleans or 0/1 terms, shape (tasks,); by default all tasks are there.

    Raises
    ------
    ModelError
        For lengths that differ, terms of two models, and, when it is added, sizes that are always below 0.
    IntegerError
        For values that are not integers where integers are needed.
    """

    fields: ClassVar[tuple[str, ...]] = ("start", "duration", "demand", "capacity", "present")
    start: LinearArray
    duration: LinearArray
    demand: LinearArray
    capacity: LinearArray
    present: LinearArray
    adds_up = True

    def __init__(self, start: Any, duration: Any, demand: Any, capacity: Any, present: Any = None) -> None:
        tasks = of_one_length(self.kind, present, start=start, duration=duration, demand=demand)
        registry = registry_of(*tasks.values(), capacity)
        limit = as_linear(registry, capacity, "Cumulative: capacity")
        if limit.size != 1:
            raise ModelError(
                f"Cumulative: one capacity, got {limit.size}; given are start, duration, demand, capacity"
            )
        sides = {name: as_linear(registry, side) for name, side in tasks.items()}
        # Other tools take ends between durations and demands; numbers cannot be mistaken for them.
        if sides["demand"].coefficients.any() and sides["start"].coefficients.any():
            beyond, lasts = sides["demand"] - sides["start"] - sides["duration"], sides["duration"]
            is_end = not (beyond.coefficients.any() or beyond.constants.any())
            if is_end and (lasts.coefficients.any() or lasts.constants.any()):
                raise ModelError("Cumulative: demand is start + duration; ends are not given")
        super().__init__(**sides, capacity=limit.reshape(()))

    def require_sense(self) -> None:
        """Refuse durations and demands below 0, and such a capacity."""
        require_not_negative(self.kind, self.present, duration=self.duration, demand=self.demand)
        if not self.capacity.coefficients.any() and self.capacity.constants[0] < 0:
            raise ModelError("Cumulative: capacity: below 0; at least 0 is needed")

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


class NoOverlap(Disjoint):
    """Of any two tasks that are present, one ends before the other starts (Catalogue: disjunctive).

    Task k takes the time from ``start[k]`` up to, and without, ``start[k] + duration[k]``; it counts where
    ``present[k]`` is true (by default always). Single terms and integers stand for all tasks. As in CP-SAT
    (and MiniZinc's disjunctive_strict), a task of duration 0 may not lie within another one; a negative
    duration of a present task makes the constraint false. The violation is, summed over pairs, how far one
    task must move so that they no longer overlap, plus how far durations are below 0.

    With ``setup``, a task j that comes after task i starts at least ``setup[i, j]`` after the end of i. As in
    CP Optimizer, this holds for any two tasks, also if others lie between them; that is the same as setups
    between neighbours if no detour by a third task is shorter. With ``types``, rows and columns of ``setup``
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
        Booleans or 0/1 terms, shape (tasks,); by default all tasks are there.
    setup
        Times between two tasks, terms or integers: one for all, or shape (tasks, tasks) or (types, types).
    types
        The row and column of ``setup`` for each task: terms or integers, shape (tasks,), counted from 0.

    Raises
    ------
    ModelError
        For lengths that differ, terms of two models, and, when it is added, sizes that are always below 0.
    IntegerError
        For values that are not integers where integers are needed.
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
            setup, types = by_labels(setup, types, start)
        between = as_linear(registry, setup, "NoOverlap: setup")
        if types is not None:
            between = by_type(between, rows_of_types(registry, types, len(between) if between.shape else 1))
        many = tasks["start"].size
        between = between if between.size else as_linear(registry, 0)  # of no tasks
        if between.shape not in ((), (many, many)):
            raise ModelError(
                f"NoOverlap: setup: one time, or shape ({many}, {many}), or types of tasks; got shape "
                f"{between.shape}"
            )
        super().__init__(**{name: side.bind(registry) for name, side in tasks.items()}, setup=between)

    @property
    def ranged(self) -> tuple[LinearArray, ...]:
        """Its arguments, the ends of the tasks, and these with what must lie behind them."""
        if not self.has_setup:
            return super().ranged
        return (*super().ranged, (self.start + self.duration).reshape(-1, 1) + self.setup)

    @property
    def has_setup(self) -> bool:
        """Whether any time must lie between two tasks."""
        setup = self.setup
        return bool(setup.width and setup.coefficients.any()) or any(setup.constants.tolist())

    def satisfied(self, values: IntArray) -> Mask:
        """Return whether tasks end before the next ones begin: neighbours tell, unless there are setups."""
        if self.has_setup:
            return super().satisfied(values)
        present = self.present.evaluate(values) != 0
        duration = np.where(present, self.duration.evaluate(values), 0)
        start = np.where(present, self.start.evaluate(values), np.iinfo(np.int64).max)  # the absent come last
        end = start + duration
        order = np.arange(len(values))[:, None], np.lexsort((end, start))
        start, end = start[order], end[order]
        apart: Mask = np.all(end[:, :-1] <= start[:, 1:], axis=1, keepdims=True)
        return apart & np.all(duration >= 0, axis=1, keepdims=True)

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


class NoOverlap2D(Disjoint):
    """Rectangles that are present do not overlap (Catalogue: diffn).

    Rectangle k spans from ``x[k]`` up to ``x[k] + dx[k]`` and from ``y[k]`` up to ``y[k] + dy[k]``; it counts
    where ``present[k]`` is true (by default always). Single terms and integers stand for all rectangles. As
    in CP-SAT and MiniZinc (diffn), two are apart if one ends along x or y before the other begins, also if a
    size is 0: a point may not lie within another rectangle; a negative size of a present one makes the
    constraint false. The violation is, summed over pairs, how far one must move so that they no longer
    overlap, plus how far sizes are below 0.

    >>> from cpqueens import Model, NoOverlap2D
    >>> m = Model()
    >>> x = m.intvar(0, 1, shape=2, name="x")
    >>> m.add(NoOverlap2D(x, 1, 0, [1, 2]))
    >>> m.count(solver="python-constraint")
    2

    Parameters
    ----------
    x, y
        Where boxes begin along each axis: terms or integers, shape (boxes,); a single one is for all.
    dx, dy
        Their sizes, likewise.
    present
        Booleans or 0/1 terms, shape (boxes,); by default all boxes are there.

    Raises
    ------
    ModelError
        For lengths that differ, terms of two models, and, when it is added, sizes that are always below 0.
    IntegerError
        For values that are not integers where integers are needed.
    """

    fields: ClassVar[tuple[str, ...]] = ("x", "dx", "y", "dy", "present")
    dimensions = (("x", "dx"), ("y", "dy"))
    x: LinearArray
    dx: LinearArray
    y: LinearArray
    dy: LinearArray
    present: LinearArray

    def __init__(self, x: Any, dx: Any, y: Any, dy: Any, present: Any = None) -> None:
        super().__init__(**of_one_length(self.kind, present, x=x, dx=dx, y=y, dy=dy))
