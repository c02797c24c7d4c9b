"""Counting in parts: taken in random order by threads, added up, and the whole estimated from them."""

import math
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from dataclasses import replace
from typing import Any

import numpy as np

from cpqueens.backends.backtracking.forward import ForwardSearch
from cpqueens.backends.backtracking.portfolio import Slices, drained
from cpqueens.backends.base import Ended, Request, StopReason
from cpqueens.kernels.exact.domains import BASE, FIRST, HIGH, HOLES, LOW, X_WIDTH, Memory, copied
from cpqueens.lowered.compiled import Compiled

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
    """A count of ``total`` parts in progress: what is handed out to threads, and what they have booked.

    ``nodes`` and ``failures`` are those above the parts.
    ``request`` is what the parts are to be counted under: it is interrupted by an error in another one, too.
    """

    def __init__(self, request: Request, total: int, nodes: int = 0, failures: int = 0) -> None:
        self._failed = False
        self.request = replace(request, interrupted=lambda: self._failed or request.interrupted())
        self.total = total
        self.count, self.nodes, self.failures = 0, nodes, failures
        self.reason: StopReason | None = None
        self.done = self._sum = self._squares = 0  # parts without a gap: small ones end first
        self._next = 0
        self._waiting: dict[int, Sequence[int]] = {}
        self._reported = time.monotonic()
        self._lock = threading.Lock()

    def run(self, work: Callable[[], None]) -> None:
        """Call ``work()`` in each of the request's threads; it is to count all `chunks` that it gets."""

        def one(_thread: int) -> None:
            try:
                work()
            except BaseException:  # say, of a user's on_progress: the other threads need not go on
                self._failed = True
                raise

        if self.request.workers <= 1:
            one(0)
            return
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self.request.workers) as pool:
            contexts = [copy_context() for _ in range(self.request.workers)]
            list(pool.map(lambda context: context.run(one, 0), contexts))

    def run_each(self, count: Callable[[int], None]) -> None:
        """Call ``count(number)`` for all parts, one by one in each of the threads."""

        def work() -> None:
            for (number,) in self.chunks():
                count(number)

        self.run(work)

    def chunks(self, seconds: float = 0.0) -> Iterator[range]:
        """Yield the parts to count next, until there are none or a limit.

        They are one at a time, or ever more while counting them takes this thread less than ``seconds`` of
        processor time.
        """
        size = 1
        while not self._failed and self.reason is None:
            with self._lock:
                chunk = range(self._next, min(self._next + size, self.total))
                self._next = chunk.stop
            if not chunk:
                return
            began = time.thread_time()
            yield chunk
            fitting = int(len(chunk) * seconds / max(time.thread_time() - began, 1e-9))
            size = max(1, min(2 * size, fitting))

    def book(
        self,
        first: int,
        counts: Sequence[int],
        nodes: int = 0,
        failures: int = 0,
        reason: StopReason | None = None,
    ) -> None:
        """Take what the parts from ``first`` on have, of which ``reason`` says why it is not all."""
        with self._lock:
            self.count += sum(counts)
            self.nodes += nodes
            self.failures += failures
            if reason is not None:
                self.reason = self.reason or reason
                return
            self._waiting[first] = counts
            while self.done in self._waiting:
                mine = self._waiting.pop(self.done)
                self.done += len(mine)
                self._sum += sum(mine)
                self._squares += sum(count * count for count in mine)
        self.report()

    def report(self, more: int = 0) -> None:
        """Show the progress now and then; ``more`` are solutions of a part that is not at its end."""
        show = self.request.on_progress
        if show is not None and time.monotonic() - self._reported > REPORT_SECONDS:
            self._reported = time.monotonic()
            show({"count": self.count + more, "done": self.done, "total": self.total} | self._estimate())

    def _estimate(self) -> dict[str, Any]:
        with self._lock:
            found = estimated(self.done, self.total, self._sum, self._squares)
        return {} if found is None or self.total < 2 else {"estimate": found[0], "interval": found[1]}

    def ended(self, facts: dict[str, Any]) -> Ended:
        """Return how the count ended."""
        facts["workers"] = self.request.workers or 1
        if self.reason is None:
            return Ended(True, StopReason.EXHAUSTED, count=self.count, statistics=facts)
        return Ended(False, self.reason, count=self.count, statistics=facts | self._estimate())


