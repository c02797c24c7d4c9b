"""Min-conflicts: a random variable in conflict, its best move, ties at random.

Equal moves are taken; with probability ``noise`` also the best worse one, which plain min-conflicts lacks.

Source: Minton, Johnston, Philips and Laird, "Minimizing conflicts: a heuristic repair method for constraint
satisfaction and scheduling problems", Artificial Intelligence 58, 1992 (AAAI 1990).
"""

from collections.abc import Mapping
from typing import Any

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search.search import Search
from cpqueens.backends.local_search.walking import MOST_MOVES, Walk, walking_with

PARAMETERS: Mapping[str, Parameter] = {
    "noise": Parameter(float, 0.01, "probability of taking a best move that is worse"),
    "sample": Parameter(int, MOST_MOVES, "moves evaluated per step, random ones of more; 0: all"),
    "restart": Parameter(int, 0, "steps without progress before a new start, 0: 1000 + 20 per variable"),
}


def _setting(search: Search, options: Mapping[str, Any]) -> Walk:
    stall = options["restart"] or 1000 + 20 * search.size
    return Walk(noise=options["noise"], sample=options["sample"], stall=stall)


run, many = walking_with(_setting)
