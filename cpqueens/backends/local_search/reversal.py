"""Reversals of segments, for all-interval series and other permutations along a path of differences.

Source: Lin, "Computer solutions of the traveling salesman problem", Bell System Technical Journal 44, 1965,
for the move; that the largest missing difference is what counts is from the all-interval series of Codognet
and Diaz, "Yet another local search method for constraint solving", SAGA 2001 (problem 7 of CSPLib).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search.search import End, Search, StrategyError
from cpqueens.backends.local_search.slices import PermutationWalk
from cpqueens.kernels.jit.random import seed_state
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local import reversal as codes
from cpqueens.kernels.local.start import shuffle
from cpqueens.language.rows import IntArray
from cpqueens.lowered.structures.path import PathPermutation

PARAMETERS: Mapping[str, Parameter] = {
    "shake_percent": Parameter(float, 8.0, "random reversals, in percent of the variables, where none helps"),
}


def run(search: Search, options: Mapping[str, Any]) -> End:
    """Refuse: the engine takes a `PathWalk` where the pattern is found."""
    raise StrategyError("reversal needs a permutation along a path of absolute differences; use auto")


class PathWalk(PermutationWalk):
    """The kernel's arrays: the permutation along the path, its inverse, and how often each step occurs."""

    def __init__(self, path: PathPermutation, seed: int, options: Mapping[str, Any]) -> None:
        super().__init__()
        n, random = len(path.order), seed_state(seed)
        self.path, self.layers = path, {"path": 1}
        self.y = np.arange(n, dtype=np.int64)
        shuffle(self.y, random)
        place = np.argsort(self.y).astype(np.int64)
        self.count = np.bincount(np.abs(np.diff(self.y)), minlength=n).astype(np.int64)
        self.info = np.zeros(at.LENGTH, dtype=np.int64)
        shake = max(2, round(n * options["shake_percent"] / 100))
        self.kernel = lambda steps: codes.reversal_search(
            steps, shake, self.y, place, self.count, self.info, random
        )

    @property
    def cost(self) -> int:
        """How many differences do not occur."""
        return int((self.count[1:] == 0).sum())

    def present(self) -> IntArray:
        """Return the present assignment."""
        values = np.zeros(len(self.y), dtype=np.int64)
        values[self.path.order] = self.y + self.path.low
        return values
