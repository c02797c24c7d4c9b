"""Limits for a library that has none: a constraint that always holds and looks at the clock."""

import time
from typing import Any

from constraint import Constraint

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Batches, Request

EVERY = 0.01
"""Seconds between two looks at the limits."""


class LimitReached(Exception):  # noqa: N818 - it carries a reason, not a fault
    """Leaves the library's search; never leaves the backend."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason)
        self.reason = reason


class Watch(Constraint):  # type: ignore[misc]
    """Counts the values that are tried, and ends the run when a limit is reached.

    It is the first constraint of every problem and is over all variables, so that the library calls it
    once for each value that it tries.
    """

    def __init__(self, request: Request, batches: Batches, node_limit: int | None = None) -> None:
        self.nodes = 0
        self._request = request
        self._batches = batches
        self._node_limit = float("inf") if node_limit is None else node_limit
        self._next = time.monotonic() + EVERY

    def __call__(self, variables: Any, domains: Any, assignments: Any, forwardcheck: Any = False) -> bool:
        """Hold, unless the run must end."""
        if self.nodes >= self._node_limit:
            raise LimitReached(StopReason.STEP_LIMIT)
        self.nodes += 1
        if time.monotonic() >= self._next:
            self.look()
        return True

    def preProcess(self, *arguments: Any) -> None:  # noqa: N802 - the library's name
        """Keep the constraint (the library drops those over one variable after trying all values)."""

    def due(self) -> None:
        """Look at the limits if the last look is long enough ago; for loops within constraints."""
        if time.monotonic() >= self._next:
            self.look()

    def look(self) -> None:
        """Hand over solutions that have waited; raise `LimitReached` if a limit is reached."""
        self._next = time.monotonic() + EVERY
        self._batches.flush_old()
        if self._batches.stopped:
            raise LimitReached(StopReason.SOLUTION_LIMIT)
        if self._request.interrupted() or self._request.should_stop():
            raise LimitReached(self._request.why_stopped())
