"""Copies of large arrays piece by piece: between two of these a run can be broken off."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

AT_ONCE = 1 << 21
"""Numbers that are copied by one call."""

IntArray = NDArray[np.int64]

Numbers = TypeVar("Numbers", bound=NDArray[Any])


def pieces(size: int) -> Iterator[slice]:
    """Yield parts of ``size`` numbers that are copied by one call each."""
    return (slice(first, first + AT_ONCE) for first in range(0, size, AT_ONCE))


def copied(values: Numbers, room: int = 0) -> Numbers:
    """Return a copy of an array, (n,), with ``room`` zeros behind it; nothing is written to these yet."""
    if len(values) <= AT_ONCE and not room:
        return values.copy()
    found: Any = np.zeros((len(values) + room, *values.shape[1:]), dtype=values.dtype)
    begin = found[: len(values)]
    for piece in pieces(len(values)):
        begin[piece] = values[piece]
    return found


def doubled(values: IntArray) -> IntArray:
    """Return an array, (2n,), that begins as one of (n,) does; nothing is written to the zeros behind."""
    return copied(values, len(values))


def joined(parts: Sequence[Any]) -> IntArray:
    """Return some numbers, (n,) each, one after the other."""
    size, end = sum(map(len, parts)), 0
    if size <= AT_ONCE:
        return np.concatenate([np.asarray(part, dtype=np.int64) for part in parts])
    found = np.empty(size, dtype=np.int64)
    for part in parts:
        here = found[end : end + len(part)]
        for piece in pieces(len(part)):
            here[piece] = part[piece]
        end += len(part)
    return found
