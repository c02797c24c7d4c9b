"""The row-wise schedule of annealing: ``local-search:annealing`` with ``schedule="rowwise"``.

From a random permutation, one variable after the other is annealed on its own, round and round until
nothing is violated: its temperature runs from 100 by the factor 0.8 while above 1 (21 temperatures), and at
each every value is tried in order. The usual rule takes a worsening move with probability exp(-change / T)
(Metropolis et al. 1953). ``rule="coarse"`` compares exp(-change / T) with a random one of the hundred
numbers 0, 0.1, ..., 9.9 instead, which takes it with ceil(10 exp(-change / T)) / 100, between 1 and 10 %; it
is the rule under which this schedule became known for n queens, and the one that makes it work, since a
variable that is annealed alone needs no heat. The search has no end of its own: give it a limit.

A solution that is passed through within a course may be left again: ``tested`` says whether it is looked
for after each variable's course, only after each round over all variables, or after each move. For 8 queens
the courses until a solution are about 131, 153 and 134 by the coarse rule, and 1,886, 6,050 and 680 by the
usual one.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cpqueens.backends.local_search.audit import check_state
from cpqueens.backends.local_search.lines import assigned
from cpqueens.backends.local_search.search import End, Search
from cpqueens.backends.local_search.slices import InPlaceWalk
from cpqueens.backends.local_search.strategies import Call
from cpqueens.kernels.local import rowwise as codes
from cpqueens.kernels.local.info import BUDGET, SOLVED
from cpqueens.kernels.local.lines import rowwise_lines
from cpqueens.kernels.local.runs import rowwise_runs
from cpqueens.language.rows import IntArray

TESTED = {"row": codes.EACH_ROW, "round": codes.EACH_ROUND, "move": codes.EACH_MOVE}
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


def run_rowwise(search: Search, options: Mapping[str, Any]) -> End:
    """Anneal until solved or stopped; every variable must be free to take any value of its domain."""
    search.start("permutation")
    place = _place(options)
    temperatures = course()
    tried, taken = (np.zeros(len(temperatures), dtype=np.int64) for _ in range(2))
    state = search.fixed, place, temperatures, tried, taken
    if search.observer is not None:
        search.observer.heated(lambda: float(temperatures[place[codes.TEMPERATURE]]))
    # not by `Search.run`, which ends with the first assignment that satisfies everything
    ended = RowwiseWalk(search, state).walk(search)
    assert ended is not None, "it never stalls"
    search.extra |= {
        "anneals": int(place[codes.ANNEALS]),
        "acceptance": {
            "temperature": temperatures.round(3).tolist(), "worse": tried.tolist(), "accepted": taken.tolist()
        },
    }  # fmt: skip
    return "solved" if search.solved() else ended


def rowwise_many(search: Search, options: Mapping[str, Any], runs: int) -> Call:
    """Do the same for many runs."""
    temperatures = course()
    tried, taken = (np.zeros((runs, len(temperatures)), dtype=np.int64) for _ in range(2))
    arguments: tuple[Any, ...] = _place(options), temperatures, tried, taken
    tables, lines = {"worse": tried, "accepted": taken}, assigned(search)
    if lines is None:
        return Call(rowwise_runs, arguments, "permutation", "anneals", tables)
    chances = np.full((3 * search.size + 1) * len(temperatures), -1.0)  # no change is larger
    return Call(rowwise_lines, (*arguments, chances), "permutation", "anneals", tables, lines)


def _place(options: Mapping[str, Any]) -> IntArray:
    """Return where the walk begins."""
    place = np.zeros(codes.LENGTH, dtype=np.int64)
    place[codes.RULE], place[codes.TESTED] = RULES[options["rule"]], TESTED[options["tested"]]
    return place


class RowwiseWalk(InPlaceWalk):
    """The kernel on a search's own state, with the audit that was asked for."""

    counted = ()
    is_shown = False  # what a step did is told by the search

    def __init__(self, search: Search, state: tuple[Any, ...]) -> None:
        super().__init__()
        self.search, self.state, self.info, self.kernel = search, state, search.info, self._audited

    def _audited(self, steps: int) -> int:
        search, code = self.search, BUDGET
        size = 1 if search.audit == "full" else steps
        for _ in range(0, steps, size):
            code = codes.rowwise(size, *self.state)
            if code == SOLVED:
                break
            if search.audit != "final":
                check_state(search.arrays, search.measure, search.events)
        return code

    def advance(self, host: Search, steps: int) -> int:
        """Make so many steps, and show them."""
        code = super().advance(host, steps)
        if host.observer is not None:
            host.observer.stepped()
        return code
