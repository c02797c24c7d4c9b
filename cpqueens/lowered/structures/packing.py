"""Rectangles that must not overlap, each by variables of its own: found in the model as it is stated."""

from dataclasses import dataclass

import numpy as np

from cpqueens.kernels.local import packing as codes
from cpqueens.language.constraints.cumulative import NoOverlap2D
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement

MOST = 200
"""Rectangles beyond which a node takes too long."""


@dataclass(frozen=True)
class Boxes:
    """The rectangles of a model, all of which are there.

    Attributes
    ----------
    variables
        (boxes, 2): the decisions that x and y are, by their places among all; -1 for a number.
    shift
        (boxes, 2): what is added to them.
    rows
        (boxes, 6): see `cpqueens.kernels.local.packing`.
    """

    variables: IntArray
    shift: IntArray
    rows: IntArray

    @property
    def left(self) -> int:
        """Where the room begins."""
        return int(self.rows[:, codes.BOX_LEFT].min())

    @property
    def width(self) -> int:
        """How wide the room is."""
        return int((self.rows[:, codes.BOX_RIGHT] + self.rows[:, codes.BOX_WIDTH]).max()) - self.left

    @property
    def low(self) -> int:
        """Where the room begins from below."""
        return int(self.rows[:, codes.BOX_LOW].min())

    @property
    def top(self) -> int:
        """Where it ends above."""
        return int((self.rows[:, codes.BOX_HIGH] + self.rows[:, codes.BOX_HEIGHT]).max())

    @property
    def spare(self) -> int:
        """How much of the room the rectangles leave empty; below 0 they have no place."""
        area = int((self.rows[:, codes.BOX_WIDTH] * self.rows[:, codes.BOX_HEIGHT]).sum())
        return self.width * (self.top - self.low) - area

    def restored(self, corner: IntArray, x: IntArray) -> IntArray:
        """Return an assignment of all decisions with these places of the rectangles."""
        x = x.copy()
        moved = self.variables >= 0
        x[self.variables[moved]] = (corner - self.shift)[moved]
        return x


def find_stated(model: Statement) -> Boxes | None:
    """Return the rectangles if the model says of some, by variables of their own, that none overlap."""
    stated = [c for _, c in model._constraints.others() if isinstance(c, NoOverlap2D)]
    if len(stated) != 1 or model.objective is not None:
        return None
    (one,) = stated
    sizes, present = [_numbers(array) for array in (one.dx, one.dy)], _numbers(one.present)
    if present is None or not present.all() or not 2 <= len(present) <= MOST:
        return None
    dx, dy = sizes
    places = {int(v): k for k, v in enumerate(model.decisions)}
    terms = [_terms(model, array, places) for array in (one.x, one.y)]
    if dx is None or dy is None or min(dx.min(), dy.min()) < 1 or None in terms:
        return None
    (xv, xs, left, right), (yv, ys, low, high) = (term for term in terms if term is not None)
    variables = np.column_stack([xv, yv])
    moved = variables[variables >= 0]
    if len(np.unique(moved)) != len(moved):
        return None
    return Boxes(variables, np.column_stack([xs, ys]), np.column_stack([dx, dy, left, right, low, high]))


def _numbers(array: LinearArray) -> IntArray | None:
    """Return numbers if there are no variables."""
    rows = list(array.rows())
    if any(len(variables) for variables, _, _ in rows):
        return None
    return np.array([constant for _, _, constant in rows], dtype=np.int64)


def _terms(model: Statement, array: LinearArray, places: dict[int, int]) -> tuple[IntArray, ...] | None:
    """Return place, shift, least and greatest value of terms x + c for a decision x, or c alone."""
    found = []
    for variables, coefficients, constant in array.rows():
        if not len(variables):
            found.append((-1, 0, constant, constant))
            continue
        v = int(variables[0])
        if len(variables) > 1 or int(coefficients[0]) != 1 or v not in places:
            return None
        found.append((places[v], constant, int(model.lower[v]) + constant, int(model.upper[v]) + constant))
    return tuple(np.array(found, dtype=np.int64).T)
