"""Rectangles that must not overlap, put one by one into the lowest gap, in ever new orders.

What is found is an assignment for the walk to go on from, which it does not where all else holds too. The
largest first, then random orders, each for so many nodes as the universal sequence of restarts says (Luby,
Sinclair and Zuckerman 1993); of each order the tree of `cpqueens.kernels.local.packing` is searched.
Without it the square of 21 squares, which takes 0.04 s, is not found in 2.4 s (2026-11-28).
"""

from collections.abc import Callable

import numpy as np

from cpqueens.backends.local_search.search import Limits
from cpqueens.backends.local_search.slices import Alone, LoneWalk
from cpqueens.kernels.local import packing as codes
from cpqueens.kernels.local.runs import luby
from cpqueens.language.rows import IntArray
from cpqueens.lowered.structures.packing import Boxes

UNIT = 20_000
"""Nodes of a random order at first; a search from scratch after so many is worth more than going on."""
BY_AREA = 10
"""So many times as many for the order by area, which is the best by far if there is one."""


class PackingSearch(LoneWalk):
    """The search of one run, a part at a time."""

    def __init__(self, boxes: Boxes, seed: int) -> None:
        super().__init__()
        self.boxes, self._draw = boxes, np.random.default_rng(seed)
        rows, n = boxes.rows, len(boxes.rows)
        self.spare = boxes.spare
        self._level = codes.SKYLINE + 2 * (n + 2)
        self._s = codes.Skyline(
            rows.ravel().copy(), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64),
            np.zeros(2 * n, dtype=np.int64), np.zeros(self._level * (2 * n + 4), dtype=np.int64),
            np.zeros(codes.INFO, dtype=np.int64),
        )  # fmt: skip
        self.info, self.kernel = self._s.info, lambda nodes: codes.pack(nodes, self._s)
        self.orders, self._left_of_order = 0, 0
        self.over = self.spare < 0

    def explore(self, nodes: int, should_stop: Callable[[], bool]) -> IntArray | None:
        """Search so many nodes; return the corners of all rectangles if they have a place."""
        end = self.nodes + nodes
        run = Alone(self, Limits(end, should_stop), None)
        while not self.over and self.nodes < end and not should_stop():
            if self._left_of_order <= 0:
                self._begin()
            before = self.nodes
            ended = self.walk(run, before + self._left_of_order)
            self._left_of_order -= max(1, self.nodes - before)
            if ended == "solved":
                self._left_of_order = 0  # where that is no solution, another order has others
                return self._s.corner.reshape(-1, 2).copy()
            if self.info[codes.DEPTH] < 0:
                self._left_of_order = 0
                self.over = self.spare == 0  # another order is another order of the same tree
        return None

    def tell(self, host: Alone) -> bool:
        """Say whether all rectangles have a place."""
        return bool(self.info[codes.STANDING] == len(self._s.order))

    @property
    def nodes(self) -> int:
        """Nodes so far."""
        return int(self.info[codes.NODES])

    def _begin(self) -> None:
        """Begin with the next order."""
        s, rows = self._s, self.boxes.rows
        if self.orders:
            s.order[:] = self._draw.permutation(len(s.order))
            self._left_of_order = UNIT * luby(self.orders)
        else:
            area = rows[:, codes.BOX_WIDTH] * rows[:, codes.BOX_HEIGHT]
            s.order[:] = np.argsort(-area, kind="stable")
            self._left_of_order = BY_AREA * UNIT
        self.orders += 1
        nodes = self.nodes
        s.used[:], s.info[:] = 0, 0
        s.info[codes.NODES] = nodes
        s.info[[codes.LEFT, codes.TOP, codes.SPARE]] = self.boxes.left, self.boxes.top, self.spare
        s.levels[: codes.SKYLINE + 2] = 0, -1, 0, 1, self.boxes.width, self.boxes.low
