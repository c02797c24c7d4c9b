"""Arrays of terms made of plain arrays, of rows, and of other arrays."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.expressions import LinearArray, Registry, build
from cpqueens.language.linear_rows import Row, padded
from cpqueens.language.rows import IntArray, as_rows, common_shape, greatest, least

_FEW = 1 << 10
"""Variables up to which numbers of their own are made sooner than a view of one that stands for all."""


def plain_variables(registry: Registry, first: int, shape: tuple[int, ...]) -> LinearArray:
    """Return the array of the variables ``first``, ``first + 1``, ... in ``shape``."""
    size = math.prod(shape)
    variables = np.arange(first, first + size, dtype=np.int64)[:, None]
    if size <= _FEW:
        return build(registry, shape, variables, np.ones((size, 1), np.int64), np.zeros(size, np.int64))
    ones = np.broadcast_to(np.int64(1), (size, 1))
    zeros = np.broadcast_to(np.int64(0), (size,))
    return build(registry, shape, variables, ones, zeros)


def of_variables(registry: Registry, variables: IntArray, shape: tuple[int, ...]) -> LinearArray:
    """Return the array of the given variables (flat, in C order) in ``shape``."""
    flat = variables.reshape(-1, 1)
    return build(registry, shape, flat, np.ones_like(flat), np.zeros(len(flat), dtype=np.int64))


def of_literals(registry: Registry, literals: IntArray) -> LinearArray:
    """Return the terms of literals, see `LinearRows.as_literals`, in their shape."""
    flat = literals.reshape(-1)
    negated = flat < 0
    variables = np.where(negated, -flat - 1, flat)[:, None]
    slopes = np.where(negated, -1, 1)[:, None]
    return build(registry, literals.shape, variables, slopes, negated.astype(np.int64))


def of_rows(registry: Registry, rows: Sequence[Row], shape: tuple[int, ...]) -> LinearArray:
    """Return the array of the given terms (in C order) in ``shape``."""
    return build(registry, shape, *padded(rows))


def of_flat_rows(
    registry: Registry,
    widths: Sequence[int],
    variables: Iterable[int],
    coefficients: Iterable[int],
    constants: Sequence[int],
) -> LinearArray:
    """Return terms, of shape (terms,), given how many variables each has and these one after another."""
    lengths = np.array(widths, dtype=np.int64)
    width = int(lengths.max(initial=0))
    present = np.arange(width) < lengths[:, None]
    table = np.zeros((2, len(lengths), width), dtype=np.int64)
    table[0, present] = as_rows(list(variables))
    table[1, present] = as_rows(list(coefficients))
    return LinearArray(registry, (len(lengths),), table[0], table[1], as_rows(constants))


def constant_array(registry: Registry, values: IntArray) -> LinearArray:
    """Return an array of terms without variables."""
    none = np.zeros((values.size, 0), dtype=np.int64)
    if values.ndim == 1:
        return LinearArray(registry, values.shape, none, none, values)
    return build(registry, values.shape, none, none, values.reshape(-1))


class NumberTable(LinearArray):
    """Numbers in which many definitions look up: what these ask of the whole table is found once.

    Attributes
    ----------
    content
        The numbers as bytes.
    low, high
        The least and the largest one.
    """

    __slots__ = ("content", "high", "low")

    def __init__(self, registry: Registry, numbers: IntArray, content: bytes) -> None:
        none = np.zeros((numbers.size, 0), dtype=np.int64)
        super().__init__(registry, numbers.shape, none, none, numbers)
        self.content = content
        self.low, self.high = int(least(numbers)), int(greatest(numbers))


def mixed() -> ModelError:
    """Return the error for terms of two models in one expression."""
    return ModelError("terms of two different models cannot be mixed")


def of_one_registry(*arrays: LinearArray) -> list[LinearArray]:
    """Return the arrays as ones of the one model among theirs.

    Raises
    ------
    ModelError
        If there are two.
    """
    registry = next((a.registry for a in arrays if not a.registry.unbound), arrays[0].registry)
    if any(a.registry is not registry and not a.registry.unbound for a in arrays):
        raise mixed()
    return [a.bind(registry) for a in arrays]


def concatenate_rows(arrays: Sequence[LinearArray]) -> LinearArray:
    """Return all elements of ``arrays`` one after the other, of shape (total,)."""
    arrays = of_one_registry(*arrays)
    width = max(a.width for a in arrays)
    total = sum(a.size for a in arrays)
    variables = np.zeros((total, width), dtype=np.int64)
    coefficients = np.zeros((total, width), dtype=np.int64)
    at = 0
    for a in arrays:
        variables[at : at + a.size, : a.width] = a.variables
        coefficients[at : at + a.size, : a.width] = a.coefficients
        at += a.size
    constants = np.concatenate([a.constants for a in arrays])
    return LinearArray(arrays[0].registry, (total,), variables, coefficients, constants)


def stack_first(arrays: Sequence[LinearArray]) -> LinearArray:
    """Return arrays of one shape stacked along a new first axis."""
    shape = arrays[0].shape
    if any(a.shape != shape for a in arrays):
        raise ModelError(f"cannot stack shapes {sorted({a.shape for a in arrays})}")
    return concatenate_rows(arrays).reshape((len(arrays), *shape))


def stack_last(arrays: Sequence[LinearArray]) -> LinearArray:
    """Return arrays of one shape stacked along a new last axis."""
    stacked = stack_first(arrays)
    return stacked._pick(np.moveaxis(stacked._index(), 0, -1))


def broadcast_all(*arrays: LinearArray) -> list[LinearArray]:
    """Return all arrays in their common broadcast shape."""
    if all(a.shape == arrays[0].shape for a in arrays):
        return list(arrays)
    shape = common_shape(*(a.shape for a in arrays))
    return [a.broadcast(shape) for a in arrays]
