"""A solver in a thread of its own beside another one, which need not wait for it; heuristics, mostly."""

import threading
from contextvars import copy_context
from dataclasses import replace
from typing import Any

import numpy as np

from cpqueens.backends.base import Backend, Clock, Deliver, Ended, Request, StopReason, Want, within_limits
from cpqueens.kernels.jit import tiers
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement

Said = tuple[Ended, float]
"""What a part said at its end, and its seconds."""


def best_of(model: Statement, batch: IntArray) -> tuple[int, int]:
    """Return the row of the best solution, and its objective."""
    assert model.objective is not None
    sign = -1 if model.maximizing else 1
    scores = sign * model.objective.evaluate(model.complete(batch, model.decisions))[:, 0]
    row = int(scores.argmin())
    return row, sign * int(scores[row])


class Receiver:
    """Stands between the parts and the pipeline: passes on, and keeps the incumbent and who found it."""

    def __init__(self, model: Statement, request: Request, deliver: Deliver, labels: tuple[str, str]) -> None:
        self._model, self._deliver = model, deliver
        self._best_wanted = request.want is Want.BEST
        self.labels = labels
        self.delivered = [0, 0]
        self.values: list[int | None] = [None, None]
        self._one_at_a_time = threading.RLock()
        self.best: IntArray | None = None
        self.value: int | None = None
        self.found_by: str | None = None
        self.closed_by: int | None = None

    @property
    def closed(self) -> bool:
        """Whether the pipeline wants no more."""
        return self.closed_by is not None

    def deliver_of(self, part: int) -> Deliver:
        """Return what passes on solutions of one part, from any thread."""
        return lambda batch: self._pass_on(part, batch)

    def is_better(self, value: int, than: int) -> bool:
        """Say whether an objective is better than another one."""
        return value > than if self._model.maximizing else value < than

    def _pass_on(self, part: int, batch: IntArray) -> bool:
        """Pass on; what the pipeline accepts may become the incumbent."""
        with self._one_at_a_time:
            going_on = self._deliver(batch)
            self.delivered[part] += len(batch)
            if not going_on and self.closed_by is None:
                self.closed_by = part
            if self._best_wanted and going_on:
                self._keep_best(part, np.asarray(batch, dtype=np.int64))
            elif self.found_by is None:
                self.found_by = self.labels[part]
        return going_on

    def _keep_best(self, part: int, batch: IntArray) -> None:
        row, value = best_of(self._model, batch)
        before = self.values[part]
        if before is None or self.is_better(value, before):
            self.values[part] = value
        if self.value is None or self.is_better(value, self.value):
            self.best, self.value, self.found_by = batch[row].copy(), value, self.labels[part]

    def contributors(self, ran: bool) -> list[str]:
        """Return the parts that delivered something, and the exact one if it ``ran``: it may have proved."""
        return [
            label for part, label in enumerate(self.labels) if self.delivered[part] or (part == 1 and ran)
        ]

    def account(self, part: int, said: Said) -> dict[str, Any]:
        """Return what one part did, for the statistics."""
        ended, seconds = said
        return {
            "solver": self.labels[part],
            "delivered": self.delivered[part],
            "objective": self.values[part],
            "stop_reason": str(ended.stop_reason),
            "seconds": seconds,
            "statistics": dict(ended.statistics),
        }


LEAST_PATIENCE = 0.3
"""Processor seconds that a heuristic may go on after an incumbent, however quickly it came."""


class Beside:
    """A run of a solver, mostly a heuristic, that goes on beside another one.

    Parameters
    ----------
    request
        What is asked of it; its clock and how it is stopped are replaced.
    seconds, patience
        The processor seconds that it may take, which get fewer with each of its solutions: it goes on for so
        many times those that this took.
    deliver
        Is called in the thread.
    delay
        Processor seconds of the other one (`Clock.used`) after which it begins, once `begin_in_time` is
        called; 0 begins at once. None where nothing runs beside it: then it has ended when this returns.
    without
        The processor seconds that it may take without a solution; None: as many as ever.
    """

    def __init__(
        self,
        backend: Backend,
        model: Statement,
        request: Request,
        seconds: float,
        patience: float,
        deliver: Deliver,
        delay: float | None,
        without: float | None = None,
    ) -> None:
        self._backend, self._model, self._seconds, self._patience = backend, model, seconds, patience
        self._given, self._deliver, self._stop = request, deliver, threading.Event()
        self._least = LEAST_PATIENCE if without is None else without
        self._without = seconds if without is None else without
        self.seconds = 0.0
        self.ended: Ended | None = None
        self._book: tiers.Book | None = None  # of its thread, once it has begun
        self.error: BaseException | None = None
        self._one_at_a_time = threading.Lock()
        self._context = copy_context()
        self._thread: threading.Thread | None = None
        # a thread costs as much as a first solution of some hundred queens: none where none is needed
        self._begins = delay or 0.0
        if delay is None:
            self._work()
            if self.error is not None:
                raise self.error
        elif delay == 0:
            self.begin_in_time()

    def begin_in_time(self) -> None:
        """Let it begin if its time has come: who runs beside it asks often; from any thread."""
        if self._thread is not None or (self._begins and self._given.clock.used() < self._begins):
            return
        with self._one_at_a_time:
            if self._thread is None and self.ended is None and not self._stop.is_set():
                self._thread = threading.Thread(
                    target=self._context.run, args=(self._work,), name="cpqueens-beside", daemon=True
                )
                self._thread.start()

    def _work(self) -> None:
        clock = self._given.clock
        self._clock = Clock(clock.remaining(), self._without)
        request = replace(
            self._given, clock=self._clock,
            interrupted=lambda: self._stop.is_set() or self._given.interrupted(),
        )  # fmt: skip
        try:
            with tiers.running(request.should_stop, part=True) as self._book:
                self.ended = within_limits(self._backend, self._model, request, self._take)
        except BaseException as error:
            self.error = error
        self.seconds = self._clock.elapsed()

    def _take(self, batch: IntArray) -> bool:
        with self._clock.pause("consumer"):
            going_on = self._deliver(batch)
        patient = max(self._least, (1 + self._patience) * self._clock.used())
        self._clock.share = min(self._seconds, patient)
        return going_on and not self._stop.is_set()

    def had(self) -> float:
        """Return the processor seconds that it has had, and those of its waits for the compiler."""
        return 0.0 if self._book is None else self._clock.used() + self._book.paused

    def wait(self, seconds: float) -> bool:
        """Begin, and wait until it has ended, for so long at most; say whether it has."""
        self._begins = 0.0
        self.begin_in_time()
        if self._thread is None:
            return True
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def stop(self) -> None:
        """Have it end, and wait for that."""
        self.give_up()
        if self._thread is not None:
            self._thread.join()

    def give_up(self) -> None:
        """Have it end, whenever that is."""
        with self._one_at_a_time:
            self._stop.set()

    def said(self) -> Said:
        """Return how it ended, and its seconds; raise what it raised.

        One that has not begun never will: it had no time.
        """
        with self._one_at_a_time:
            if self._thread is None:
                self._stop.set()
        if self._thread is not None:
            self._thread.join()
        if self.error is not None:
            raise self.error
        return self.ended or Ended(False, StopReason.INTERRUPTED), self.seconds
