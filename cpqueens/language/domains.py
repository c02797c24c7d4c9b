"""What users write as shapes, bounds and domains of variables.

Which values terms can take, as far as one variable's domain tells.
"""

import math
from collections.abc import Iterable, KeysView, Mapping, Sequence, Set
from itertools import islice
from typing import Any

import numpy as np

from cpqueens.errors import IntegerError, ModelError
from cpqueens.language.expressions import LinearArray
from cpqueens.language.labels import MAX_DOMAIN
from cpqueens.language.ranges import ALLOWED, LIMIT, OutOfRange, require_in_range, size_text
from cpqueens.language.rows import IntArray, Mask, are_whole, distinct, no_integers, plain_array, refusing
from cpqueens.language.store import MAX_VARIABLES
from cpqueens.text.plaintext import first_repeated, shown

MAX_AXES = 32


Labels = Sequence[Any]
"""Labels along one axis, each once: a tuple, or an index of pandas as it was given."""

ShapeLike = int | Iterable[Any] | None
"""A number of variables, labels, or a tuple with one of these for each axis."""


def as_axes(shape: Any) -> tuple[tuple[int, ...], tuple[Labels | None, ...]]:
    """Return a shape (None, sizes, labels, a series or a frame) as sizes, and the labels of each axis.

    The labels are () where no axis has any.

    Raises
    ------
    ModelError
        For a shape that no array of variables can have.
    """
    axes = [_axis(part) for part in _parts_of_shape(shape)]
    if len(axes) > MAX_AXES:
        raise ModelError(f"shape: {len(axes)} axes, allowed are at most {MAX_AXES}")
    dimensions = tuple(size for size, _ in axes)
    size = math.prod(dimensions)
    if size > MAX_VARIABLES:
        raise ModelError(f"shape {dimensions}: {size} variables, allowed are at most {MAX_VARIABLES}")
    labels = tuple(labels for _, labels in axes)
    return dimensions, labels if any(one is not None for one in labels) else ()


def _parts_of_shape(shape: Any) -> Sequence[Any]:
    """Return what is given for each axis; a list of texts alone is the labels of one."""
    if shape is None:
        return ()
    if hasattr(shape, "axes") and hasattr(shape, "iloc"):
        return list(shape.axes)  # of a series or a frame: its index and its columns
    if not isinstance(shape, tuple | list):
        return (shape,)
    flat = shape and not any(isinstance(p, int | np.integer) or _is_listing(p) for p in shape)
    return (shape,) if flat and all(p is not None for p in shape) else shape


def _is_listing(part: Any) -> bool:
    return isinstance(part, Iterable) and not isinstance(part, str | bytes)


def _axis(part: Any) -> tuple[int, Labels | None]:
    """Return the size of an axis, and its labels if it was given by such."""
    if isinstance(part, np.ndarray) and part.ndim == 1:
        part = part.tolist()
    unordered = isinstance(part, np.ndarray | Set | Mapping) and not isinstance(part, KeysView)
    if _is_listing(part) and not unordered:
        return _labelled_axis(part)
    if isinstance(part, bool) or not isinstance(part, int | np.integer) or part < 0:
        named = f"; a name is written name={shown(part)}" if isinstance(part, str) else ""
        raise ModelError(f"shape: integers of at least 0, or labels in a list, got {shown(part)}{named}")
    if part > MAX_VARIABLES:
        raise ModelError(f"shape: {shown(part)} along one axis, allowed are at most {MAX_VARIABLES}")
    return int(part), None


def _labelled_axis(part: Iterable[Any]) -> tuple[int, Labels]:
    labels = tuple(islice(part, MAX_DOMAIN + 1))
    if len(labels) > MAX_DOMAIN:
        raise ModelError(f"shape: more than {MAX_DOMAIN} labels along one axis")
    with refusing("shape: labels"):  # some cannot be compared
        repeated = first_repeated(labels)
    if repeated is not None:
        raise ModelError(f"shape: the label {shown(repeated)} is there twice along one axis")
    return len(labels), part if hasattr(part, "get_indexer") else labels  # type: ignore[return-value]


