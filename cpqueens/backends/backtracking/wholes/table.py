"""`Table`, `ShortTable` and `NegativeTable` for the exact engine: rows as bits."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator, WholeKind
from cpqueens.kernels import propagate_table as at
from cpqueens.language.constraints.negative_table import NegativeTable
from cpqueens.language.constraints.short_table import ShortTable
from cpqueens.language.constraints.table_rows import STAR, by_stars
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import LE


def table_propagator(name: str, variables: Sequence[int], rows: IntArray) -> Propagator:
    """Return a propagator over distinct rows, (rows, variables), with `STAR` for any value."""
    words = -(-len(rows) // at.BITS)
    listed = at.HEAD + at.COLUMN * len(variables)
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
    return Propagator(name, variables, numbers=numbers, words=[*counts, *left.tolist()])


def _masks(column: IntArray, words: int) -> list[IntArray]:
    """Return the mask of the rows with a star in a column, then of each value, ascending, stars included."""
    order = np.argsort(column, kind="stable")
    values, first = np.unique(column[order], return_index=True)
    groups = np.split(order, first)[1:]
    starred = np.zeros(0, dtype=np.intp)
    if len(values) and values[0] == STAR:
        values, starred, groups = values[1:], groups[0], groups[1:]
    masks = [_mask(0, starred, words)]
    for value, mine in zip(values.tolist(), groups, strict=True):
        masks.append(_mask(value, np.sort(np.concatenate([mine, starred])) if len(starred) else mine, words))
    return masks


def _mask(value: int, rows: NDArray[np.intp], words: int) -> IntArray:
    """Return a value and the bits of its rows, in pairs; all words in order where there are many."""
    number, bit = rows // at.BITS, np.int64(1) << (rows % at.BITS)
    first = np.flatnonzero(np.diff(number, prepend=-1))
    bits = np.bitwise_or.reduceat(bit, first) if len(first) else bit
    number = number[first]
    if 2 * len(number) >= words > 0:
        every = np.zeros(words, dtype=np.int64)
        every[number] = bits
        number, bits = np.arange(words), every
    pairs = np.stack([number, bits], axis=1).reshape(-1)
    return np.concatenate([[value, 0, len(number)], pairs]).astype(np.int64)


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
