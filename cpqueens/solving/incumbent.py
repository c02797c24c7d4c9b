"""What stands between the two parts of a hand-over: their receiver, and the heuristic's share of the time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from cpqueens.backends.base import Clock, Deliver, Ended, Request, Want
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement

Said = tuple[Ended, float]
"""What a part said at its end, and its seconds."""

LEAST_PATIENCE = 0.3
"""Seconds that a heuristic may go on after an incumbent, however quickly it came."""


class Receiver:
    """Stands between the parts and the pipeline: passes on, and keeps the incumbent and who found it."""

    def __init__(
        self, model: Statement, request: Request, deliver: Deliver, improved: Callable[[], None]
    ) -> None:
        self._model, self._deliver, self._improved = model, deliver, improved
        self._best_wanted = request.want is Want.BEST
        self.labels: list[str] = []
        self.delivered: list[int] = []
        self.values: list[int | None] = []
        self.best: IntArray | None = None
        self.value: int | None = None
        self.found_by: str | None = None
        self.closed = False

    def begin(self, label: str) -> None:
        """Note whose deliveries follow."""
        self.labels.append(label)
        self.delivered.append(0)
        self.values.append(None)

    def deliver(self, batch: IntArray) -> bool:
        """Pass on; what the pipeline accepts may become the incumbent."""
        going_on = self._deliver(batch)
        self.delivered[-1] += len(batch)
        self.closed = self.closed or not going_on
        if self._best_wanted and going_on:
            self._keep_best(np.asarray(batch, dtype=np.int64))
        elif self.found_by is None:
            self.found_by = self.labels[-1]
        return going_on

    def _keep_best(self, batch: IntArray) -> None:
        objective = self._model.objective
        assert objective is not None
        sign = -1 if self._model.maximizing else 1
        scores = sign * objective.evaluate(self._model.complete(batch, self._model.decisions))[:, 0]
        row = int(scores.argmin())
        value = sign * int(scores[row])
        before = self.values[-1]
        if before is None or sign * value < sign * before:
            self.values[-1] = value
        if self.value is None or sign * value < sign * self.value:
            self.best, self.value, self.found_by = batch[row].copy(), value, self.labels[-1]
            self._improved()

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


class Share:
    """The heuristic's part of the one deadline, which shrinks to what patience allows with each incumbent."""

    def __init__(self, clock: Clock, seconds: float, patience: float) -> None:
        self._clock, self._seconds, self._patience = clock, seconds, patience
        self._began = 0.0
        self._active = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """Limit the clock while the block runs."""
        clock, whole = self._clock, self._clock.time_limit
        self._began, self._active = clock.elapsed(), True
        clock.limit_to(self._seconds)
        try:
            yield
        finally:
            self._active = False
            clock.time_limit = whole

    def improved(self) -> None:
        """Note an incumbent: the search goes on for a multiple of the time that it took."""
        if self._active:
            taken = self._clock.elapsed() - self._began
            patient = max(LEAST_PATIENCE, (1 + self._patience) * taken)
            self._clock.time_limit = self._began + min(self._seconds, patient)
