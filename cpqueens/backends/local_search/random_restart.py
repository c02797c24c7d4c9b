"""Hill climbing that restarts from local optima and, unless sideways moves are allowed, shoulders.

Source: Russell and Norvig, "Artificial Intelligence: a modern approach", section on hill climbing; what the
GeeksforGeeks text on hill climbing with random neighbour compares itself with.
"""

from collections.abc import Mapping
from typing import Any

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search.climbing import climb_many, climb_once
from cpqueens.backends.local_search.search import End, Search
from cpqueens.backends.local_search.strategies import Call
from cpqueens.kernels.local.runs import START_AND_COUNT
from cpqueens.kernels.local.scan import GO_ON, RANDOM

ASSIGNMENT_ONLY = True
PARAMETERS: Mapping[str, Parameter] = {
    "max_sideways": Parameter(int, 0, "sideways moves in a row that are allowed before a restart"),
    "measure": Parameter(str, "surplus", "how an AllDifferent is counted", ("surplus", "pairs")),
    "start": Parameter(str, "independent", "the kind of start", ("independent", "permutation")),
}


def run(search: Search, options: Mapping[str, Any]) -> End:
    """Climb again and again until solved or stopped."""
    while True:
        search.start(kind=options["start"])
        ended = climb_once(search, RANDOM, GO_ON, options["max_sideways"])
        if ended not in ("local_optimum", "plateau_limit"):
            return ended
        search.count_step()  # a restart is a step: where every start is a local optimum they must end too
        if search.limits.steps is not None and search.steps >= search.limits.steps:
            return "step_limit"


def many(search: Search, options: Mapping[str, Any], runs: int) -> Call:
    """Do the same for many runs."""
    return climb_many(search, options["start"], RANDOM, GO_ON, options["max_sideways"], START_AND_COUNT)
