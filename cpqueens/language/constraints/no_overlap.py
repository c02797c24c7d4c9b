"""Tasks one after another."""

from typing import Any, ClassVar

from cpqueens.language.constraints.intervals import Disjoint, of_one_length
from cpqueens.language.expressions import LinearArray


class NoOverlap(Disjoint):
    """Of any two tasks that are present, one ends before the other starts (Catalogue: disjunctive).

    Task k takes the time from ``start[k]`` up to, and without, ``start[k] + duration[k]``; it counts where
    ``present[k]`` is true (by default always). Single terms and integers stand for all tasks. As in CP-SAT
    (and MiniZinc's disjunctive_strict), a task of duration 0 may not lie within another one; a negative
    duration of a task that is present makes it false. The violation is the sum, over pairs, of how far one
    must move to be out of the other's way, plus what durations are below 0.

    >>> from cpqueens import Model, NoOverlap
    >>> m = Model()
    >>> start = m.intvar(0, 3, shape=2, name="start")
    >>> m.add(NoOverlap(start, [1, 2]))
    >>> m.count(solver="python-constraint")
    9

    Parameters
    ----------
    start, duration
        Terms or integers, shape (tasks,); a single one is for all tasks.
    present
        Truths or 0/1 terms, shape (tasks,); by default all tasks are there.

    Raises
    ------
    ModelError
        For lengths that differ, or terms of two models.
    IntegerError
        For what is no integer, where integers are needed.
    """

    fields: ClassVar[tuple[str, ...]] = ("start", "duration", "present")
    dimensions = (("start", "duration"),)
    start: LinearArray
    duration: LinearArray
    present: LinearArray

    def __init__(self, start: Any, duration: Any, present: Any = None) -> None:
        super().__init__(**of_one_length(self.kind, present, start=start, duration=duration))
