"""One search of a model: by a kernel made for its pattern first, then by the general engine."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from cpqueens.backends.base import Deliver, Request
from cpqueens.backends.local_search.assembler import objective_bounds
from cpqueens.backends.local_search.meaning import violation
from cpqueens.backends.local_search.search import Aside, End, Limits, Result, Search
from cpqueens.backends.local_search.strategies import COMMON, Strategy, complete, get_strategy, gives_up_swaps
from cpqueens.backends.local_search.tracing import Recorder, WatchedStates
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.evaluation import values_of_all
from cpqueens.system.stopping import Stopped, stopping

Hint = tuple[IntArray, IntArray]
"""Values (decision variables,) and which of them count (bool); the first start is as near as possible."""

Form = tuple[bool, str]
"""What a model's arrays depend on: whether a search only assigns, and its measure."""

Waiting = dict[Form, list[Search]]
"""Searches that no run is using."""

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

    @cached_property
    def lets_kernels_try(self) -> bool:
        """Say whether a kernel made for a pattern can do what is asked for."""
        return self.hint is None and {**self.common, "trace": 0, "profile": False} == DEFAULTS


def default_steps(model: Statement) -> int:
    """Return the step limit of a request without any limit: about 2 * 10**9 moves looked at."""
    widest = int((model.upper[model.decisions] - model.lower[model.decisions]).max(initial=0)) + 1
    return min(20_000_000, max(100_000, 2_000_000_000 // min(widest, 4096)))


def limits_of(
    request: Request, default: Callable[[], int], should_stop: Callable[[], bool] | None = None
) -> Limits:
    """Return the limits of a request; a run without any gets ``default()`` steps."""
    steps = request.step_limit
    if steps is None and not request.clock.limited:
        steps = default()
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
    limits = task.limits
    if tried is not None and limits.steps is not None:  # the steps of both count
        limits = replace(limits, steps=max(0, limits.steps - tried.steps))
    strategy = get_strategy(task.strategy)
    options = complete(strategy, task.options)
    began = time.monotonic()
    given = task if limits is task.limits else replace(task, limits=limits)
    form = form_of(task, strategy, options)
    with stopping(limits.should_stop):
        search = search_for(compiled, given, form, waiting)
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
    release(search, form, waiting)
    return result if tried is None else _joined(search, tried, result)


def form_of(task: Task, strategy: Strategy, options: Mapping[str, Any]) -> Form:
    """Return whether a search only assigns, and its measure."""
    only = gives_up_swaps(strategy, options) or task.common["neighbourhood"] == "assignment"
    return only, options.get("measure", "surplus")


def search_for(compiled: Compiled, task: Task, form: Form, waiting: Waiting | None) -> Search:
    """Return a search that begins as the task says: one that waits, where that makes no difference."""
    only, measure = form
    ready = (waiting or {}).get(form)
    stepwise = task.recorder is not None and task.recorder.single
    if ready and task.hint is None and task.common["audit"] == "final" and not stepwise:
        search = ready.pop()
        search.renew(task.seed, task.limits, task.recorder)
        return search
    return Search(
        compiled, task.seed, task.limits, assignment_only=only, measure=measure,
        audit=task.common["audit"], recorder=task.recorder, hint=task.hint,
    )  # fmt: skip


def release(search: Search, form: Form, waiting: Waiting | None) -> None:
    """Let a search wait for another run."""
    if waiting is not None and search.can_be_renewed:
        waiting.setdefault(form, []).append(search)


def _joined(search: Search, special: Result, general: Result) -> Result:
    """Return the general engine's result with the work of the special kernel before it."""
    both, mine = general.statistics, special.statistics
    for name in ("steps", "evaluations", "moves", "restarts", "resets"):
        both[name] += mine[name]
    both["restarts"] += 1
    both |= {"special": mine["special"], "special_steps": special.steps}
    general.steps += special.steps
    if general.cost > 0 and _amount(search, special.x) < _amount(search, general.x):
        general.x = special.x
    return general


def _amount(search: Search, x: IntArray) -> int:
    """Return by how much an assignment violates the constraints that no group keeps, in all."""
    values = values_of_all(search.compiled, x)
    return sum(violation(entry, values) for entry in search.arrays.entries)


def _improve(
    search: Search, strategy: Strategy, options: Mapping[str, Any], deliver: Deliver
) -> tuple[End, IntArray | None]:
    """Search until a solution is enough or the strategy ends; return why, and the last solution."""
    incumbent = None
    least = None if search.compiled.objective is None else objective_bounds(search.compiled)[0]
    while True:
        try:
            reason = strategy.run(search, options) if search.size else _nothing_to_choose(search)
        except Stopped:  # between the slices, such as at a start
            search.forget()
            return "stopped", incumbent
        if reason != "solved":
            return reason, incumbent
        incumbent = search.incumbent = search.x.copy()
        if not deliver(incumbent[None, :]) or least is None:
            return reason, incumbent
        objective = search.value_of(incumbent)
        if objective <= least:
            search.extra["gave_up"] = "no better objective is possible within the bounds of its terms"
            return "gave_up", incumbent  # and yet no proof
        if search.limits.should_stop():  # improvements that take no step see no limit
            return "stopped", incumbent
        search.demand(objective - 1)


def _nothing_to_choose(search: Search) -> End:
    """Judge the only assignment of a model without variables; the kernels need one to move."""
    search.start()
    if search.solved():
        return "solved"
    search.extra["gave_up"] = "there is no variable to choose a value for"
    return "gave_up"
