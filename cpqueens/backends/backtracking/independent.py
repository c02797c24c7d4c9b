"""Parts of a model that have nothing to do with each other: counted apart and multiplied."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from cpqueens.backends.backtracking.turns import Slices
from cpqueens.backends.base import Ended
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory
from cpqueens.language.rows import IntArray

Part = tuple[int, ...]
"""Decision variables, ascending."""


def parts_of(m: Memory, decisions: int) -> tuple[int, list[Part]]:
    """Return the values of free variables, multiplied, and the open variables of each other part.

    Variables with one value connect nothing; nothing needs to have been propagated.
    """
    x = m.x[: m.stack[at.VARIABLES]].reshape(-1, at.X_WIDTH)
    variables, hubs = _links(m, x)
    label = labels(len(x), variables, hubs)
    linked = np.zeros(len(x), dtype=bool)
    linked[variables] = True
    free = 1
    members: dict[int, list[int]] = {}
    for v in np.flatnonzero(x[:decisions, at.LOW] != x[:decisions, at.HIGH]).tolist():
        if linked[v]:
            members.setdefault(int(label[v]), []).append(v)
        else:
            free *= int(at.size(m, v * at.X_WIDTH))
    return free, [tuple(part) for part in members.values()]


def _links(m: Memory, x: IntArray) -> tuple[IntArray, IntArray]:
    """Return pairs (open variable, constraint that looks at it, by its place in ``net``)."""
    where = ((at.WATCH, 0, 2), (at.MEMBER, 1, 3), (at.PART, 1, 3))  # first field, which number of how many
    variables: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    hubs = variables.copy()
    for v in np.flatnonzero(x[:, at.LOW] != x[:, at.HIGH]).tolist():
        for field, offset, width in where:
            found = m.net[x[v, field] + offset : x[v, field + 1] : width]
            hubs.append(found)
            variables.append(np.full(len(found), v))
    return np.concatenate(variables), np.concatenate(hubs)


def labels(count: int, variables: IntArray, hubs: IntArray) -> IntArray:
    """Return the least variable of each variable's part."""
    label = np.arange(count)
    _, hub = np.unique(hubs, return_inverse=True)
    least = np.zeros(int(hub.max(initial=-1)) + 1, dtype=np.int64)
    while True:
        before = label.copy()
        least[:] = count
        np.minimum.at(least, hub, label[variables])
        np.minimum.at(label, variables, least[hub])
        label = label[label]
        if (label == before).all():
            return label


def counted_apart(free: int, searches: Sequence[Callable[[], Slices]]) -> Slices:
    """Count the parts one after the other; yields the solutions of the whole that are known by then."""
    ended: list[Ended] = []
    for k, search in enumerate(searches):
        done = free * math.prod(end.count or 0 for end in ended)
        part = search()
        try:
            while True:
                found = next(part)
                yield done * found if k + 1 == len(searches) else 0
        except StopIteration as end:
            ended.append(end.value)
        if not ended[-1].exhausted or not ended[-1].count:
            break
    return _whole(free, ended, len(searches))


def _whole(free: int, ended: Sequence[Ended], parts: int) -> Ended:
    """Return how the whole ended, given the parts that were searched: all, or up to one that decides."""
    last = ended[-1]
    count = free * math.prod(end.count or 0 for end in ended) if len(ended) == parts or not last.count else 0
    added = ("nodes", "failures", "decisions", "propagations")
    sums = {name: sum(end.statistics[name] for end in ended) for name in added}
    return replace(last, count=count, statistics={**last.statistics, **sums, "parts": parts})
