"""Tabu search over a permutation whose constraints are all rows of bits: Costas arrays and the like.

The same search as the walk with choice WORST, for models in which nothing but AllDifferents over linear
terms of at most two entries per variable and at most 62 values counts. Those rows are so short that
computing the values that occur once and more than once afresh in each step is several times cheaper than
keeping counters and conflicts up to date.

``rows`` has constraint, counter of bit 0, first term, last term + 1, absolute values or not; ``slots`` per
row and variable two terms with their coefficients (term, coefficient, term, coefficient), the term after the
last one standing for none.

``bits`` holds the bit of the first term of each variable in each row, then that of
the second, then one entry that nothing reads; ``factors`` and ``others`` hold the coefficient of the variable
and the other variable of the same terms (-1: no term); ``shared`` the coefficient of that other variable and
``away`` the entry of its other term; ``homes`` the two entries of a term.
"""

from typing import Any, NamedTuple

from cpqueens.kernels.jit.decorators import inlined, inner_kernel, kernel
from cpqueens.kernels.jit.instructions import entry, popcount, put
from cpqueens.kernels.jit.random import below, draw
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.arena import Ints

NOWHERE = 63  # the index of no term; beyond every row
ROW = (1 << 62) - 1

# a key is a score, a hash of the variable by which equal scores are ordered, and the variable
VARIABLE = (1 << 16) - 1
MIXED = (1 << 32) - 1
TOP = 1 << 30  # larger than any change of violation here
# a step and factors that mix 32 bits well, all below 2**31 so that no product passes 63 bits
STEP = 0x9E3779B1 >> 1 | 1
FIRST_FACTOR, SECOND_FACTOR = 0x7FEB352D, 0x46AC12FD


class Packed(NamedTuple):
    """The rows that count, and the state of a search (int64 throughout); see above."""

    x: Ints
    rows: Ints
    slots: Ints
    term_bits: Ints  # (terms + 1,) the last stands for no term
    bits: Ints
    factors: Ints
    others: Ints
    away: Ints
    shared: Ints
    homes: Ints
    masks: Ints  # once, twice, thrice of each row
    errors: Ints
    tabu: Ints  # the last step in which a variable may not move
    change: Ints  # by how much the variable that moves grows, by partner
    meeting: Ints  # what partners that share a term with it add to ``out``
    out: Ints  # the change of surplus, by partner
    info: Ints
    random: Ints


