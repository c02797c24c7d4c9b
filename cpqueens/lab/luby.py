"""Restarts by Luby's sequence: what a solution is expected to take, computed from measured runs.

The sequence begins with its first half twice, then a cut-off twice as long: ``S(k) = S(k - 1) S(k - 1) 2^k``
from ``S(0) = 1``. So do expected work and the chance that all of it fails, whose limit is that of the whole.

Source: Luby, Sinclair and Zuckerman, "Optimal speedup of Las Vegas algorithms" (1993).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_DOUBLINGS = 64
"""Of the unit: far beyond any run, and so often that a chance of one in a million is met."""


def expected_by_unit(
    units: NDArray[np.float64], lengths: NDArray[np.float64], solved: NDArray[np.bool_], longest: float
) -> NDArray[np.float64]:
    """Return the expected length to a solution if runs end at 1, 1, 2, 1, 1, 2, 4, ... units.

    >>> expected_by_unit(np.array([1.0, 2.0]), np.array([1.0, 2.0]), np.array([True, True]), 9.0).tolist()
    [1.875, 1.5]

    Parameters
    ----------
    units
        (units,) positive.
    lengths, solved
        (runs,) until the end, and whether it was a solution.
    longest
        The longest cut-off: of longer runs nothing is known, and the sequence has it instead.
    """
    order = np.argsort(lengths, kind="stable")
    ends = lengths[order]
    found, spent = (np.concatenate([[0.0], np.cumsum(part[order])]) for part in (solved, lengths))

    def run(cutoff: Any) -> tuple[Any, Any]:
        """Return the chance that a run with this cut-off fails, and its expected length."""
        ended = np.searchsorted(ends, cutoff, side="right")
        length = (spent[ended] + cutoff * (len(ends) - ended)) / len(ends)
        return 1 - found[ended] / len(ends), length

    fails, cost = run(np.minimum(units, longest))
    for k in range(1, _DOUBLINGS):
        last_fails, last_cost = run(np.minimum(units * 2.0**k, longest))
        cost = cost + fails * cost + fails**2 * last_cost
        fails = fails**2 * last_fails
    result: NDArray[np.float64] = np.where(fails < 0.5, cost, np.inf)
    return result
