"""Tabu search over a permutation whose constraints are all rows of bits: Costas arrays and the like.

The same search as the walk with choice WORST, for models in which nothing but AllDifferents over linear
terms of at most two entries per variable and at most 62 values counts. Those rows are so short that
computing the values that occur once and more than once afresh in each step is several times cheaper than
keeping counters and conflicts up to date. Layouts as in search_bits.

The loops over all variables go eight at a time (see `cpqueens.kernels.lanes`; arrays of one entry per
variable have eight more). ``at`` holds the bit of the first term of each variable in each row, then that of
the second, then one entry that nothing reads; ``factors`` and ``others`` hold the coefficient of the variable
and the other variable of the same terms (-1: no term); ``shared`` the coefficient of that other variable and
``away`` the entry of its other term; ``homes`` the two entries of a term.
"""

from __future__ import annotations

from typing import Any

from cpqueens.kernels.entries import entry, put
from cpqueens.kernels.jit import kernel
from cpqueens.kernels.lanes import LANES, add_changes, add_errors, least_key, most_key
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

VARIABLE = (1 << 16) - 1  # of a key


@kernel
def look(n: int, rows: Ints, index: Ints, at: Ints, masks: Ints, errors: Ints) -> Any:
    """Set ``masks`` (once, twice, thrice per row) and the ``errors`` of variables; return the surplus."""
    half = rows.shape[0] // 5 * n
    for v in range(n):
        errors[v] = 0
    cost = 0
    for r in range(rows.shape[0] // 5):
        once = 0
        twice = 0
        thrice = 0
        first = entry(rows, 5 * r + 2)
        end = entry(rows, 5 * r + 3)
        for t in range(first, end):
            bit = 1 << entry(index, t)
            thrice |= twice & bit
            twice |= once & bit
            once |= bit
        masks[3 * r] = once
        masks[3 * r + 1] = twice
        masks[3 * r + 2] = thrice
        cost += end - first - population(once)
        for v in range(0, n, LANES):  # also where nothing is twice: a branch would not be foreseen
            add_errors(errors, v, twice, at, r * n, half + r * n)
    return cost


@kernel
def without(i: int, n: int, rows: Ints, slots: Ints, index: Ints, masks: Ints) -> None:
    """Take the terms of ``i`` out of ``masks``; afterwards they count the other terms only."""
    for r in range(rows.shape[0] // 5):
        s = (r * n + i) * 4
        a1 = entry(slots, s)
        a2 = entry(slots, s + 2)
        once = 0
        twice = 0
        thrice = 0
        if entry(masks, 3 * r + 2) == 0:
            # no value occurs three times: what is taken out leaves the once-words in closed form
            gone1 = (1 << entry(index, a1)) & ROW
            gone2 = (1 << entry(index, a2)) & ROW
            twice = entry(masks, 3 * r + 1)
            once = entry(masks, 3 * r) & ~((gone1 | gone2) & ~twice)
            if gone1 == gone2:
                once = once & ~gone1
            masks[3 * r] = once
            masks[3 * r + 1] = twice & ~(gone1 | gone2)
            continue
        for t in range(entry(rows, 5 * r + 2), entry(rows, 5 * r + 3)):
            if t != a1 and t != a2:
                bit = 1 << entry(index, t)
                thrice |= twice & bit
                twice |= once & bit
                once |= bit
        masks[3 * r] = once
        masks[3 * r + 1] = twice
        masks[3 * r + 2] = thrice


@kernel
def shared_distinct(
    once: int, twice: int, p1: int, p2: int, d: int, at: Ints, factors: Ints, away: Ints, shared: Ints
) -> Any:
    """Return the distinct values of a row when i grows by ``d`` and the other variable of a term shrinks.

    The shared term is at ``p1``, the other term of i at ``p2``, that of the other variable at ``away[p1]``.
    """
    there = entry(away, p1)
    f = entry(at, there)
    left = once & ~((1 << f) & ~twice)
    left |= 1 << (entry(at, p1) + (entry(factors, p1) - entry(shared, p1)) * d)
    left |= (1 << (entry(at, p2) + entry(factors, p2) * d)) | (1 << (f - entry(factors, there) * d))
    return population(left & ROW)


@kernel
def deltas_of(
    i: int,
    cost: int,
    x: Ints,
    rows: Ints,
    at: Ints,
    factors: Ints,
    others: Ints,
    away: Ints,
    shared: Ints,
    masks: Ints,
    change: Ints,
    meeting: Ints,
    out: Ints,
) -> None:
    """Set ``out[j]`` to the change of surplus by swapping ``i`` and ``j``, for all j."""
    n = x.shape[0]
    half = rows.shape[0] // 5 * n
    for j in range(n):
        out[j] = -cost
        meeting[j] = 0
        change[j] = x[j] - x[i]
    for r in range(rows.shape[0] // 5):
        number = entry(rows, 5 * r + 3) - entry(rows, 5 * r + 2)
        once = entry(masks, 3 * r)
        twice = entry(masks, 3 * r + 1)
        thrice = entry(masks, 3 * r + 2)
        p1 = r * n
        p2 = half + r * n
        o1 = entry(others, p1 + i)
        o2 = entry(others, p2 + i)
        for j in range(0, n, LANES):
            add_changes(
                out, j, change, at, factors, p1, p2, once, twice, thrice, number,
                entry(at, p1 + i), entry(factors, p1 + i), entry(at, p2 + i), entry(factors, p2 + i), o1, o2,
            )  # fmt: skip
        # partners that share a term with i; not added to ``out`` at once, which is on its way as vectors
        if o1 >= 0:
            p = shared_distinct(once, twice, p1 + i, p2 + i, entry(change, o1), at, factors, away, shared)
            meeting[o1] += number - p
        if o2 >= 0:
            p = shared_distinct(once, twice, p2 + i, p1 + i, entry(change, o2), at, factors, away, shared)
            meeting[o2] += number - p
    for j in range(n):
        out[j] += meeting[j]


@kernel
def shift_terms(v: int, d: int, n: int, rows: Ints, slots: Ints, index: Ints) -> None:
    """Change the terms of ``v`` when it grows by ``d``."""
    for r in range(rows.shape[0] // 5):
        s = (r * n + v) * 4
        for q in (s, s + 2):
            t = entry(slots, q)
            put(index, t, entry(index, t) + entry(slots, q + 1) * d)


@kernel
def copy_terms(v: int, n: int, rows: Ints, slots: Ints, index: Ints, homes: Ints, at: Ints) -> None:
    """Bring ``at`` up to date for the terms of ``v``."""
    for r in range(rows.shape[0] // 5):
        s = (r * n + v) * 4
        for q in (s, s + 2):
            t = entry(slots, q)
            value = entry(index, t)
            put(at, entry(homes, 2 * t), value)
            put(at, entry(homes, 2 * t + 1), value)


@kernel
def triangle_search(
    steps: int,
    stall: int,
    spread: int,
    noise: int,
    x: Ints,
    rows: Ints,
    slots: Ints,
    index: Ints,
    at: Ints,
    factors: Ints,
    others: Ints,
    away: Ints,
    shared: Ints,
    homes: Ints,
    masks: Ints,
    errors: Ints,
    tabu: Ints,
    change: Ints,
    meeting: Ints,
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
        cost = look(n, rows, index, at, masks, errors)
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
        if draw(random) < noise:
            i = below(random, n)
        else:
            key = 0
            salt = draw(random)
            for j in range(0, n, LANES):
                key = max(key, most_key(errors, j, n, tabu, now, salt))
            i = key & VARIABLE if key > 0 else below(random, n)
        without(i, n, rows, slots, index, masks)
        deltas_of(i, cost, x, rows, at, factors, others, away, shared, masks, change, meeting, out)
        info[EVALUATIONS] += n - 1
        key = 0
        salt = draw(random)
        for j in range(0, n, LANES):
            key = max(key, least_key(out, j, n, tabu, now, salt, i, info[LEAST] - cost))
        if key == 0:
            continue
        best = key & VARIABLE
        d = x[best] - x[i]
        shift_terms(i, d, n, rows, slots, index)
        shift_terms(best, -d, n, rows, slots, index)
        index[index.shape[0] - 1] = NOWHERE
        copy_terms(i, n, rows, slots, index, homes, at)
        copy_terms(best, n, rows, slots, index, homes, at)
        x[i] += d
        x[best] -= d
        tabu[i] = now + 1 + below(random, spread)
        tabu[best] = now + 1 + below(random, spread)
        info[HASH] = ((info[HASH] ^ (i * 65537 + best)) * 16777619) & 0xFFFFFFFF
    return 0
