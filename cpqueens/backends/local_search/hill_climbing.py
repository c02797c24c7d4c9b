"""Hill climbing with a random neighbour on shoulders.

All N(N-1) moves of one variable within its domain are scanned; of those not worse than the current state
the best is kept, of equals the last one scanned. If there is none, the run ends in a local optimum. If the
best is only equal (a shoulder), two readings exist: ``take-and-shake`` takes it and then gives one random
variable a random value; ``jump`` goes to a random neighbour instead. With ``measure="surplus"`` a line with
c queens counts c - 1, with ``"pairs"`` c (c - 1) / 2. Every constraint is counted, also the one that other
strategies keep by swaps, and each neighbour costs O(1) by counters, where the text's state costs O(N^2).

Source: "N-Queen Problem | Local Search using Hill climbing with random neighbour", GeeksforGeeks; its code
takes and shakes, its text jumps, and neither has a limit on steps.
"""

from collections.abc import Mapping
from typing import Any

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search.climbing import climbing_once_with
from cpqueens.kernels.local.scan import JUMP, LAST, TAKE_AND_SHAKE

ASSIGNMENT_ONLY = True
PARAMETERS: Mapping[str, Parameter] = {
    "measure": Parameter(str, "surplus", "how an AllDifferent is counted", ("surplus", "pairs")),
    "shoulder": Parameter(str, "take-and-shake", "the move on a shoulder", ("take-and-shake", "jump")),
    "start": Parameter(str, "independent", "the kind of start", ("independent", "permutation")),
}


def _setting(options: Mapping[str, Any]) -> tuple[int, int, int]:
    return LAST, JUMP if options["shoulder"] == "jump" else TAKE_AND_SHAKE, 0


run, many = climbing_once_with(_setting)
