"""Swap deltas of AllDifferents over several variables as rows of bits and a population count.

Applies where every AllDifferent of the rows layer has at most 62 possible values and each variable at most
two terms in it (Costas arrays, all-interval series of moderate size). One variable i is compared with many
partners: the rows without the terms of i are computed once, as the values that occur at least once, twice
and three times; a partner then takes away at most two terms and adds at most four.

Layouts (flat): ``rows`` constraint, counter of bit 0, first term, last term + 1, absolute
values or not; ``slots`` per row and variable two terms with their coefficients (term, coefficient, term,
coefficient), the term after the last one standing for none.
"""

from typing import Any

from cpqueens.kernels.jit.bits import popcount
from cpqueens.kernels.jit.decorators import inlined, inner_kernel
from cpqueens.kernels.local import arena as parts
from cpqueens.kernels.local.arena import Ints, part
from cpqueens.kernels.local.plain import WIDTH
from cpqueens.kernels.local.rows import BASE, COUNTER, FORM, VALUE

NOWHERE = 63  # the index of no term; beyond every row
ROW = (1 << 62) - 1


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


@inner_kernel
def fill_rows(i: int, n: int, terms: Ints, static: Ints) -> None:
    """Set the bits of all terms, and the masks (3 per row) from the terms that ``i`` is not in."""
    rows = part(static, parts.BIT_ROWS)
    slots = part(static, parts.SLOTS)
    index = part(static, parts.BITS)
    for r in range(rows.shape[0] // 5):
        first = rows[5 * r + 1]
        a1 = slots[(r * n + i) * 4]
        a2 = slots[(r * n + i) * 4 + 2]
        once = 0
        twice = 0
        thrice = 0
        for t in range(rows[5 * r + 2], rows[5 * r + 3]):
            index[t] = terms[t * WIDTH + COUNTER] - first
            if t != a1 and t != a2:
                once, twice, thrice = seen_again(1 << index[t], once, twice, thrice)
        put_masks(part(static, parts.MASKS), r, once, twice, thrice)
    index[index.shape[0] - 1] = NOWHERE


@inner_kernel
def folded_index(t: int, change: int, first: int, index: Ints, terms: Ints) -> Any:
    """Return the bit of a term that may be an absolute value, after its linear part changed."""
    if index[t] == NOWHERE:
        return index[t]  # not the constant, which as a plain integer would not fit once shifted
    f = t * WIDTH
    form = terms[f + FORM]
    value = terms[f + VALUE] + change
    if form != 0:
        value = abs(value) * form
    return value + terms[f + BASE] - first


@inlined
def own_term(slots: Ints, s: int, a1: int, a2: int, k1: int, k2: int, last: int) -> Any:
    """Return the term and coefficient at ``s``, and the coefficients of the terms ``a1`` and ``a2`` of i.

    If it is one of these, its coefficient is taken off there, and ``last`` stands for no term.
    """
    term = slots[s]
    coefficient = slots[s + 1]
    if term == a1:
        return last, 0, k1 - coefficient, k2
    if term == a2:
        return last, 0, k1, k2 - coefficient
    return term, coefficient, k1, k2


@inlined
def row_swap_deltas(r: int, i: int, candidates: Ints, size: int, out: Ints, layer: Any, core: Any) -> None:
    """Add to ``out[q]`` the change of weighted surplus in row ``r`` alone."""
    x = core.x
    arena = core.arena
    terms = layer.terms
    rows = part(layer.static, parts.BIT_ROWS)
    slots = part(layer.static, parts.SLOTS)
    index = part(layer.static, parts.BITS)
    masks = part(layer.static, parts.MASKS)
    c = rows[5 * r]
    weight = arena[arena[parts.WEIGHT] + c]
    distinct = rows[5 * r + 3] - rows[5 * r + 2] - arena[arena[parts.ACTIVITY] + c]
    if weight == 0:
        return
    last = index.shape[0] - 1
    first = rows[5 * r + 1]
    straight = rows[5 * r + 4] == 0
    once = masks[3 * r]
    twice = masks[3 * r + 1]
    thrice = masks[3 * r + 2]
    s = (r * x.shape[0] + i) * 4
    a1 = slots[s]
    c1 = slots[s + 1]
    a2 = slots[s + 2]
    c2 = slots[s + 3]
    for q in range(size):
        j = candidates[q]
        d = x[j] - x[i]
        # terms that both are in belong to i, with both coefficients
        s = (r * x.shape[0] + j) * 4
        b1, e1, k1, k2 = own_term(slots, s, a1, a2, c1, c2, last)
        b2, e2, k1, k2 = own_term(slots, s + 2, a1, a2, k1, k2, last)
        gone1 = (1 << index[b1]) & ROW
        gone2 = (1 << index[b2]) & ROW
        many = thrice if gone1 == gone2 else twice
        left = once & ~((gone1 | gone2) & ~many)
        if straight:
            left |= (1 << (index[a1] + k1 * d)) | (1 << (index[a2] + k2 * d))
            left |= (1 << (index[b1] - e1 * d)) | (1 << (index[b2] - e2 * d))
        else:
            left |= 1 << folded_index(a1, k1 * d, first, index, terms)
            left |= 1 << folded_index(a2, k2 * d, first, index, terms)
            left |= 1 << folded_index(b1, -e1 * d, first, index, terms)
            left |= 1 << folded_index(b2, -e2 * d, first, index, terms)
        out[q] += (distinct - popcount(left & ROW)) * weight


@inner_kernel
def bits_swap_deltas(i: int, candidates: Ints, size: int, out: Ints, layer: Any, core: Any) -> None:
    """Add to ``out[q]`` the change of weighted surplus by swapping ``i`` and ``candidates[q]``."""
    rows = part(layer.static, parts.BIT_ROWS)
    fill_rows(i, core.x.shape[0], layer.terms, layer.static)
    for r in range(rows.shape[0] // 5):
        row_swap_deltas(r, i, candidates, size, out, layer, core)
