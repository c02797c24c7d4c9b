"""Solutions on their way from a search to the pipeline, in batches that grow."""

import time
from collections.abc import Callable
from typing import Any

from cpqueens.backends.base import Deliver
from cpqueens.language.rows import IntArray

LARGEST = 1024
"""Rows of a batch, at most."""

OLDEST = 0.05
"""Seconds for which a solution may wait, so that a first one is never held back."""


class Batches:
    """Collects solutions one by one and delivers them in batches of 1, 2, 4, ...

    Parameters
    ----------
    deliver
        Takes a batch, int64 of shape (batch, decision variables); answers whether to go on.
    decode
        Makes such a batch of the rows that were put.
    singly
        Deliver every solution at once, for improving ones.
    """

    def __init__(self, deliver: Deliver, decode: Callable[[list[Any]], IntArray], singly: bool) -> None:
        self.stopped = False
        self._deliver = deliver
        self._decode = decode
        self._singly = singly
        self._rows: list[Any] = []
        self._size = 1
        self._flushed = time.monotonic()

    def put(self, row: Any) -> None:
        """Take one solution; hand over a batch when it is full or old. After a stop nothing is taken."""
        if self.stopped:
            return
        self._rows.append(row)
        if self._singly or len(self._rows) >= self._size:
            self.flush()
        else:
            self.flush_old()

    def flush_old(self) -> None:
        """Hand over what has waited long enough."""
        if self._rows and time.monotonic() - self._flushed > OLDEST:
            self.flush()

    def flush(self) -> None:
        """Hand over what is there; `stopped` is set if the receiver wants no more."""
        rows, self._rows = self._rows, []
        if not rows or self.stopped:
            return
        self.stopped = True  # also if the receiver raises
        self.stopped = not self._deliver(self._decode(rows))
        self._size = min(2 * self._size, LARGEST)
        self._flushed = time.monotonic()
