"""Permutations along a path whose neighbouring differences must all occur: reversals of segments.

Reversing a segment changes only the two differences at its ends, where a swap changes four. All n - 1
differences 1 .. n - 1 of 0 .. n - 1 must occur, and d has only n - d pairs of values: the largest
missing difference is the hardest. So a step takes that one and looks for a reversal that makes it without
losing a larger one. If there is none, a few random reversals shake the series.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.jit.random import below
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.arena import Ints


@inner_kernel
def reverse(first: int, last: int, y: Ints, place: Ints) -> None:
    """Reverse ``y[first:last + 1]`` and keep the places of the values."""
    while first < last:
        a = y[first]
        b = y[last]
        y[first] = b
        y[last] = a
        place[b] = first
        place[a] = last
        first += 1
        last -= 1


@inner_kernel
def apply_reversal(first: int, last: int, y: Ints, place: Ints, count: Ints) -> None:
    """Reverse a segment and update the counts of differences."""
    if first > 0:
        count[abs(y[first - 1] - y[first])] -= 1
        count[abs(y[first - 1] - y[last])] += 1
    if last < y.shape[0] - 1:
        count[abs(y[last] - y[last + 1])] -= 1
        count[abs(y[first] - y[last + 1])] += 1
    reverse(first, last, y, place)


@inner_kernel
def keeps(first: int, last: int, above: int, y: Ints, count: Ints) -> Any:
    """Say whether reversing the segment keeps every difference greater than ``above``."""
    old1 = 0
    old2 = 0
    new1 = 0
    new2 = 0
    if first > 0:
        old1 = abs(y[first - 1] - y[first])
        new1 = abs(y[first - 1] - y[last])
    if last < y.shape[0] - 1:
        old2 = abs(y[last] - y[last + 1])
        new2 = abs(y[first] - y[last + 1])
    if old1 > above and count[old1] - (old2 == old1) + (new1 == old1) + (new2 == old1) < 2:
        return False
    return not (old2 > above and count[old2] - (old1 == old2) + (new1 == old2) + (new2 == old2) < 2)


@inner_kernel
def largest_missing(count: Ints) -> Any:
    """Return the largest difference that does not occur, 0 if all do."""
    d = count.shape[0] - 1
    while d > 0 and count[d] > 0:
        d -= 1
    return d


@inner_kernel
def mend(missing: int, y: Ints, place: Ints, count: Ints, info: Ints, random: Ints) -> Any:
    """Make the ``missing`` difference by a reversal that loses no larger one; say whether there was one."""
    pairs = y.shape[0] - missing
    offset = below(random, pairs)
    for q in range(pairs):
        a = q + offset
        if a >= pairs:
            a -= pairs
        p = min(place[a], place[a + missing])
        r = max(place[a], place[a + missing])
        # neighbours y[p], y[r] by reversing what follows y[p] up to y[r], or y[p] up to before y[r]
        for side in range(2):
            first = p + 1 - side
            last = r - side
            info[at.EVALUATIONS] += 1
            if keeps(first, last, missing, y, count):
                apply_reversal(first, last, y, place, count)
                info[at.MOVES] += 1
                info[at.HASH] = at.mixed(first * 65537 + last, info[at.HASH])
                return True
    return False


@kernel
def reversal_search(
    steps: int, shake: int, y: Ints, place: Ints, count: Ints, info: Ints, random: Ints
) -> Any:
    """Search for ``steps`` steps; return whether every difference occurs.

    ``shake`` is the number of random reversals where no reversal helps; ``place`` the inverse of ``y``.
    """
    n = y.shape[0]
    for _ in range(steps):
        missing = largest_missing(count)
        if missing == 0:
            return True
        info[at.STEPS] += 1
        if mend(missing, y, place, count, info, random):
            continue
        info[at.RESETS] += 1
        for _shake in range(shake):
            a = below(random, n)
            b = below(random, n)
            apply_reversal(min(a, b), max(a, b), y, place, count)
    return largest_missing(count) == 0
