"""Running the searches on recognised patterns: listing in batches, counting in threads."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.answers.outcome import StopReason
from cpqueens.answers.trace import TraceRecorder
from cpqueens.backends.backtracking.portfolio import Slices, drained
from cpqueens.backends.backtracking.tally import Tally
from cpqueens.backends.base import Deliver, Ended, Request, Want
from cpqueens.kernels.boards.pattern import Pattern, SumPattern

if TYPE_CHECKING:
    from cpqueens.backends.backtracking.watching import PatternObserver
    from cpqueens.kernels.boards.search import PatternSearch

_FIRST_BATCH, _LARGEST_BATCH = 64, 4096


def search_class(strategy: str) -> type[PatternSearch]:
    """Return the class of a strategy: ``bitmask``, ``rowmask``, ``sums``, ``table`` or ``check``."""
    from cpqueens.kernels.boards.bitmask import BitmaskSearch
    from cpqueens.kernels.boards.sums import SumsSearch
    from cpqueens.kernels.boards.tables import CheckSearch, RowmaskSearch, TableSearch

    classes: dict[str, type[PatternSearch]] = {
        "bitmask": BitmaskSearch,
        "check": CheckSearch,
        "rowmask": RowmaskSearch,
        "sums": SumsSearch,
        "table": TableSearch,
    }
    return classes[strategy]


def slices(
    pattern: Pattern | SumPattern,
    strategy: str,
    request: Request,
    deliver: Deliver,
    facts: dict[str, Any],
    recorder: TraceRecorder | None = None,
) -> Slices:
    """Search slice by slice: count, or deliver the pattern's solutions in lexicographic order."""
    make = search_class(strategy)
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
    return search_class(strategy)(pattern, after=after)


def _listing(
    search: PatternSearch,
    pattern: Pattern | SumPattern,
    request: Request,
    deliver: Deliver,
    recorder: TraceRecorder | None,
) -> Slices:
    observer = observed(search, recorder)
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
            if filled and not deliver(stored[:filled].astype(np.int64) + pattern.base):
                reason = StopReason.CALLBACK
            capacity = min(64 * capacity, _LARGEST_BATCH)
            stored = np.zeros((capacity, pattern.n), dtype=np.uint8)
            found, filled, flushed = found + filled, 0, time.monotonic()
        yield found + filled
    return replace(_ended(search, reason), trace=None if recorder is None else recorder.trace())


def observed(search: PatternSearch, recorder: TraceRecorder | None) -> PatternObserver | None:
    """Return what shows a search to a recorder, None where there is none or nothing to place."""
    from cpqueens.backends.backtracking.watching import PatternObserver

    if recorder is None or not search.pattern.n:
        return None
    return PatternObserver(recorder, search)


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
    make = search_class(strategy)
    prefixes, nodes, failures = _prefixes(pattern, request)
    tally = Tally(request, len(prefixes))
    tally.nodes, tally.failures = nodes, failures

    def count(number: int) -> None:
        ended = drained(_counting(make(pattern, prefixes[number]), tally.request), tally.report)
        reason = None if ended.exhausted else ended.stop_reason
        tally.book(number, [ended.count or 0], **ended.statistics, reason=reason)

    tally.run_each(count)
    return tally.ended(facts | {"strategy": strategy, "nodes": tally.nodes, "failures": tally.failures})


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
    from cpqueens.backends.backtracking import halves

    return halves.count(pattern.n, squares(pattern), request, facts)
