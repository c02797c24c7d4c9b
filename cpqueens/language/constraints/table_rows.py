"""What constraints over listed rows share: rows of integers, and of stars for any value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.errors import IntegerError, ModelError
from cpqueens.language.rows import IntArray, as_listed

ANY = "*"
"""In a row of a table: any value."""

STAR = -(2**63)
"""What stands for `ANY` in an array of rows: no term can reach it."""


def table_rows(rows: Any, width: int) -> IntArray:
    """Return the distinct rows of a table over ``width`` terms, ascending, with `STAR` for `ANY`.

    Raises
    ------
    ModelError
        For rows of another length, or anything but integers and stars.
    """
    table = _with_stars(rows)
    if table.size == 0:
        table = np.zeros((len(table) if width == 0 else 0, width), dtype=np.int64)
    if table.ndim != 2 or table.shape[1] != width:
        raise ModelError(f"a table over {width} terms needs rows of {width} values")
    return np.unique(table, axis=0)


def _with_stars(rows: Any) -> IntArray:
    try:
        return as_listed(rows, "table rows")
    except IntegerError as error:
        try:
            entries = np.array(rows, dtype=object)
            stars = np.array([isinstance(entry, str) and entry == ANY for entry in entries.flat], dtype=bool)
        except ValueError:  # rows of several lengths
            raise error from None
        if not stars.any():
            raise
        plain = np.where(stars.reshape(entries.shape), 0, entries)
        return np.where(stars.reshape(entries.shape), STAR, as_listed(plain, "table rows"))


def has_stars(rows: IntArray) -> bool:
    """Say whether some entry is `STAR`."""
    return bool((rows == STAR).any())


def written(rows: IntArray) -> list[list[Any]]:
    """Return rows as they are given: lists of integers and `ANY`."""
    plain = rows.tolist()
    return [[ANY if v == STAR else v for v in row] for row in plain] if has_stars(rows) else plain


def mismatches(values: IntArray, rows: IntArray) -> Iterator[NDArray[np.bool_]]:
    """Yield, for each row, where ``values`` (batch, width) are not the row's, (batch, width)."""
    starred = has_stars(rows)
    for row in rows:
        differ = values != row
        yield differ & (row != STAR) if starred else differ


def by_stars(rows: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the columns without stars and their values, (rows, columns), for all rows with the same stars."""
    if not has_stars(rows):
        yield np.arange(rows.shape[1]), rows
        return
    patterns, group = np.unique(rows == STAR, axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        columns = np.flatnonzero(~pattern)
        yield columns, rows[group.reshape(-1) == k][:, columns]
