"""Tabu search: the variable with the largest error, its best move even if worse, moved variables tabu.

A move to a new least cost is always allowed. Short random tenures work best on permutation problems.

Source: Glover, "Tabu search, part I", ORSA Journal on Computing 1, 1989.
"""

from collections.abc import Mapping
from typing import Any

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search.search import Search
from cpqueens.backends.local_search.walking import Walk, walking_with
from cpqueens.kernels.local.walk import WORST

PARAMETERS: Mapping[str, Parameter] = {
    "tenure": Parameter(int, 0, "steps for which a moved variable is tabu, at least"),
    "tenure_spread": Parameter(int, 2, "plus a random number below this"),
    "noise": Parameter(float, 0.01, "probability of moving any variable instead of the worst"),
    "restart": Parameter(int, 0, "steps without progress before a new start, 0: 10000 + 100 per variable"),
}


def _setting(search: Search, options: Mapping[str, Any]) -> Walk:
    return Walk(
        choice=WORST, noise=1.0, tenure=options["tenure"], tenure_spread=options["tenure_spread"],
        random_choice=options["noise"], stall=options["restart"] or 10_000 + 100 * search.size,
    )  # fmt: skip


run, many = walking_with(_setting)
