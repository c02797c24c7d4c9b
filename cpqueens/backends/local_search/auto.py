"""The default: settings that fit the structure first, then others in turn at each restart.

Permutations under AllDifferents over x[i] + o[i] go to `sosic_gu_4`, permutations along a path of differences
to `reversal`, permutations under sums of lines to `exchange` (all found by the engine), permutations under
short rows of differences to `triangle`, objectives under linear rows to `linear`, with columns for values
where such rows count them (`one_hot`), pairs that differ to `pairs`, circuits to `tours`, multisets, and
permutations under an objective, of simple terms to `cells`.
Where one of these makes no progress, and on all other models, the search goes on here and never gives up:
every start is random, so each solution is reached some time.
The walk rotates: best moves of random variables in conflict with sideways moves; tabu search from
the worst variable, which comes first where AllDifferents over several variables make up the model and under
an objective; weighted jumps, first where clauses and definitions do and where nothing can be swapped. Lengths
between starts grow with the universal sequence. After the first steps `presolve` looks for what is easier
than walking.

Source: this package; its lengths are those of Luby, Sinclair and Zuckerman, "Optimal speedup of Las
Vegas algorithms", Information Processing Letters 47, 1993.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search import cells, linear, pairs, triangle
from cpqueens.backends.local_search.search import MOST_VALUES, End, Search
from cpqueens.backends.local_search.strategies import Call
from cpqueens.backends.local_search.walking import Walk, walk_many, walk_with_restarts
from cpqueens.kernels.local.runs import luby
from cpqueens.kernels.local.walk import WORST
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.neighbourhood import derive
from cpqueens.lowered.structures.table import find

PARAMETERS: Mapping[str, Parameter] = {
    "presolve": Parameter(
        bool, True, "whether to propagate, exhaust small models and compute variables that equalities define"
    ),
}

FIRST = 1000
"""Steps after which the model is presolved, see `cpqueens.backends.local_search.presolve`."""
FIRST_MOVES = 64_000
"""Moves that these steps may look at, where values are many; fewer where each changes definitions or sums."""
FEWEST = 16
"""Such steps at least."""

DESCEND = Walk()
TABU = Walk(choice=WORST, noise=1.0, tenure_spread=2, random_choice=0.005)
JUMP = Walk(plateau=0.9, bump=1, noise=0.005)


def _order(search: Search) -> tuple[list[Walk], int]:
    """Return the settings in the order that suits the model, and the shortest length between starts."""
    layers = search.arrays.summary
    total = max(1, sum(layers.values()))
    # a worse move about once per sweep over the variables: more never settles, less stays on plateaus
    descend = replace(DESCEND, noise=min(0.01, 1 / max(1, search.size)))
    if _mostly_rows(search):
        return [TABU, TABU, TABU, descend, JUMP], 200_000
    if search.compiled.objective is not None:
        # each improvement begins with the first again; jumps were the slowest to improve
        return [TABU, descend, TABU, JUMP], 20_000
    if layers["deep"] * 2 > total or not search.neighbourhood.groups:
        return [JUMP, descend, JUMP, TABU], 20_000 + 50 * search.size
    return [descend, descend, JUMP, TABU], 20_000 + 50 * search.size


def settings(search: Search) -> Iterator[Walk]:
    """Yield the settings with their lengths, for ever."""
    order, unit = _order(search)
    for k in count():
        yield replace(order[k % len(order)], stall=unit * luby(k + 1))


def run(search: Search, options: Mapping[str, Any]) -> End:
    """Walk with one setting after the other until solved or stopped."""
    if _mostly_rows(search):
        search.aside = None
        search.relax_short_rows()
    found = structure_of(search)
    if found is not None:
        name, record = found
        search.extra["structure"] = name
        return KERNELS[name].run(search, record, settings(search))
    return walk_with_restarts(search, settings(search))


@dataclass(frozen=True)
class Kernel:
    """What goes on from a start where a model has a structure, in the place of walks or in turns with them.

    Attributes
    ----------
    suits
        Says whether it does what a search is asked for.
    """

    run: Callable[[Search, Any, Iterator[Walk]], End]
    suits: Callable[[Search], bool] = lambda search: True


KERNELS: Mapping[str, Kernel] = {
    "linear": Kernel(lambda search, form, _: linear.run(search, form)),
    "pairs": Kernel(lambda search, found, _: pairs.run(search, found), lambda search: not len(search.events)),
    "triangle": Kernel(
        lambda search, _, others: triangle.run(search, others),
        lambda search: search.hint is None and search.swaps,
    ),
    "cells": Kernel(cells.run, lambda search: search.swaps or not search.compiled.once(derive).groups),
    "one_hot": Kernel(linear.run),
}
"""By the name of the structure, in the order of `structures.table`; none is audited.

Without them, in processor time on 2026-11-26: colourings of queen13_13 and of flat graphs of 300 are not
found in 2.5 to 7.8 times as long (`pairs`), Costas arrays of order 14 take six times as long (`triangle`),
an assignment of 20 ends 0.4 to 0.8 % higher after as long (`cells`), a tight roster of 15 for 21 days ends
at 23 after 4 s, not at 20 after 1 s (`one_hot`). A knapsack of 200 takes as long over columns as over its
own variables (`linear`), which are there for amounts too large for columns.
"""


def structure_of(search: Search) -> tuple[str, Any] | None:
    """Return the structure for which there is a kernel that does what is asked for, with its record."""
    for name, kernel in KERNELS.items() if search.audit == "final" else ():
        record = find(name, search.compiled) if kernel.suits(search) else None
        if record is not None:
            return name, record
    return None


def first_steps(compiled: Compiled) -> int:
    """Return after how many steps a model is presolved: that costs as much as some thousand moves."""
    n = max(1, compiled.decision_count)
    widest = min(MOST_VALUES, max(1, compiled.widest))
    terms = np.diff(compiled.different.start)
    cost = 1 + (len(compiled.definitions) + int(terms[terms > 1].sum())) // n
    return max(FEWEST, min(FIRST, FIRST_MOVES // widest) // cost)


def many(search: Search, options: Mapping[str, Any], runs: int) -> Call | None:
    """Do the same for many runs, where all constraints count from the beginning."""
    if _mostly_rows(search) or structure_of(search) is not None:
        return None
    call = walk_many(*_order(search))
    return call._replace(share=first_steps(search.compiled)) if options["presolve"] else call


def _mostly_rows(search: Search) -> bool:
    layers = search.arrays.summary
    return layers["rows"] * 2 > max(1, sum(layers.values()))
