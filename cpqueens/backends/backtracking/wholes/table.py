"""`Table`, `ShortTable` and `NegativeTable` for the exact engine: rows as bits."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator, WholeKind
from cpqueens.kernels.exact.propagators import table as at
from cpqueens.language.constraints.table import NegativeTable, ShortTable
from cpqueens.language.constraints.table_rows import STAR, by_stars
from cpqueens.language.rows import IntArray, stable_order
from cpqueens.lowered.compiled import LE

MOST_SHARED = 1 << 12
"""Entries of a table up to which what is made of it is remembered for the next one with the same rows."""


def table_propagator(name: str, variables: Sequence[int], rows: IntArray) -> Propagator:
    """Return a propagator over distinct rows, (rows, variables), with `STAR` for any value."""
    if rows.size > MOST_SHARED:
        numbers, words = _laid_out(rows)
    else:
        numbers, words = _laid_out_once(rows.tobytes(), len(variables))
    return Propagator(name, variables, numbers=numbers, words=words)


@lru_cache(maxsize=16)
def _laid_out_once(rows: bytes, width: int) -> tuple[IntArray, list[int]]:
    """Return the same for rows as bytes: models have one table over many tuples of variables."""
    return _laid_out(np.frombuffer(rows, dtype=np.int64).reshape(-1, width))


def _laid_out(rows: IntArray) -> tuple[IntArray, list[int]]:
    """Return the numbers and the first reversible words of a propagator over distinct rows."""
    words = -(-len(rows) // at.BITS)
    listed = at.HEAD + at.COLUMN * rows.shape[1]
    behind = listed + 2 * words
    parts = [np.arange(words), np.zeros(words, dtype=np.int64)]
    heads, counts = [words, listed, listed + words], [words, 0]
    for column in rows.T:
        masks = _masks(column, words)
        starts = behind + np.cumsum([0, *map(len, masks)])
        heads += [int(starts[-1]), int(starts[0])]
        counts += [len(masks) - 1, 0]
        parts += [*masks, starts[1:-1]]
        behind = int(starts[-1]) + len(masks) - 1
    left = np.full(words, (1 << at.BITS) - 1, dtype=np.int64)
    left[words - 1 :] = (1 << ((len(rows) - 1) % at.BITS + 1)) - 1
    numbers = np.concatenate([np.array(heads, dtype=np.int64), *parts])
    return numbers, [*counts, *left.tolist()]


def _masks(column: IntArray, words: int) -> list[IntArray]:
    """Return the mask of the rows with a star in a column, then of each value, ascending, stars included."""
    stars, named = np.flatnonzero(column == STAR), np.flatnonzero(column != STAR)
    order = named[stable_order(column[named])]
    new_value = np.diff(column[order], prepend=STAR) != 0
    number, bit = order // at.BITS, np.int64(1) << order % at.BITS
    first = np.flatnonzero(new_value | (np.diff(number, prepend=-1) != 0))  # of each value in each word
    bits = np.bitwise_or.reduceat(bit, first) if len(first) else bit
    number = number[first]
    starred = np.zeros(words, dtype=np.int64)
    np.bitwise_or.at(starred, stars // at.BITS, np.int64(1) << stars % at.BITS)
    starts = np.flatnonzero(new_value[first])
    masks = [_mask(0, np.arange(words), starred)] if len(stars) else [_mask(0, number[:0], bits[:0])]
    ends = np.append(starts, len(number))[1:]
    for value, a, b in zip(column[order[first[starts]]], starts, ends, strict=True):
        if len(stars) or 2 * (b - a) >= words:
            every = starred.copy()
            every[number[a:b]] |= bits[a:b]
            masks.append(_mask(value, np.arange(words), every))
        else:
            masks.append(_mask(value, number[a:b], bits[a:b]))
    return masks


def _mask(value: int, number: NDArray[np.intp], bits: IntArray) -> IntArray:
    """Return a value and pairs of the number of a word and its bits."""
    mask = np.zeros(at.PAIR + 2 * len(number), dtype=np.int64)
    mask[at.VALUE], mask[at.PAIRS] = value, len(number)
    mask[at.PAIR :: 2], mask[at.PAIR + 1 :: 2] = number, bits
    return mask


def _lay_out_short(constraint: ShortTable, parts: Parts) -> None:
    parts.propagator(table_propagator("table", parts.variables(constraint.terms), constraint.rows))


def _lay_out_negative(constraint: NegativeTable, parts: Parts) -> None:
    """Add a propagator for the rows with the same stars, over the other columns."""
    variables = parts.variables(constraint.terms)
    for columns, rows in by_stars(constraint.rows):
        mine = [variables[c] for c in columns.tolist()]
        if mine:
            parts.propagator(table_propagator("negative_table", mine, rows))
        elif len(rows):
            parts.linear(((), (), 1), LE)  # false: a row of stars


SHORT = WholeKind(_lay_out_short)
NEGATIVE = WholeKind(_lay_out_negative)
