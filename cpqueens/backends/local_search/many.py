"""Many runs of a strategy on one model, which differ in their seeds: one kernel makes them in few calls."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.backends.base import Many, Request
from cpqueens.backends.local_search.engine import SPECIALS, Task, release, search_for
from cpqueens.backends.local_search.requests import default_steps, limits_at_once, limits_of
from cpqueens.backends.local_search.running import schedule_of, task_of, tours_of
from cpqueens.backends.local_search.sosic_gu_4 import solve_shifted_many
from cpqueens.backends.local_search.strategies import complete, get_strategy
from cpqueens.backends.together import COUNTED, Together, drive, ended
from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.kernels.local.lot import EXTRA, make_lot
from cpqueens.language.rows import IntArray
from cpqueens.lowered.patterns import Patterns, patterns_of
from cpqueens.lowered.permutations import ShiftedPermutation, shifted_permutation_of

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement


def run_many(model: Statement, request: Request, seeds: IntArray) -> Many | None:
    """Make a run for each seed; None where runs have to be made one by one.

    So it is with hints, audits and traces; with starts of groups whose members have different domains;
    where constraints do not count at first (`auto` on models of many rows); and with the kernels for paths,
    lines, tours and schedules.
    """
    task = task_of(request)
    if task.hint is not None or task.common["audit"] != "final" or task.common["trace"]:
        return None
    if task.lets_kernels_try and task.strategy in ("auto", "sosic-gu-4"):
        pattern = shifted_permutation_of(model)
        if pattern is not None:
            task = replace(task, limits=limits_at_once(model, request))
            return _shifted(pattern, request, task, seeds)
    if tours_of(model, task) is not None:
        return None
    patterns = patterns_of(model, computed=True, backend="local-search")
    if schedule_of(model, task, patterns) is not None:
        return None
    task = replace(task, limits=limits_of(request, lambda: default_steps(patterns)))
    special = _special(patterns, task)
    if special == "sosic-gu-4" and patterns.shifted_permutation is not None:
        return _shifted(patterns.shifted_permutation, request, task, seeds)
    if special is not None:
        return None
    return _general(model, patterns, request, task, seeds)


def _special(patterns: Patterns, task: Task) -> str | None:
    """Return the name of the kernel that `engine.try_specials` would run."""
    if not task.lets_kernels_try:
        return None
    asked = (name for name in SPECIALS if task.strategy in ("auto", name))
    return next((name for name in asked if getattr(patterns, SPECIALS[name].pattern) is not None), None)


def _shifted(pattern: ShiftedPermutation, request: Request, task: Task, seeds: IntArray) -> Many:
    """Make the runs of the kernel for queens; those that it gives up for `auto` are left to single runs."""
    special = SPECIALS["sosic-gu-4"]
    assert special.share is not None
    limit, share = task.limits.steps, special.share(pattern.size)
    curtailed = task.strategy == "auto" and (limit is None or share < limit)
    together = solve_shifted_many(pattern, complete(special.strategy, task.options))
    lot = make_lot(seeds, pattern.size, share if curtailed else limit)
    seconds = drive(together, lot, request)
    np.add(lot.x, pattern.low, out=lot.x)
    return ended(together, lot, seconds, request, curtailed)


def _general(
    model: Statement, patterns: Patterns, request: Request, task: Task, seeds: IntArray
) -> Many | None:
    """Make the runs of the general engine, if the strategy can."""
    strategy = get_strategy(task.strategy)
    options = complete(strategy, task.options)
    many = getattr(strategy, "many", None)
    if many is None or not patterns.compiled.decision_count:
        return None
    waiting = model.kept("searches of local-search", dict[Any, Any])
    search = search_for(patterns.compiled, task, strategy, options, waiting)
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
    release(search, task, strategy, options, waiting)
    return ended(together, lot, seconds, request, curtailed)
