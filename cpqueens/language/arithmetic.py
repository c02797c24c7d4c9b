"""Sums, products and comparisons of arrays of terms; truths stand for their 0/1 terms."""

import math
from typing import Any

import numpy as np

from cpqueens.errors import IntegerError, ModelError
from cpqueens.language import rows
from cpqueens.language.arrays import broadcast_all, of_one_registry
from cpqueens.language.constraints.connective import CONNECTIVES
from cpqueens.language.constraints.linear import related
from cpqueens.language.conversion import aligned, as_linears, define, leaves
from cpqueens.language.expressions import BoolArray, LinearArray, Operand, build
from cpqueens.language.labels import in_order, is_framed
from cpqueens.language.operators import Axis, Relation
from cpqueens.language.truths import as_truth
from cpqueens.text.plaintext import shown

MAX_EXPONENT = 61
"""Larger powers of 2 leave the range of terms."""


def _operand(value: Any, beside: LinearArray, what: str = "value") -> LinearArray | rows.IntArray:
    """Return terms, those of truths and those in a list among them, or else integers as they are."""
    if isinstance(value, Operand):
        return value if isinstance(value, LinearArray) else as_linears(value)[0]
    if type(value) is int and abs(value) < 2**61:  # of which no sum needs a look
        return np.array(value)
    value = aligned(value, beside)
    try:
        return rows.as_integers(value, what, whole=True)
    except IntegerError:
        if not any(isinstance(leaf, Operand) for leaf in leaves(value)):
            raise
    return as_linears(value)[0]


def add(left: LinearArray | BoolArray, right: Any) -> LinearArray:
    """Return ``left + right``."""
    if isinstance(left, BoolArray):
        return left.truth() + right
    a, b = left, _operand(right, left)
    if not isinstance(b, LinearArray):
        return _add_constants(a, b)
    if a.registry is b.registry and not (a.width and b.width):
        a, b = (a, b) if a.width else (b, a)
        return _add_constants(a, b.constants.reshape(b.shape))
    if a.registry is not b.registry:
        a, b = of_one_registry(a, b)
    a, b = (a, b) if a.shape == b.shape else broadcast_all(a, b)
    if a.size and a.variables.item(0) > b.variables.item(0):
        a, b = b, a  # mostly nothing is to be sorted then
    variables, coefficients = a.registry.merged(
        np.concatenate([a.variables, b.variables], axis=1),
        np.concatenate([a.coefficients, b.coefficients], axis=1),
    )
    return build(a.registry, a.shape, variables, coefficients, rows.checked_add(a.constants, b.constants))


def _add_constants(a: LinearArray, values: rows.IntArray) -> LinearArray:
    if values.ndim and values.shape != a.shape:
        shape = rows.common_shape(a.shape, values.shape)
        a, values = a.broadcast(shape), np.broadcast_to(values, shape)
    constants = rows.checked_add(a.constants, values.reshape(-1))
    return build(a.registry, a.shape, a.variables, a.coefficients, constants)


def subtract(left: LinearArray | BoolArray, right: Any) -> LinearArray:
    """Return ``left - right``."""
    if isinstance(left, BoolArray):
        return left.truth() - right
    right = _operand(right, left)
    return left + (-right) if isinstance(right, LinearArray) else _add_constants(left, -right)


def multiply(left: LinearArray | BoolArray, right: Any) -> LinearArray:
    """Return ``left * right``; a defined variable for each element where neither side is constant."""
    if isinstance(left, BoolArray):
        return left.truth() * right
    right = _operand(right, left, "factor")
    if not isinstance(right, LinearArray):
        return _scale(left, right)
    for one, other in ((left, right), (right, left)):
        if not other.coefficients.any():
            return _scale(one, other.constants.reshape(other.shape))
    return define("product", left, right)


def _scale(a: LinearArray, values: rows.IntArray) -> LinearArray:
    shape = rows.common_shape(a.shape, values.shape)
    a = a.broadcast(shape)
    factor = np.broadcast_to(values, shape).reshape(-1)
    columns = a.registry.merged(a.variables, a.coefficients, factor)
    return build(a.registry, shape, *columns, rows.checked_multiply(a.constants, factor))


def total(array: LinearArray | BoolArray, axis: Axis, keepdims: bool) -> LinearArray:
    """Return the sums over ``axis`` (all axes for None)."""
    (a,) = as_linears(array)
    groups, shape = _groups(a, axis, keepdims)
    return build(a.registry, shape, *a.summed(groups, a.registry.merged))