def as_ends(lower: Any, upper: Any, domain: Any, label: str) -> tuple[IntArray, IntArray, IntArray | None]:
    """Return lower and upper bounds, and the values if a domain is given; ``label`` is for messages.

    Raises
    ------
    ModelError
        For bounds together with a domain, and as `as_bound` and `as_domain`.
    """
    if domain is None:
        return as_bound(lower, f"{label}lower bound"), as_bound(upper, f"{label}upper bound"), None
    if lower is not None or upper is not None:
        raise ModelError("give bounds or a domain, not both")
    values = as_domain(domain, f"{label}domain")
    return values[0], values[-1], values


def as_bound(value: Any, what: str) -> IntArray:
    """Return a bound, or an array of bounds, as int64.

    Raises
    ------
    ModelError
        If there is none, or one is out of range.
    IntegerError
        If it is no integer.
    """
    if type(value) is int and abs(value) <= LIMIT:  # most are: the short way
        return np.array(value, dtype=np.int64)
    if value is None:
        raise ModelError(f"{what}: missing; give lower and upper, or domain=")
    array = plain_array(value, what)
    if not array.size:
        return array.astype(np.int64)  # it fits variables of no number only
    if isinstance(value, list | tuple) and any(isinstance(v, bool | np.bool_) for v in value):
        raise IntegerError(f"{what}: integers only, got a Boolean among {shown(value)}")
    if array.dtype.kind == "O" and all(
        isinstance(v, int | np.integer) and not isinstance(v, bool) for v in array.flat
    ):
        worst = max(map(int, array.flat), key=abs)
        if abs(worst) > LIMIT:
            raise OutOfRange(f"{what}: {size_text(worst)} is out of range; {ALLOWED}")
        array = array.astype(np.int64)
    elif are_whole(array):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise no_integers(value, array, what)
    return require_in_range(array, what).astype(np.int64)


def stretched(bound: IntArray, shape: tuple[int, ...]) -> IntArray:
    """Return a bound for each variable of an array, of shape (size,)."""
    if not bound.ndim:
        return np.full(math.prod(shape), bound, dtype=np.int64)
    try:
        return np.broadcast_to(bound, shape).reshape(-1)
    except ValueError:
        raise ModelError(f"bounds of shape {bound.shape} do not fit variables of shape {shape}") from None


def as_domain(domain: Any, what: str) -> IntArray:
    """Return the values of a domain, ascending, each once.

    Raises
    ------
    ModelError
        If there is none, or there are too many.
    IntegerError
        If one is no integer.
    """
    if isinstance(domain, str | bytes):
        raise IntegerError(f"{what}: integers only, got {shown(domain)}")
    try:
        many = len(domain)
    except OverflowError:
        many = MAX_DOMAIN + 1
    except Exception:
        if not isinstance(domain, Iterable):
            raise IntegerError(f"{what}: a sequence of integers is needed, got {shown(domain)}") from None
        domain = list(islice(domain, MAX_DOMAIN + 1))  # it may never end
        many = len(domain)
    if many > MAX_DOMAIN:
        raise ModelError(f"{what}: {many} values listed, allowed are at most {MAX_DOMAIN}; use bounds")
    if not isinstance(domain, np.ndarray):
        domain = list(domain)
    values = distinct(as_bound(domain, what)) if many else np.zeros(0, dtype=np.int64)
    if not values.size:
        raise ModelError(f"{what}: empty; at least one value is needed")
    return values


def may_equal(terms: LinearArray, values: IntArray) -> Mask:
    """Return which of ``values`` (count,) each term may take, (size, count).

    Terms of several variables are judged by their bounds, terms of one by its listed domain, too.
    """
    low, high = terms.bounds()
    possible: Mask = (low[:, None] <= values) & (values <= high[:, None])
    domains: dict[int, IntArray] = getattr(terms.registry, "domains", {})
    for k, (variables, coefficients, constant) in enumerate(terms.rows()):
        if len(variables) == 1:
            possible[k] &= (values - constant) % coefficients[0] == 0
            if variables[0] in domains:
                possible[k] &= np.isin(values, domains[variables[0]] * coefficients[0] + constant)
    return possible
