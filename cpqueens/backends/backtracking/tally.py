"""Adding up the counts of parts taken in random order, in threads, and estimating the whole from them."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Ended, Request

Part = TypeVar("Part")

REPORT_SECONDS = 0.1
_NORMAL_975 = 1.959964


def estimated(done: int, total: int, count: int, squares: int) -> tuple[float, tuple[float, float]] | None:
    """Return an unbiased estimate of the whole count, and its 95 % interval; None before there are two parts.

    ``count`` and ``squares`` are sums over the ``done`` of ``total`` parts, drawn without replacement. The
    interval is that of the normal approximation, with the correction for a finite population.
    """
    if done == total:
        return float(count), (float(count), float(count))
    if done < 2:
        return None
    estimate = count / done * total
    variance = (squares - count * count / done) / (done - 1)
    error = total * math.sqrt(max(0.0, variance) / done * (1 - done / total))
    return estimate, (max(float(count), estimate - _NORMAL_975 * error), estimate + _NORMAL_975 * error)


class Tally:
    """What is counted so far of some parts, which several threads count.

    ``request`` is what the parts are to be counted under: it is interrupted by an error in another one, too.
    """

    def __init__(self, request: Request, total: int) -> None:
        self._failed = False
        self.request = replace(request, interrupted=lambda: self._failed or request.interrupted())
        self.total = total
        self.count = self.nodes = self.failures = 0
        self.reason: StopReason | None = None
        self._booked = self._sum = self._squares = 0  # parts without a gap: small ones end first
        self._waiting: dict[int, int] = {}
        self._reported = time.monotonic()
        self._lock = threading.Lock()

    def run(self, parts: Sequence[Part], count: Callable[[int, Part], None]) -> None:
        """Call ``count(number, part)`` for all parts, in the request's threads, until a limit."""

        def one(number: int) -> None:
            try:
                if self.reason is None and not self._failed:
                    count(number, parts[number])
            except BaseException:  # say, of a user's on_progress: the other threads need not go on
                self._failed = True
                raise

        if self.request.workers <= 1:
            for number in range(len(parts)):
                one(number)
            return
        with ThreadPoolExecutor(self.request.workers) as pool:
            list(pool.map(one, range(len(parts))))

    def book(self, number: int, count: int, nodes: int, failures: int, reason: StopReason | None) -> None:
        """Take what one part has, of which ``reason`` says why it is not all."""
        with self._lock:
            self.count += count
            self.nodes += nodes
            self.failures += failures
            if reason is not None:
                self.reason = self.reason or reason
                return
            self._waiting[number] = count
            while self._booked in self._waiting:
                mine = self._waiting.pop(self._booked)
                self._booked += 1
                self._sum += mine
                self._squares += mine * mine
        self.report()

    def report(self, more: int = 0) -> None:
        """Show the progress now and then; ``more`` are solutions of a part that is not at its end."""
        show = self.request.on_progress
        if show is not None and time.monotonic() - self._reported > REPORT_SECONDS:
            self._reported = time.monotonic()
            show({"count": self.count + more, "done": self._booked, "total": self.total} | self._estimate())

    def _estimate(self) -> dict[str, Any]:
        with self._lock:
            found = estimated(self._booked, self.total, self._sum, self._squares)
        return {} if found is None or self.total < 2 else {"estimate": found[0], "interval": found[1]}

    def ended(self, strategy: str, facts: dict[str, Any]) -> Ended:
        """Return how the count ended."""
        facts |= {
            "strategy": strategy,
            "nodes": self.nodes,
            "failures": self.failures,
            "workers": self.request.workers or 1,
        }
        if self.reason is None:
            return Ended(True, StopReason.EXHAUSTED, count=self.count, statistics=facts)
        return Ended(False, self.reason, count=self.count, statistics=facts | self._estimate())


def wants_parts(request: Request) -> bool:
    """Say whether a count is to be done in parts: for threads, or for a running estimate."""
    shown = request.on_progress is not None
    return (request.workers > 1 or shown) and request.step_limit is None
