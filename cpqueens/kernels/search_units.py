"""Permutations under AllDifferents over x[i] + offset[i]: queens of any size, in little memory.

The start places variables one after the other, each on a random one of the values that are left, if
possible without a conflict, within 3 n tries in all (Sosic and Gu's QS4, "A polynomial time algorithm for
the n-queens problem", 1990, and "3,000,000 queens in less than one minute", 1991). What stays in conflict
goes into a work list: every pair in conflict has a member there. A variable from the list is swapped with
the best of some partners.

Counter numbers are x[i] + offsets[c, i]; values and offsets are shifted so that all are >= 0. The arrays
are int32 to keep 10**7 variables small.
"""

from __future__ import annotations

from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.random import below, draw
from cpqueens.kernels.search_plain import Ints

# entries of ``info``
PLACED = 0  # variables placed by the start
TRIES = 1  # used by the start
COST = 2  # surplus
LISTED = 3  # length of the work list
STEPS = 4
HASH = 5
STALL = 6
EVALUATIONS = 7
LEAST = 8
SWAPS = 9
SEARCHING = 10  # 0 while the start is under way
MISPLACED = 11  # variables that the start left in conflict
RESTARTS = 12
LENGTH = 13

SCAN_ALL = 320  # up to so many variables, all partners are looked at


@kernel
def swap_delta(i: int, j: int, x: Ints, offsets: Ints, count: Ints) -> Any:
    """Return the change of surplus by swapping the values of ``i`` and ``j`` (reads only)."""
    delta = 0
    xi = x[i]
    xj = x[j]
    for c in range(offsets.shape[0]):
        oi = offsets[c, i]
        oj = offsets[c, j]
        k1 = xi + oi
        k2 = xj + oj
        k3 = xj + oi
        k4 = xi + oj
        delta -= (count[k1] > 1) + 0
        delta -= (count[k2] - (k2 == k1) > 1) + 0
        delta += (count[k3] - (k3 == k1) - (k3 == k2) > 0) + 0
        delta += (count[k4] - (k4 == k1) - (k4 == k2) + (k4 == k3) > 0) + 0
    return delta


@kernel
def shift(i: int, value: int, step: int, offsets: Ints, count: Ints) -> None:
    """Add ``step`` to the counters of variable ``i`` with ``value``."""
    for c in range(offsets.shape[0]):
        count[value + offsets[c, i]] += step


@kernel
def attacked(i: int, x: Ints, offsets: Ints, count: Ints) -> Any:
    """Say whether variable ``i`` shares a counter."""
    for c in range(offsets.shape[0]):  # noqa: SIM110 - a generator would not compile
        if count[x[i] + offsets[c, i]] > 1:
            return True
    return False


@kernel
def construct(
    steps: int, limit: int, x: Ints, offsets: Ints, count: Ints, work: Ints, info: Ints, random: Ints
) -> None:
    """Place up to ``steps`` variables without conflict as long as ``limit`` tries in all last."""
    n = x.shape[0]
    i = info[PLACED]
    end = min(n, i + steps)
    while i < end:
        free = False
        j = i
        while not free and info[TRIES] < limit:
            info[TRIES] += 1
            j = i + below(random, n - i)
            value = x[j]
            free = True
            for c in range(offsets.shape[0]):
                if count[value + offsets[c, i]] > 0:
                    free = False
                    break
        if not free:
            # the tries are used up: the value that is there, whatever it costs
            j = i + below(random, n - i)
            value = x[j]
            for c in range(offsets.shape[0]):
                if count[value + offsets[c, i]] > 0:
                    info[COST] += 1
            work[info[LISTED]] = i
            info[LISTED] += 1
        value = x[j]
        x[j] = x[i]
        x[i] = value
        shift(i, value, 1, offsets, count)
        info[STEPS] += 1
        i += 1
    info[PLACED] = i
    if i == n:
        info[SEARCHING] = 1
        info[LEAST] = info[COST]
        info[MISPLACED] = info[LISTED]


@kernel
def restart(x: Ints, count: Ints, info: Ints) -> None:
    """Forget everything but the generator and the totals; the values stay a permutation."""
    for k in range(count.shape[0]):
        count[k] = 0
    info[PLACED] = 0
    info[TRIES] = 0
    info[COST] = 0
    info[LISTED] = 0
    info[STALL] = 0
    info[SEARCHING] = 0
    info[RESTARTS] += 1


@kernel
def units_search(
    steps: int,
    tries: int,
    stall: int,
    noise: int,
    x: Ints,
    offsets: Ints,
    count: Ints,
    work: Ints,
    info: Ints,
    random: Ints,
) -> Any:
    """Go on for ``steps`` steps; return whether a solution is reached.

    Parameters
    ----------
    tries
        Tries of the start per variable.
    stall
        Steps without a new least surplus that cause a new start.
    noise
        Probability, out of 2**32, of taking a worsening best swap.
    """
    n = x.shape[0]
    end = info[STEPS] + steps
    while info[STEPS] < end:
        if info[SEARCHING] == 0:
            construct(end - info[STEPS], tries * n, x, offsets, count, work, info, random)
            continue
        if info[COST] == 0:
            return True
        if info[STALL] >= stall:
            restart(x, count, info)
            continue
        info[STEPS] += 1
        info[STALL] += 1
        at = below(random, info[LISTED])
        i = work[at]
        info[LISTED] -= 1
        work[at] = work[info[LISTED]]
        if not attacked(i, x, offsets, count):
            info[STALL] -= 1
            continue
        best = -1
        least = 0
        ties = 0
        number = n if n <= SCAN_ALL else 64
        for q in range(number):
            j = q if n <= SCAN_ALL else below(random, n)
            if j == i:
                continue
            delta = swap_delta(i, j, x, offsets, count)
            info[EVALUATIONS] += 1
            if ties == 0 or delta < least:
                best = j
                least = delta
                ties = 1
                if delta < 0 and n > SCAN_ALL:
                    break
            elif delta == least:
                ties += 1
                if below(random, ties) == 0:
                    best = j
        if best >= 0 and (least <= 0 or draw(random) < noise):
            xi = x[i]
            xj = x[best]
            shift(i, xi, -1, offsets, count)
            shift(best, xj, -1, offsets, count)
            shift(i, xj, 1, offsets, count)
            shift(best, xi, 1, offsets, count)
            x[i] = xj
            x[best] = xi
            info[COST] += least
            info[SWAPS] += 1
            info[HASH] = ((info[HASH] ^ (i * 65537 + best)) * 16777619) & 0xFFFFFFFF
            if info[COST] < info[LEAST]:
                info[LEAST] = info[COST]
                info[STALL] = 0
            if info[LISTED] + 2 > work.shape[0]:
                info[STALL] = stall  # duplicates have filled the list: start anew
                continue
            if attacked(best, x, offsets, count):
                work[info[LISTED]] = best
                info[LISTED] += 1
        if attacked(i, x, offsets, count):
            work[info[LISTED]] = i
            info[LISTED] += 1
        if info[LISTED] == 0 and info[COST] > 0:
            info[STALL] = stall
    return info[SEARCHING] == 1 and info[COST] == 0
