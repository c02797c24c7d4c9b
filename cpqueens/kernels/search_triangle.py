"""Tabu search over a permutation whose constraints are all rows of bits: Costas arrays and the like.

The same search as the walk with choice WORST, for models in which nothing but AllDifferents over linear
terms of at most two entries per variable and at most 62 values counts. Those rows are so short that
computing the values that occur once and more than once afresh in each step is several times cheaper than
keeping counters and conflicts up to date. Layouts as in search_bits.
"""

from __future__ import annotations

from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.random import below, draw
from cpqueens.kernels.search_bits import NOWHERE, ROW, population
from cpqueens.kernels.search_plain import Ints

# entries of ``info``
STEPS = 0
HASH = 1
EVALUATIONS = 2
COST = 3
LEAST = 4
STALL = 5
LENGTH = 6


@kernel
def look(x: Ints, rows: Ints, pairs: Ints, index: Ints, masks: Ints, errors: Ints) -> Any:
    """Set ``masks`` (once, twice, thrice per row) and the ``errors`` of variables; return the surplus.

    ``pairs`` holds two variables per term.
    """
    for v in range(x.shape[0]):
        errors[v] = 0
    cost = 0
    for r in range(rows.shape[0] // 5):
        once = 0
        twice = 0
        thrice = 0
        begin = rows[5 * r + 2]
        end = rows[5 * r + 3]
        for t in range(begin, end):
            bit = 1 << index[t]
            thrice |= twice & bit
            twice |= once & bit
            once |= bit
        masks[3 * r] = once
        masks[3 * r + 1] = twice
        masks[3 * r + 2] = thrice
        if twice != 0:
            cost += end - begin - population(once)
            for t in range(begin, end):
                shared = (twice >> index[t]) & 1
                errors[pairs[2 * t]] += shared
                errors[pairs[2 * t + 1]] += shared
    return cost


@kernel
def without(i: int, n: int, rows: Ints, slots: Ints, index: Ints, masks: Ints) -> None:
    """Take the terms of ``i`` out of ``masks``; afterwards they count the other terms only."""
    for r in range(rows.shape[0] // 5):
        s = (r * n + i) * 4
        a1 = slots[s]
        a2 = slots[s + 2]
        once = 0
        twice = 0
        thrice = 0
        if masks[3 * r + 2] == 0:
            # no value occurs three times: what is taken out leaves the once-words in closed form
            gone1 = (1 << index[a1]) & ROW
            gone2 = (1 << index[a2]) & ROW
            twice = masks[3 * r + 1]
            once = masks[3 * r] & ~((gone1 | gone2) & ~twice)
            if gone1 == gone2:
                once = once & ~gone1
            masks[3 * r] = once
            masks[3 * r + 1] = twice & ~(gone1 | gone2)
            continue
        for t in range(rows[5 * r + 2], rows[5 * r + 3]):
            if t != a1 and t != a2:
                bit = 1 << index[t]
                thrice |= twice & bit
                twice |= once & bit
                once |= bit
        masks[3 * r] = once
        masks[3 * r + 1] = twice
        masks[3 * r + 2] = thrice


@kernel
def deltas_of(
    i: int, cost: int, x: Ints, rows: Ints, slots: Ints, index: Ints, masks: Ints, out: Ints
) -> None:
    """Set ``out[j]`` to the change of surplus by swapping ``i`` and ``j``, for all j."""
    n = x.shape[0]
    last = index.shape[0] - 1
    for j in range(n):
        out[j] = -cost
    for r in range(rows.shape[0] // 5):
        number = rows[5 * r + 3] - rows[5 * r + 2]
        once = masks[3 * r]
        twice = masks[3 * r + 1]
        thrice = masks[3 * r + 2]
        s = (r * n + i) * 4
        a1 = slots[s]
        c1 = slots[s + 1]
        a2 = slots[s + 2]
        c2 = slots[s + 3]
        at1 = index[a1]
        at2 = index[a2]
        for j in range(n):
            d = x[j] - x[i]
            s = (r * n + j) * 4
            b1 = slots[s]
            e1 = slots[s + 1]
            b2 = slots[s + 2]
            e2 = slots[s + 3]
            k1 = c1
            k2 = c2
            if b1 == a1 or b1 == a2:  # noqa: SIM109 - faster than a tuple in Numba
                if b1 == a1:
                    k1 -= e1
                else:
                    k2 -= e1
                b1 = last
                e1 = 0
            if b2 == a1 or b2 == a2:  # noqa: SIM109
                if b2 == a1:
                    k1 -= e2
                else:
                    k2 -= e2
                b2 = last
                e2 = 0
            from1 = index[b1]
            from2 = index[b2]
            many = thrice if from1 == from2 else twice
            left = once & ~(((1 << from1) | (1 << from2)) & ~many)
            left |= (1 << (at1 + k1 * d)) | (1 << (at2 + k2 * d))
            left |= (1 << (from1 - e1 * d)) | (1 << (from2 - e2 * d))
            out[j] += number - population(left & ROW)


@kernel
def shift_terms(v: int, d: int, n: int, rows: Ints, slots: Ints, index: Ints) -> None:
    """Change the terms of ``v`` when it grows by ``d``."""
    for r in range(rows.shape[0] // 5):
        s = (r * n + v) * 4
        index[slots[s]] += slots[s + 1] * d
        index[slots[s + 2]] += slots[s + 3] * d


@kernel
def triangle_search(
    steps: int,
    stall: int,
    spread: int,
    noise: int,
    x: Ints,
    rows: Ints,
    slots: Ints,
    pairs: Ints,
    index: Ints,
    masks: Ints,
    errors: Ints,
    tabu: Ints,
    out: Ints,
    info: Ints,
    random: Ints,
) -> Any:
    """Search for ``steps`` steps; return 1 if solved, 2 after ``stall`` steps without progress, else 0.

    Parameters
    ----------
    spread
        Moved variables are tabu for a random number of steps below this, plus one.
    noise
        Probability, out of 2**32, of moving any variable instead of the worst.
    """
    n = x.shape[0]
    for _ in range(steps):
        cost = look(x, rows, pairs, index, masks, errors)
        info[COST] = cost
        if cost == 0:
            return 1
        if cost < info[LEAST]:
            info[LEAST] = cost
            info[STALL] = 0
        elif info[STALL] >= stall:
            return 2
        info[STALL] += 1
        info[STEPS] += 1
        now = info[STEPS]
        i = -1
        if draw(random) < noise:
            i = below(random, n)
        else:
            most = 0
            ties = 0
            for v in range(n):
                if errors[v] < most or tabu[v] > now or errors[v] == 0:
                    continue
                if errors[v] > most:
                    most = errors[v]
                    ties = 0
                ties += 1
                if ties == 1 or below(random, ties) == 0:
                    i = v
            if i < 0:
                i = below(random, n)
        without(i, n, rows, slots, index, masks)
        deltas_of(i, cost, x, rows, slots, index, masks, out)
        info[EVALUATIONS] += n - 1
        best = -1
        least = 0
        ties = 0
        for j in range(n):
            if j == i or (ties > 0 and out[j] > least):
                continue
            if tabu[j] > now and cost + out[j] >= info[LEAST]:
                continue
            if ties == 0 or out[j] < least:
                least = out[j]
                ties = 0
            ties += 1
            if ties == 1 or below(random, ties) == 0:
                best = j
        if best < 0:
            continue
        d = x[best] - x[i]
        shift_terms(i, d, n, rows, slots, index)
        shift_terms(best, -d, n, rows, slots, index)
        index[index.shape[0] - 1] = NOWHERE
        x[i] += d
        x[best] -= d
        tabu[i] = now + 1 + below(random, spread)
        tabu[best] = now + 1 + below(random, spread)
        info[HASH] = ((info[HASH] ^ (i * 65537 + best)) * 16777619) & 0xFFFFFFFF
    return 0
