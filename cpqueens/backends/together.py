"""Many runs made together: a kernel's lot of them, driven in slices under the limits of each run."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.backends.base import Many, Request, StopReason
from cpqueens.kernels.jit.tiers import Fixed, running, worked
from cpqueens.kernels.local import info as at, start as lots
from cpqueens.language.rows import IntArray
from cpqueens.system.stopping import Pace

_REASONS: Mapping[int, StopReason] = {
    at.SOLVED: StopReason.SOLUTION_LIMIT,
    at.LOCAL_OPTIMUM: StopReason.LOCAL_OPTIMUM,
    at.PLATEAU_LIMIT: StopReason.PLATEAU_LIMIT,
    at.STOPPED: StopReason.TIME_LIMIT,
}


_BROKEN_OFF: bool | None = True
"""In place of the answer of a kernel's call, which is None."""


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

    kernel: Callable[..., bool | None]
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


class _Patience:
    """Says whether the run under way has had its time; in plain form runs change within a call."""

    def __init__(self, lot: lots.Lot, request: Request) -> None:
        self._now, self._request = lot.now, request
        self._limit = request.clock.time_limit
        self._began = 0.0
        self.run = 0

    def begin(self, seconds: float) -> None:
        """Begin a call that goes on with a run which has had so many seconds."""
        self.run, self._began = int(self._now[lots.RUN]), time.perf_counter() - seconds

    def stopped(self) -> bool:
        """Say whether no run is to go on."""
        return self._request.interrupted() or self._request.cancel.is_set()

    def is_over(self) -> bool:
        """Say whether a call that takes long is to be broken off."""
        run = int(self._now[lots.RUN])
        if run != self.run:
            self.run, self._began = run, time.perf_counter()
        return self.stopped() or self.had() >= (math.inf if self._limit is None else self._limit)

    def had(self) -> float:
        """Return the seconds that the run has had, by the clock."""
        return time.perf_counter() - self._began


def drive(together: Together, lot: lots.Lot, request: Request) -> NDArray[np.float64]:
    """Make the runs of a lot until all have ended or the user wants no more; return the seconds of each.

    A run that reaches its time limit ends; it counts from the end of the call in which it began, so that none
    gets less than its limit. Steps have the same cost whatever the run, so they share out a call's seconds;
    calling it, and waiting for the compiler, count against the limit, and are no part of these.
    """
    packed, pace, now, patience = Fixed(lot), Pace(), lot.now, _Patience(lot, request)
    seconds, had, limit = np.zeros(len(lot.x)), 0.0, request.clock.time_limit
    used = ahead = 0.0
    while now[lots.RUN] < len(lot.x) and not patience.stopped():
        first, done = int(now[lots.RUN]), together.steps() if now[lots.STARTS] else 0
        patience.begin(had)
        before, began = worked(), time.thread_time()
        with running(patience.is_over, part=True) as book:
            book.ahead = ahead
            broken_off = pace.timed(
                lambda steps: together.kernel(steps, together.state, packed, *together.arguments),
                pace.steps,
                unmade=_BROKEN_OFF,
                paused=lambda _: bool(now[lots.RUN] < len(lot.x)),
            )
        spent, used = worked() - before, used + time.thread_time() - began
        last = int(now[lots.RUN])
        if broken_off and patience.run != first:  # another run had its time: the others are to keep theirs
            pace.steps = max(1, pace.steps // 8)
            continue
        under_way = last < len(lot.x) and bool(now[lots.STARTS])
        parts = lot.figures[first : last + under_way, lots.STEPS] + 1.0
        if under_way:
            parts[-1] += together.steps()
        if len(parts):
            parts[0] -= done
            seconds[first : last + under_way] += spent * parts / parts.sum()
            ahead = used / (last + under_way) * (len(lot.x) - last - under_way)
        had = patience.had() if last == first else 0.0
        if limit is not None and last == first and had >= limit and (under_way or broken_off):
            lot.figures[last, lots.ENDING] = at.STOPPED
            lot.figures[last, lots.STEPS] = together.steps() if under_way else 0
            lots.leave(lot, lot.x[last])
            had = 0.0
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
    reasons = np.full(max(at.STEP_LIMIT, *_REASONS) + 1, at_limit, dtype="<U16")
    for code, reason in _REASONS.items():
        reasons[code] = reason
    statistics = {name: lot.figures[:, place].copy() for name, place in together.names.items()}
    return Many(
        known, reasons.take(codes), known & (codes == at.SOLVED), lot.x, lot.figures[:, lots.STEPS].copy(),
        seconds, {**statistics, **together.tables},
    )  # fmt: skip
