"""What a search that learns from its failures has besides: nogoods, weights, values to try first."""

from collections.abc import Iterable

import numpy as np

from cpqueens.backends.backtracking.wholes.parts import Propagator
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.nogoods import NUMBERS, PATHS
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled

FIRST_WEIGHT = 64
"""Of each variable before the first failure, and what that adds."""


_NO_PATHS = np.zeros(NUMBERS, dtype=np.int64)
"""What nogoods begin with, of which each network has a copy."""


def nogoods(compiled: Compiled) -> Propagator:
    """Return the propagator of nogoods."""
    decisions = range(compiled.decision_count)
    events, words = at.FIX | at.BOUND, [0] * PATHS
    return Propagator("nogoods", decisions, numbers=_NO_PATHS, words=words, events=events, queue=at.DEAREST)


def prepare_learning(x: IntArray, compiled: Compiled, makers: Iterable[tuple[int, int]]) -> None:
    """Set first weights, the values to try first (those that are good for the objective), and makers.

    ``x`` are the variables' records, (variables, at.X_WIDTH); ``makers`` pairs (propagator, its result).
    """
    x[:, at.WEIGHT] = FIRST_WEIGHT
    x[:, at.SAVED] = x[:, at.LOW]
    if compiled.objective is not None:
        down = compiled.objective.variable[compiled.objective.coefficient < 0]
        x[down, at.SAVED] = x[down, at.HIGH]
    for k, variable in makers:
        x[variable, at.MAKER] = 1 + k * at.P_WIDTH
