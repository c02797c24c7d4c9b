"""Distances of ascending marks that are all different: lower bounds of sums of steps.

Between two marks with no fixed one between them lie k steps, whose lengths nobody else has: together they
are no shorter than the sum of the k least lengths that are left, an old bound of searches for Golomb rulers
(Smith, Stergiou and Walsh 1999, "Modelling the Golomb ruler problem"). So are, together with the steps, the
k - 1 distances over two steps, and so on. All distances over at most L steps have each step L (L + 1) / 2
times, but for those near the ends, which they have more seldom. What these lack, at least the least lengths
again, is added, and the whole divided: nine marks need a length of 42 then, instead of 36 (the shortest ruler
has 44). It is the idea of the linear relaxations that Meyer and Jaumard compare (2005, "Equivalence of some
LP-based lower bounds for the Golomb ruler problem"), applied to the lengths that are left at a node.

The arguments are the marks, ascending. ``ROWS`` has a header, then for each number of steps and each level L
what the steps lack, room for the sums of least lengths, and a flag for each length.
"""

from collections.abc import Sequence
from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, is_open, tighten
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, put

# The header: over how many steps distances are in the AllDifferent, levels, where the sums and the flags
# begin, how many lengths have flags. Places count from ``ROWS``.
REACH, LEVELS, SUMS, USED, LENGTHS, HEADER = range(6)

MOST_LEVELS = 4
LACKS = 2 * (MOST_LEVELS - 1)
"""Steps that lack something, at most, on any level."""

ROW = MOST_LEVELS * LACKS
"""Numbers about a number of steps."""


def lacks(steps: int, level: int) -> list[int]:
    """Return how often distances over up to ``level`` steps lack each step: `LACKS` numbers, most first."""
    whole = level * (level + 1) // 2
    seen = [
        sum(min(width, k, steps + 1 - k, steps + 1 - width) for width in range(1, level + 1))
        for k in range(1, steps + 1)
    ]
    found = sorted((whole - n for n in seen if n < whole), reverse=True)
    return [*found, *[0] * (LACKS - len(found))]


def distance_data(marks: int, reach: int) -> Sequence[int]:
    """Return the data for marks all of whose distances over at most ``reach`` steps are different."""
    levels = min(MOST_LEVELS, reach)
    rows = [
        number
        for steps in range(1, marks)
        for level in range(1, MOST_LEVELS + 1)
        for number in (lacks(steps, level) if level <= min(levels, steps - 1) else [0] * LACKS)
    ]
    sums = HEADER + len(rows)
    most = levels * (marks - 1)
    used = sums + most + 1
    lengths = most + reach * marks
    return [reach, levels, sums, used, lengths, *rows, *[0] * (most + 1 + lengths + 1)]


@inner_kernel
def mark_used(m: Memory, p: int, data: int) -> Any:
    """Flag the lengths of distances of fixed marks; say whether these are positive and different."""
    first, end = entry(m.net, p + at.START), entry(m.net, p + at.END)
    used, lengths = data + entry(m.net, data + USED), entry(m.net, data + LENGTHS)
    far = 2 * entry(m.net, data + REACH)
    for k in range(used, used + lengths + 1):
        put(m.net, k, 0)
    for k in range(first, end, 2):
        v = entry(m.net, k)
        if not is_open(m, v):
            for j in range(k + 2, min(end, k + far + 2), 2):
                w = entry(m.net, j)
                if not is_open(m, w):
                    length = entry(m.x, w + at.LOW) - entry(m.x, v + at.LOW)
                    if length <= 0:
                        return 0
                    if length <= lengths:
                        if entry(m.net, used + length):
                            return 0
                        put(m.net, used + length, 1)
    return 1


@inner_kernel
def sum_least(m: Memory, data: int) -> None:
    """Sum up the least lengths that are left, one by one."""
    sums, used = data + entry(m.net, data + SUMS), data + entry(m.net, data + USED)
    length = total = 0
    put(m.net, sums, 0)
    for k in range(sums + 1, used):
        length += 1
        while entry(m.net, used + length):
            length += 1
        total += length
        put(m.net, k, total)


@inner_kernel
def least_length(m: Memory, data: int, steps: int) -> Any:
    """Return what so many steps need at least."""
    sums = data + entry(m.net, data + SUMS)
    least = entry(m.net, sums + steps)
    lack = data + HEADER + ROW * (steps - 1)
    parts, whole = steps, 1
    for level in range(2, min(entry(m.net, data + LEVELS), steps - 1) + 1):
        lack += LACKS
        parts += steps + 1 - level
        whole += level
        total = entry(m.net, sums + parts)
        for k in range(2 * (level - 1)):
            often = entry(m.net, lack + k)
            if often == 0:
                break
            total += often * (entry(m.net, sums + k + 1) - entry(m.net, sums + k))
        least = max(least, (total + whole - 1) // whole)
    return least


@inner_kernel
def stretch(m: Memory, first: int, last: int, steps: int, least: int) -> Any:
    """Let all marks from ``first`` to ``last`` that are so many steps apart have the least distance."""
    for k in range(first, last - 2 * steps + 2, 2):
        v, w = entry(m.net, k), entry(m.net, k + 2 * steps)
        if not tighten(m, w, entry(m.x, v + at.LOW) + least, entry(m.x, w + at.HIGH)):
            return 0
        if not tighten(m, v, entry(m.x, v + at.LOW), entry(m.x, w + at.HIGH) - least):
            return 0
    return 1


@propagator
def distances(m: Memory, p: int) -> Any:
    """Prune for marks that ascend and have different distances."""
    first, end = entry(m.net, p + at.START), entry(m.net, p + at.END)
    data = entry(m.net, p + at.ROWS)
    if not mark_used(m, p, data):
        return 0
    sum_least(m, data)
    start = first
    for k in range(first + 2, end, 2):
        v = entry(m.net, k)
        if k + 2 < end and is_open(m, v):
            continue
        many = (k - start) // 2
        if many == 1 and not is_open(m, v) and not is_open(m, entry(m.net, start)):
            many = 0  # the length is one of those in use
        for steps in range(1, many + 1):
            if not stretch(m, start, k, steps, least_length(m, data, steps)):
                return 0
        start = k
    return 1
