"""Running the searches on recognised patterns: listing in batches, counting in threads.

Drive the counting of queens by halves: row sets as units, in threads, under limits, with an estimate.

Each unit is one class of row sets with an exact result and a weight, the number of row sets of its class.
Units are done in a seeded random order, so that the units done so far are a simple random sample and give
an unbiased estimate of the whole.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.answers.trace import TraceRecorder
from cpqueens.backends.backtracking.portfolio import Slices
from cpqueens.backends.backtracking.tally import Tally, count_each
from cpqueens.backends.backtracking.watching import PatternObserver
from cpqueens.backends.base import Deliver, Ended, Request, StopReason, Want
from cpqueens.kernels.boards.bitmask import BitmaskSearch
from cpqueens.kernels.boards.halves import Half, Room, count_units
from cpqueens.kernels.boards.pattern import Pattern, SumPattern, aligned
from cpqueens.kernels.boards.quadrants import Layout, Quadrant, Units, layout, quadrant_builders, row_sets
from cpqueens.kernels.boards.search import PatternSearch
from cpqueens.kernels.boards.sums import SumsSearch
from cpqueens.kernels.boards.tables import CheckSearch, RowmaskSearch, TableSearch
from cpqueens.system.stopping import Stopped

CHUNK_SECONDS = 0.02  # between two looks at the limits


def count(n: int, allowed: NDArray[np.bool_] | None, request: Request, facts: dict[str, Any]) -> Ended:
    """Count the ways to place n queens, exactly unless stopped.

    Parameters
    ----------
    n
        Size of the board, 0 to `MAX_N`.
    allowed
        Which squares may hold a queen, bool of shape (n, n), row first; None for all. Given queens are rows
        with one allowed square. With any forbidden square the symmetries are not used.
    request
        Threads, limits and the seed of the units' order. After a stop the units under way are finished.
    """
    if allowed is not None and bool(allowed.all()):
        allowed = None
    if n < 2:  # such a board has no halves, and is one unit
        tally = Tally(request, 1)
        tally.book(0, [1 if n == 0 or allowed is None else 0])
        return tally.ended(facts | {"strategy": "halves", "units": 1, "units_done": 1})
    board = layout(n)
    units = row_sets(board, allowed).shuffled(request.seed)
    tally = Tally(request, len(units.weights))
    quadrants = _tables(board, allowed, request) if tally.total else None
    if quadrants is not None:
        tally.run(lambda: _count_chunks(tally, _Workspace(board, units, quadrants)))
    elif tally.total:
        tally.reason = request.why_stopped()
    return tally.ended(facts | {"strategy": "halves", "units": tally.total, "units_done": tally.done})


class _Stopped(Exception):  # noqa: N818 - control flow of the threads that build tables
    """Nobody waits for the tables any more."""


def _tables(board: Layout, allowed: NDArray[np.bool_] | None, request: Request) -> Sequence[Quadrant] | None:
    """Build the quadrants, seconds for the largest boards, in threads; they end by themselves if stopped."""
    stopped = threading.Event()

    def look() -> None:
        if stopped.is_set():
            raise _Stopped

    builders = quadrant_builders(board, allowed, look)
    workers = min(max(1, request.workers), len(builders))
    pool = ThreadPoolExecutor(workers, thread_name_prefix="cpqueens-tables")
    try:
        futures = [pool.submit(build) for build in builders]
        while wait(futures, CHUNK_SECONDS).not_done:
            if request.should_stop():
                return None
    finally:
        stopped.set()
        pool.shutdown(wait=False, cancel_futures=True)
    return [future.result() for future in (*futures, *futures)[:4]]


def _count_chunks(tally: Tally, workspace: _Workspace) -> None:
    """Count units in one thread, a few hundredths of a second between two looks at the limits."""
    for chunk in tally.chunks(CHUNK_SECONDS):
        if tally.request.should_stop():
            tally.book(chunk.start, [], reason=tally.request.why_stopped())
        else:
            try:
                tally.book(chunk.start, workspace.count(chunk))
            except Stopped:
                tally.book(chunk.start, [], reason=tally.request.why_stopped())


class _Workspace:
    """One thread's room, and the calls of the kernel."""

    def __init__(self, board: Layout, units: Units, quadrants: Sequence[Quadrant]) -> None:
        self.board, self.units = board, units
        north_west, south_west, north_east, south_east = ((q.entries, q.starts) for q in quadrants)
        self.sides = Half(*north_west, *south_west), Half(*north_east, *south_east)
        self.room = self._allocate(1 << 14)

    def _allocate(self, size: int) -> Room:
        parts, buckets = self.board.parts, self.board.buckets
        padded = size + 64 * parts + 512
        return Room(
            buffer=np.empty(size, dtype=np.uint64),
            west=np.empty(padded, dtype=np.uint32),
            east=np.empty(padded, dtype=np.uint32),
            lines=np.empty(padded // 2, dtype=np.uint64),
            blocks=np.empty(padded // 64, dtype=np.int64),
            padding=np.empty(padded // 64, dtype=np.uint64),
            rows=aligned((38 * 8,)),
            unions=aligned((5 * 64 * 8,)),
            west_starts=np.zeros(parts + 1, dtype=np.int64),
            west_counts=np.zeros(parts, dtype=np.int64),
            east_starts=np.zeros(buckets + 1, dtype=np.int64),
            east_counts=np.zeros(buckets, dtype=np.int64),
        )

    def count(self, chunk: range) -> list[int]:
        """Return how many solutions the row sets have that each unit stands for."""
        board, done = self.board, 0
        cut = board.half, (board.n + 1) // 2, board.side, board.central
        units = self.units.rows[chunk.start : chunk.stop]
        results = np.zeros(len(units), dtype=np.uint64)
        while True:
            done = int(count_units(units, done, *self.sides, *cut, self.room, results))
            if done == len(units):
                weights = self.units.weights[chunk.start : chunk.stop]
                return list((results.astype(np.int64) * weights).tolist())
            self.room = self._allocate(2 * len(self.room.buffer))  # a unit did not fit


class UnitCounts:
    """All units of a board without forbidden squares, for whoever counts some of them at a time.

    They are in a random order that is always the same. The tables, seconds for the largest boards, are built
    by `prepare`, at the latest at the first count.
    """

    def __init__(self, n: int) -> None:
        self.board = layout(n)
        self.units = row_sets(self.board).shuffled(0)
        self._quadrants: Sequence[Quadrant] = ()

    def __len__(self) -> int:
        """Return how many units there are."""
        return len(self.units.weights)

    def describe(self, unit: int) -> tuple[int, int, int]:
        """Return a unit's rows in the west and in the east, as bits, and how many row sets it stands for."""
        west, east, _ = self.units.rows[unit].tolist()
        return west, east, int(self.units.weights[unit])

    def prepare(self) -> None:
        """Build the tables, unless they are there."""
        if not self._quadrants:
            built = [build() for build in quadrant_builders(self.board)]
            self._quadrants = (*built, *built)[:4]

    def count(self, units: Sequence[int]) -> list[int]:
        """Return how many solutions each of these units stands for."""
        self.prepare()
        workspace = _Workspace(self.board, self.units.picked(units), self._quadrants)
        return workspace.count(range(len(units)))


_FIRST_BATCH, _LARGEST_BATCH = 64, 4096


SEARCHES: Mapping[str, type[PatternSearch]] = {
    "bitmask": BitmaskSearch,
    "check": CheckSearch,
    "rowmask": RowmaskSearch,
    "sums": SumsSearch,
    "table": TableSearch,
}
"""The classes of the strategies."""


def slices(
    pattern: Pattern | SumPattern,
    strategy: str,
    request: Request,
    deliver: Deliver,
    facts: dict[str, Any],
    recorder: TraceRecorder | None = None,
) -> Slices:
    """Search slice by slice: count, or deliver the pattern's solutions in lexicographic order."""
    make = SEARCHES[strategy]
    if request.want is Want.COUNT:
        facts = facts | {"workers": request.workers or 1}
        ended = yield from _counting(make(pattern), request)
    else:
        search = _lister(pattern, strategy, request, recorder is not None)
        ended = yield from _listing(search, pattern, request, deliver, recorder)
    return replace(ended, statistics=facts | {"strategy": strategy, **ended.statistics})


def _lister(pattern: Pattern | SumPattern, strategy: str, request: Request, recorded: bool) -> PatternSearch:
    """Return the search that lists a pattern; a recorded one visits the same nodes, and stops at each."""
    if strategy == "bitmask" and recorded and pattern.has_table:
        strategy = "check"
    after = None if request.after is None else (request.after - pattern.base).tolist()
    return SEARCHES[strategy](pattern, after=after)


def _listing(
    search: PatternSearch,
    pattern: Pattern | SumPattern,
    request: Request,
    deliver: Deliver,
    recorder: TraceRecorder | None,
) -> Slices:
    observer = None if recorder is None or not pattern.n else PatternObserver(recorder, search)
    capacity = 1 if request.wants_few else _FIRST_BATCH
    reason = None
    stored = np.zeros((capacity, pattern.n), dtype=np.uint8)
    filled, flushed, found = 0, time.monotonic(), 0
    while reason is None and not (search.exhausted and not filled):
        budget = _budget(search, request)
        if request.should_stop() or budget == 0:
            reason = StopReason.STEP_LIMIT if budget == 0 else request.why_stopped()
            break
        if observer is None:
            filled += search.fill(stored[filled:], budget)
        else:
            filled += search.fill(stored[filled : filled + 1], 1)
            observer.stepped()
        if filled == capacity or search.exhausted or (filled and time.monotonic() - flushed > 0.05):
            if filled and not deliver(np.add(stored[:filled], pattern.base, dtype=np.int64)):
                reason = StopReason.CALLBACK
            capacity = min(64 * capacity, _LARGEST_BATCH)
            stored = np.zeros((capacity, pattern.n), dtype=np.uint8)
            found, filled, flushed = found + filled, 0, time.monotonic()
        yield found + filled
    return replace(_ended(search, reason), trace=None if recorder is None else recorder.trace())


def _counting(search: PatternSearch, request: Request) -> Slices:
    reason = None
    while not search.exhausted and reason is None:
        budget = _budget(search, request)
        if request.should_stop() or budget == 0:
            reason = StopReason.STEP_LIMIT if budget == 0 else request.why_stopped()
            break
        search.count(budget)
        yield search.solutions
    return replace(_ended(search, reason), count=search.solutions)


def _ended(search: PatternSearch, reason: StopReason | None) -> Ended:
    visited = {"nodes": search.nodes, "failures": search.failures}
    return Ended(reason is None, reason or StopReason.EXHAUSTED, statistics=visited)


def _budget(search: PatternSearch, request: Request) -> int | None:
    """Return the placements of the next call: None for the search's own choice, fewer near a step limit."""
    if request.step_limit is None:
        return None
    return max(0, min(search.pace.steps, request.step_limit - search.nodes + 1))


def count_in_parts(
    pattern: Pattern | SumPattern, strategy: str, request: Request, facts: dict[str, Any]
) -> Ended:
    """Count the pattern's solutions; the first rows' placements are parts, for threads and an estimate."""
    make = SEARCHES[strategy]
    prefixes, nodes, failures = _prefixes(pattern, request)
    tally = Tally(request, len(prefixes), nodes, failures)
    return count_each(
        tally, lambda number: _counting(make(pattern, prefixes[number]), tally.request), facts, strategy
    )


def _prefixes(pattern: Pattern | SumPattern, request: Request) -> tuple[list[tuple[int, ...]], int, int]:
    """Return safe placements of the first rows that cover the space, and the nodes and dead ends above them.

    They come in random order. Of a small board it is the empty one, which counts the root itself.
    """
    if pattern.n < 4:
        return [()], 0, 0
    first = _columns(pattern, 0)
    prefixes: list[tuple[int, ...]] = [(a,) for a in first]
    nodes, failures = 1 + len(first), int(not first)
    if isinstance(pattern, Pattern) and pattern.has_table:
        later = {a: _columns(pattern, 1, int(pattern.conflict[0, 1, a])) for a in first}
        prefixes = [(a, b) for a in first for b in later[a]]
        nodes, failures = nodes + len(prefixes), failures + sum(not columns for columns in later.values())
    random.Random(request.seed).shuffle(prefixes)
    return prefixes, nodes, failures


def _columns(pattern: Pattern | SumPattern, row: int, taken: int = 0) -> list[int]:
    free = int(pattern.allowed[row]) & ~taken
    return [v for v in range(pattern.width) if free >> v & 1]


def squares(pattern: Pattern | SumPattern) -> np.typing.NDArray[np.bool_]:
    """Return which squares may hold a queen, bool of shape (n, width)."""
    shifts = np.arange(pattern.width, dtype=np.uint64)
    return (pattern.allowed[:, None] >> shifts & np.uint64(1)).astype(bool)


def count_halves(pattern: Pattern | SumPattern, request: Request, facts: dict[str, Any]) -> Ended:
    """Count queens by meeting in the middle."""
    return count(pattern.n, squares(pattern), request, facts)
