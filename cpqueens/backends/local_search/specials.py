"""Kernels that search a model of one structure themselves, before the general engine: one row each.

Where one gives up (its reason is ``stalled``), the general engine goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from cpqueens.backends.base import Deliver
from cpqueens.backends.local_search import exchange, reversal, sosic_gu_4
from cpqueens.backends.local_search.engine import Task, default_steps
from cpqueens.backends.local_search.schedule import search_schedule
from cpqueens.backends.local_search.search import Limits, Result
from cpqueens.backends.local_search.strategies import complete, get_strategy
from cpqueens.backends.local_search.tours import search_tours
from cpqueens.backends.local_search.tracing import Recorder

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement
    from cpqueens.lowered.structures.table import Structures

TOUR_STEPS = 20_000_000
"""Of tours, where a request has no limit."""

Solve = Callable[[Any, int, Limits, Mapping[str, Any], Recorder | None], Result]
"""Called with a permutation's record, seed, limits, the strategy's options and what records the search."""


@dataclass(frozen=True)
class Special:
    """A kernel made for one structure; ``auto`` lets it try first.

    Attributes
    ----------
    search
        Called with the structure's record, the task and what takes solutions.
    strategy
        Under which name it can be asked for, too.
    steps
        How many a run without any limit makes.
    share
        Steps for so many variables after which ``auto`` goes on with the general engine: a hundred times
        those that solutions were ever seen to take. Others have rules of their own.
    takes_hints
        Whether it takes hints, audits and traces.
    """

    search: Callable[[Any, Task, Deliver], Result]
    strategy: str | None = None
    steps: Callable[[Statement], int] = default_steps
    share: Callable[[int], int] | None = None
    takes_hints: bool = False

    def suits(self, task: Task) -> bool:
        """Say whether it can do what is asked for."""
        able = task.lets_kernels_try or (self.takes_hints and task.common["neighbourhood"] == "derived")
        return able and task.strategy in ("auto", self.strategy)


def _permuted(name: str, solve: Solve, record: Any, task: Task, deliver: Deliver) -> Result:
    """Search a permutation, for the kernel's share if its strategy is not the one asked for."""
    share, limits = SPECIALS[name].share, task.limits
    strategy = SPECIALS[name].strategy
    assert strategy is not None, "kernels of permutations are strategies"
    most = None if share is None or strategy == task.strategy else share(record.size)
    curtailed = most is not None and (limits.steps is None or most < limits.steps)
    given = replace(limits, steps=most) if curtailed else limits
    result = solve(record, task.seed, given, complete(get_strategy(strategy), task.options), task.recorder)
    if curtailed and result.reason == "step_limit":
        result.reason = "stalled"
    elif result.cost == 0:
        deliver(result.x[None, :])
    result.statistics |= {"strategy": strategy, "special": strategy}
    return result


SPECIALS: Mapping[str, Special] = {
    "tours": Special(search_tours, steps=lambda model: TOUR_STEPS, takes_hints=True),
    "shifted_permutation": Special(
        partial(_permuted, "shifted_permutation", sosic_gu_4.solve_shifted), "sosic-gu-4",
        lambda model: 2_000_000 + 100 * len(model.decisions), lambda n: 100_000 + 1000 * n,
    ),
    "path": Special(
        partial(_permuted, "path", reversal.solve_path), "reversal", share=lambda n: 1_000_000 + 1000 * n
    ),
    "lines": Special(partial(_permuted, "lines", exchange.solve_lines), "exchange"),
    "schedule": Special(search_schedule),
}  # fmt: skip
"""By the name of the structure, in the order of `structures.table`."""


def special_of(structures: Structures, task: Task) -> tuple[str, Any] | None:
    """Return the structure that a model has and a kernel searches as asked for, with its record."""
    for name, special in SPECIALS.items():
        record = structures.find(name) if special.suits(task) else None
        if record is not None:
            return name, record
    return None
