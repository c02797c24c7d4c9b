"""Many runs of a strategy on one model, which differ in their seeds: one kernel makes them in few calls."""

from dataclasses import replace
from typing import Any

import numpy as np

from cpqueens.backends.backtracking.wholes.registry import takes
from cpqueens.backends.base import Many, Request
from cpqueens.backends.local_search.engine import limits_of, release, search_for
from cpqueens.backends.local_search.permutations import solve_shifted_many
from cpqueens.backends.local_search.running import task_of
from cpqueens.backends.local_search.specials import SPECIALS, Task, default_steps, kernel_of, special_of
from cpqueens.backends.local_search.strategies import complete, get_strategy
from cpqueens.backends.together import COUNTED, Together, drive, ended
from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.kernels.local.start import EXTRA, make_lot
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.structures.shifted_permutation import ShiftedPermutation
from cpqueens.lowered.structures.table import Structures


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
    return ended(together, lot, seconds, request, curtailed)


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
    return ended(together, lot, seconds, request, curtailed)
