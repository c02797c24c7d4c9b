"""Serving requests: from a model to the engine, and from its result to what the pipeline reads.

A request asks for one run, or for many that differ in their seeds: one kernel makes these in few calls.
"""

import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cpqueens.answers.trace import TraceRecorder
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.backends.backtracking.wholes.registry import takes
from cpqueens.backends.base import Deliver, Ended, Many, Request, StopReason, Want
from cpqueens.backends.local_search.engine import (
    complete,
    limits_of,
    release,
    search_for,
    search_model,
    search_special,
)
from cpqueens.backends.local_search.permutations import solve_shifted_many
from cpqueens.backends.local_search.presolve import Presolve, search_smaller
from cpqueens.backends.local_search.root import LARGEST
from cpqueens.backends.local_search.search import Limits, Result, StrategyError
from cpqueens.backends.local_search.specials import SPECIALS, Task, default_steps, kernel_of, special_of
from cpqueens.backends.local_search.strategies import COMMON, STRATEGIES, get_strategy
from cpqueens.backends.local_search.tracing import WatchedStates
from cpqueens.backends.relaxation.relaxation import relaxation_of
from cpqueens.backends.together import COUNTED, Together, drive, ended as lot_ended
from cpqueens.errors import ModelError, UnsupportedRequest
from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.kernels.local.info import NEVER
from cpqueens.kernels.local.start import EXTRA, make_lot
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.forms import unfolded
from cpqueens.lowered.presolve.reduction import Reduced, without_objective_variable
from cpqueens.lowered.structures.shifted_permutation import ShiftedPermutation
from cpqueens.lowered.structures.table import Structures
from cpqueens.system.stopping import Stopped, stopping


def run_request(model: Statement, request: Request, deliver: Deliver) -> Ended:
    """Search as ``request`` says and deliver what is found; never exhaustive."""
    task = task_of(request, request.recorder(model))
    request.clock.measure()
    try:
        result = _run(model, request, deliver, task)
    except Stopped:  # while the model was compiled
        return Ended(False, request.why_stopped(), statistics={"strategy": task.strategy, "steps": 0})
    except StrategyError as error:
        raise UnsupportedRequest(f"local-search:{task.strategy}: {error}") from None
    return ended(result, request, model, task)


REASONS: Mapping[str, StopReason] = {
    "solved": StopReason.SOLUTION_LIMIT,
    **{name: StopReason(name) for name in ("step_limit", "local_optimum", "plateau_limit", "gave_up")},
}


def ended(result: Result, request: Request, model: Statement, task: Task) -> Ended:
    """Return how a run ended; the best assignment is `closest` if it is no solution.

    There is none if the run was stopped before it had judged any.
    """
    statistics: dict[str, Any] = dict(result.statistics)
    if result.reason == "stopped":
        reason = request.why_stopped()
    elif result.reason == "step_limit" and request.step_limit is None:
        reason = StopReason.GAVE_UP  # the steps that runs without any limit may make are nobody's limit
        statistics["gave_up"] = f"no limit was given, and {result.steps:,} steps were made"
    else:
        reason = REASONS[result.reason]
    statistics["trajectory"] = result.trajectory
    closest = result.x if 0 < result.cost < NEVER else None
    objective = result.objective
    if objective is not None and model.maximizing:  # what was minimised is the negated one
        objective = -objective
    trace = task.recorder.trace() if isinstance(task.recorder, TraceRecorder) else None
    tallies = None if task.watched is None else task.watched.walked(len(model.decisions))
    return Ended(
        False, reason, objective, closest=closest, statistics=statistics, trace=trace, tallies=tallies
    )


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
    watched = WatchedStates() if common["profile"] else None
    if watched is not None and recorder is not None:
        recorder.also = watched.see
    return Task(name, request.seed, Limits(), options, common, hint, recorder or watched, watched)


def _run(model: Statement, request: Request, deliver: Deliver, task: Task) -> Result:
    """Search: by the kernel made for what the model is, if there is one, then by the general engine."""
    began = request.clock.elapsed()  # without compilation
    structures, tried = model.kept("structures", partial(Structures, model, "local-search", takes)), None
    bound = ObjectiveBound(structures, request)
    with stopping(request.should_stop):
        found = special_of(structures, task)
    if found is not None:
        name, record = found
        translated = request.clock.elapsed() - began
        limits = limits_of(request, model, SPECIALS[name].steps, bound.should_stop)
        tried = search_special(name, record, replace(task, limits=limits), deliver)
        tried.statistics |= {"translate_time": translated, "structure": name, **bound.facts}
        if tried.reason != "stalled":
            return tried
        began = request.clock.elapsed()
    with stopping(request.should_stop):
        structures.compiled()
    if request.interrupted():  # before the arrays of a search are built
        raise Stopped
    translated = request.clock.elapsed() - began
    task = replace(task, limits=limits_of(request, model, default_steps, bound.should_stop))
    result = _searched(structures, request, deliver, task, tried)
    result.statistics |= bound.facts
    result.statistics["translate_time"] = translated + result.statistics.get("translate_time", 0.0)
    return result


