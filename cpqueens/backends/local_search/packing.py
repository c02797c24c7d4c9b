"""Rectangles that must not overlap: put one by one into the lowest gap, in ever new orders.

What is found is an assignment for the walk to go on from, which it does not where all else holds too. The
largest first, then random orders, each for so many nodes as the universal sequence of restarts says (Luby,
Sinclair and Zuckerman 1993); of each order the tree of `cpqueens.kernels.local.packing` is searched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cpqueens.backends.local_search.search import Limits
from cpqueens.backends.local_search.slices import slices
from cpqueens.kernels.local import packing as codes
from cpqueens.kernels.local.runs import luby
from cpqueens.language.constraints.no_overlap_2d import NoOverlap2D
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement

UNIT = 20_000
"""Nodes of a random order at first; a search from scratch after so many is worth more than going on."""
FIRST = 10
"""So many times as many for the order by area, which is the best by far if there is one."""
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


def boxes_of(model: Statement) -> Boxes | None:
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


class PackingSearch:
    """The search of one run, a part at a time."""

    def __init__(self, boxes: Boxes, seed: int) -> None:
        self.boxes, self._draw = boxes, np.random.default_rng(seed)
        rows, n = boxes.rows, len(boxes.rows)
        self.spare = boxes.spare
        self._level = codes.SKYLINE + 2 * (n + 2)
        self._s = codes.Skyline(
            rows.ravel().copy(), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64),
            np.zeros(2 * n, dtype=np.int64), np.zeros(self._level * (2 * n + 4), dtype=np.int64),
            np.zeros(codes.INFO, dtype=np.int64),
        )  # fmt: skip
        self.orders, self._left_of_order = 0, 0
        self.over = self.spare < 0

    def explore(self, nodes: int, should_stop: Callable[[], bool]) -> IntArray | None:
        """Search so many nodes; return the corners of all rectangles if they have a place."""
        before = self.nodes
        while not self.over and self.nodes - before < nodes and not should_stop():
            if self._left_of_order <= 0:
                self._begin()
            part = min(nodes - (self.nodes - before), self._left_of_order)
            ended, done = self._advance(part, should_stop)
            self._left_of_order -= max(1, done)
            if ended == "solved":
                self._left_of_order = 0  # where that is no solution, another order has others
                return self._s.corner.reshape(-1, 2).copy()
            if ended == "stalled":
                self._left_of_order = 0
                self.over = self.spare == 0  # another order is another order of the same tree
        return None

    @property
    def nodes(self) -> int:
        """Nodes so far."""
        return int(self._s.info[codes.NODES])

    def _advance(self, nodes: int, should_stop: Callable[[], bool]) -> tuple[str, int]:
        before = self.nodes
        limits = Limits(nodes, should_stop)
        ended = slices(lambda many: int(codes.pack(many, self._s)), lambda: self.nodes - before, limits)
        return ended, self.nodes - before

    def _begin(self) -> None:
        """Begin with the next order."""
        s, rows = self._s, self.boxes.rows
        if self.orders:
            s.order[:] = self._draw.permutation(len(s.order))
            self._left_of_order = UNIT * luby(self.orders)
        else:
            area = rows[:, codes.BOX_WIDTH] * rows[:, codes.BOX_HEIGHT]
            s.order[:] = np.argsort(-area, kind="stable")
            self._left_of_order = FIRST * UNIT
        self.orders += 1
        nodes = self.nodes
        s.used[:], s.info[:] = 0, 0
        s.info[codes.NODES] = nodes
        s.info[[codes.LEFT, codes.TOP, codes.SPARE]] = self.boxes.left, self.boxes.top, self.spare
        s.levels[: codes.SKYLINE + 2] = 0, -1, 0, 1, self.boxes.width, self.boxes.low
