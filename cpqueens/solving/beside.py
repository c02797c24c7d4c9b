"""The heuristic of a hand-over in a thread of its own, so that the exact solver need not wait for it."""

import threading
from contextvars import copy_context
from dataclasses import replace

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Backend, Clock, Deliver, Ended, Request
from cpqueens.kernels import tiers
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.solving.incumbent import Said

LEAST_PATIENCE = 0.3
"""Seconds that a heuristic may go on after an incumbent, however quickly it came."""


class Beside:
    """A run of a heuristic that goes on beside another one.

    Parameters
    ----------
    request
        What is asked of the heuristic; its clock and how it is stopped are replaced.
    seconds, patience
        How long it may run, which shrinks with each of its solutions: it goes on for so many times as long as
        that took.
    deliver
        Is called in the thread.
    delay
        Seconds after which it begins; None where nothing runs beside it: then it has ended when this returns.
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
    ) -> None:
        self._backend, self._model, self._seconds, self._patience = backend, model, seconds, patience
        self._stop, self._clock, self._deliver = threading.Event(), Clock(seconds), deliver
        self._delay = delay or 0.0
        self._request = replace(
            request, clock=self._clock, interrupted=lambda: self._stop.is_set() or request.interrupted()
        )
        self.seconds = 0.0
        self._ended: Ended | None = None
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None
        if delay is None:  # a thread costs as much as a first solution of some hundred queens
            self._search()
            if self._error is not None:
                raise self._error
            return
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._work,), name="cpqueens-heuristic", daemon=True
        )
        self._thread.start()

    def _work(self) -> None:
        with self._clock.pause("delay"):
            if self._stop.wait(self._delay):
                self._ended = Ended(False, StopReason.INTERRUPTED)
                return
        self._search()

    def _search(self) -> None:
        try:
            with tiers.running(self._request.should_stop, part=True):
                self._ended = self._backend.run(self._model, self._request, self._take)
        except BaseException as error:
            self._error = error
        self.seconds = self._clock.elapsed()

    def _take(self, batch: IntArray) -> bool:
        with self._clock.pause("consumer"):
            going_on = self._deliver(batch)
        patient = max(LEAST_PATIENCE, (1 + self._patience) * self._clock.elapsed())
        self._clock.time_limit = min(self._seconds, patient)
        return going_on and not self._stop.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait until it has ended, for so long at most; say whether it has."""
        if self._thread is None:
            return True
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def stop(self) -> None:
        """Have it end, and wait for that."""
        self._stop.set()
        self._join()

    def said(self) -> Said:
        """Return how it ended, and its seconds; raise what it raised."""
        self._join()
        if self._error is not None:
            raise self._error
        assert self._ended is not None, "it returns or raises"
        return self._ended, self.seconds

    def _join(self) -> None:
        if self._thread is not None:
            self._thread.join()
