"""AllDifferents over sums of rows, as the arrays of the search in `sums`. Without Numba."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cpqueens.kernels.boards.pattern import WORD, Ints, Words

MAX_VALUES = 1 << 20  # bits of all strings

FORWARD, BACKWARD, SIGN, GROUP = range(4)
"""Fields of a term: bit of value 0 in the string, and in the one that runs backwards (-1 if there is none),
sign of the last row, number of the AllDifferent."""


@dataclass(frozen=True)
class Sum:
    """A term: ``constant`` + sum of ``coefficients[i] * x[rows[i]]``, in columns."""

    rows: tuple[int, ...]
    coefficients: tuple[int, ...]
    constant: int


@dataclass(frozen=True, eq=False)
class SumPattern:
    """n rows, columns 0 .. width - 1 (width <= 64), allowed columns, and AllDifferents over sums of rows.

    ``allowed`` and ``base`` are those of `Pattern`. The last row of each sum has the coefficient 1 or -1.
    """

    width: int
    allowed: Words
    groups: tuple[tuple[Sum, ...], ...]
    base: int = 0

    is_queens = has_table = False

    @property
    def n(self) -> int:
        """Return the number of rows."""
        return len(self.allowed)

    @property
    def has_permutation(self) -> bool:
        """Say whether some group has all rows, one a term."""
        return any(len(group) == self.n == sum(len(s.rows) for s in group) for group in self.groups)


@dataclass(frozen=True, eq=False)
class SumLayout:
    """A `SumPattern` as arrays, its terms ordered by their last row.

    ``first`` (n + 1,) of ``terms`` (T, FIELDS) and ``constants`` (T,); ``others`` (T + 1,) of ``entries``
    (E, 2), row and coefficient without the last row; ``words`` of all strings.
    """

    first: Ints
    terms: Ints
    constants: Ints
    others: Ints
    entries: Ints
    words: int


def layout(pattern: SumPattern) -> SumLayout:
    """Return the arrays.

    Raises
    ------
    ValueError
        If a sum has no row, or its last row another coefficient than 1 or -1, or the strings are too long.
    """
    found: list[tuple[int, tuple[int, int, int, int], int, list[tuple[int, int]]]] = []
    bits = 0
    for number, group in enumerate(pattern.groups):
        low, high = _range(group, pattern.width)
        span = high - low + 1
        # a word of room on both sides: a term is looked up for every column, possible or not
        forward, backward = bits + WORD - low, bits + span + 3 * WORD + high
        bits += 2 * (span + 2 * WORD)
        if bits > MAX_VALUES:
            raise ValueError(f"AllDifferents over more than {MAX_VALUES} values")
        split = [sorted(zip(term.rows, term.coefficients, strict=True)) for term in group]
        if any(not entries or entries[-1][1] not in (1, -1) for entries in split):
            raise ValueError("the last row of a sum needs the coefficient 1 or -1")
        if all(entries[-1][1] == 1 for entries in split):
            backward = -1
        for term, (*entries, (last, sign)) in zip(group, split, strict=True):
            found.append((last, (forward, backward, sign, number), term.constant, entries))
    found.sort(key=lambda t: (t[0], t[1][GROUP]))
    return SumLayout(
        np.searchsorted([t[0] for t in found], np.arange(pattern.n + 1)).astype(np.int64),
        np.array([t[1] for t in found], dtype=np.int64).reshape(-1, 4),
        np.array([t[2] for t in found], dtype=np.int64),
        np.cumsum([0, *(len(t[3]) for t in found)], dtype=np.int64),
        np.array([e for t in found for e in t[3]], dtype=np.int64).reshape(-1, 2),
        bits // WORD + 2,
    )


def _range(group: Sequence[Sum], width: int) -> tuple[int, int]:
    """Return the least and the greatest value that any term has for any columns."""
    lows = [t.constant + sum(min(0, a) for a in t.coefficients) * (width - 1) for t in group]
    highs = [t.constant + sum(max(0, a) for a in t.coefficients) * (width - 1) for t in group]
    return min(lows, default=0), max(highs, default=0)
