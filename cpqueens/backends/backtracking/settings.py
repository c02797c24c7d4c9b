"""The arrays of a search: `TreeSearch` as its settings make it."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from cpqueens.backends.backtracking.asking import Function, Phase, asks
from cpqueens.kernels.exact import branching as tree
from cpqueens.kernels.exact.branching import TreeSearch
from cpqueens.kernels.exact.domains import X_WIDTH
from cpqueens.kernels.jit.random import seed_state
from cpqueens.language.rows import IntArray

FIRST_RESTART = 100
"""Failures until the first restart."""
TRIAL = 10
"""The same, where the order in which the model was written is tried before all others."""
VARIABLES = 32
"""For so many there is one more failure: a Latin square of order 30 is 12 failures away."""
_REFUTED = 4096
"""Refuted decisions that are kept for nogoods, on one path."""


_seeded = lru_cache(maxsize=64)(seed_state)


def tree_search(
    count: int,
    *,
    phases: Sequence[Phase] | None = None,
    check_only: bool = False,
    objective: int = -1,
    keep: bool = True,
    learning: bool = False,
    nogoods: int = -1,
    trial: int = tree.NO_TRIAL,
    depth: int | None = None,
    capacity: int = 1,
    after: IntArray | None = None,
    seed: int = 0,
) -> TreeSearch:
    """Return a search over ``count`` decision variables that has not begun.

    Without phases it is in lexicographic order; variables in none of them are not decided; ``nogoods`` is the
    position of their propagator, with which the search restarts, ``objective`` that of the objective's row.
    With ``trial`` it goes another way until its first restart; where an order is a function it asks.
    """
    if phases is None:
        phases = [(range(count), tree.LEXICOGRAPHIC, tree.ASCENDING)]
    begin = end = tree.PHASES + 4 * len(phases)
    placed = [v for variables, _, _ in phases for v in variables]
    settings = [count, int(check_only), objective, int(keep), int(learning), nogoods, begin]
    settings += [begin + len(placed), int(asks(phases))]
    for variables, *orders in phases:
        named = [0 if isinstance(order, Function) else order for order in orders]
        settings += [end, end + len(variables), *named]
        end += len(variables)
    options = np.array(settings + placed, dtype=np.int64)
    options[begin:] *= X_WIDTH
    state = np.zeros(tree.STATES, dtype=np.int64)
    state[tree.REPLAYING] = after is not None
    state[tree.LIMIT] = max(TRIAL, count // VARIABLES) if trial == tree.WRITTEN else FIRST_RESTART
    state[tree.GROWTH] = FIRST_RESTART
    state[tree.TRIAL] = trial
    state[tree.ASK_FOUND] = state[tree.ASK_FAILURES] = 1 << 62
    levels = count + 1 if depth is None else depth
    return TreeSearch(
        state=state,
        levels=np.zeros((levels, tree.LEVEL_WIDTH), dtype=np.int64),
        refuted=np.empty((_REFUTED * (nogoods >= 0), tree.R_WIDTH), dtype=np.int64),  # written, then read
        options=options,
        random=_seeded(seed).copy(),
        after=np.zeros(count, dtype=np.int64) if after is None else after.astype(np.int64),
        solutions=np.zeros((capacity if keep else 1, count), dtype=np.int64),
    )
