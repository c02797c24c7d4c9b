"""Tables by bit sets: compact table, with stars (domain consistent).

Demeulenaere et al., "Compact-Table: efficiently filtering table constraints with reversible sparse bit-sets"
(2016), and Verhaeghe, Lecoutre and Schaus, "Extending Compact-Table to negative and short tables" (2017).

The rows that are left are bits of words; those words that have any stand first in a list of words, whose
length is reversible. Each column has a list of the values that are named in it, those that are left first,
so that its end says which were lost since the last call. Each value has a *mask*, the words of its rows.
All places are relative to the numbers of the record, and no word is negative.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, contains, remove, set_word, word
from cpqueens.kernels.exact.value_marks import keep_marked, mark, mark_all
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, put

BITS = 63
"""Rows in a word."""

# The head: how many words there are, where their list begins, and a scratch mask; then the columns.
WORDS, LISTED, SCRATCH, HEAD = range(4)

# A column: its list of values, the mask of the rows with a star there.
VALUES, STARS, COLUMN = range(3)

# A value and its mask: the value, which pair had its last support, how many pairs follow. A pair is the
# number of a word and the bits in it; masks that have pairs for all words have them in order.
VALUE, RESIDUE, PAIRS, PAIR = range(4)

# Reversible words: how many words have rows, whether the values have been looked at, each column's number of
# values and whether others are gone, and the rows.
LEFT, LOOKED, COUNTS = range(3)


@inner_kernel
def count_of(r: int, c: int) -> Any:
    """Return where the number of values of column ``c`` is; whether others are gone stands behind it."""
    return r + at.WORD_WIDTH * (COUNTS + 2 * c)


@inner_kernel
def first_row(m: Memory, p: int) -> Any:
    """Return where the first word with rows is."""
    return count_of(entry(m.net, p + at.RESULT), (entry(m.net, p + at.END) - entry(m.net, p + at.START)) // 2)


@inner_kernel
def pairs_of(m: Memory, p: int, mask: int) -> Any:
    """Return how many pairs of a mask to look at, and whether those of the listed words only."""
    many, left = entry(m.net, mask + PAIRS), word(m, entry(m.net, p + at.RESULT) + at.WORD_WIDTH * LEFT)
    ordered = left < many == entry(m.net, entry(m.net, p + at.ROWS) + WORDS)
    return (left if ordered else many), ordered


@inner_kernel
def meets(m: Memory, p: int, mask: int) -> Any:
    """Say whether some row that is left is in a mask; remember in which pair."""
    rows, many = first_row(m, p), entry(m.net, mask + PAIRS)
    if not many:
        return 0
    pair = mask + PAIR + 2 * entry(m.net, mask + RESIDUE)
    if word(m, rows + at.WORD_WIDTH * entry(m.net, pair)) & entry(m.net, pair + 1):
        return 1
    t = entry(m.net, p + at.ROWS)
    listed = t + entry(m.net, t + LISTED)
    many, ordered = pairs_of(m, p, mask)
    for k in range(many):
        place = entry(m.net, listed + k) if ordered else k
        pair = mask + PAIR + 2 * place
        if word(m, rows + at.WORD_WIDTH * entry(m.net, pair)) & entry(m.net, pair + 1):
            put(m.net, mask + RESIDUE, place)
            return 1
    return 0


@inner_kernel
def unite(m: Memory, p: int, mask: int, keep: int) -> None:
    """Add a mask to the scratch mask, or with ``keep`` take it away; only the listed words count."""
    t = entry(m.net, p + at.ROWS)
    listed, scratch = t + entry(m.net, t + LISTED), t + entry(m.net, t + SCRATCH)
    many, ordered = pairs_of(m, p, mask)
    for k in range(many):
        pair = mask + PAIR + 2 * (entry(m.net, listed + k) if ordered else k)
        place, bits = scratch + entry(m.net, pair), entry(m.net, pair + 1)
        put(m.net, place, entry(m.net, place) & ~bits if keep else entry(m.net, place) | bits)


@inner_kernel
def intersect(m: Memory, p: int, flip: int) -> Any:
    """Keep the rows in the scratch mask, those not in it where ``flip`` is -1; return if any is left."""
    t, rows = entry(m.net, p + at.ROWS), first_row(m, p)
    listed, scratch = t + entry(m.net, t + LISTED), t + entry(m.net, t + SCRATCH)
    r = entry(m.net, p + at.RESULT) + at.WORD_WIDTH * LEFT
    left = word(m, r)
    for k in range(left - 1, -1, -1):
        number = entry(m.net, listed + k)
        bits = word(m, rows + at.WORD_WIDTH * number)
        kept = bits & (entry(m.net, scratch + number) ^ flip)
        if kept != bits:
            set_word(m, rows + at.WORD_WIDTH * number, kept)
            if not kept:
                left -= 1
                put(m.net, listed + k, entry(m.net, listed + left))
                put(m.net, listed + left, number)
    set_word(m, r, left)
    return left


@inner_kernel
def drop(m: Memory, values: int, k: int, last: int) -> None:
    """Exchange two entries of a column's list of values."""
    mask = entry(m.net, values + k)
    put(m.net, values + k, entry(m.net, values + last))
    put(m.net, values + last, mask)


