"""One search of a model: by a kernel made for its structure, or by the general engine."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from cpqueens.backends.base import Deliver, Request
from cpqueens.backends.local_search.search import Aside, End, Limits, Result, Run, Search
from cpqueens.backends.local_search.slices import Alone, KernelRun
from cpqueens.backends.local_search.specials import KERNELS, SPECIALS, Task, kernel_of
from cpqueens.backends.local_search.strategies import Strategy, get_strategy
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.lowered.compiled import Compiled
from cpqueens.system.stopping import Stopped, stopping

Waiting = dict[tuple[bool, str], list[Search]]
"""Searches that no run is using, by `Search.form`."""


def limits_of(
    request: Request,
    model: Statement,
    default: Callable[[Statement], int],
    should_stop: Callable[[], bool] | None = None,
) -> Limits:
    """Return the limits of a request; a run without any gets ``default(model)`` steps."""
    steps = request.step_limit
    if steps is None and not request.clock.limited:
        steps = default(model)
    return Limits(steps, should_stop or request.should_stop)


def search_model(
    compiled: Compiled,
    task: Task,
    deliver: Deliver,
    tried: Result | None = None,
    waiting: Waiting | None = None,
    *,
    aside: Aside | None = None,
    incumbent: IntArray | None = None,
) -> Result:
    """Search for assignments without violation, ever better ones where there is an objective.

    Parameters
    ----------
    deliver
        Takes what is found, (1, decision variables), and says whether to go on where there is an objective.
    tried
        What a special kernel ended with that gave up: its work counts.
    waiting
        Searches of the same model that earlier runs have left.
    aside
        What the search does beside walking.
    incumbent
        A solution from which it goes on, to better ones.
    """
    if tried is not None and task.limits.steps is not None:  # the steps of both count
        left = max(0, task.limits.steps - tried.steps)
        task = replace(task, limits=replace(task.limits, steps=left))
    strategy = get_strategy(task.strategy)
    options = complete(strategy, task.options)
    began = time.monotonic()
    with stopping(task.limits.should_stop):
        found = kernel_of(compiled, task) if compiled.decision_count else None
        search = (found and kernel_run(compiled, task, *found)) or search_for(
            compiled, task, strategy, options, waiting
        )
    if found is not None:
        name, record = found
        search.extra |= {"structure": name, "strategy": "auto"}
        search.special = partial(KERNELS[name].run, search, record)
    built = time.monotonic() - began
    search.aside = aside
    if tried is not None and task.recorder is not None:
        task.recorder.translate(None, tried.steps)
    if incumbent is not None:
        search.go_to(incumbent)
        search.incumbent = incumbent
        search.demand(search.value_of(incumbent) - 1)
    reason, incumbent = _improve(search, strategy, options, deliver)
    result = search.result(reason)
    result.statistics = {"strategy": task.strategy, "translate_time": built, **result.statistics}
    if compiled.objective is not None:
        result.statistics["improvements"] = search.improvements
    if search.hint_kept is not None:
        result.statistics["hint_kept"] = search.hint_kept
    if incumbent is not None:
        result.x, result.cost = incumbent, 0
        result.objective = None if compiled.objective is None else search.value_of(incumbent)
    release(search, waiting)
    return result if tried is None else _joined(search, tried, result)


def complete(strategy: Strategy, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options of ``strategy`` with its defaults for the others.

    A strategy whose options imply others has a function ``settle(options)``; ``assignment_only``
    among them gives up derived swaps.
    """
    options = {name: given.get(name, option.default) for name, option in strategy.PARAMETERS.items()}
    settle = getattr(strategy, "settle", None)
    return options if settle is None else settle(options)


def gives_up_swaps(strategy: Strategy, options: Mapping[str, Any]) -> bool:
    """Say whether every variable moves by assignment, by nature of the strategy or by its options."""
    return getattr(strategy, "ASSIGNMENT_ONLY", False) or bool(options.get("assignment_only"))


def search_for(
    compiled: Compiled, task: Task, strategy: Strategy, options: Mapping[str, Any], waiting: Waiting | None
) -> Search:
    """Return a search that begins as the task says: one that waits, where that makes no difference."""
    only = gives_up_swaps(strategy, options) or task.common["neighbourhood"] == "assignment"
    measure = options.get("measure", "surplus")
    ready = (waiting or {}).get((only, measure))
    stepwise = task.recorder is not None and task.recorder.single
    if ready and task.hint is None and task.common["audit"] == "final" and not stepwise:
        search = ready.pop()
        search.renew(task.seed, task.limits, task.recorder)
        return search
    return Search(
        compiled, task.seed, task.limits, assignment_only=only, measure=measure,
        audit=task.common["audit"], recorder=task.recorder, hint=task.hint,
    )  # fmt: skip


def kernel_run(compiled: Compiled, task: Task, name: str, record: Any) -> KernelRun | None:
    """Return a search that the kernel for a structure makes alone; None where it goes on from others."""
    alone = KERNELS[name].alone
    if alone is None:
        return None
    return KernelRun(
        compiled,
        task.seed,
        task.limits,
        partial(alone, record),
        recorder=task.recorder,
        hint=task.hint,
    )


def release(search: Run, waiting: Waiting | None) -> None:
    """Let a search wait for another run."""
    if waiting is not None and isinstance(search, Search) and search.can_be_renewed:
        waiting.setdefault(search.form, []).append(search)


def _joined(search: Run, special: Result, general: Result) -> Result:
    """Return the general engine's result with the work of the special kernel before it."""
    special.statistics.pop("improvements", None)  # of what is no solution
    general.add_work(special)
    general.statistics["restarts"] += 1
    general.statistics |= {"special": special.statistics["special"], "special_steps": special.steps}
    if general.cost > 0 and search.amount(special.x) < search.amount(general.x):
        general.x = special.x
    return general


def _improve(
    search: Run, strategy: Strategy, options: Mapping[str, Any], deliver: Deliver
) -> tuple[End, IntArray | None]:
    """Search until a solution is enough or the strategy ends; return why, and the last solution."""
    incumbent = None
    while True:
        try:
            reason = _searched(search, strategy, options)
        except Stopped:  # between the slices, such as at a start
            search.forget()
            return "stopped", incumbent
        if reason != "solved":
            return reason, incumbent
        incumbent = search.incumbent = search.x.copy()
        if not deliver(incumbent[None, :]) or search.compiled.objective is None:
            return reason, incumbent
        objective = search.value_of(incumbent)
        if objective <= search.objective_least:
            search.extra["gave_up"] = "no better objective is possible within the bounds of its terms"
            return "gave_up", incumbent  # and yet no proof
        if search.limits.should_stop():  # improvements that take no step see no limit
            return "stopped", incumbent
        search.demand(objective - 1)


def _searched(search: Run, strategy: Strategy, options: Mapping[str, Any]) -> End:
    """Search until a solution or the end, by the strategy, or by a kernel alone."""
    if not search.size:
        return _nothing_to_choose(search)
    if isinstance(search, Search):
        return strategy.run(search, options)
    assert search.special is not None, "what no kernel searches has the general engine's arrays"
    return search.special(iter(()))


def _nothing_to_choose(search: Run) -> End:
    """Judge the only assignment of a model without variables; the kernels need one to move."""
    search.start()
    if search.solved():
        return "solved"
    search.extra["gave_up"] = "there is no variable to choose a value for"
    return "gave_up"


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
