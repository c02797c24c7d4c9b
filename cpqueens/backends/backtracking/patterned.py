"""Running the searches on recognised patterns: listing in batches, counting in threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.backends.backtracking.recognise import Recognised
from cpqueens.backends.backtracking.recognise_sums import RecognisedSums
from cpqueens.backends.base import Deliver, Ended, Request, Want
from cpqueens.outcome import StopReason

if TYPE_CHECKING:
    from cpqueens.kernels.mirrored import MirroredSearch
    from cpqueens.kernels.pattern import Pattern
    from cpqueens.kernels.search import PatternSearch
    from cpqueens.kernels.sum_pattern import SumPattern

Found = Recognised | RecognisedSums

_FIRST_BATCH, _LARGEST_BATCH = 64, 4096


def search_class(strategy: str) -> type[PatternSearch]:
    """Return the class of a strategy: ``bitmask``, ``rowmask``, ``sums``, ``table`` or ``check``."""
    from cpqueens.kernels.bitmask import BitmaskSearch
    from cpqueens.kernels.sums import SumsSearch
    from cpqueens.kernels.tables import CheckSearch, RowmaskSearch, TableSearch

    classes: dict[str, type[PatternSearch]] = {
        "bitmask": BitmaskSearch,
        "check": CheckSearch,
        "rowmask": RowmaskSearch,
        "sums": SumsSearch,
        "table": TableSearch,
    }
    return classes[strategy]


def list_solutions(
    found: Found, strategy: str, request: Request, deliver: Deliver, facts: dict[str, Any]
) -> Ended:
    """Deliver the pattern's solutions in lexicographic order."""
    from cpqueens.kernels.mirrored import MirroredSearch, is_mirrored

    make = search_class(strategy)
    with request.clock.pause("compile"):
        _warm(make, found.pattern)
    after = None if request.after is None else (request.after - found.base).tolist()
    search: PatternSearch | MirroredSearch = make(found.pattern, after=after)
    if strategy == "bitmask" and after is None and is_mirrored(found.pattern):
        search = MirroredSearch(found.pattern)
    capacity = _FIRST_BATCH if request.solution_limit is None else 1
    reason = None
    stored = np.zeros((capacity, found.pattern.n), dtype=np.uint8)
    filled, flushed = 0, time.monotonic()
    while reason is None and not (search.exhausted and not filled):
        budget = _budget(search, request)
        if request.should_stop() or budget == 0:
            reason = StopReason.STEP_LIMIT if budget == 0 else request.why_stopped()
            break
        filled += search.fill(stored[filled:], budget)
        if filled == capacity or search.exhausted or (filled and time.monotonic() - flushed > 0.05):
            if filled and not deliver(stored[:filled].astype(np.int64) + found.base):
                reason = StopReason.CALLBACK
            capacity = min(64 * capacity, _LARGEST_BATCH)
            stored = np.zeros((capacity, found.pattern.n), dtype=np.uint8)
            filled, flushed = 0, time.monotonic()
    facts |= {"strategy": strategy, "nodes": search.nodes, "failures": search.failures}
    return Ended(reason is None, reason or StopReason.EXHAUSTED, statistics=facts)


def _budget(search: PatternSearch | MirroredSearch, request: Request) -> int | None:
    """Return the placements of the next call: None for the search's own choice, fewer near a step limit."""
    if request.step_limit is None:
        return None
    return max(0, min(search.default_budget(), request.step_limit - search.nodes + 1))


def count_solutions(found: Found, strategy: str, request: Request, facts: dict[str, Any]) -> Ended:
    """Count the pattern's solutions, the first rows' placements shared among threads."""
    make = search_class(strategy)
    with request.clock.pause("compile"):
        _warm(make, found.pattern)
    prefixes, nodes, failures = _prefixes(found, request)
    counter = _Counter(make, found.pattern, request, len(prefixes))
    if request.workers > 1 and len(prefixes) > 1:
        with ThreadPoolExecutor(request.workers) as pool:
            list(pool.map(counter.run, prefixes))
    else:
        for prefix in prefixes:
            counter.run(prefix)
    facts |= {
        "strategy": strategy,
        "nodes": counter.nodes + nodes,
        "failures": counter.failures + failures,
        "workers": request.workers or 1,
    }
    reason = counter.reason
    return Ended(reason is None, reason or StopReason.EXHAUSTED, count=counter.count, statistics=facts)


