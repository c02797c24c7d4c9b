"""Sums, products and comparisons of arrays of terms; truths stand for their 0/1 terms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language import rows
from cpqueens.language.arrays import broadcast_all, of_one_registry
from cpqueens.language.conversion import as_linears, define
from cpqueens.language.expressions import Axis, BoolArray, LinearArray, Operand, Relation, build
from cpqueens.language.truths import as_truth


def _terms(value: Any) -> Any:
    """Return the 0/1 terms of truths, and everything else as it is."""
    return value.truth() if isinstance(value, BoolArray) else value


def add(left: LinearArray | BoolArray, right: Any) -> LinearArray:
    """Return ``left + right``."""
    if isinstance(left, BoolArray) or isinstance(right, BoolArray):
        return _terms(left) + _terms(right)
    if not isinstance(right, LinearArray):
        return _add_constants(left, rows.as_integers(right))
    a, b = left, right
    if a.registry is not b.registry:
        a, b = of_one_registry(a, b)
    a, b = broadcast_all(a, b)
    variables, coefficients = rows.normalise(
        np.concatenate([a.variables, b.variables], axis=1),
        np.concatenate([a.coefficients, b.coefficients], axis=1),
    )
    return build(a.registry, a.shape, variables, coefficients, rows.checked_add(a.constants, b.constants))


def _add_constants(a: LinearArray, values: rows.IntArray) -> LinearArray:
    shape = rows.common_shape(a.shape, values.shape)
    a = a.broadcast(shape)
    total = rows.checked_add(a.constants, np.broadcast_to(values, shape).reshape(-1))
    return build(a.registry, shape, a.variables, a.coefficients, total)


def subtract(left: LinearArray | BoolArray, right: Any) -> LinearArray:
    """Return ``left - right``."""
    if isinstance(left, BoolArray):
        return left.truth() - right
    if isinstance(right, Operand):
        return left + (-right)
    return _add_constants(left, rows.checked_multiply(rows.as_integers(right), np.array(-1)))


def multiply(left: LinearArray | BoolArray, right: Any) -> LinearArray:
    """Return ``left * right``; a defined variable for each element where neither side is constant."""
    if isinstance(left, BoolArray):
        return left.truth() * right
    right = _terms(right)
    if not isinstance(right, LinearArray):
        return _scale(left, rows.as_integers(right))
    for one, other in ((left, right), (right, left)):
        if not other.coefficients.any():
            return _scale(one, other.constants.reshape(other.shape))
    return define("product", left, right)


def _scale(a: LinearArray, values: rows.IntArray) -> LinearArray:
    shape = rows.common_shape(a.shape, values.shape)
    a = a.broadcast(shape)
    factor = np.broadcast_to(values, shape).reshape(-1)
    factors = rows.checked_multiply(a.coefficients, factor[:, None])
    variables, coefficients = rows.normalise(a.variables, factors)
    return build(a.registry, shape, variables, coefficients, rows.checked_multiply(a.constants, factor))


def total(array: LinearArray | BoolArray, axis: Axis, keepdims: bool) -> LinearArray:
    """Return the sums over ``axis`` (all axes for None)."""
    a: LinearArray = _terms(array)
    if axis is None or (not a.ndim and axis in (0, -1)):  # NumPy lets axis 0 of a scalar pass
        axis = tuple(range(a.ndim))
    axes = rows.axes_of(axis, a.ndim)
    kept = tuple(k for k in range(a.ndim) if k not in axes)
    length, count = (math.prod(a.shape[k] for k in some) for some in (kept, axes))
    groups = a._index().transpose(kept + axes).reshape(length, count)
    ends = [(k, 1 if k in axes else n) for k, n in enumerate(a.shape)]
    shape = tuple(n for k, n in ends if keepdims or k in kept)
    return build(a.registry, shape, *a.summed(groups))


def matmul(left: Any, right: Any) -> LinearArray:
    """Return ``left @ right`` for arrays of one or two axes."""
    a, b = as_linears(left, right)
    if not a.ndim or not b.ndim or a.ndim > 2 or b.ndim > 2:
        raise ModelError(f"@ needs arrays of one or two axes, got shapes {a.shape} and {b.shape}")
    if a.shape[-1] != b.shape[0]:
        raise ModelError(f"@ cannot join shapes {a.shape} and {b.shape}")
    return sum_of_products(a, b.T)


def sum_of_products(a: LinearArray, b: LinearArray) -> LinearArray:
    """Return the sums over the last axes of ``a * b``, of shape (a's other axes, b's other axes)."""
    between = (1,) * (b.ndim - 1)
    return (a.reshape(*a.shape[:-1], *between, a.shape[-1]) * b).sum(axis=-1)


def compare(left: LinearArray | BoolArray, right: Any, relation: Relation) -> BoolArray:
    """Return the truths ``left relation right``; a truth equals, or differs from, another truth only."""
    if isinstance(left, BoolArray):
        other = as_truth(left.registry, right).truth() if relation in ("==", "!=") else right
        return compare(left.truth(), other, relation)
    difference = left - right
    return difference.registry.compare(difference, relation)
