"""A count by halves in progress: units handed out to threads, results booked, the running estimate."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.backends.backtracking.tally import REPORT_SECONDS, estimated
from cpqueens.kernels.halves import count_units
from cpqueens.kernels.quadrants import Layout, Quadrant
from cpqueens.kernels.row_sets import Units

CHUNK_SECONDS = 0.02  # between two looks at the limits


@dataclass(frozen=True)
class HalvesProgress:
    """A count by halves so far.

    Attributes
    ----------
    count
        Solutions in the units done: exact for the whole if ``complete``.
    units_done, units_total
        Classes of row sets.
    estimate, interval
        Unbiased estimate of the whole count, and its 95 % interval (normal approximation with the
        correction for a finite population); None before there are two units.
    """

    count: int
    units_done: int
    units_total: int
    estimate: float | None
    interval: tuple[float, float] | None

    @property
    def complete(self) -> bool:
        """Say whether every unit is done."""
        return self.units_done == self.units_total


class Run:
    """One count in progress: what is handed out and what is done of the units."""

    def __init__(
        self, board: Layout, units: Units, quadrants: Sequence[Quadrant], should_stop: Callable[[], bool]
    ) -> None:
        self.board = board
        self.units = units
        self.tables: list[Any] = [array for q in quadrants for array in (q.entries, q.starts)]
        self.tables += [board.half, (board.n + 1) // 2, board.side, board.central]
        self.should_stop = should_stop
        self.results = np.zeros(len(units.weights), dtype=np.uint64)
        self.lock = threading.Lock()
        self.next = 0  # first unit not handed out
        self.chunk = 1  # units handed out at a time
        self.finished: dict[int, int] = {}  # chunks done behind a gap: first unit to last
        self.done = 0  # units done without a gap, in order: a simple random sample
        self.sum = 0
        self.sum_of_squares = 0
        self.stopped = False
        self.error: BaseException | None = None

    def alone(self, on_progress: Callable[[HalvesProgress], None] | None) -> HalvesProgress:
        """Count in the calling thread until done or stopped."""
        report = _Reporter(self, on_progress)
        workspace = _Workspace(self)
        while not self.should_stop() and workspace.advance():
            report()
        return self.progress()

    def threaded(
        self, num_workers: int, on_progress: Callable[[HalvesProgress], None] | None
    ) -> HalvesProgress:
        """Count in ``num_workers`` threads; the calling one watches limits and reports."""
        report = _Reporter(self, on_progress)
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(num_workers)]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                self.stopped = self.stopped or self.should_stop()
                report()
                next((t for t in threads if t.is_alive()), threads[0]).join(CHUNK_SECONDS)
        finally:
            self.stopped = True
            for thread in threads:
                thread.join()
        if self.error is not None:
            raise self.error
        return self.progress()

    def _work(self) -> None:
        try:
            workspace = _Workspace(self)
            while not self.stopped and workspace.advance():
                pass
        except BaseException as error:  # raised again in the calling thread
            self.error = error
            self.stopped = True

    def take(self) -> tuple[int, int]:
        """Hand out the next chunk as (first, stop); empty when there is none."""
        with self.lock:
            first = self.next
            self.next = min(first + self.chunk, len(self.results))
            return first, self.next

    def finish(self, first: int, stop: int, seconds: float) -> None:
        """Book a chunk as done, and aim its length at `CHUNK_SECONDS`."""
        with self.lock:
            fitting = int((stop - first) * CHUNK_SECONDS / max(seconds, 1e-9))
            self.chunk = max(1, min(2 * self.chunk, fitting))
            self.finished[first] = stop
            while self.done in self.finished:
                start, self.done = self.done, self.finished.pop(self.done)
                part = slice(start, self.done)
                for y in (self.results[part].astype(np.int64) * self.units.weights[part]).tolist():
                    self.sum += y
                    self.sum_of_squares += y * y

    def progress(self) -> HalvesProgress:
        """Return what is known so far."""
        with self.lock:
            done, total, sum_y, squares = self.done, len(self.results), self.sum, self.sum_of_squares
        estimate, interval = estimated(done, total, sum_y, squares) or (None, None)
        return HalvesProgress(sum_y, done, total, estimate, interval)


class _Reporter:
    """Calls ``on_progress`` about ten times a second."""

    def __init__(self, run: Run, on_progress: Callable[[HalvesProgress], None] | None) -> None:
        self.run = run
        self.on_progress = on_progress
        self.due = time.monotonic() + REPORT_SECONDS

    def __call__(self) -> None:
        if self.on_progress is not None and time.monotonic() >= self.due:
            self.on_progress(self.run.progress())
            self.due = time.monotonic() + REPORT_SECONDS


def _aligned(size: int) -> NDArray[np.uint64]:
    """Return zeros at a multiple of 64 bytes, so that no row of eight words straddles two cache lines."""
    words = np.zeros(size + 8, dtype=np.uint64)
    first = -words.ctypes.data % 64 // 8
    return words[first : first + size]


class _Workspace:
    """One thread's arrays, and the calls of the kernel."""

    def __init__(self, run: Run) -> None:
        self.run = run
        board = run.board
        self.tables = [_aligned(38 * 8), _aligned(5 * 64 * 8)]
        self.buckets = [
            np.zeros(size, dtype=np.int64)
            for buckets in (board.parts, board.buckets)
            for size in (buckets + 1, buckets)
        ]
        self._allocate(1 << 14)

    def _allocate(self, size: int) -> None:
        padded = size + 64 * self.run.board.parts + 512
        self.boards = np.empty(size, dtype=np.uint64)
        self.west, self.east = np.empty(padded, dtype=np.uint32), np.empty(padded, dtype=np.uint32)
        self.lines, self.padding = (np.empty(padded // share, dtype=np.uint64) for share in (2, 64))
        self.blocks = np.empty(padded // 64, dtype=np.int64)

    def advance(self) -> bool:
        """Count one chunk of units; answer whether there was one."""
        run = self.run
        first, stop = run.take()
        if first == stop:
            return False
        started = time.perf_counter()
        unit = self._count(first, stop)
        while unit < stop:
            self._allocate(2 * len(self.boards))  # the kernel came back early: a unit did not fit
            unit = self._count(unit, stop)
        run.finish(first, stop, time.perf_counter() - started)
        return True

    def _count(self, first: int, stop: int) -> int:
        run = self.run
        lists = [self.boards, self.west, self.east, self.lines, self.blocks, self.padding]
        workspace = [*lists, *self.tables, *self.buckets]
        arguments = [run.units.rows, first, stop, *run.tables, *workspace, run.results]
        return int(count_units(*arguments))
