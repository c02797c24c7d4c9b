"""What constraints over listed rows share: rows of integers, and of stars for any value."""

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.expressions import LinearArray, Registry
from cpqueens.language.labels import in_order, is_framed
from cpqueens.language.rows import IntArray, Mask, as_listed

ANY = "*"
"""In a row of a table: any value."""

_CELLS = 2**18  # entries that are compared at a time

_FEW = 2**12  # entries of a table that is kept, for others with the same rows

STAR = -(2**63)
"""What stands for `ANY` in an array of rows: no term can reach it."""


def table_rows(rows: Any, terms: LinearArray) -> IntArray:
    """Return the distinct rows of a table over terms, ascending, with `STAR` for `ANY`.

    Raises
    ------
    ModelError
        For rows of another length, or anything but integers and stars.
    """
    rows = in_order(rows, terms.registry.labels_along(terms), "the terms") if is_framed(rows) else rows
    table, width = _with_stars(rows, terms.registry), terms.size
    if table.size == 0:
        table = np.zeros((len(table) if width == 0 else 0, width), dtype=np.int64)
    if table.ndim != 2 or table.shape[1] != width:
        raise ModelError(f"a table over {width} terms needs rows of {width} values")
    return _sorted_once(table.tobytes(), width) if 0 < table.size <= _FEW else _sorted(table)


@lru_cache(maxsize=16)
def _sorted_once(rows: bytes, width: int) -> IntArray:
    """Return the same for rows as bytes: models have one table over many tuples of terms."""
    found = _sorted(np.frombuffer(rows, dtype=np.int64).reshape(-1, width))
    found.flags.writeable = False
    return found


def _sorted(table: IntArray) -> IntArray:
    """Return the rows in lexicographic order, each once."""
    if not table.size:
        return np.unique(table, axis=0)
    columns = np.ascontiguousarray(table.T)
    lows, highs = columns.min(axis=1).tolist(), columns.max(axis=1).tolist()
    spans = [high - low + 1 for low, high in zip(lows, highs, strict=True)]
    if math.prod(spans) >= 2**62:
        return np.unique(table, axis=0)
    numbers = np.zeros(len(table), dtype=np.int64)  # a row is one number
    for column, low, span in zip(columns, lows, spans, strict=True):
        numbers *= span
        numbers += column
        numbers -= low
    steps = numbers[1:] - numbers[:-1]
    if (steps > 0).all():
        return table
    numbers = np.sort(numbers)  # np.unique hashes, which is slower than this
    numbers = numbers[np.append(True, numbers[1:] != numbers[:-1])]
    found = np.empty((len(numbers), len(spans)), dtype=np.int64)
    if math.prod(spans) < 2**31:  # which are divided in half the time
        numbers = numbers.astype(np.int32)
    for k in range(len(spans) - 1, -1, -1):
        rest = numbers // spans[k]
        found[:, k] = numbers - rest * spans[k]
        numbers = rest
    found += np.array(lows)
    return found


def _with_stars(rows: Any, registry: Registry) -> IntArray:
    try:
        return as_listed(registry.numbered(rows), "table rows")
    except ModelError as error:
        try:
            entries = np.array(rows, dtype=object)
            stars = np.array([isinstance(entry, str) and entry == ANY for entry in entries.flat], dtype=bool)
        except (ValueError, RuntimeError):  # rows of several lengths, or lists within lists without end
            raise error from None
        if not stars.any():
            raise
        plain = np.where(stars.reshape(entries.shape), 0, entries)
        known = as_listed(registry.numbered(plain.tolist()), "table rows")
        return np.where(stars.reshape(entries.shape), STAR, known)


def has_stars(rows: IntArray) -> bool:
    """Say whether some entry is `STAR`."""
    return bool((rows == STAR).any())


def written(rows: IntArray) -> list[list[Any]]:
    """Return rows as they are given: lists of integers and `ANY`."""
    plain = rows.tolist()
    return [[ANY if v == STAR else v for v in row] for row in plain] if has_stars(rows) else plain


def mismatches(values: IntArray, rows: IntArray) -> Iterator[Mask]:
    """Yield, for some rows at a time, where ``values`` (batch, width) differ, (batch, rows, width)."""
    starred = has_stars(rows)
    some = max(1, _CELLS // max(1, values.size))
    for k in range(0, len(rows), some):
        part = rows[k : k + some]
        differ = values[:, None, :] != part
        yield differ & (part != STAR) if starred else differ


def by_stars(rows: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the columns without stars and their values, (rows, columns), for all rows with the same stars."""
    if not has_stars(rows):
        yield np.arange(rows.shape[1]), rows
        return
    patterns, group = np.unique(rows == STAR, axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        columns = np.flatnonzero(~pattern)
        yield columns, rows[group.reshape(-1) == k][:, columns]


def are_disjoint(rows: IntArray) -> bool:
    """Say whether no tuple is an instance of two distinct rows."""
    for (columns, some), (others, more) in combinations(by_stars(rows), 2):
        common = np.intersect1d(columns, others)
        here, there = (
            part[:, np.isin(at, common)].tolist() for at, part in ((columns, some), (others, more))
        )
        if not set(map(tuple, here)).isdisjoint(map(tuple, there)):
            return False
    return True
