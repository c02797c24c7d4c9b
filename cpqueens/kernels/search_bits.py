"""Swap deltas of AllDifferents over several variables as rows of bits and a population count.

Applies where every AllDifferent of the rows layer has at most 62 possible values and each variable at most
two terms in it (Costas arrays, all-interval series of moderate size). One variable i is compared with many
partners: the rows without the terms of i are computed once, as the values that occur at least once, twice
and three times; a partner then takes away at most two terms and adds at most four.

Layouts (flat): ``rows`` constraint, counter of bit 0, first term, last term + 1, absolute
values or not; ``slots`` per row and variable two terms with their coefficients (term, coefficient, term,
coefficient), the term after the last one standing for none.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import intrinsic

from cpqueens.kernels.jit import is_compiled, kernel
from cpqueens.kernels.search_arena import ACTIVITY, BIT_ROWS, BITS, MASKS, SLOTS, WEIGHT, part
from cpqueens.kernels.search_plain import WIDTH, Ints
from cpqueens.kernels.search_rows import BASE, COUNTER, FORM, VALUE


def _count_bits(value: int) -> int:
    return int(value).bit_count()


@intrinsic
def _population(typing_context: Any, value: Any) -> Any:
    """Return the number of bits set, by the processor's instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


population: Any = _population if is_compiled() else _count_bits


NOWHERE = 63  # the index of no term; beyond every row
ROW = (1 << 62) - 1


@kernel
def fill_rows(i: int, n: int, rows: Ints, slots: Ints, terms: Ints, index: Ints, masks: Ints) -> None:
    """Set ``index`` (bit) of all terms, and ``masks`` (3 per row) from the terms that ``i`` is not in."""
    for r in range(rows.shape[0] // 5):
        first = rows[5 * r + 1]
        s = (r * n + i) * 4
        a1 = slots[s]
        a2 = slots[s + 2]
        once = 0
        twice = 0
        thrice = 0
        for t in range(rows[5 * r + 2], rows[5 * r + 3]):
            at = terms[t * WIDTH + COUNTER] - first
            index[t] = at
            if t != a1 and t != a2:
                bit = 1 << at
                thrice |= twice & bit
                twice |= once & bit
                once |= bit
        masks[3 * r] = once
        masks[3 * r + 1] = twice
        masks[3 * r + 2] = thrice
    index[index.shape[0] - 1] = NOWHERE


@kernel
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


@kernel
def bits_swap_deltas(
    i: int, candidates: Ints, size: int, out: Ints, terms: Ints, static: Ints, x: Ints, arena: Ints
) -> None:
    """Add to ``out[q]`` the change of weighted surplus by swapping ``i`` and ``candidates[q]``."""
    n = x.shape[0]
    rows = part(static, BIT_ROWS)
    slots = part(static, SLOTS)
    index = part(static, BITS)
    masks = part(static, MASKS)
    last = index.shape[0] - 1
    fill_rows(i, n, rows, slots, terms, index, masks)
    xi = x[i]
    for r in range(rows.shape[0] // 5):
        c = rows[5 * r]
        first = rows[5 * r + 1]
        straight = rows[5 * r + 4] == 0
        distinct = rows[5 * r + 3] - rows[5 * r + 2] - arena[arena[ACTIVITY] + c]
        w = arena[arena[WEIGHT] + c]
        if w == 0:
            continue
        once = masks[3 * r]
        twice = masks[3 * r + 1]
        thrice = masks[3 * r + 2]
        s = (r * n + i) * 4
        a1 = slots[s]
        c1 = slots[s + 1]
        a2 = slots[s + 2]
        c2 = slots[s + 3]
        for q in range(size):
            j = candidates[q]
            d = x[j] - xi
            s = (r * n + j) * 4
            b1 = slots[s]
            e1 = slots[s + 1]
            b2 = slots[s + 2]
            e2 = slots[s + 3]
            # terms that both are in belong to i, with both coefficients
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
            out[q] += (distinct - population(left & ROW)) * w