@inner_kernel
def look(s: Any) -> Any:
    """Set ``masks`` (once, twice, thrice per row) and the ``errors`` of variables; return the surplus."""
    n = s.x.shape[0]
    half = s.rows.shape[0] // 5 * n
    for v in range(n):
        s.errors[v] = 0
    cost = 0
    for r in range(s.rows.shape[0] // 5):
        once = 0
        twice = 0
        thrice = 0
        first = entry(s.rows, 5 * r + 2)
        end = entry(s.rows, 5 * r + 3)
        for t in range(first, end):
            once, twice, thrice = seen_again(1 << entry(s.term_bits, t), once, twice, thrice)
        put_masks(s.masks, r, once, twice, thrice)
        cost += end - first - popcount(once)
        for v in range(n):  # also where nothing is twice: a branch would not be foreseen
            wrong = ((twice >> entry(s.bits, r * n + v)) & 1) + (
                (twice >> entry(s.bits, half + r * n + v)) & 1
            )
            put(s.errors, v, entry(s.errors, v) + wrong)
    return cost


@inner_kernel
def without(i: int, s: Any) -> None:
    """Take the terms of ``i`` out of ``masks``; afterwards they count the other terms only."""
    for r in range(s.rows.shape[0] // 5):
        slot = (r * s.x.shape[0] + i) * 4
        a1 = entry(s.slots, slot)
        a2 = entry(s.slots, slot + 2)
        once = 0
        twice = 0
        thrice = 0
        if entry(s.masks, 3 * r + 2) == 0:
            # no value occurs three times: what is taken out leaves the once-words in closed form
            gone1 = (1 << entry(s.term_bits, a1)) & ROW
            gone2 = (1 << entry(s.term_bits, a2)) & ROW
            twice = entry(s.masks, 3 * r + 1)
            once = entry(s.masks, 3 * r) & ~((gone1 | gone2) & ~twice)
            if gone1 == gone2:
                once = once & ~gone1
            twice = twice & ~(gone1 | gone2)
        else:
            for t in range(entry(s.rows, 5 * r + 2), entry(s.rows, 5 * r + 3)):
                if t != a1 and t != a2:
                    once, twice, thrice = seen_again(1 << entry(s.term_bits, t), once, twice, thrice)
        put_masks(s.masks, r, once, twice, thrice)


@inlined
def seen_again(bit: int, once: int, twice: int, thrice: int) -> Any:
    """Return the values that occur once, twice and thrice at least, with one more occurrence of ``bit``."""
    return once | bit, twice | (once & bit), thrice | (twice & bit)


@inlined
def put_masks(masks: Ints, r: int, once: int, twice: int, thrice: int) -> None:
    """Set the words of row ``r``."""
    masks[3 * r] = once
    masks[3 * r + 1] = twice
    masks[3 * r + 2] = thrice


@inlined
def shared_distinct(once: int, twice: int, p1: int, p2: int, d: int, s: Any) -> Any:
    """Return the distinct values of a row when i grows by ``d`` and the other variable of a term shrinks.

    The shared term is at ``p1``, the other term of i at ``p2``, that of the other variable at ``away[p1]``.
    """
    there = entry(s.away, p1)
    f = entry(s.bits, there)
    left = once & ~((1 << f) & ~twice)
    left |= 1 << (entry(s.bits, p1) + (entry(s.factors, p1) - entry(s.shared, p1)) * d)
    left |= 1 << (entry(s.bits, p2) + entry(s.factors, p2) * d)
    left |= 1 << (f - entry(s.factors, there) * d)
    return popcount(left & ROW)


@inner_kernel
def deltas_of(i: int, s: Any) -> None:
    """Set ``out[j]`` to the change of surplus by swapping ``i`` and ``j``, for all j."""
    n = s.x.shape[0]
    half = s.rows.shape[0] // 5 * n
    for j in range(n):
        s.out[j] = -s.info[at.COST]
        s.meeting[j] = 0
        s.change[j] = s.x[j] - s.x[i]
    for r in range(s.rows.shape[0] // 5):
        number = entry(s.rows, 5 * r + 3) - entry(s.rows, 5 * r + 2)
        once = entry(s.masks, 3 * r)
        twice = entry(s.masks, 3 * r + 1)
        thrice = entry(s.masks, 3 * r + 2)
        p1 = r * n
        p2 = half + r * n
        o1 = entry(s.others, p1 + i)
        o2 = entry(s.others, p2 + i)
        bit1 = entry(s.bits, p1 + i)
        bit2 = entry(s.bits, p2 + i)
        c1 = entry(s.factors, p1 + i)
        c2 = entry(s.factors, p2 + i)
        for j in range(n):
            d = entry(s.change, j)
            f1 = entry(s.bits, p1 + j)
            f2 = entry(s.bits, p2 + j)
            many = thrice if f1 == f2 else twice
            left = once & ~(((1 << f1) | (1 << f2)) & ~many)
            # & 63 only matters where both share a term: a shift by more is not defined
            left |= (1 << ((bit1 + c1 * d) & 63)) | (1 << ((bit2 + c2 * d) & 63))
            left |= 1 << ((f1 - entry(s.factors, p1 + j) * d) & 63)
            left |= 1 << ((f2 - entry(s.factors, p2 + j) * d) & 63)
            more = 0 if j in (o1, o2) else number - popcount(left & ROW)
            put(s.out, j, entry(s.out, j) + more)
        # partners that share a term with i; added to ``out`` at last: the loop above has it in vectors
        if o1 >= 0:
            p = shared_distinct(once, twice, p1 + i, p2 + i, entry(s.change, o1), s)
            s.meeting[o1] += number - p
        if o2 >= 0:
            p = shared_distinct(once, twice, p2 + i, p1 + i, entry(s.change, o2), s)
            s.meeting[o2] += number - p
    for j in range(n):
        s.out[j] += s.meeting[j]


@inlined
def shift_terms(v: int, d: int, s: Any) -> None:
    """Change the terms of ``v`` when it grows by ``d``."""
    s.x[v] += d
    for r in range(s.rows.shape[0] // 5):
        slot = (r * s.x.shape[0] + v) * 4
        for q in (slot, slot + 2):
            t = entry(s.slots, q)
            put(s.term_bits, t, entry(s.term_bits, t) + entry(s.slots, q + 1) * d)


@inlined
def copy_terms(v: int, s: Any) -> None:
    """Bring ``bits`` up to date for the terms of ``v``."""
    for r in range(s.rows.shape[0] // 5):
        slot = (r * s.x.shape[0] + v) * 4
        for q in (slot, slot + 2):
            t = entry(s.slots, q)
            value = entry(s.term_bits, t)
            put(s.bits, entry(s.homes, 2 * t), value)
            put(s.bits, entry(s.homes, 2 * t + 1), value)


@inner_kernel
def swap(i: int, j: int, s: Any) -> None:
    """Swap the values of two variables."""
    d = s.x[j] - s.x[i]
    shift_terms(i, d, s)
    shift_terms(j, -d, s)
    s.term_bits[s.term_bits.shape[0] - 1] = NOWHERE
    copy_terms(i, s)
    copy_terms(j, s)
    s.info[at.HASH] = at.mixed(i * 65537 + j, s.info[at.HASH])


@inlined
def key_of(score: int, v: int, salt: int) -> Any:
    """Return a variable's key; of equal scores ``salt``, a random number, says which is greatest."""
    mixed = ((salt + v * STEP) * FIRST_FACTOR) & MIXED
    mixed ^= mixed >> 15
    mixed = (mixed * SECOND_FACTOR) & MIXED
    mixed ^= mixed >> 15
    return (score << 32) | (mixed & 0xFFFF0000) | v


@inlined
def worst(noise: int, s: Any) -> Any:
    """Return the variable to move, with probability ``noise`` / 2**32 any."""
    n = s.x.shape[0]
    if draw(s.random) < noise:
        return below(s.random, n)
    key = 0
    salt = draw(s.random)
    for j in range(n):
        if entry(s.tabu, j) <= s.info[at.STEPS] and entry(s.errors, j) > 0:
            key = max(key, key_of(entry(s.errors, j), j, salt))
    return key & VARIABLE if key > 0 else below(s.random, n)


@inlined
def best_partner(i: int, s: Any) -> Any:
    """Return the variable to swap ``i`` with, -1 if all are tabu and none leads below the least surplus."""
    n = s.x.shape[0]
    key = 0
    salt = draw(s.random)
    aspiration = s.info[at.LEAST] - s.info[at.COST]
    for j in range(n):
        change = entry(s.out, j)
        if j != i and (entry(s.tabu, j) <= s.info[at.STEPS] or change < aspiration):
            key = max(key, key_of(TOP - change, j, salt))
    return key & VARIABLE if key > 0 else -1


@kernel
def triangle_search(steps: int, stall: int, spread: int, noise: int, s: Any) -> Any:
    """Search for ``steps`` steps; return how the call ended: after ``stall`` without progress, too.

    Parameters
    ----------
    spread
        Moved variables are tabu for a random number of steps below this, plus one.
    noise
        Probability, out of 2**32, of moving any variable instead of the worst.
    """
    info = s.info
    for _ in range(steps):
        info[at.COST] = look(s)
        ended = at.next_step(info, stall, True)
        if ended != at.BUDGET:
            return ended
        i = worst(noise, s)
        without(i, s)
        deltas_of(i, s)
        info[at.EVALUATIONS] += s.x.shape[0] - 1
        best = best_partner(i, s)
        if best >= 0:
            swap(i, best, s)
            s.tabu[i] = info[at.STEPS] + 1 + below(s.random, spread)
            s.tabu[best] = info[at.STEPS] + 1 + below(s.random, spread)
    return at.BUDGET