@inner_kernel
def narrow_rows(m: Memory, p: int, column: int, many: int, kept: int) -> Any:
    """Take away the rows whose value in a column is lost: of ``many`` values the first ``kept`` are left."""
    t = entry(m.net, p + at.ROWS)
    listed, scratch = t + entry(m.net, t + LISTED), t + entry(m.net, t + SCRATCH)
    values, stars = t + entry(m.net, column + VALUES), t + entry(m.net, column + STARS)
    for k in range(word(m, entry(m.net, p + at.RESULT) + at.WORD_WIDTH * LEFT)):
        put(m.net, scratch + entry(m.net, listed + k), 0)
    few_left = many - kept >= kept
    for k in range(0 if few_left else kept, kept if few_left else many):
        unite(m, p, t + entry(m.net, values + k), 0)
    unite(m, p, stars, 0 if few_left else 1)  # a star holds for what is left, too
    return intersect(m, p, 0 if few_left else -1)


@inner_kernel
def lose_rows(m: Memory, p: int) -> Any:
    """Take away the rows with values lost since the last call; return 0 if none is left, 2 if some went."""
    t, r, first = entry(m.net, p + at.ROWS), entry(m.net, p + at.RESULT), entry(m.net, p + at.START)
    changed = 1
    for c in range((entry(m.net, p + at.END) - first) // 2):
        v, column = entry(m.net, first + 2 * c), t + HEAD + COLUMN * c
        values = t + entry(m.net, column + VALUES)
        many = word(m, count_of(r, c))
        kept = many
        for k in range(many - 1, -1, -1):
            if not contains(m, v, entry(m.net, t + entry(m.net, values + k) + VALUE)):
                kept -= 1
                drop(m, values, k, kept)
        if kept < many:
            changed = 2
            set_word(m, count_of(r, c), kept)
            if not narrow_rows(m, p, column, many, kept):
                return 0
    return changed if word(m, r + at.WORD_WIDTH * LEFT) else 0


@inner_kernel
def only_named(m: Memory, p: int, v: int, values: int, kept: int) -> Any:
    """Leave v the values at the start of a list."""
    t = entry(m.net, p + at.ROWS)
    low, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    least, most = high + 1, low - 1
    mark_all(m, v, 0)
    for k in range(kept):
        value = entry(m.net, t + entry(m.net, values + k) + VALUE)
        if low <= value <= high:  # it may be lost by another column of the same variable
            least, most = min(least, value), max(most, value)
            mark(m, v, value)
    return keep_marked(m, v, least, most)


@inner_kernel
def lose_values(m: Memory, p: int, c: int) -> Any:
    """Take from the variable in column ``c`` the values without a row."""
    t, r = entry(m.net, p + at.ROWS), count_of(entry(m.net, p + at.RESULT), c)
    v, column = entry(m.net, entry(m.net, p + at.START) + 2 * c), t + HEAD + COLUMN * c
    values, many = t + entry(m.net, column + VALUES), word(m, r)
    kept = many
    for k in range(many - 1, -1, -1):
        mask = t + entry(m.net, values + k)
        if not meets(m, p, mask):
            kept -= 1
            drop(m, values, k, kept)
            if not remove(m, v, entry(m.net, mask + VALUE)):
                return 0
    set_word(m, r, kept)
    if not word(m, r + at.WORD_WIDTH):
        if meets(m, p, t + entry(m.net, column + STARS)):
            return 1
        set_word(m, r + at.WORD_WIDTH, 1)
    elif kept == many or entry(m.x, v + at.FIRST) >= 0:
        return 1
    return only_named(m, p, v, values, kept)


@propagator
def table(m: Memory, p: int) -> Any:
    """Keep the values that some row supports."""
    looked = entry(m.net, p + at.RESULT) + at.WORD_WIDTH * LOOKED
    lost = lose_rows(m, p)
    if lost == 0 or (lost == 1 and word(m, looked)):
        return lost
    set_word(m, looked, 1)
    for c in range((entry(m.net, p + at.END) - entry(m.net, p + at.START)) // 2):
        if not lose_values(m, p, c):
            return 0
    return 1
