"""Reversals of segments, for all-interval series and other permutations along a path of differences.

Source: Lin, "Computer solutions of the traveling salesman problem", Bell System Technical Journal 44, 1965,
for the move; that the largest missing difference is what counts is from the all-interval series of Codognet
and Diaz, "Yet another local search method for constraint solving", SAGA 2001 (problem 7 of CSPLib).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search.search import End, Limits, Result, Search, StrategyError
from cpqueens.backends.local_search.slices import permuted, slices
from cpqueens.backends.local_search.tracing import Recorder, watching
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
    """Refuse: the engine calls `solve_path` where the pattern is found."""
    raise StrategyError("reversal needs a permutation along a path of absolute differences; use auto")


def solve_path(
    path: PathPermutation,
    seed: int,
    limits: Limits,
    options: Mapping[str, Any],
    recorder: Recorder | None = None,
) -> Result:
    """Solve the pattern."""
    n = len(path.order)
    random = seed_state(seed)
    y = np.arange(n, dtype=np.int64)
    shuffle(y, random)
    place = np.argsort(y).astype(np.int64)
    count = np.bincount(np.abs(np.diff(y)), minlength=n).astype(np.int64)
    info = np.zeros(at.LENGTH, dtype=np.int64)
    shake = max(2, round(n * options["shake_percent"] / 100))

    def advance(steps: int) -> int:
        return int(codes.reversal_search(steps, shake, y, place, count, info, random))

    def state() -> tuple[IntArray, int]:
        values = np.zeros(n, dtype=np.int64)
        values[path.order] = y + path.low
        return values, int((count[1:] == 0).sum())

    watch = watching(recorder, info, state)
    reason = slices(advance, lambda: int(info[at.STEPS]), limits, watch)
    return permuted(info, *state(), reason, {"path": 1})
