"""Polynomial-time local search with conflict minimisation: QS1.

Over all pairs i < j: if either is attacked (by any other) and the swap lowers the number of conflicts, swap;
passes are repeated until one makes no swap; if conflicts remain, a new random permutation.

Source: Sosic and Gu, "A polynomial time algorithm for the n-queens problem", SIGART Bulletin 1(3), 1990; in
the survey "Several algorithms for n-Queens" it looks at later rows only and shuffles after each pass.
"""

from collections.abc import Mapping
from typing import Any

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search.lines import swapped
from cpqueens.backends.local_search.search import End, Search, StrategyError, final
from cpqueens.backends.local_search.strategies import Call
from cpqueens.kernels.local.lines import sweep_lines
from cpqueens.kernels.local.runs import sweep_runs
from cpqueens.kernels.local.scan import sweep

PARAMETERS: Mapping[str, Parameter] = {
    "measure": Parameter(str, "surplus", "how an AllDifferent is counted", ("surplus", "pairs")),
}


def run(search: Search, options: Mapping[str, Any]) -> End:
    """Sweep with restarts until solved or stopped."""
    _require_swaps(search)
    while True:
        search.start()
        ended = search.run(sweep)
        if ended != "local_optimum":
            return final(ended)


def many(search: Search, options: Mapping[str, Any], runs: int) -> Call:
    """Do the same for many runs."""
    _require_swaps(search)
    lines = swapped(search)
    return Call(sweep_runs) if lines is None else Call(sweep_lines, state=lines)


def _require_swaps(search: Search) -> None:
    if (search.space.group < 0).any():
        raise StrategyError(
            "sosic-gu swaps only: every variable must be in an AllDifferent over plain variables"
        )
