"""Almost conflict-free start, then repair: QS4, for permutations under AllDifferents over x[i] + o[i].

Each variable tries random free values; only the last few stay in conflict and are swapped with partners that
lower the conflicts; equal swaps are taken and, on small boards, all partners compared, so that no size gets
stuck.

Source: Sosic and Gu, "3,000,000 queens in less than one minute", SIGART Bulletin 2(2), 1991.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search.search import End, Search, StrategyError
from cpqueens.backends.local_search.slices import PermutationWalk
from cpqueens.backends.together import COUNTED, Together
from cpqueens.kernels.jit.random import seed_state
from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local import units as codes
from cpqueens.kernels.local.lot import EXTRA
from cpqueens.language.rows import IntArray
from cpqueens.lowered.structures.shifted_permutation import ShiftedPermutation

PARAMETERS: Mapping[str, Parameter] = {
    "tries": Parameter(int, 5, "tries of the start per variable"),
    "noise": Parameter(float, 0.02, "probability of taking a best swap that is worse"),
    "restart": Parameter(int, 0, "steps without progress before a new start, 0: 50 + 10 per variable"),
}


def run(search: Search, options: Mapping[str, Any]) -> End:
    """Refuse: the engine takes a `ShiftedWalk` where the pattern is found."""
    raise StrategyError("sosic-gu-4 needs a permutation under AllDifferents over x[i] + constant; use auto")


class ShiftedWalk(PermutationWalk):
    """The kernel's arrays: O(n) time for large n, 20 bytes per variable for queens and the offsets' 8."""

    restarts = codes.RESTARTS
    counts = {"misplaced_by_start": codes.MISPLACED}

    def __init__(self, pattern: ShiftedPermutation, seed: int, options: Mapping[str, Any]) -> None:
        super().__init__()
        self.pattern, self.layers = pattern, {"units": len(pattern.offsets)}
        state = _state(pattern)
        state.random[:] = seed_state(seed)
        self.x, self.info = state.x, state.info
        fixed, settings = Fixed(state), _settings(pattern.size, options)
        self.kernel = lambda steps: codes.units_search(steps, *settings, fixed)

    @property
    def cost(self) -> int:
        """How many are too many on a line, all variables while a start is being made."""
        return int(self.info[at.COST]) if self.info[codes.SEARCHING] else self.pattern.size

    def present(self) -> IntArray:
        """Return the present assignment."""
        values = self.x.astype(np.int64)
        values += self.pattern.low
        return values

    @property
    def is_shown(self) -> bool:
        """Whether the start is made."""
        return bool(self.info[codes.SEARCHING])


def solve_shifted_many(pattern: ShiftedPermutation, options: Mapping[str, Any]) -> Together:
    """Return what makes many runs of `ShiftedWalk`; their assignments begin with 0."""
    state = _state(pattern)
    return Together(
        codes.units_runs, Fixed(state), _settings(pattern.size, options), lambda: int(state.info[at.STEPS]),
        {**COUNTED, "misplaced_by_start": EXTRA},
    )  # fmt: skip


def _state(pattern: ShiftedPermutation) -> codes.Placing:
    """Return the state of a search that has not begun."""
    x = np.arange(pattern.size, dtype=np.int32)
    count, work = np.zeros(pattern.counters, dtype=np.int32), np.zeros(pattern.size + 64, dtype=np.int32)
    info, random = np.zeros(codes.LENGTH, dtype=np.int64), np.zeros(4, dtype=np.int64)
    return codes.Placing(x, pattern.offsets, count, work, info, random)


def _settings(n: int, options: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return the kernel's tries, stall and noise."""
    noise = min(1 << 32, round(options["noise"] * (1 << 32)))
    return options["tries"], options["restart"] or 50 + 10 * n, noise