class _Counter:
    """Adds up the counts under prefixes; called from several threads."""

    def __init__(
        self, make: Callable[..., PatternSearch], pattern: Pattern | SumPattern, request: Request, total: int
    ) -> None:
        self.make, self.pattern, self.request = make, pattern, request
        self.count = self.nodes = self.failures = self.done = 0
        self.total = total
        self.reason: StopReason | None = None
        self._reported = time.monotonic()
        self._lock = threading.Lock()

    def run(self, prefix: tuple[int, ...]) -> None:
        """Count under one prefix, until a limit."""
        if self.reason is not None:
            return
        search = self.make(self.pattern, prefix)
        while not search.exhausted and self.reason is None:
            budget = _budget(search, self.request) if self.total == 1 else None
            if self.request.should_stop() or budget == 0:
                self.reason = StopReason.STEP_LIMIT if budget == 0 else self.request.why_stopped()
                break
            search.count(budget)
            self._report(search)
        with self._lock:
            self.count += search.solutions
            self.nodes += search.nodes
            self.failures += search.failures
            self.done += 1

    def _report(self, search: PatternSearch) -> None:
        show = self.request.on_progress
        if show is not None and time.monotonic() - self._reported > 0.1:
            self._reported = time.monotonic()
            show({"count": self.count + search.solutions, "done": self.done, "total": self.total})


def _prefixes(found: Found, request: Request) -> tuple[list[tuple[int, ...]], int, int]:
    """Return safe placements of the first rows that cover the space, and the nodes and dead ends above them.

    One thread gets the empty one, and counts the root itself.
    """
    pattern = found.pattern
    if request.workers <= 1 or request.step_limit is not None or pattern.n < 4:
        return [()], 0, 0
    first = _columns(pattern, 0)
    if not isinstance(found, Recognised) or not found.has_table:
        return [(a,) for a in first], 1 + len(first), 0
    later = {a: _columns(pattern, 1, int(found.pattern.conflict[0, 1, a])) for a in first}
    pairs: list[tuple[int, ...]] = [(a, b) for a in first for b in later[a]]
    return pairs, 1 + len(first) + len(pairs), sum(not columns for columns in later.values())


def _columns(pattern: Pattern | SumPattern, row: int, taken: int = 0) -> list[int]:
    free = int(pattern.allowed[row]) & ~taken
    return [v for v in range(pattern.width) if free >> v & 1]


_WARM: set[type[PatternSearch]] = set()


def _warm(make: type[PatternSearch], pattern: Pattern | SumPattern) -> None:
    """Compile the kernel that ``pattern`` needs, on one placement of it, once in this process."""
    if make not in _WARM:
        make(pattern).count(1)
        _WARM.add(make)


def squares(found: Found) -> np.typing.NDArray[np.bool_]:
    """Return which squares may hold a queen, bool of shape (n, width)."""
    shifts = np.arange(found.pattern.width, dtype=np.uint64)
    return (found.pattern.allowed[:, None] >> shifts & np.uint64(1)).astype(bool)


def wants_halves(found: Found, request: Request, smallest: int) -> bool:
    """Say whether a count is better done by halves: plain queens on a square board that is not small."""
    from cpqueens.kernels.quadrants import MAX_N

    pattern = found.pattern
    square = pattern.n == pattern.width and pattern.is_queens
    return request.want is Want.COUNT and square and smallest <= pattern.n <= MAX_N


def count_halves(found: Found, request: Request, facts: dict[str, Any]) -> Ended:
    """Count queens by meeting in the middle."""
    from cpqueens.backends.backtracking import halves

    with request.clock.pause("compile"):
        halves.count(6)
    show = request.on_progress

    def report(progress: halves.HalvesProgress) -> None:
        if show is not None:
            show(
                {
                    "count": progress.count,
                    "done": progress.units_done,
                    "total": progress.units_total,
                    "estimate": progress.estimate,
                    "interval": progress.interval,
                }
            )

    result = halves.count(
        found.pattern.n,
        squares(found),
        num_workers=request.workers or 1,
        should_stop=request.should_stop,
        on_progress=None if show is None else report,
        seed=request.seed,
    )
    facts |= {
        "strategy": "halves",
        "units": result.units_total,
        "units_done": result.units_done,
        "workers": request.workers or 1,
    }
    if not result.complete:
        facts |= {"estimate": result.estimate, "interval": result.interval}
        return Ended(False, request.why_stopped(), count=result.count, statistics=facts)
    return Ended(True, StopReason.EXHAUSTED, count=result.count, statistics=facts)
