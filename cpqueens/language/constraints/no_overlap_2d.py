"""Rectangles beside one another."""

from typing import Any, ClassVar

from cpqueens.language.constraints.intervals import Disjoint, of_one_length
from cpqueens.language.expressions import LinearArray


class NoOverlap2D(Disjoint):
    """Rectangles that are present do not overlap (Catalogue: diffn).

    Rectangle k spans from ``x[k]`` up to ``x[k] + dx[k]`` and from ``y[k]`` up to ``y[k] + dy[k]``; it counts
    where ``present[k]`` is true (by default always). Single terms and integers stand for all rectangles. As
    in CP-SAT and MiniZinc (diffn), two are apart if one ends along x or y before the other begins, also where
    a size is 0: a point may not lie within another rectangle; a negative size of one that is present
    makes it false. The violation is the sum, over pairs, of how far one must move to be out of the other's
    way, plus what sizes are below 0.

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
        Truths or 0/1 terms, shape (boxes,); by default all boxes are there.

    Raises
    ------
    ModelError
        For lengths that differ, or terms of two models.
    IntegerError
        For what is no integer, where integers are needed.
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
