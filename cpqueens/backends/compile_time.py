"""Booking the compilation of kernels apart, so that it does not count against a time limit."""

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

from cpqueens.backends.base import Clock


class _Book(event.Listener):
    """Adds the seconds of each outermost compilation in this thread to the clock's pauses."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._thread = threading.get_ident()
        self._depth = 0
        self._began = self._before = 0.0

    def on_start(self, event: Any) -> None:
        if threading.get_ident() != self._thread:
            return
        if self._depth == 0:
            self._began = time.monotonic()
            self._before = self._clock.paused.get("compile", 0.0)
            self._clock.paused["compile"] = math.inf  # no deadline passes meanwhile, in no thread
        self._depth += 1

    def on_end(self, event: Any) -> None:
        if threading.get_ident() != self._thread:
            return
        self._depth -= 1
        if self._depth == 0:
            self._clock.paused["compile"] = self._before + time.monotonic() - self._began


@contextmanager
def compilation_booked(clock: Clock) -> Iterator[None]:
    """Book as ``compile`` what Numba compiles, or loads from its cache, while the block runs."""
    with event.install_listener("numba:compiler_lock", _Book(clock)):
        yield
