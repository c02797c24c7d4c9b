"""Almost conflict-free start, then repair: QS4, for permutations under AllDifferents over x[i] + o[i].

Source: Sosic and Gu, "3,000,000 queens in less than one minute", SIGART Bulletin 2(2), 1991. Each variable
tries random free values; only the last few stay in conflict and are swapped with partners that lower the
conflicts; equal swaps are taken and, on small boards, all partners compared, so that no size gets stuck.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search.search import End, Limits, Result, Search, StrategyError
from cpqueens.backends.local_search.slices import permuted, slices
from cpqueens.kernels import search_info as at
from cpqueens.kernels import search_units as codes
from cpqueens.kernels.random import seed_state
from cpqueens.lowered.permutations import ShiftedPermutation

PARAMETERS: Mapping[str, Parameter] = {
    "tries": Parameter(int, 5, "tries of the start per variable"),
    "noise": Parameter(float, 0.02, "probability of taking a best swap that is worse"),
    "restart": Parameter(int, 0, "steps without progress before a new start, 0: 50 + 10 per variable"),
}


def run(search: Search, options: Mapping[str, Any]) -> End:
    """Refuse: the engine calls `solve_shifted` where the pattern is found."""
    raise StrategyError("sosic-gu-4 needs a permutation under AllDifferents over x[i] + constant; use auto")


def solve_shifted(
    pattern: ShiftedPermutation, seed: int, limits: Limits, options: Mapping[str, Any]
) -> Result:
    """Solve the pattern; O(n) time for large n, 20 bytes per variable for queens and the offsets' 8."""
    n = pattern.size
    x = np.arange(n, dtype=np.int32)
    count = np.zeros(pattern.counters, dtype=np.int32)
    work = np.zeros(n + 64, dtype=np.int32)
    info = np.zeros(codes.LENGTH, dtype=np.int64)
    random = seed_state(seed)
    stall = options["restart"] or 50 + 10 * n
    noise = min(1 << 32, round(options["noise"] * (1 << 32)))
    state = codes.Placing(x, pattern.offsets, count, work, info, random)

    def advance(steps: int) -> int:
        return int(codes.units_search(steps, options["tries"], stall, noise, state))

    reason = slices(advance, lambda: int(info[at.STEPS]), limits)
    cost = int(info[at.COST]) if info[codes.SEARCHING] else n
    values = x.astype(np.int64)
    values += pattern.low
    layers, restarts = {"units": len(pattern.offsets)}, int(info[codes.RESTARTS])
    misplaced = int(info[codes.MISPLACED])
    return permuted(info, values, cost, reason, layers, restarts, misplaced_by_start=misplaced)
