"""Min-conflicts: a random variable in conflict, its best move, ties at random.

Equal moves are taken; with probability ``noise`` also the best worse one, which plain min-conflicts lacks.

Source: Minton, Johnston, Philips and Laird, "Minimizing conflicts: a heuristic repair method for constraint
satisfaction and scheduling problems", Artificial Intelligence 58, 1992 (AAAI 1990).
"""

from collections.abc import Mapping
from itertools import repeat
from typing import Any

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search.search import End, Search
from cpqueens.backends.local_search.strategies import Call
from cpqueens.backends.local_search.walking import MOST_MOVES, Walk, walk_many, walk_with_restarts

PARAMETERS: Mapping[str, Parameter] = {
    "noise": Parameter(float, 0.01, "probability of taking a best move that is worse"),
    "sample": Parameter(int, MOST_MOVES, "moves evaluated per step, random ones of more; 0: all"),
    "restart": Parameter(int, 0, "steps without progress before a new start, 0: 1000 + 20 per variable"),
}


def run(search: Search, options: Mapping[str, Any]) -> End:
    """Walk with restarts until solved or stopped."""
    return walk_with_restarts(search, repeat(_setting(search, options)))


def many(search: Search, options: Mapping[str, Any], runs: int) -> Call:
    """Do the same for many runs."""
    return walk_many([_setting(search, options)])


def _setting(search: Search, options: Mapping[str, Any]) -> Walk:
    stall = options["restart"] or 1000 + 20 * search.size
    return Walk(noise=options["noise"], sample=options["sample"], stall=stall)
