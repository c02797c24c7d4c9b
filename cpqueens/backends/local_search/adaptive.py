"""Adaptive Search: the variable with the largest projected error, its best move, freezing, partial reset.

A variable without an improving move is frozen; when more than ``reset_limit`` variables have been frozen, a
part of all variables moves at random. Equal moves are taken with probability ``plateau``.

Source: Codognet and Diaz, "Yet another local search method for constraint solving", SAGA 2001.
"""

from collections.abc import Mapping
from typing import Any

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search.search import Search
from cpqueens.backends.local_search.walking import Walk, walking_with
from cpqueens.kernels.local.walk import WORST

PARAMETERS: Mapping[str, Parameter] = {
    "freeze": Parameter(int, 5, "steps for which a variable without a good move is frozen"),
    "reset_limit": Parameter(int, 0, "frozen variables before a reset, 0: a fifth of the variables"),
    "reset_percent": Parameter(float, 5.0, "percentage of the variables that a reset moves"),
    "plateau": Parameter(float, 0.94, "probability of taking an equal move"),
    "restart": Parameter(int, 0, "steps without progress before a new start, 0: 10000 + 1000 per variable"),
}


def _setting(search: Search, options: Mapping[str, Any]) -> Walk:
    n = search.size
    return Walk(
        choice=WORST, plateau=options["plateau"], freeze=options["freeze"],
        reset_limit=options["reset_limit"] or n // 5 + 1,
        reset_size=max(1, round(n * options["reset_percent"] / 100)),
        stall=options["restart"] or 10_000 + 1000 * n,
    )  # fmt: skip


run, many = walking_with(_setting)
