"""Serving one request: from a model to the engine, and from its result to what the pipeline reads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.answers.recorder import TraceRecorder
from cpqueens.backends.backtracking.wholes.registry import takes
from cpqueens.backends.base import Deliver, Ended, Request
from cpqueens.backends.local_search import auto
from cpqueens.backends.local_search.engine import Task, search_model, try_special, try_specials
from cpqueens.backends.local_search.presolve import Presolve, search_smaller
from cpqueens.backends.local_search.reducing import Reduced, unfolded, without_objective_variable
from cpqueens.backends.local_search.requests import (
    COMMON,
    default_steps,
    ended,
    limits_at_once,
    limits_of,
)
from cpqueens.backends.local_search.schedule import search_schedule
from cpqueens.backends.local_search.search import Limits, Result, StrategyError
from cpqueens.backends.local_search.strategies import STRATEGIES, complete
from cpqueens.backends.local_search.touring import Tours, find_tours, takes_circuit
from cpqueens.backends.local_search.tours import search_tours
from cpqueens.errors import UnsupportedRequest
from cpqueens.lowered.compiled import PLAIN_KINDS
from cpqueens.lowered.patterns import Patterns, patterns_of
from cpqueens.lowered.permutations import shifted_permutation_of
from cpqueens.lowered.schedules import TaskNetwork
from cpqueens.system.platforms import ThreadTime
from cpqueens.system.stopping import Stopped

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement

TOUR_STEPS = 20_000_000
"""Of tours, where a request has no limit."""


def run_request(model: Statement, request: Request, deliver: Deliver) -> Ended:
    """Search as ``request`` says and deliver what is found; never exhaustive."""
    task = task_of(request, request.recorder(model))
    request.clock.measure(ThreadTime())
    try:
        result = _run(model, request, deliver, task)
    except Stopped:  # while the model was compiled
        return Ended(False, request.why_stopped(), statistics={"strategy": task.strategy, "steps": 0})
    except StrategyError as error:
        raise UnsupportedRequest(f"local-search:{task.strategy}: {error}") from None
    trace = None if task.recorder is None else task.recorder.trace()
    return ended(result, request, model.maximizing, trace)


def task_of(request: Request, recorder: TraceRecorder | None = None) -> Task:
    """Return what a request asks for, without its limits: these depend on what the model turns out to be.

    Raises
    ------
    UnsupportedRequest
        If there is no such strategy.
    """
    name = request.strategy or "auto"
    if name not in STRATEGIES:
        raise UnsupportedRequest(f"local-search has no strategy {name!r}; it has {', '.join(STRATEGIES)}")
    options = dict(request.parameters)
    common = {key: options.pop(key, p.default) for key, p in COMMON.items()}
    hint = None
    if request.hint is not None:
        hint = np.asarray(request.hint, dtype=np.int64), np.asarray(request.hinted, dtype=bool)
    return Task(name, request.seed, Limits(), options, common, hint, recorder)


def _run(model: Statement, request: Request, deliver: Deliver, task: Task) -> Result:
    """Search: at once where a kernel knows the model as it is, else on the compiled one."""
    began = request.clock.elapsed()  # without compilation
    tried = _at_once(model, request, task)
    if tried is not None:
        if tried.reason != "stalled":
            return _delivered(tried, deliver)
        began = request.clock.elapsed()
    tours = tours_of(model, task)
    if tours is not None:
        tried = _toured(tours, request, deliver, task, began)
        if tried.reason != "stalled":
            return tried
        began = request.clock.elapsed()
    patterns = patterns_of(model, computed=True, backend="local-search")
    schedule = schedule_of(model, task, patterns)
    if request.interrupted():  # before the arrays of a search are built
        raise Stopped
    translated = request.clock.elapsed() - began
    task = replace(task, limits=limits_of(request, lambda: default_steps(patterns)))
    if schedule is not None:
        tried = search_schedule(schedule, task, deliver)
        if tried.reason != "stalled":
            tried.statistics["translate_time"] = translated
            return tried
    if tried is None:
        tried = try_specials(patterns, task)
    if tried is None or tried.reason == "stalled":
        waiting = model.kept("searches of local-search", dict[Any, Any])
        aside = _presolve(model, request, task, patterns) if tried is None else None
        compiled = unfolded(patterns.compiled)
        smaller = None if aside is not None or tried is not None else _smaller(model, task, patterns)
        if smaller is not None:
            result = search_smaller(model, smaller, task, deliver)
        else:
            result = search_model(compiled, task, deliver, tried, waiting, aside=aside)
        if aside is not None and result.reason == "set_aside":
            result = aside.go_on(result, task, deliver)
    else:
        result = _delivered(tried, deliver)
    result.statistics["translate_time"] = translated + result.statistics.get("translate_time", 0.0)
    return result


def schedule_of(model: Statement, task: Task, patterns: Patterns) -> TaskNetwork | None:
    """Return the model as a schedule, if `auto` may search it as one."""
    if not task.lets_kernels_try or task.strategy != "auto":
        return None

    def found() -> TaskNetwork | None:
        if not any(c.kind in ("Cumulative", "NoOverlap") for _, c in model._constraints.others()):
            return patterns.schedule
        return patterns_of(model, PLAIN_KINDS - {"Count"}, takes=takes, backend="local-search").schedule

    return model.kept("schedule of local-search", found)


def tours_of(model: Statement, task: Task) -> Tours | None:
    """Return the model as tours, if `auto` may search it so."""
    if task.strategy != "auto" or task.common["neighbourhood"] != "derived":
        return None
    if not any(takes_circuit(c) for _, c in model._constraints.others()):
        return None

    def found() -> Tours | None:
        kinds = PLAIN_KINDS - {"Count"}
        return find_tours(patterns_of(model, kinds, takes=takes_circuit, backend="local-search").compiled)

    return model.kept("tours of local-search", found)


def _toured(tours: Tours, request: Request, deliver: Deliver, task: Task, began: float) -> Result:
    """Search tours; ``began`` is when the model began to be read."""
    translated = request.clock.elapsed() - began
    result = search_tours(tours, replace(task, limits=limits_of(request, lambda: TOUR_STEPS)), deliver)
    result.statistics["translate_time"] = translated
    return result


def _smaller(model: Statement, task: Task, patterns: Patterns) -> Reduced | None:
    """Return the model without the variable that is its objective, if an equality gives that.

    `auto` computes more variables than that, later.
    """
    if task.strategy == "auto":
        return None
    return model.kept(
        "objective of local-search", lambda: without_objective_variable(unfolded(patterns.compiled))
    )


def _presolve(model: Statement, request: Request, task: Task, patterns: Patterns) -> Presolve | None:
    """Return what `auto` does beside walking."""
    wanted = task.strategy == "auto" and complete(auto, task.options)["presolve"]
    compiled = patterns.compiled
    return (
        Presolve(model, request, auto.first_steps(compiled)) if wanted and compiled.decision_count else None
    )


def _at_once(model: Statement, request: Request, task: Task) -> Result | None:
    """Try the kernel for queens without compiling the model, which takes most memory on large boards."""
    if not task.lets_kernels_try or task.strategy not in ("auto", "sosic-gu-4"):
        return None
    began = request.clock.elapsed()
    pattern = shifted_permutation_of(model)
    translated = request.clock.elapsed() - began
    if pattern is None:
        return None
    task = replace(task, limits=limits_at_once(model, request))
    result = try_special("sosic-gu-4", pattern, pattern.size, task)
    result.statistics["translate_time"] = translated
    return result


def _delivered(result: Result, deliver: Deliver) -> Result:
    """Return what a special kernel ended with, delivered if it is a solution."""
    if result.cost == 0:
        deliver(result.x[None, :])
    return result
