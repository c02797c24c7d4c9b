"""Weighted jumps: a strategy in a file of its own, the pattern for one that you add."""

from collections.abc import Mapping
from typing import Any

from cpqueens.backends.base import COUNT, PROBABILITY, Parameter
from cpqueens.backends.local_search.search import Search
from cpqueens.backends.local_search.walking import Walk, Walking


class Jump(Walking):
    """Weighted jumps: the best move of a random variable in conflict; violated weights grow in local minima.

    Source: Morris, "The breakout method for escaping from local minima", AAAI 1993; Luteberget and Sartor,
    "Feasibility Jump: an LP-free Lagrangian MIP heuristic", Mathematical Programming Computation 15, 2023.
    """

    PARAMETERS: Mapping[str, Parameter] = {
        "bump": COUNT(1, "added to the weight of each violated constraint in a local minimum"),
        "plateau": PROBABILITY(0.9, "probability of taking an equal move"),
        "noise": PROBABILITY(0.005, "probability of taking a best move that is worse"),
        "restart": COUNT(0, "steps without progress before a new start, 0: 20000 + 100 per variable"),
    }

    @classmethod
    def setting(cls, search: Search, options: Mapping[str, Any]) -> Walk:
        """Return how it walks."""
        return Walk(
            plateau=options["plateau"], bump=options["bump"], noise=options["noise"],
            stall=options["restart"] or 20_000 + 100 * search.size,
        )  # fmt: skip
