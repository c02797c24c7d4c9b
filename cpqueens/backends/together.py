"""Many runs made together: a kernel's lot of them, driven in slices under the limits of each run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Many, Request
from cpqueens.kernels import search_info as at
from cpqueens.kernels import search_lot as lots
from cpqueens.kernels.pace import Pace
from cpqueens.kernels.tiers import Fixed, waited
from cpqueens.language.rows import IntArray

_REASONS: Mapping[int, StopReason] = {
    at.SOLVED: StopReason.SOLUTION_LIMIT,
    at.LOCAL_OPTIMUM: StopReason.LOCAL_OPTIMUM,
    at.PLATEAU_LIMIT: StopReason.PLATEAU_LIMIT,
    at.STOPPED: StopReason.TIME_LIMIT,
}


@dataclass(frozen=True)
class Together:
    """A kernel that makes the runs of a lot, and what it takes.

    Attributes
    ----------
    kernel
        Called as ``kernel(steps, state, lot, *arguments)``.
    steps
        Says how many steps the run under way has made.
    names
        What its figures are called in the statistics.
    tables
        Further counts with a row a run.
    """

    kernel: Callable[..., None]
    state: Fixed
    arguments: tuple[Any, ...]
    steps: Callable[[], int]
    names: Mapping[str, int]
    tables: Mapping[str, IntArray] = field(default_factory=dict)


COUNTED = {
    "evaluations": lots.EVALUATIONS,
    "moves": lots.MOVES,
    "restarts": lots.RESTARTS,
    "resets": lots.RESETS,
    "trajectory": lots.HASH,
}
"""What every strategy of local search counts."""


def drive(together: Together, lot: lots.Lot, request: Request) -> NDArray[np.float64]:
    """Make the runs of a lot until all have ended or the user wants no more; return the seconds of each.

    A run that reaches its time limit ends; it counts from the end of the call in which it began, so that none
    gets less than its limit. Steps have the same cost whatever the run, so they share out a call's seconds.
    """
    packed, pace, now = Fixed(lot), Pace(), lot.now
    seconds, limit = np.zeros(len(lot.x)), request.clock.time_limit
    while now[lots.RUN] < len(lot.x) and not (request.interrupted() or request.cancel.is_set()):
        first, done = int(now[lots.RUN]), together.steps() if now[lots.STARTS] else 0
        began = time.perf_counter() - waited()
        pace.timed(
            lambda steps: together.kernel(steps, together.state, packed, *together.arguments),
            pace.steps,
            lambda _: bool(now[lots.RUN] < len(lot.x)),
            unmade=None,
        )
        spent = time.perf_counter() - waited() - began
        last = int(now[lots.RUN])
        under_way = last < len(lot.x) and bool(now[lots.STARTS])
        parts = lot.figures[first : last + under_way, lots.STEPS] + 1.0
        if under_way:
            parts[-1] += together.steps()
        if len(parts):
            parts[0] -= done
            seconds[first : last + under_way] += spent * parts / parts.sum()
        if under_way and limit is not None and last == first and seconds[last] >= limit:
            lot.figures[last, lots.ENDING], lot.figures[last, lots.STEPS] = at.STOPPED, together.steps()
            lots.leave(lot, lot.x[last])
    return seconds


def ended(
    together: Together, lot: lots.Lot, seconds: NDArray[np.float64], request: Request, curtailed: bool = False
) -> Many:
    """Return how the runs of a lot ended; ``curtailed``: those at the step limit are to be run singly."""
    made = int(lot.now[lots.RUN])
    codes = lot.figures[:, lots.ENDING]
    known = np.arange(len(codes)) < made
    if curtailed:
        known &= codes != at.STEP_LIMIT
    at_limit = StopReason.GAVE_UP if request.step_limit is None else StopReason.STEP_LIMIT
    reasons = np.full(len(codes), at_limit, dtype="<U16")
    for code, reason in _REASONS.items():
        reasons[codes == code] = reason
    statistics = {name: lot.figures[:, place].copy() for name, place in together.names.items()}
    return Many(
        known, reasons, known & (codes == at.SOLVED), lot.x, lot.figures[:, lots.STEPS].copy(), seconds,
        {**statistics, **together.tables},
    )  # fmt: skip