def reduced(kind: str, array: LinearArray | BoolArray, axis: Axis, keepdims: bool) -> LinearArray | BoolArray:
    """Return the connective, or the least or the greatest, over ``axis`` (all axes for None).

    As in NumPy a term is true where it is not 0, and the greatest of truths is whether one holds.
    """
    connective = kind if kind in ("and", "or") else None
    if isinstance(array, BoolArray):
        connective = {"maximum": "or", "minimum": "and"}.get(kind, connective)
    a = _as_literals(array) if connective else as_linears(array)[0]
    groups, shape = _groups(a, axis, keepdims)
    if not groups.shape[1] and kind != connective:
        raise ModelError(f"{kind} of nothing")
    if connective:
        return CONNECTIVES[connective].over(a._pick(groups.reshape(*shape, groups.shape[1])))
    columns = [a._pick(column) for column in groups.T]
    return columns[0].reshape(shape) if len(columns) == 1 else a.registry.define(kind, shape, *columns)


def _as_literals(array: LinearArray | BoolArray) -> LinearArray:
    if isinstance(array, LinearArray):
        low, high = array.bounds()
        if array.size and (int(low.min()) < 0 or int(high.max()) > 1):
            array = array != 0
    return as_truth(array.registry, array).truth()


def _groups(a: LinearArray, axis: Axis, keepdims: bool) -> tuple[rows.Positions, tuple[int, ...]]:
    """Return the positions that each result over ``axis`` comes from, (results, each), and their shape."""
    if axis is None or (not a.ndim and axis in (0, -1)):  # NumPy lets axis 0 of a scalar pass
        axis = tuple(range(a.ndim))
    axes = rows.axes_of(axis, a.ndim)
    kept = tuple(k for k in range(a.ndim) if k not in axes)
    length, count = (math.prod(a.shape[k] for k in some) for some in (kept, axes))
    groups = a._index().transpose(kept + axes).reshape(length, count)
    ends = [(k, 1 if k in axes else n) for k, n in enumerate(a.shape)]
    return groups, tuple(n for k, n in ends if keepdims or k in kept)


def power(base: Operand, exponent: Any, modulus: Any = None) -> LinearArray:
    """Return the product of ``exponent`` times ``base``."""
    whole = isinstance(exponent, int | np.integer) and modulus is None
    if not whole or not 1 <= exponent <= MAX_EXPONENT:
        given = shown(exponent if modulus is None else (exponent, modulus))
        raise IntegerError(
            f"powers of terms need an integer exponent of at least 1 (at most {MAX_EXPONENT}), got {given}"
        )
    result = base * 1
    for _ in range(exponent - 1):
        result = result * base
    return result


def _for_product(value: Any, other: Any, axis: int) -> Any:
    """Return one side of a product, a series or frame in the order of the labels that are summed over."""
    if not isinstance(other, Operand) or not is_framed(value) or not other.shape:
        return value
    labels: list[Any] = [None] * len(value.axes)
    labels[axis] = other.registry.labels_along(other)[-1 - axis]
    return np.asarray(in_order(value, labels, "an axis of the other terms"))


def matmul(left: Any, right: Any) -> LinearArray:
    """Return ``left @ right`` for arrays of one or two axes."""
    a, b = as_linears(_for_product(left, right, -1), _for_product(right, left, 0))
    if not a.ndim or not b.ndim or a.ndim > 2 or b.ndim > 2:
        raise ModelError(f"@ needs arrays of one or two axes, got shapes {a.shape} and {b.shape}")
    if a.shape[-1] != b.shape[0]:
        raise ModelError(f"@ cannot join shapes {a.shape} and {b.shape}")
    return sum_of_products(a, b.T)


def sum_of_products(a: LinearArray, b: LinearArray) -> LinearArray:
    """Return the sums over the last axes of ``a * b``, of shape (a's other axes, b's other axes)."""
    between = (1,) * (b.ndim - 1)
    return (a.reshape(*a.shape[:-1], *between, a.shape[-1]) * b).sum(axis=-1)


_TRUTH_ITSELF = {
    ("==", 1): True,
    ("!=", 0): True,
    (">=", 1): True,
    (">", 0): True,
    ("==", 0): False,
    ("!=", 1): False,
    ("<=", 0): False,
    ("<", 1): False,
}
"""Whether a truth compared with 0 or 1 is that truth, or its negation."""


def compare(left: LinearArray | BoolArray, right: Any, relation: Relation) -> BoolArray:
    """Return the truths ``left relation right``; a truth equals, or differs from, another truth only."""
    if isinstance(left, BoolArray) and isinstance(right, int) and (relation, right) in _TRUTH_ITSELF:
        return left if _TRUTH_ITSELF[relation, right] else ~left
    right = aligned(right, left)
    if isinstance(left, BoolArray):
        other = as_truth(left.registry, right).truth() if relation in ("==", "!=") else right
        return compare(left.truth(), other, relation)
    if type(right) is not int and not isinstance(right, Operand):
        named = left.registry.numbered(right, left)
        if named is not right and relation not in ("==", "!="):
            raise ModelError(f"names have no order: == and != compare them, {relation} does not")
        right = named
    return related(left - right, relation)
