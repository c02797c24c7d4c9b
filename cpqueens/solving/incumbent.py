"""What stands between the two parts of a hand-over and the pipeline."""

import threading
from typing import Any

import numpy as np

from cpqueens.backends.base import Deliver, Ended, Request, Want
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
