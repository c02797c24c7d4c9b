"""Listing and counting with several of CP-SAT's searches at a time, each with a part of the space.

CP-SAT lists with one worker only (with more, OR-Tools 9.15 loses solutions). So the space is cut by the
values of the first decision variables, and each part is a search of its own, with one worker, in a thread.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from cpqueens.backends.base import Deliver
from cpqueens.language.rows import IntArray
from cpqueens.system.interrupts import watching

Narrow = tuple[tuple[int, list[int]], ...]
"""Columns of CP-SAT and their domains: first and last value of each interval."""

_PARTS = 8  # for each worker: they differ in size, and the last to end is waited for
_VALUES = 64  # of a variable, cut one by one; more are halved

Search = Callable[[Narrow, Deliver, Callable[[Callable[[], None]], None]], bool]
"""``search(part, deliver, register)`` says whether a part was exhausted; what it registers stops it."""


def parts(proto: Any, columns: list[int], workers: int) -> list[Narrow]:
    """Return disjoint parts that together are everything, some for each worker if there are so many."""
    found: list[Narrow] = [()]
    for column in columns:
        if len(found) >= _PARTS * workers:
            break
        pieces = list(_pieces(list(proto.variables[column].domain)))
        if len(pieces) > 1:
            found = [(*part, (column, piece)) for part in found for piece in pieces]
    return found


def _pieces(domain: list[int]) -> Iterator[list[int]]:
    """Yield the values of a domain one by one, or two halves of a large one."""
    intervals = list(zip(domain[::2], domain[1::2], strict=True))
    size = sum(high - low + 1 for low, high in intervals)
    if size <= _VALUES:
        yield from ([value, value] for low, high in intervals for value in range(low, high + 1))
        return
    left: list[int] = []
    room = size // 2
    for k, (low, high) in enumerate(intervals):
        if high - low + 1 > room:
            middle = low + room - 1
            yield left + ([low, middle] if room else [])
            yield [middle + 1, high, *(end for interval in intervals[k + 1 :] for end in interval)]
            return
        left += [low, high]
        room -= high - low + 1


def run_shared(
    search: Search, narrows: list[Narrow], workers: int, deliver: Deliver, should_stop: Callable[[], bool]
) -> tuple[bool, bool]:
    """Search all parts in threads; return whether all were exhausted, and whether the receiver had enough.

    Batches are delivered in the calling thread. Raises what a search or the receiver raised.
    """
    todo: queue.SimpleQueue[Narrow] = queue.SimpleQueue()
    for narrow in narrows:
        todo.put(narrow)
    batches: queue.Queue[IntArray | BaseException | bool] = queue.Queue(4 * workers)
    state = _Running()

    def work() -> None:
        exhausted = True
        with suppress(queue.Empty):
            while not state.over.is_set():
                narrow = todo.get_nowait()
                try:
                    exhausted &= search(narrow, put, state.register)
                except BaseException as error:
                    batches.put(error)
                    return
        batches.put(exhausted and not state.over.is_set())

    def put(batch: IntArray) -> bool:
        batches.put(batch.copy())
        return not state.over.is_set()

    threads = [threading.Thread(target=work, name=f"cpqueens-cpsat-{k}", daemon=True) for k in range(workers)]
    for thread in threads:
        thread.start()
    try:
        with watching(state.stop, should_stop):
            return _received(batches, workers, state, deliver)
    finally:
        state.stop()
        while any(thread.is_alive() for thread in threads):
            with suppress(queue.Empty):  # nobody may wait for room
                batches.get(timeout=0.01)


class _Running:
    """The searches under way, to be stopped together."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self._stops: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def register(self, stop: Callable[[], None]) -> None:
        """Note how a search that begins is stopped; at once if all were."""
        with self._lock:
            self._stops.append(stop)
        if self.over.is_set():
            stop()

    def stop(self) -> None:
        """Stop all, those that begin later included."""
        self.over.set()
        with self._lock:
            stops = list(self._stops)
        for stop in stops:
            stop()


def _received(
    batches: queue.Queue[IntArray | BaseException | bool], workers: int, state: _Running, deliver: Deliver
) -> tuple[bool, bool]:
    """Hand on what comes until all threads have ended."""
    exhausted, enough, working = True, False, workers
    while working:
        item = batches.get()
        if isinstance(item, bool):
            working -= 1
            exhausted &= item
        elif isinstance(item, BaseException):
            raise item
        elif not enough and not deliver(item):
            enough = True
            state.stop()
    return exhausted and not enough, enough
