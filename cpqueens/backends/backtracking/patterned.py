"""Running the searches on recognised patterns: listing in batches, counting in threads."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.backtracking.tally import Tally, wants_parts
from cpqueens.backends.base import Deliver, Ended, Request, Want
from cpqueens.kernels.pattern import Pattern
from cpqueens.kernels.sum_pattern import SumPattern

if TYPE_CHECKING:
    from cpqueens.kernels.mirrored import MirroredSearch
    from cpqueens.kernels.search import PatternSearch

_FIRST_BATCH, _LARGEST_BATCH = 64, 4096
_WARM: set[str] = set()


def _search_class(strategy: str, pattern: Pattern | SumPattern, request: Request) -> type[PatternSearch]:
    """Return the class of a strategy, its kernel compiled for the pattern, once in this process."""
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
    if strategy not in _WARM:
        with request.clock.pause("compile"):
            classes[strategy](pattern).count(1)
        _WARM.add(strategy)
    return classes[strategy]


def run(
    pattern: Pattern | SumPattern, strategy: str, request: Request, facts: dict[str, Any], deliver: Deliver
) -> Ended:
    """Count or list with a strategy."""
    if strategy == "halves":
        return count_halves(pattern, request, facts)
    if request.want is Want.COUNT:
        return count_solutions(pattern, strategy, request, facts)
    return list_solutions(pattern, strategy, request, facts, deliver)


def list_solutions(
    pattern: Pattern | SumPattern, strategy: str, request: Request, facts: dict[str, Any], deliver: Deliver
) -> Ended:
    """Deliver the pattern's solutions in lexicographic order."""
    from cpqueens.kernels.mirrored import MirroredSearch, is_mirrored

    make = _search_class(strategy, pattern, request)
    after = None if request.after is None else (request.after - pattern.base).tolist()
    search: PatternSearch | MirroredSearch = make(pattern, after=after)
    if strategy == "bitmask" and after is None and is_mirrored(pattern):
        search = MirroredSearch(pattern)
    capacity = 1 if request.wants_few else _FIRST_BATCH
    reason = None
    stored = np.zeros((capacity, pattern.n), dtype=np.uint8)
    filled, flushed = 0, time.monotonic()
    while (filled or not search.exhausted) and (reason := _limit(search, request)) is None:
        filled += search.fill(stored[filled:], _budget(search, request))
        if filled == capacity or search.exhausted or (filled and time.monotonic() - flushed > 0.05):
            if filled and not deliver(stored[:filled].astype(np.int64) + pattern.base):
                reason = StopReason.CALLBACK
                break
            capacity = min(64 * capacity, _LARGEST_BATCH)
            stored = np.zeros((capacity, pattern.n), dtype=np.uint8)
            filled, flushed = 0, time.monotonic()
    facts |= {"strategy": strategy, "nodes": search.nodes, "failures": search.failures}
    return Ended(reason is None, reason or StopReason.EXHAUSTED, statistics=facts)


def _limit(search: PatternSearch | MirroredSearch, request: Request) -> StopReason | None:
    if request.step_limit is not None and search.nodes > request.step_limit:
        return StopReason.STEP_LIMIT
    return request.why_stopped() if request.should_stop() else None


def _budget(search: PatternSearch | MirroredSearch, request: Request) -> int | None:
    """Return the placements of the next call: None for the search's own choice, fewer near a step limit."""
    if request.step_limit is None:
        return None
    return min(search.default_budget(), request.step_limit - search.nodes + 1)


def count_solutions(
    pattern: Pattern | SumPattern, strategy: str, request: Request, facts: dict[str, Any]
) -> Ended:
    """Count the pattern's solutions; the first rows' placements are parts, for threads or an estimate."""
    make = _search_class(strategy, pattern, request)
    prefixes, nodes, failures = _prefixes(pattern, request)
    tally = Tally(request, len(prefixes), nodes, failures)

    def count(number: int) -> None:
        search, reason = make(pattern, prefixes[number]), None
        while not search.exhausted and (reason := _limit(search, tally.request)) is None:
            search.count(_budget(search, request))
            tally.report(search.solutions)
        tally.book(number, [search.solutions], search.nodes, search.failures, reason)

    tally.run_each(count)
    return tally.ended_with_nodes(facts, strategy)


def _prefixes(pattern: Pattern | SumPattern, request: Request) -> tuple[list[tuple[int, ...]], int, int]:
    """Return safe placements of the first rows that cover the space, and the nodes and dead ends above them.

    They come in random order. Where no parts are wanted it is the empty one, which counts the root itself.
    """
    if not wants_parts(request) or pattern.n < 4:
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


def wants_halves(pattern: Pattern | SumPattern, request: Request, smallest: int) -> bool:
    """Say whether a count is better done by halves: plain queens on a square board that is not small."""
    from cpqueens.kernels.quadrants import MAX_N

    square = pattern.n == pattern.width and pattern.is_queens
    return request.want is Want.COUNT and square and smallest <= pattern.n <= MAX_N


def count_halves(pattern: Pattern | SumPattern, request: Request, facts: dict[str, Any]) -> Ended:
    """Count queens by meeting in the middle."""
    from cpqueens.backends.backtracking import halves

    with request.clock.pause("compile"):
        halves.warm()
    return halves.count(pattern.n, squares(pattern), request, facts)
