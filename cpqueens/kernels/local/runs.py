"""The strategies of the general engine on a lot of runs: start, search and new starts in one call.

Each is its kernel for one start (`climb_on`, `sweep_on`, ...) within the same loop, and does what the
strategy's module does for a single run.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.local import (
    anneal as anneals,
    arena as parts,
    info as at,
    rowwise as rows,
    scan as scans,
    start as lots,
    walk as walks,
)
from cpqueens.kernels.local.arena import Ints, part
from cpqueens.kernels.local.rebuild import begin_afresh
from cpqueens.kernels.local.scan import sweep_on

# what a strategy does at the end of a descent
END = 0
START = 1  # afresh
START_AND_COUNT = 2  # the same, which is a step


@inner_kernel
def luby(k: int) -> Any:
    """Return the k-th number (from 1) of 1 1 2 1 1 2 4 ... (Luby, Sinclair and Zuckerman 1993).

    >>> [luby(k) for k in range(1, 16)]
    [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]
    """
    while True:
        size = 1
        while size < k + 1:
            size *= 2
        if size == k + 1:
            return size // 2
        k -= size // 2 - 1


@inner_kernel
def start(s: Any, lot: Any, starts: Any) -> Any:
    """Start the run that is under way, for the first time or again; return what it costs in steps."""
    arena = s.core.arena
    if lots.is_due(lot):
        for k in range(at.WORK):  # which is the last, and of the call
            arena[arena[parts.INFO] + k] = 0
        arena[arena[parts.INFO] + at.SAVED] = at.NEVER
        arena[arena[parts.INFO] + at.THINNING] = 1
    cost = lots.begin(lot, s.random)
    for k in range(arena[parts.WEIGHT], arena[parts.KINDS]):
        arena[k] = 1
    begin_afresh(starts, s)
    return cost


@inner_kernel
def judge(code: int, after: int, info: Ints, x: Ints, lot: Any, extra: int) -> None:
    """End the run if it is at its end, or have it start again, as ``after`` says, where a descent ended."""
    descended = code == at.STALLED or code == at.LOCAL_OPTIMUM or code == at.PLATEAU_LIMIT
    if code != at.SOLVED and descended and after != END:
        lot.now[lots.DUE] = 1
        if after == START:
            return
        info[at.STEPS] += 1
        code = at.BUDGET
    if code == at.BUDGET:
        if lots.left(lot, info[at.STEPS]) > 0:
            return
        code = at.STEP_LIMIT
    lots.note(lot, code, info, lot.now[lots.STARTS] - 1, extra)
    lots.leave(lot, x)


@kernel
def climb_runs(steps: int, s: Any, lot: Any, starts: Any, after: int, found: Ints, parameters: Ints) -> None:
    """Go on by hill climbing for about ``steps`` steps; see `search_scan`."""
    info = part(s.core.arena, parts.INFO)
    while steps > 0 and lots.goes_on(lot):
        if lot.now[lots.DUE]:
            steps -= start(s, lot, starts)
            found[scans.NEXT] = 0
        before = info[at.STEPS]
        code = scans.climb_on(min(steps, lots.left(lot, before)), s, found, parameters)
        steps -= info[at.STEPS] - before
        judge(at.SOLVED if info[at.COST] == 0 else code, after, info, s.core.x, lot, 0)
        if found[scans.LEFT] <= 0:  # the evaluations of one call
            return


@kernel
def sweep_runs(steps: int, s: Any, lot: Any, starts: Any) -> None:
    """Go on by sweeps; see `search_sweep`."""
    info = part(s.core.arena, parts.INFO)
    while steps > 0 and lots.goes_on(lot):
        if lot.now[lots.DUE]:
            steps -= start(s, lot, starts)
        before = info[at.STEPS]
        most = min(steps, lots.left(lot, before))
        code = sweep_on(most, s)
        steps -= info[at.STEPS] - before
        used_up = code == at.BUDGET and info[at.STEPS] - before < most
        judge(at.SOLVED if info[at.COST] == 0 else code, START, info, s.core.x, lot, 0)
        if used_up:
            return


@kernel
def walk_runs(steps: int, s: Any, lot: Any, starts: Any, settings: Ints, unit: int, chosen: Ints) -> None:
    """Go on by walks; see `search_walk`.

    Parameters
    ----------
    settings
        (settings, `search_walk.LENGTH`): the starts of a run take them in turn.
    unit
        Above 0: the k-th start ends after ``unit * luby(k)`` steps without progress.
    chosen
        Room for the setting that is under way.
    """
    info = part(s.core.arena, parts.INFO)
    while steps > 0 and lots.goes_on(lot):
        if lot.now[lots.DUE]:
            row = lot.now[lots.STARTS] % settings.shape[0]
            for k in range(walks.LENGTH):
                chosen[k] = settings[row, k]
            if unit > 0:
                chosen[walks.STALL] = unit * luby(lot.now[lots.STARTS] + 1)
            steps -= start(s, lot, starts)
        before = info[at.STEPS]
        code = walks.walk_on(min(steps, lots.left(lot, before)), s, chosen)
        steps -= info[at.STEPS] - before
        judge(at.SOLVED if info[at.COST] == 0 else code, START, info, s.core.x, lot, 0)


@kernel
def anneal_runs(steps: int, s: Any, lot: Any, starts: Any, heat: Any) -> None:
    """Go on by annealing; see `search_anneal`."""
    info = part(s.core.arena, parts.INFO)
    while steps > 0 and lots.goes_on(lot):
        if lot.now[lots.DUE]:
            steps -= start(s, lot, starts)
            anneals.heat_up_for(s, heat)
        before = info[at.STEPS]
        code = anneals.anneal_on(min(steps, lots.left(lot, before)), s, heat)
        steps -= info[at.STEPS] - before
        judge(at.SOLVED if info[at.COST] == 0 else code, END, info, s.core.x, lot, 0)


@kernel
def rowwise_runs(
    steps: int, s: Any, lot: Any, starts: Any, place: Ints, course: Any, tried: Ints, taken: Ints
) -> None:
    """Go on by annealing row after row; see `search_rowwise`. ``tried`` and ``taken`` have a row a run."""
    info = part(s.core.arena, parts.INFO)
    while steps > 0 and lots.goes_on(lot):
        if lot.now[lots.DUE]:
            steps -= start(s, lot, starts)
            place[rows.VARIABLE] = 0
            place[rows.TEMPERATURE] = 0
            place[rows.VALUE] = 0
            place[rows.ANNEALS] = 0
        before = info[at.STEPS]
        most = min(steps, lots.left(lot, before))
        run = lot.now[lots.RUN]
        code = rows.rowwise_on(most, s, place, course, tried[run], taken[run])
        steps -= info[at.STEPS] - before
        if lots.left(lot, info[at.STEPS]) <= 0 and info[at.COST] == 0:
            code = at.SOLVED  # though nobody has looked for it
        judge(code, END, info, s.core.x, lot, place[rows.ANNEALS])
