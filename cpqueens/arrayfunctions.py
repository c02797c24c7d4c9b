"""NumPy's array functions on arrays of terms, so that ``np.concatenate`` and its kin work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cpqueens.expressions import LinearArray, as_linear, concatenate_rows, find_registry

# Functions that only rearrange elements: they are run on the elements' positions.
_REARRANGING: frozenset[str] = frozenset(
    [
        "append",
        "array_split",
        "atleast_1d",
        "atleast_2d",
        "block",
        "broadcast_to",
        "column_stack",
        "concatenate",
        "copy",
        "delete",
        "diag",
        "diagonal",
        "dstack",
        "expand_dims",
        "flip",
        "fliplr",
        "flipud",
        "hstack",
        "insert",
        "moveaxis",
        "ravel",
        "repeat",
        "reshape",
        "resize",
        "roll",
        "rollaxis",
        "rot90",
        "split",
        "squeeze",
        "stack",
        "swapaxes",
        "take",
        "tile",
        "transpose",
        "vstack",
    ]
)


def _diff(a: LinearArray, n: int = 1, axis: int = -1) -> LinearArray:
    for _ in range(n):
        axis %= a.ndim
        head: list[slice] = [slice(None)] * a.ndim
        tail = list(head)
        head[axis], tail[axis] = slice(1, None), slice(None, -1)
        a = a[tuple(head)] - a[tuple(tail)]
    return a


def _trace(a: LinearArray, offset: int = 0) -> LinearArray:
    return a._pick(np.diagonal(a._index(), offset)).sum()


def _cumsum(a: LinearArray, axis: int | None = None) -> LinearArray:
    flat = a.reshape(-1) if axis is None else a
    axis = 0 if axis is None else axis % a.ndim
    parts = [
        flat._pick(np.take(flat._index(), range(k + 1), axis)).sum(axis) for k in range(flat.shape[axis])
    ]
    stack: Callable[..., LinearArray] = np.stack
    return stack(parts, axis=axis)


_COMPUTING: dict[str, Callable[..., LinearArray]] = {
    "sum": lambda a, axis=None: a.sum(axis),
    "diff": _diff,
    "dot": lambda a, b: a @ b,
    "inner": lambda a, b: a @ b,
    "trace": _trace,
    "cumsum": _cumsum,
    "shape": lambda a: a.shape,
    "ndim": lambda a: a.ndim,
    "size": lambda a: a.size,
}


def apply(function: Any, args: Any, kwargs: Any) -> Any:
    """Run a NumPy function on arguments that hold arrays of terms.

    Raises
    ------
    TypeError
        For functions that have no meaning for terms, with advice.
    """
    name = function.__name__
    if name in _COMPUTING:
        return _COMPUTING[name](*args, **kwargs)
    if name in _REARRANGING:
        return _rearrange(function, args, kwargs)
    raise TypeError(
        f"numpy.{name} does not work on terms; use arithmetic, abs(), .sum(), minimum(), maximum() or "
        "element() from cpqueens"
    )


def _rearrange(function: Any, args: Any, kwargs: Any) -> Any:
    pools: list[LinearArray] = []
    first, *others = args
    registry = find_registry(first)
    if registry is None:
        raise TypeError(f"numpy.{function.__name__}: the array of terms must be the first argument")

    def positions(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(positions(v) for v in value)
        array = as_linear(registry, value)
        start = sum(p.size for p in pools)
        pools.append(array.reshape(-1))
        return np.arange(start, start + array.size).reshape(array.shape)

    arranged = function(positions(first), *others, **kwargs)
    pool = concatenate_rows(pools)
    if isinstance(arranged, list):
        return [pool._pick(np.asarray(part)) for part in arranged]
    return pool._pick(np.asarray(arranged))
