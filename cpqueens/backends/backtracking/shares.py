"""Counting any model in parts, the first decisions of the propagating search: for threads or an estimate."""

import random
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from cpqueens.backends.backtracking.forward import ForwardSearch
from cpqueens.backends.backtracking.tally import Tally
from cpqueens.backends.base import Ended, Request
from cpqueens.kernels.exact.domains import BASE, FIRST, HIGH, HOLES, LOW, X_WIDTH, Memory, copied
from cpqueens.lowered.compiled import Compiled

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

    def count(number: int) -> None:
        search = ForwardSearch(compiled, (parts[number], -1), tally.request, False, {})
        ended = search.run(lambda _batch: True, tally.report)
        reason = None if ended.exhausted else ended.stop_reason
        found = ended.statistics
        tally.book(number, [ended.count or 0], found["nodes"], found["failures"], reason)

    tally.run_each(count)
    return tally.ended_with_nodes(facts, "forward")


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
