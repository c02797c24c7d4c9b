"""The best bound of an objective that was proved so far, whoever of a run's solvers tells it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any


class Bounds:
    """Keeps the best of all bounds that are told, from any thread, and passes each better one on.

    Parameters
    ----------
    maximizing
        Whether the objective is.
    told
        Called with ``{"bound": value}`` for each bound that is better than all before.
    """

    def __init__(self, maximizing: bool, told: Callable[[Mapping[str, Any]], None] | None = None) -> None:
        self._maximizing, self._told = maximizing, told
        self._one_at_a_time = threading.RLock()
        self.best: int | None = None

    def tell(self, value: int) -> None:
        """Take a proved bound: no solution is better than ``value``."""
        with self._one_at_a_time:
            better = self.best is None or (value < self.best if self._maximizing else value > self.best)
            if not better:
                return
            self.best = value
            if self._told is not None:
                self._told({"bound": value})

    def with_last(self, value: int | None) -> int | None:
        """Return the better one of the bound with which a solver ended and of what was told before."""
        if self.best is None or value is None:
            return self.best if value is None else value
        return min(value, self.best) if self._maximizing else max(value, self.best)
