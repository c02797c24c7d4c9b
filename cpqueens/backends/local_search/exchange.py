"""Exchanges between lines, for permutations under equations of sums (magic squares).

Rows and columns are mended by swaps between two lines, and by pairs of swaps, looked up by differences.
Models without that structure, and starts from which nothing improves any more, are searched as by `auto`.

Source: Xie and Kang, "An evolutionary algorithm for magic squares", CEC 2003, for the moves; the look-up is
ours.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search import auto
from cpqueens.backends.local_search.search import End, Paused, Search
from cpqueens.backends.local_search.slices import Alone, PermutationWalk
from cpqueens.kernels.jit.random import seed_state
from cpqueens.kernels.local import exchange as codes
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.start import shuffle
from cpqueens.language.rows import IntArray
from cpqueens.lowered.structures.lines import LinesPermutation

PARAMETERS: Mapping[str, Parameter] = {
    "stall": Parameter(int, 2000, "steps without a smaller error that cause a new start"),
    "starts": Parameter(int, 10, "after which the search goes on as auto does on other models"),
}


def run(search: Search, options: Mapping[str, Any]) -> End:
    """Search like `auto`: the engine takes a `LinesWalk` before, where the pattern is found."""
    search.extra["strategy"] = "auto"
    return auto.run(search, {})


class LinesWalk(PermutationWalk):
    """The kernel's arrays for lines: the permutation, its inverse, and by how much each sum is wrong."""

    restarts = at.EXTRA
    counts = {"forced_moves": codes.FORCED}

    def __init__(self, pattern: LinesPermutation, seed: int, options: Mapping[str, Any]) -> None:
        super().__init__()
        n, self.random = pattern.size, seed_state(seed)
        self.pattern, self.layers = pattern, {"sums": len(pattern.lines)}
        self.stall, self.starts = options["stall"], options["starts"]
        self.x, self.place = x, place = np.arange(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self.errors = errors = np.zeros(len(pattern.lines), dtype=np.int64)
        self.info = info = np.zeros(codes.LENGTH, dtype=np.int64)
        info[at.EXTRA] = -1  # before the first start
        seen, partner = np.zeros(2 * n, dtype=np.int64), np.zeros(4 * n, dtype=np.int64)
        found = np.zeros(4, dtype=np.int64)
        state = codes.Lines(x, place, *_incidence(pattern), errors, seen, partner, info, self.random, found)
        self.kernel = lambda steps: codes.exchange_search(steps, self.stall, state)

    @property
    def cost(self) -> int:
        """By how much all sums are wrong."""
        return int(np.abs(self.errors).sum())

    def present(self) -> IntArray:
        """Return the present assignment."""
        return self.x + self.pattern.low

    def begin(self, run: Alone) -> Paused | None:
        """Start from a random permutation, at first and where nothing was better for long."""
        info = self.info
        if info[at.EXTRA] >= 0 and info[at.STALL] < max(1, self.stall):
            return None
        if info[at.EXTRA] + 1 >= self.starts:
            return "stalled"
        info[at.EXTRA] += 1
        shuffle(self.x, self.random)
        self.place[self.x] = np.arange(len(self.x))
        self.errors[:] = [self.x[line].sum() for line in self.pattern.lines]
        self.errors -= self.pattern.totals
        info[at.LEAST], info[at.STALL] = at.NEVER, 0
        if run.observer is not None:
            run.observer.walked(run.steps, self.present(), self.cost)
        return None


def _incidence(pattern: LinesPermutation) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray]:
    """Return lines by cells, cells by lines (both compressed), and a common cell of each two lines."""
    count = len(pattern.lines)
    line_cells = np.concatenate(pattern.lines)
    line_of = np.repeat(np.arange(count), [len(line) for line in pattern.lines])
    line_start = np.searchsorted(line_of, np.arange(count + 1))
    order = np.lexsort((line_of, line_cells))
    cell_start = np.searchsorted(line_cells[order], np.arange(pattern.size + 1))
    cell_lines = line_of[order]
    cross = np.full((count, count), -1, dtype=np.int64)
    for k, line in enumerate(pattern.lines):
        for cell in line.tolist():
            cross[k, cell_lines[cell_start[cell] : cell_start[cell + 1]]] = cell
    return line_start, line_cells, cell_start, cell_lines, cross.ravel()
