"""The row-wise schedule of annealing: ``local-search:annealing`` with ``schedule="rowwise"``.

From a random permutation, one variable after the other is annealed on its own, round and round until
nothing is violated: its temperature runs from 100 by the factor 0.8 while above 1 (21 temperatures), and at
each every value is tried in order. The usual rule takes a worsening move with probability exp(-change / T)
(Metropolis et al. 1953). ``rule="coarse"`` compares exp(-change / T) with a random one of the hundred
numbers 0, 0.1, ..., 9.9 instead, which takes it with ceil(10 exp(-change / T)) / 100, between 1 and 10 %; it
is the rule under which this schedule became known for n queens, and the one that makes it work, since a
variable that is annealed alone needs no heat. The search has no end of its own: give it a limit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cpqueens.backends.local_search.search import Search
from cpqueens.kernels import search_rowwise as codes

RULES = {"coarse": codes.COARSE, "metropolis": codes.METROPOLIS}
HOTTEST, FACTOR, COLDEST = 100.0, 0.8, 1.0


def course() -> Any:
    """Return the temperatures, descending.

    >>> [round(float(t), 2) for t in course()[[0, 1, 10, 20]]], len(course())
    ([100.0, 80.0, 10.74, 1.15], 21)
    """
    temperatures = [HOTTEST]
    while temperatures[-1] * FACTOR > COLDEST:
        temperatures.append(temperatures[-1] * FACTOR)
    return np.array(temperatures)


def run_rowwise(search: Search, rule: str) -> str:
    """Anneal until solved or stopped; every variable must be free to take any value of its domain."""
    search.start("permutation")
    place = np.zeros(codes.LENGTH, dtype=np.int64)
    place[codes.RULE], place[codes.MEASURE] = RULES[rule], search.measure
    temperatures = course()
    tried, taken = (np.zeros(len(temperatures), dtype=np.int64) for _ in range(2))
    ended = search.run(
        codes.rowwise, search.space, search.moves, search.deltas, place, temperatures, tried, taken,
        search.events, search.random,
    )  # fmt: skip
    search.report |= {
        "anneals": int(place[codes.ANNEALS]),
        "acceptance": {
            "temperature": temperatures.round(3).tolist(), "worse": tried.tolist(), "accepted": taken.tolist()
        },
    }  # fmt: skip
    return ended
