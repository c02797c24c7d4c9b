"""Kernels that search a model of one structure themselves, before the general engine: one row each.

Where one gives up (its reason is ``stalled``), the general engine goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cpqueens.backends.base import Deliver
from cpqueens.backends.local_search import exchange, reversal, schedule, sosic_gu_4, tours
from cpqueens.backends.local_search.engine import Task, default_steps
from cpqueens.backends.local_search.search import Result
from cpqueens.backends.local_search.slices import Alone, LoneWalk
from cpqueens.backends.local_search.strategies import complete, get_strategy

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement
    from cpqueens.lowered.structures.table import Structures

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
        able = task.lets_kernels_try or (self.takes_hints and task.common["neighbourhood"] == "derived")
        return able and task.strategy in ("auto", self.strategy)


SPECIALS: Mapping[str, Special] = {
    "tours": Special(
        lambda record, task, _: tours.TourWalk(record, task.seed, task.hint, task.common["audit"]),
        lambda _: tours.SHARE, steps=lambda model: TOUR_STEPS, takes_hints=True,
    ),
    "shifted_permutation": Special(
        lambda record, task, options: sosic_gu_4.ShiftedWalk(record, task.seed, options),
        lambda record: 100_000 + 1000 * record.size, "sosic-gu-4",
        lambda model: 2_000_000 + 100 * len(model.decisions),
    ),
    "path": Special(
        lambda record, task, options: reversal.PathWalk(record, task.seed, options),
        lambda record: 1_000_000 + 1000 * record.size, "reversal",
    ),
    "lines": Special(
        lambda record, task, options: exchange.LinesWalk(record, task.seed, options),
        strategy="exchange",
    ),
    "schedule": Special(
        lambda record, task, _: schedule.ScheduleWalk(record, task.seed), lambda _: schedule.SHARE
    ),
}  # fmt: skip
"""By the name of the structure, in the order of `structures.table`."""


def special_of(structures: Structures, task: Task) -> tuple[str, Any] | None:
    """Return the structure that a model has and a kernel searches as asked for, with its record."""
    for name, special in SPECIALS.items():
        record = structures.find(name) if special.suits(task) else None
        if record is not None:
            return name, record
    return None


def search_special(name: str, record: Any, task: Task, deliver: Deliver) -> Result:
    """Search by the kernel for a structure, for ever better solutions where there is an objective.

    The reason is ``stalled`` if it found none with its share of the steps, or gave up.
    """
    special, limits = SPECIALS[name], task.limits
    own = {} if special.strategy is None else complete(get_strategy(special.strategy), task.options)
    walk = special.walk(record, task, own)
    share = None if special.share is None or task.strategy == special.strategy else special.share(record)
    curtailed = share is not None and (limits.steps is None or share < limits.steps)
    run = Alone(walk, replace(limits, steps=share) if curtailed else limits, task.recorder)
    while True:
        ended = walk.begin(run) or walk.walk(run)
        if ended == "solved" or (ended is None and walk.tell(run)):
            run.limits = limits
            if not deliver(run.x[None, :]) or not walk.optimising:
                ended = "solved"
                break
        elif ended is not None:
            break
    gave_up = ended == "step_limit" and run.limits is not limits
    result = walk.result("stalled" if gave_up else ended, run)
    result.statistics |= {"strategy": special.strategy or "auto", "special": special.strategy or name}
    return result
