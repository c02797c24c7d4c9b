"""Simulated annealing with geometric cooling and reheating, tied to steps.

The start temperature is the mean worsening of sampled moves; it falls geometrically to ``lowest`` over
``cooling_steps`` steps and is then raised to a part of the start temperature again.

``schedule="rowwise"`` is another course altogether, in pairs and by assignment.

Source: Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 220, 1983; by rows: Xu
Jianliang's exercise in the survey "Several algorithms for n-Queens", whose text has no limit and accepts in
steps of a hundredth.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cpqueens.backends.base import COUNT, PROBABILITY, Parameter
from cpqueens.backends.local_search.audit import check_state
from cpqueens.backends.local_search.lines import assigned
from cpqueens.backends.local_search.search import End, Search, final
from cpqueens.backends.local_search.slices import InPlaceWalk
from cpqueens.backends.local_search.strategies import Call
from cpqueens.kernels.local import anneal as codes, rowwise
from cpqueens.kernels.local.info import BUDGET, SOLVED
from cpqueens.kernels.local.lines import rowwise_lines
from cpqueens.kernels.local.runs import anneal_runs, rowwise_runs
from cpqueens.language.rows import IntArray

# ---- the row-wise schedule -------------------------------------------------------------------------------
# From a random permutation, one variable after the other is annealed on its own, round and round until
# nothing is violated: its temperature runs from 100 by the factor 0.8 while above 1 (21 temperatures), and at
# each every value is tried in order. The usual rule takes a worsening move with probability exp(-change / T)
# (Metropolis et al. 1953). ``rule="coarse"`` compares exp(-change / T) with a random one of the hundred
# numbers 0, 0.1, ..., 9.9 instead, which takes it with ceil(10 exp(-change / T)) / 100, between 1 and 10 %;
# it is the rule under which this schedule became known for n queens, and the one that makes it work, since a
# variable that is annealed alone needs no heat. The search has no end of its own: give it a limit.
#
# A solution that is passed through within a course may be left again: ``tested`` says whether it is looked
# for after each variable's course, only after each round over all variables, or after each move. For 8 queens
# the courses until a solution are about 131, 153 and 134 by the coarse rule, and 1,886, 6,050 and 680 by the
# usual one.

TESTED = {"row": rowwise.EACH_ROW, "round": rowwise.EACH_ROUND, "move": rowwise.EACH_MOVE}
RULES = {"coarse": rowwise.COARSE, "metropolis": rowwise.METROPOLIS}
HOTTEST, FACTOR, COLDEST = 100.0, 0.8, 1.0


def rowwise_course() -> Any:
    """Return the temperatures, descending.

    >>> [round(float(t), 2) for t in rowwise_course()[[0, 1, 10, 20]]], len(rowwise_course())
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
    temperatures = rowwise_course()
    tried, taken = (np.zeros(len(temperatures), dtype=np.int64) for _ in range(2))
    state = search.fixed, place, temperatures, tried, taken
    if search.observer is not None:
        search.observer.heated(lambda: float(temperatures[place[rowwise.TEMPERATURE]]))
    # not by `Search.run`, which ends with the first assignment that satisfies everything
    ended = RowwiseWalk(search, state).walk(search)
    assert ended is not None, "it never stalls"
    search.extra |= {
        "anneals": int(place[rowwise.ANNEALS]),
        "acceptance": {
            "temperature": temperatures.round(3).tolist(), "worse": tried.tolist(), "accepted": taken.tolist()
        },
    }  # fmt: skip
    return "solved" if search.solved() else ended


def rowwise_many(search: Search, options: Mapping[str, Any], runs: int) -> Call:
    """Do the same for many runs."""
    temperatures = rowwise_course()
    tried, taken = (np.zeros((runs, len(temperatures)), dtype=np.int64) for _ in range(2))
    arguments: tuple[Any, ...] = _place(options), temperatures, tried, taken
    tables, lines = {"worse": tried, "accepted": taken}, assigned(search)
    if lines is None:
        return Call(rowwise_runs, arguments, "permutation", "anneals", tables)
    chances = np.full((3 * search.size + 1) * len(temperatures), -1.0)  # no change is larger
    return Call(rowwise_lines, (*arguments, chances), "permutation", "anneals", tables, lines)


def _place(options: Mapping[str, Any]) -> IntArray:
    """Return where the walk begins."""
    place = np.zeros(rowwise.LENGTH, dtype=np.int64)
    place[rowwise.RULE], place[rowwise.TESTED] = RULES[options["rule"]], TESTED[options["tested"]]
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
            code = rowwise.rowwise(size, *self.state)
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


# ---- one cooling for all ---------------------------------------------------------------------------------


PARAMETERS: Mapping[str, Parameter] = {
    "cooling_steps": COUNT(0, "steps down to the lowest temperature, 0: 200 per variable, at least 20000"),
    "lowest": Parameter(float, 0.15, "lowest temperature, in units of violation", limits=(1e-6, 2**31)),
    "reheat": Parameter(float, 0.5, "share of the start temperature to reheat to", limits=(0, 100)),
    "conflicted": PROBABILITY(0.5, "probability of moving a variable in conflict rather than any"),
    "schedule": Parameter(
        str, "geometric", "one cooling for all, or one for each variable", ("geometric", "rowwise")
    ),
    "rule": Parameter(
        str, "coarse", "of the rowwise schedule: when a worse move is taken", ("coarse", "metropolis")
    ),
    "tested": Parameter(
        str, "row", "of the rowwise schedule: when it tests for a solution", ("row", "round", "move")
    ),
    "measure": Parameter(
        str, "auto", "how an AllDifferent is counted; auto: surplus, by the rowwise schedule pairs",
        ("auto", "surplus", "pairs"),
    ),
}  # fmt: skip


def settle(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with what the schedule implies: rowwise, every variable is free and pairs count."""
    rowwise = options["schedule"] == "rowwise"
    measure = options["measure"]
    if measure == "auto":
        measure = "pairs" if rowwise else "surplus"
    return {**options, "measure": measure, "assignment_only": rowwise}


def run(search: Search, options: Mapping[str, Any]) -> End:
    """Anneal, reheating for ever, until solved or stopped."""
    if options["schedule"] == "rowwise":
        return run_rowwise(search, options)
    search.start()
    heat = course(search.size, options)
    codes.heat_up(search.fixed, heat)
    if search.observer is not None:
        search.observer.heated(lambda: float(heat[codes.TEMPERATURE]))
    return final(search.run(codes.anneal, heat))


def many(search: Search, options: Mapping[str, Any], runs: int) -> Call:
    """Do the same for many runs."""
    if options["schedule"] == "rowwise":
        return rowwise_many(search, options, runs)
    return Call(anneal_runs, (course(search.size, options),))


def course(size: int, options: Mapping[str, Any]) -> Any:
    """Return what the kernel takes, without the temperatures that it finds by sampling."""
    heat = np.zeros(codes.LENGTH)
    heat[codes.LOWEST] = options["lowest"]
    heat[codes.STEPS] = options["cooling_steps"] or max(20_000, 200 * size)
    heat[codes.REHEATED] = options["reheat"]
    heat[codes.CONFLICTED] = options["conflicted"]
    return heat