def _searched(
    structures: Structures, request: Request, deliver: Deliver, task: Task, tried: Result | None
) -> Result:
    """Search by the general engine, after what a kernel tried in vain."""
    model, compiled = structures.model, structures.compiled()
    aside = Presolve.of(structures, request, task) if tried is None else None
    smaller = None if aside is not None or tried is not None else _smaller(model, task, compiled)
    if smaller is not None:
        return search_smaller(model, smaller, task, deliver, "searches without an objective's variable")
    waiting = model.kept("searches of local-search", dict[Any, Any])
    result = search_model(unfolded(compiled), task, deliver, tried, waiting, aside=aside)
    return (
        aside.go_on(result, task, deliver) if aside is not None and result.reason == "set_aside" else result
    )


def _smaller(model: Statement, task: Task, compiled: Compiled) -> Reduced | None:
    """Return the model without the variable that is its objective, if an equality gives that.

    `auto` computes more variables than that, later.
    """
    if task.strategy == "auto":
        return None
    return model.kept("objective of local-search", lambda: without_objective_variable(unfolded(compiled)))


# ---- many runs -------------------------------------------------------------------------------------------


def run_many(model: Statement, request: Request, seeds: IntArray) -> Many | None:
    """Make a run for each seed; None where runs have to be made one by one.

    So it is with hints, audits, traces and profiles; with starts of groups whose members have different
    domains; where constraints do not count at first (`auto` on models of many rows); and with the kernels for
    paths, lines, tours and schedules.
    """
    task = task_of(request)
    if task.hint is not None or task.common["audit"] != "final" or task.recorded:
        return None
    structures = Structures(model, "local-search", takes)
    found = special_of(structures, task)
    if found is not None:
        name, record = found
        task = replace(task, limits=limits_of(request, model, SPECIALS[name].steps))
        return _shifted(record, request, task, seeds) if name == "shifted_permutation" else None
    task = replace(task, limits=limits_of(request, model, default_steps))
    return _general(model, structures.compiled(), request, task, seeds)


def _shifted(pattern: ShiftedPermutation, request: Request, task: Task, seeds: IntArray) -> Many:
    """Make the runs of the kernel for queens; those that it gives up for `auto` are left to single runs."""
    special = SPECIALS["shifted_permutation"]
    assert special.share is not None
    assert special.strategy is not None
    limit, share = task.limits.steps, special.share(pattern)
    curtailed = task.strategy == "auto" and (limit is None or share < limit)
    together = solve_shifted_many(pattern, complete(get_strategy(special.strategy), task.options))
    lot = make_lot(seeds, pattern.size, share if curtailed else limit)
    seconds = drive(together, lot, request)
    np.add(lot.x, pattern.low, out=lot.x)
    return lot_ended(together, lot, seconds, request, curtailed)


def _general(
    model: Statement, compiled: Compiled, request: Request, task: Task, seeds: IntArray
) -> Many | None:
    """Make the runs of the general engine, if the strategy can."""
    strategy = get_strategy(task.strategy)
    options = complete(strategy, task.options)
    many = getattr(strategy, "many", None)
    if many is None or not compiled.decision_count or kernel_of(compiled, task) is not None:
        return None
    waiting = model.kept("searches of local-search", dict[Any, Any])
    search = search_for(compiled, task, strategy, options, waiting)
    call = many(search, options, len(seeds))
    starts = [] if call is None else search.starts(call.start)
    if call is None or len(starts) != 1 or not isinstance(starts[0], Fixed):
        return None
    names = COUNTED if call.extra is None else {**COUNTED, call.extra: EXTRA}
    together = Together(
        call.kernel, call.state or search.fixed, (starts[0], *call.arguments), lambda: search.steps, names,
        call.tables,
    )  # fmt: skip
    limit, share = task.limits.steps, call.share
    curtailed = share is not None and (limit is None or share < limit)
    lot = make_lot(seeds, search.size, share if curtailed else limit)
    seconds = drive(together, lot, request)
    release(search, waiting)
    return lot_ended(together, lot, seconds, request, curtailed)


# ---- a bound beside the search ---------------------------------------------------------------------------


AFTER = 0.05
"""Processor seconds of a search until it looks for a bound: many are over by then."""
LEFT = 0.25
"""Seconds of the user's limit that must be left."""


class ObjectiveBound:
    """Proves a bound once a run has taken a while; no step of the search depends on it."""

    def __init__(self, structures: Structures, request: Request) -> None:
        self._structures, self._request = structures, request
        model = structures.model
        self.facts: Mapping[str, Any] = {}
        is_wanted = request.want is Want.BEST and request.bounds is not None
        asks = is_wanted and model.variable_count + model.constraint_count <= LARGEST
        self._thread = threading.get_ident() if asks else 0  # what watches the run has another one
        self._begun = float("inf")  # when it was asked first: preparing does not count

    def should_stop(self) -> bool:
        """Say whether the run is to end; look for the bound when it is time, and the run itself asks."""
        if self._request.should_stop():
            return True
        if threading.get_ident() != self._thread:
            return False
        used, left = self._request.clock.used(), self._request.clock.remaining() or LEFT
        self._begun = min(self._begun, used)
        if used - self._begun > AFTER and left >= LEFT:
            self._thread = 0
            self._prove()
            return self._request.should_stop()
        return False

    def _prove(self) -> None:
        compiled = self._structures.compiled(self._structures.exact)
        try:
            found = relaxation_of(
                self._structures.model, compiled, lambda: build_memory(compiled, False), self._request
            )
        except ModelError:  # of too many values the exact engine has no network
            return
        self.facts = {} if found is None else found.facts
        if found is not None and found.bound is not None:
            self._request.prove(-found.bound if compiled.maximizing else found.bound)
