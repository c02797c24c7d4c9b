"""The kernels made for structures, a row each: those that search a model before it is compiled, and others.

Where one of the former gives up (its reason is ``stalled``), others or the general engine go on.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cpqueens.backends.local_search import cells, linear, pairs, permutations, schedule, tours, triangle
from cpqueens.backends.local_search.search import End, Hint, Judge, Limits, Run
from cpqueens.backends.local_search.slices import LoneWalk
from cpqueens.backends.local_search.strategies import COMMON
from cpqueens.backends.local_search.tracing import Recorder, WatchedStates
from cpqueens.backends.local_search.walking import Walk
from cpqueens.language.statement import Statement
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.neighbourhood import derive
from cpqueens.lowered.structures.table import Structures, find

DEFAULTS = {name: parameter.default for name, parameter in COMMON.items()}


@dataclass(frozen=True)
class Task:
    """What is asked for, whatever the model: a strategy with its own options, those common to all, limits."""

    strategy: str
    seed: int
    limits: Limits
    options: Mapping[str, Any]
    common: Mapping[str, Any]
    hint: Hint | None = None
    recorder: Recorder | None = None
    watched: WatchedStates | None = None  # what a profile is made of, whoever shows it the states

    @property
    def recorded(self) -> bool:
        """Say whether somebody looks at the states."""
        return bool(self.common["trace"] or self.common["profile"])

    @property
    def swaps(self) -> bool:
        """Say whether groups of variables may be swapped."""
        return bool(self.common["neighbourhood"] == "derived")

    @cached_property
    def lets_kernels_try(self) -> bool:
        """Say whether a kernel made for a pattern can do what is asked for."""
        return self.hint is None and {**self.common, "trace": 0, "profile": False} == DEFAULTS


def default_steps(model: Statement) -> int:
    """Return the step limit of a request without any limit: about 2 * 10**9 moves looked at."""
    widest = int((model.upper - model.lower)[model.decisions].max(initial=0)) + 1
    return min(20_000_000, max(100_000, 2_000_000_000 // min(widest, 4096)))


TOUR_STEPS = 20_000_000
"""Of tours, where a request has no limit."""


@dataclass(frozen=True)
class Special:
    """A kernel made for one structure; ``auto`` lets it try first.

    Attributes
    ----------
    walk
        Returns the kernel with its arrays, for the structure's record, the task and the strategy's options.
    share
        Steps without a solution after which ``auto`` goes on with the general engine: for permutations a
        hundred times those that solutions were ever seen to take.
    strategy
        Under which name it can be asked for, too; then it has no share.
    steps
        How many a run without any limit makes.
    takes_hints
        Whether it takes hints, audits and traces.
    """

    walk: Callable[[Any, Task, Mapping[str, Any]], LoneWalk]
    share: Callable[[Any], int] | None = None
    strategy: str | None = None
    steps: Callable[[Statement], int] = default_steps
    takes_hints: bool = False

    def suits(self, task: Task) -> bool:
        """Say whether it can do what is asked for."""
        able = task.lets_kernels_try or (self.takes_hints and task.swaps)
        return able and task.strategy in ("auto", self.strategy)


SPECIALS: Mapping[str, Special] = {
    "tours": Special(
        lambda record, task, _: tours.TourWalk(record, task.seed, task.hint, task.common["audit"]),
        lambda _: tours.SHARE, steps=lambda model: TOUR_STEPS, takes_hints=True,
    ),
    "shifted_permutation": Special(
        lambda record, task, options: permutations.ShiftedWalk(record, task.seed, options),
        lambda record: 100_000 + 1000 * record.size, "sosic-gu-4",
        lambda model: 2_000_000 + 100 * len(model.decisions),
    ),
    "path": Special(
        lambda record, task, options: permutations.PathWalk(record, task.seed, options),
        lambda record: 1_000_000 + 1000 * record.size, "reversal",
    ),
    "lines": Special(
        lambda record, task, options: permutations.LinesWalk(record, task.seed, options),
        strategy="exchange",
    ),
    "schedule": Special(
        lambda record, task, _: schedule.ScheduleWalk(record, task.seed), lambda _: schedule.SHARE
    ),
}  # fmt: skip
"""By the name of the structure, in the order of `structures.table`.

Without them, in processor time on 2026-11-28: a tour of 100 ends at 18,387 to 30,524 after 4 s, not at 7,892
(`tours`), the job shop ft10 at 996 to 998, not at 930 to 937 (`schedule`).
"""


def special_of(structures: Structures, task: Task) -> tuple[str, Any] | None:
    """Return the structure that a model has and a kernel searches as asked for, with its record."""
    for name, special in SPECIALS.items():
        record = structures.find(name) if special.suits(task) else None
        if record is not None:
            return name, record
    return None


@dataclass(frozen=True)
class Kernel:
    """What `auto` does where a compiled model has a structure, in the place of walks or in turns with them.

    Attributes
    ----------
    run
        Searches, given the search, the structure's record and the settings of walks.
    suits
        Says whether it does what a search is asked for.
    alone
        Returns the kernel of a search for which the general engine's arrays are not needed.
    """

    run: Callable[[Any, Any, Iterator[Walk]], End]
    suits: Callable[[Task, Compiled], bool] = lambda task, compiled: True
    alone: Callable[[Any, Run], Judge] | None = None


KERNELS: Mapping[str, Kernel] = {
    "linear": Kernel(linear.run, alone=lambda form, _: linear.LinearWalk(form)),
    "pairs": Kernel(
        lambda search, _found, _others: pairs.run(search),
        lambda task, _: task.recorder is None or not task.recorder.single,
        lambda found, search: pairs.PairsWalk(search, found.rows),
    ),
    "triangle": Kernel(triangle.run, lambda task, _: task.hint is None and task.swaps),
    "cells": Kernel(cells.run, lambda task, compiled: task.swaps or not compiled.once(derive).groups),
    "one_hot": Kernel(linear.run),
}
"""By the name of the structure, in the order of `structures.table`; none is audited.

Without them, in processor time on 2026-11-26: colourings of queen13_13 and of flat graphs of 300 are not
found in 2.5 to 7.8 times as long (`pairs`), Costas arrays of order 14 take six times as long (`triangle`), an
assignment of 20 ends 0.4 to 0.8 % higher after as long, and sequences of 100 cars are not found in twice as
long (`cells`), a tight roster of 15 for 21 days ends at 23 after 4 s, not at 20 after 1 s (`one_hot`). A
knapsack of 200 takes as long over columns as over its own variables (`linear`), which are there for amounts
too large for columns.
"""


BY_STRUCTURE = ("auto", "exchange")
"""Strategies that go on by these kernels."""


def kernel_of(compiled: Compiled, task: Task) -> tuple[str, Any] | None:
    """Return the structure for which there is a kernel that does what is asked for, with its record."""
    if task.strategy not in BY_STRUCTURE or task.common["audit"] != "final":
        return None
    for name, kernel in KERNELS.items():
        record = find(name, compiled) if kernel.suits(task, compiled) else None
        if record is not None:
            return name, record
    return None
