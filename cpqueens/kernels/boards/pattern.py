"""Models that are AllDifferents over ``x[i] + offset[i]``, as the arrays of the conflict-mask kernels.

The variables are called rows and their values columns, 0 .. width - 1, in one word of at most 64 bits.
A group is one AllDifferent: two rows i < j of it forbid ``x[j] == x[i] + offset[i] - offset[j]``, in
integers or modulo some number. Queens is three groups: offsets 0, +i and -i. Nothing here needs Numba.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]

WORD = 64
EIGHT = 8  # words that are handled at a time, and columns of a word that counts each in a byte
FULL = (1 << WORD) - 1
MAX_TABLE = 1 << 24  # words of a conflict table: 128 MiB

# Fields of a step (last axis of `Pattern.steps`).
MEMBER, LEFT, KEEP_LEFT, RIGHT, KEEP_RIGHT = range(5)


@dataclass(frozen=True, eq=False)
class Group:
    """One AllDifferent over ``x[i] + offsets[i]`` for ``rows``, modulo ``modulus`` if that is not 0.

    ``offsets`` has shape (n,); ``rows`` is a bool array of shape (n,), None for all rows.
    """

    offsets: Ints
    rows: NDArray[np.bool_] | None = None
    modulus: int = 0

    def members(self) -> NDArray[np.bool_]:
        """Return which rows take part, shape (n,)."""
        return np.ones(len(self.offsets), dtype=bool) if self.rows is None else self.rows


@dataclass(frozen=True, eq=False)
class Pattern:
    """n rows, columns 0 .. width - 1 (width <= 64), the allowed columns of each row, groups and pairs.

    ``allowed`` has shape (n,): bit v of ``allowed[i]`` says that row i may take column v. ``pairs`` has shape
    (pairs, 3): rows i < j and d for each disequality ``x[j] != x[i] + d``. ``base`` is the value that column
    0 stands for.
    """

    width: int
    allowed: Words
    groups: tuple[Group, ...] = field(default=())
    pairs: Ints = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    base: int = 0

    @property
    def n(self) -> int:
        """Return the number of rows."""
        return len(self.allowed)

    @property
    def has_table(self) -> bool:
        """Say whether the table of all conflicts may be made; masks can do without."""
        return self.n * self.n * self.width <= MAX_TABLE

    @property
    def has_permutation(self) -> bool:
        """Say whether some group has all rows."""
        return any(bool(group.members().all()) for group in self.groups)

    @cached_property
    def needs_no_table(self) -> bool:
        """Say whether all conflicts are carried from row to row by masks."""
        return len(self._masked) == len(self.groups) and not len(self.pairs)

    @cached_property
    def is_queens(self) -> bool:
        """Say whether the groups are those of queens: all rows, steps of 0, +1 and -1."""
        groups = self.groups
        if len(groups) != 3 or len(self.pairs) or any(g.modulus or not g.members().all() for g in groups):
            return False
        steps = np.diff([g.offsets for g in groups])
        constant = (steps == steps[:, :1]).all()
        return bool(constant and (np.sort(steps, axis=0) == [[-1], [0], [1]]).all())

    @cached_property
    def conflict(self) -> Words:
        """Return the columns that one row forbids another, shape (n, n, width).

        ``conflict[i, j, v]`` is the word of columns of row j > i that ``x[i] == v`` forbids.
        """
        return self._conflicts(self.groups)

    @cached_property
    def leaves(self) -> Words:
        """Return the same the other way round, shape (n, width, rows): what ``x[i] == v`` leaves of row j.

        There are as many ``rows`` as fill groups of eight words; those beyond the last one mean nothing.
        """
        rows = -(-self.n // EIGHT) * EIGHT
        result = aligned((self.n, self.width, rows))
        np.invert(self.conflict.transpose(0, 2, 1), out=result[:, :, : self.n])
        return result

    @cached_property
    def _masked(self) -> tuple[Group, ...]:
        return tuple(g for g in self.groups if int(g.members().sum()) > 2 and _keeps_all(g, self.width))

    @cached_property
    def steps(self) -> Words:
        """Return how each conflict mask goes from row i to row i + 1, shape (n, masks, 5).

        ``mask = ((mask | bit & MEMBER) << LEFT & KEEP_LEFT) | (... >> RIGHT & KEEP_RIGHT)``.
        """
        result = np.zeros((self.n, len(self._masked), 5), dtype=np.uint64)
        for k, group in enumerate(self._masked):
            result[:, k] = _steps(group, self.width)
        return result

    @cached_property
    def near(self) -> Words:
        """Return the conflicts that no mask carries, shape (n, depth, width).

        ``near[i, d, v]`` is the word of columns of row i that ``x[i - 1 - d] == v`` forbids: knight moves,
        inequalities of two rows, and AllDifferents whose offsets go to and fro.
        """
        if self.needs_no_table:
            return np.zeros((self.n, 0, self.width), dtype=np.uint64)
        conflict = self._conflicts([g for g in self.groups if g not in self._masked])
        earlier, later = np.nonzero(conflict.any(axis=2))
        depth = int(max(later - earlier, default=0))
        result = np.zeros((self.n, depth, self.width), dtype=np.uint64)
        for d in range(depth):
            i = np.arange(d + 1, self.n)
            result[i, d] = conflict[i - 1 - d, i]
        return result

    @cached_property
    def effects(self) -> Words:
        """Return which squares of later rows each square attacks, shape (n, width, words): a byte a square.

        Eight columns are a word, each row begins with a word of its own, and groups of eight words are full.
        """
        words = -(-self.width // EIGHT)
        result = aligned((self.n, self.width, -(-self.n * words // EIGHT) * EIGHT))
        for i in range(self.n):
            result[i, :, : self.n * words] = spread(self.conflict[i].T, self.width).reshape(self.width, -1)
        return result

    def _conflicts(self, groups: Sequence[Group]) -> Words:
        if not self.has_table:
            raise ValueError(f"conflict table of {self.n} x {self.n} x {self.width} words is too large")
        result = np.zeros((self.n, self.n, self.width), dtype=np.uint64)
        columns = np.arange(self.width)
        _add_pairs(result, self.pairs)
        for group in groups:
            rows = np.flatnonzero(group.members())
            for p, i in enumerate(rows):
                later = rows[p + 1 :]
                target = columns + (int(group.offsets[i]) - group.offsets[later])[:, None]
                for copy in _residues(target, group.modulus, self.width):
                    result[i, later] |= _bits(copy, self.width)
        return result


def _add_pairs(conflict: Words, pairs: Ints) -> None:
    """Enter disequalities of two rows, which may be thousands, all at once."""
    n, _, width = conflict.shape
    target = np.arange(width) + pairs[:, 2:]
    np.bitwise_or.at(conflict.reshape(n * n, width), pairs[:, 0] * n + pairs[:, 1], _bits(target, width))


def aligned(shape: tuple[int, ...]) -> Words:
    """Return words of 0, groups of eight of which lie where a processor reads them at once."""
    size = prod(shape)
    room = np.zeros(size + EIGHT - 1, dtype=np.uint64)
    first = -room.ctypes.data // room.itemsize % EIGHT
    return room[first : first + size].reshape(shape)


def spread(words: Words, width: int) -> Words:
    """Return the first ``width`` bits of each word as bytes 0 or 1, eight to a word of a further axis."""
    columns = np.arange(-(-width // EIGHT) * EIGHT, dtype=np.uint64)
    bits = np.where(columns < width, words[..., None] >> columns & np.uint64(1), 0)
    return bits.astype(np.uint8).view("<u8").astype(np.uint64)


def _bits(columns: Ints, width: int) -> Words:
    """Return words with the bits of ``columns``, none where one lies outside the board."""
    valid = (columns >= 0) & (columns < width)
    return np.where(valid, np.uint64(1) << np.where(valid, columns, 0).astype(np.uint64), np.uint64(0))


def queens(n: int, allowed: Words | None = None) -> Pattern:
    """Return the pattern of n queens; ``allowed`` (n,) restricts the columns of each row."""
    i = np.arange(n, dtype=np.int64)
    squares = np.full(n, (1 << n) - 1, dtype=np.uint64) if allowed is None else allowed
    return Pattern(n, squares, (Group(0 * i), Group(i), Group(-i)))


def _residues(target: Ints, modulus: int, width: int) -> list[Ints]:
    """Return the values of 0 .. width - 1 that are ``target`` or, with a modulus, congruent to it."""
    if modulus == 0:
        return [target]
    return [target % modulus + modulus * q for q in range((width - 1) // modulus + 1)]


def _keeps_all(group: Group, width: int) -> bool:
    """Say whether shifting one word from row to row never loses a bit that is needed again."""
    if group.modulus:
        return group.modulus == width
    offsets = group.offsets
    steps = np.diff(offsets)
    if bool(np.all(steps >= 0)) or bool(np.all(steps <= 0)):
        return True  # a bit that is inside the word at both ends was inside all the way
    rows = np.flatnonzero(group.members())
    for p, i in enumerate(rows):
        position = offsets[i] - offsets[i : rows[-1] + 1]  # of column 0 of row i, seen from the later rows
        lowest = np.minimum.accumulate(position)
        highest = np.maximum.accumulate(position)
        for j in rows[p + 1 :]:
            here = position[j - i]
            first, last = max(0, -here), min(width - 1, width - 1 - here)  # columns of row i that matter in j
            if first <= last and (first + lowest[j - i] < 0 or last + highest[j - i] >= WORD):
                return False
    return True


def _steps(group: Group, width: int) -> Words:
    """Return the steps of one group, shape (n, 5)."""
    n = len(group.offsets)
    result = np.zeros((n, 5), dtype=np.uint64)
    result[:, MEMBER] = np.where(group.members(), np.uint64(FULL), np.uint64(0))
    for i in range(n - 1):
        shift = int(group.offsets[i]) - int(group.offsets[i + 1])
        if group.modulus:
            shift %= width
            full = (1 << width) - 1
            right = (width - shift, full) if shift else (0, 0)
            result[i, 1:] = (shift, full, *right)
        elif 0 <= shift < WORD:
            result[i, 1:] = (shift, FULL, 0, 0)
        elif -WORD < shift < 0:
            result[i, 1:] = (0, 0, -shift, FULL)
    return result


# ---- allDifferents over sums of rows, as the arrays of the search in `sums`. Without Numba ------------

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