def count_each(tally: Tally, begin: Callable[[int], Slices], facts: dict[str, Any], strategy: str) -> Ended:
    """Count all parts, each by a search of its own, whose nodes and failures count, too."""

    def count(number: int) -> None:
        ended = drained(begin(number), tally.report)
        reason, found = None if ended.exhausted else ended.stop_reason, ended.statistics
        tally.book(number, [ended.count or 0], found["nodes"], found["failures"], reason)

    tally.run_each(count)
    return tally.ended(facts | {"strategy": strategy, "nodes": tally.nodes, "failures": tally.failures})


def wants_parts(request: Request) -> bool:
    """Say whether a count is to be done in parts: for threads, or for a running estimate."""
    shown = request.on_progress is not None
    return (request.workers > 1 or shown) and request.step_limit is None


# ---- parts of any model, by the first decisions of the propagating search --------------------------------


_PARTS = 100  # at least: they differ in size, and the last to end is waited for
_BYTES = 1 << 27  # that all parts together may take
_VALUES = 1000  # of a variable that is split


def count_shared(compiled: Compiled, whole: Memory, request: Request, facts: dict[str, Any]) -> Ended:
    """Count by propagation in parts.

    Nodes and failures are those of all parts, each part being the root of its own search: about as many as a
    search of the whole has, which does not decide a variable that one value is left to.
    """
    parts, nodes, failures = split(compiled, whole, request)
    tally = Tally(request, len(parts), nodes, failures)

    def begin(number: int) -> Slices:
        search = ForwardSearch(compiled, (parts[number], -1), tally.request, False, {})
        return search.slices(lambda _batch: True)

    return count_each(tally, begin, facts, "forward")


def split(compiled: Compiled, whole: Memory, request: Request) -> tuple[list[Memory], int, int]:
    """Return starts of searches that together cover the space, in random order, and what was visited above.

    They are more than enough for all threads, where the first decisions give so many.
    """
    size = sum(array.nbytes for array in whole)
    wanted = min(max(_PARTS, 24 * request.workers), max(1, _BYTES // size))
    waiting: deque[Memory] = deque([whole])
    parts: list[Memory] = []
    nodes = failures = 0
    while waiting and len(waiting) + len(parts) < wanted and not request.should_stop():
        part = waiting.popleft()
        root = ForwardSearch(compiled, (part, -1), request, False, {})
        if not root.propagates():
            failures += 1
            continue
        children = list(_children(root.memory, compiled.decision_count))
        nodes += bool(children)
        waiting += children
        if not children:
            parts.append(part)
    parts += waiting
    random.Random(request.seed).shuffle(parts)
    return parts, nodes, failures


def _children(start: Memory, decisions: int) -> Iterator[Memory]:
    """Yield, for each value of an open variable, a start where it has that value.

    It is the listed variable whose bounds are closest, in the model's order; none if it has many values.
    """
    x = start.x[: decisions * X_WIDTH].reshape(-1, X_WIDTH)
    candidates = np.flatnonzero((x[:, FIRST] >= 0) & (x[:, LOW] < x[:, HIGH]))
    if not len(candidates):
        return
    variable = int(candidates[np.argmin(x[candidates, HIGH] - x[candidates, LOW])])
    low, high, first, base = x[variable, [LOW, HIGH, FIRST, BASE]].tolist()
    if high - low >= _VALUES:
        return
    for value in (low + np.flatnonzero(start.cells[first - base + low : first - base + high + 1])).tolist():
        child = copied(start)
        child.x[variable * X_WIDTH + np.array([LOW, HIGH, HOLES])] = value, value, 0
        yield child
