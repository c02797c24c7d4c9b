"""What the searches on a `Pattern` share: control words, resuming, batches and a bounded number of steps.

All of them go row by row and column by column upwards, so they list solutions in lexicographic order.
Nodes are the root and every safe placement; failures are nodes other than solutions that have no safe
child (dead ends). Both count what this search did itself: nothing of a given prefix, and after resuming
nothing of what came before.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.boards.pattern import Ints, Pattern, SumPattern
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.system.stopping import Pace

# Entries of the control array, int64.
ROW, BASE, NODES, FAILURES, SOLUTIONS, TOP, CONTROLS = range(7)
DONE = -1  # value of ROW when nothing is left


@inner_kernel
def record(x: Ints, control: Ints, out: NDArray[np.uint8], filled: int) -> Any:
    """Count a solution, and write it to ``out`` unless only counting; return how many are written."""
    control[SOLUTIONS] += 1
    if out.shape[0] == 0:
        return 0
    for i in range(x.size):
        out[filled, i] = x[i]
    return filled + 1


class PatternSearch(ABC):
    """One search in progress; calls advance it, its state is plain arrays.

    Parameters
    ----------
    pattern
        The model.
    prefix
        Values of the first rows, fixed; fewer than n.
    after
        Start behind this assignment in lexicographic order (all n values; must begin with ``prefix``).
    """

    def __init__(
        self, pattern: Pattern | SumPattern, prefix: Sequence[int] = (), after: Sequence[int] | None = None
    ) -> None:
        self.pattern: Any = pattern  # of the kind that the search is for
        self.control = np.zeros(CONTROLS, dtype=np.int64)
        n = pattern.n
        if n and len(prefix) >= n:
            raise ValueError(f"prefix has {len(prefix)} values, at most {n - 1} of {n} rows can be fixed")
        if after is not None and (len(after) != n or list(after[: len(prefix)]) != list(prefix)):
            raise ValueError(f"after needs {n} values that begin with the prefix")
        self._nothing = np.zeros((0, max(n, 1)), dtype=np.uint8)
        self._empty_model = n == 0 and after is None
        self.pace = Pace()
        self.control[ROW] = DONE
        self.control[BASE] = len(prefix)
        if n:
            if not prefix and after is None:
                self.control[NODES] = 1
            self._start([int(v) for v in prefix], None if after is None else [int(v) for v in after])

    @property
    def exhausted(self) -> bool:
        """Say whether the whole space (under the prefix, behind ``after``) has been searched."""
        return int(self.control[ROW]) == DONE and not self._empty_model

    @property
    def nodes(self) -> int:
        """Return the nodes visited: the root and every safe placement."""
        return int(self.control[NODES])

    @property
    def failures(self) -> int:
        """Return the dead ends met."""
        return int(self.control[FAILURES])

    @property
    def solutions(self) -> int:
        """Return the solutions found."""
        return int(self.control[SOLUTIONS])

    def fill(self, out: NDArray[np.uint8], budget: int | None = None) -> int:
        """Write the next solutions into ``out`` (batch, n), uint8; return how many.

        Ends when ``out`` is full, after ``budget`` placements (and a few), or when nothing is left; the
        next call goes on from there.
        """
        if self._empty_model:
            self._empty_model = False
            self.control[NODES] = self.control[SOLUTIONS] = 1
            return 1
        if self.exhausted or len(out) == 0:
            return 0
        return self._advance(out, budget)

    def count(self, budget: int | None = None) -> int:
        """Count on for ``budget`` placements without storing; return the solutions found by this call."""
        before = self.solutions
        if self._empty_model:
            return self.fill(np.zeros((1, 0), dtype=np.uint8))
        if not self.exhausted:
            self._advance(self._nothing, budget)
        return self.solutions - before

    def _advance(self, out: NDArray[np.uint8], budget: int | None) -> int:
        """Run for ``budget`` placements or as many as take some milliseconds; return how many are written."""
        steps = self.pace.steps if budget is None else budget
        return self.pace.timed(
            lambda budget: int(self._run(out, budget)),
            steps,
            unmade=0,
            paused=lambda filled: not filled or filled < len(out),
        )

    @abstractmethod
    def _start(self, prefix: list[int], after: list[int] | None) -> None:
        """Set up the state and ``control[ROW]`` (DONE if the prefix is not safe)."""

    @abstractmethod
    def _run(self, out: NDArray[np.uint8], budget: int) -> Any:
        """Call the kernel; ``out`` without rows means counting."""


class PathSearch(PatternSearch):
    """A search that keeps, for each row of its path, the columns it has still to try."""

    def _follow(self, prefix: list[int], after: list[int] | None, untried: NDArray[np.uint64]) -> None:
        """Place the prefix, or the assignment to start behind, as far as it is safe; fill ``untried``."""
        path = prefix if after is None else after
        for row in range(self.pattern.n):
            safe = self._enter(row)
            if row >= len(path):
                untried[row] = safe
                self.control[ROW] = row
                self.control[FAILURES] += not safe
                return
            value = path[row]
            if row >= len(prefix):
                above = max(value + 1, 0)
                untried[row] = safe >> above << above
                self.control[ROW] = row
            if not (0 <= value < self.pattern.width and safe >> value & 1):
                return
            self._place(row, value)

    @abstractmethod
    def _enter(self, row: int) -> int:
        """Return the safe columns of a row under those placed, as bits."""

    @abstractmethod
    def _place(self, row: int, value: int) -> None:
        """Place a column."""
