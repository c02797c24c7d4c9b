"""What users write as arrays of terms: integers, terms, truths, and nested sequences of these."""

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, Set
from itertools import chain, groupby, islice
from typing import Any

import numpy as np

from cpqueens.errors import IntegerError, ModelError
from cpqueens.language.arrays import broadcast_all, concatenate_rows, constant_array, mixed, stack_first
from cpqueens.language.expressions import OPERATIONS, BoolArray, LinearArray, Operand, Registry
from cpqueens.language.labels import in_order, is_framed
from cpqueens.language.ranges import LIMIT
from cpqueens.language.rows import MAX_DEPTH, IntArray, as_integers, least, refuse_misread
from cpqueens.language.term import Term, join_terms

MAX_LISTED = 1_000_000
"""Elements of what can be gone through only once."""

_SINGLE = {Term, int}
_OPERANDS = {LinearArray, *_SINGLE}
_LISTS = (list, tuple)
_INTEGERS = {int}


def _nested(value: Any) -> bool:
    """Say whether terms may stand inside ``value``: in a sequence, or in a NumPy array of objects."""
    if isinstance(value, int | Operand):
        return False
    if isinstance(value, np.ndarray):
        return value.dtype == object and value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | range)


def _require_depth(depth: int, what: str) -> None:
    if depth >= MAX_DEPTH:
        raise ModelError(f"{what}: nested more than {MAX_DEPTH} levels deep, or a list that holds itself")


def listed(value: Any, what: str = "value") -> Any:
    """Return what can be gone through only once, or not by position, as a list: generators, views of a dict.

    Series and frames of other libraries become NumPy arrays; all else is returned as it is.

    Raises
    ------
    IntegerError
        For a dict, of which it is not plain what is meant, and for a set, which has no order.
    ModelError
        For more elements than an array may have.
    """
    if isinstance(value, int | Operand | list | tuple | np.ndarray | np.generic | str | bytes):
        return value
    if hasattr(value, "__array__"):
        return np.asarray(value)
    if isinstance(value, Mapping):
        raise IntegerError(
            f"{what}: a dict; write .values() (by position) or .keys(), to say which; to look "
            "up at a variable x write Table([x, y], list(numbers.items()))"
        )
    if isinstance(value, Set) and not isinstance(value, KeysView | ItemsView):
        raise IntegerError(f"{what}: a set has no order; write a list, such as sorted(...) of integers")
    if isinstance(value, Sequence) or not isinstance(value, Iterable):
        return value
    parts = list(islice(value, MAX_LISTED + 1))  # it may never end
    if len(parts) > MAX_LISTED:
        raise ModelError(f"{what}: an iterator of more than {MAX_LISTED} elements; write an array")
    return parts


def leaves(value: Any, what: str = "value", depth: int = 0) -> Iterator[Any]:
    """Yield what stands in nested sequences, ``value`` itself if it is none.

    Raises
    ------
    ModelError
        If they are nested more than `MAX_DEPTH` levels deep.
    """
    if not _nested(value):
        yield value
        return
    _require_depth(depth, what)
    for part in value:
        yield from leaves(part, what, depth + 1)


def registry_of(*values: Any) -> Registry:
    """Return the model of the terms in ``values``, that of constants if there is no term in them."""
    for value in values:
        found = _registry_in(value, 0)
        if found is not None:
            return found
    return OPERATIONS.unbound


def concatenate(arrays: Sequence[LinearArray]) -> LinearArray:
    """Return all elements of arrays one after the other: single terms, as most are, without an array each."""
    parts = list[LinearArray]()
    for single, some in groupby(arrays, lambda array: isinstance(array, Term)):
        run: list[Any] = list(some)
        parts += [join_terms(registry_of(*run), run)] if single else run
    return parts[0] if single and len(parts) == 1 else concatenate_rows(parts)


def _registry_in(value: Any, depth: int) -> Registry | None:
    if isinstance(value, Operand):
        return None if value.registry.unbound else value.registry
    if not _nested(value):
        return None
    _require_depth(depth, "value")
    if type(value) in _LISTS and set(map(type, value)) == _INTEGERS:
        return None
    for part in value:
        found = _registry_in(part, depth + 1)
        if found is not None:
            return found
    return None


def listed_integers(value: Any) -> IntArray | None:
    """Return integers, of an array or of (equally long) lists, as a new array; None for all else."""
    if type(value) is np.ndarray and value.dtype == np.int64:
        return value.copy()  # the user may change it later
    if type(value) not in _LISTS or not value:
        return None
    flat, shape = value, None
    if type(value[0]) in _LISTS:
        if not {list, tuple}.issuperset(map(type, value)):
            return None
        widths = set(map(len, value))
        if len(widths) > 1:
            return None
        flat, shape = list(chain.from_iterable(value)), (len(value), *widths)
    if set(map(type, flat)) != _INTEGERS:
        return None
    try:
        array = np.fromiter(flat, np.int64, len(flat))
    except OverflowError:
        return None
    return array if shape is None else array.reshape(shape)


def as_linear(registry: Registry, value: Any, what: str = "value", depth: int = 0) -> LinearArray:
    """Return ``value`` (terms, truths, integers, nested sequences of these) as a `LinearArray`.

    Raises
    ------
    IntegerError
        For anything else.
    ModelError
        If terms of another model are among them.
    """
    if isinstance(value, BoolArray):
        value = value.truth()
    if isinstance(value, LinearArray):
        if value.registry is registry:
            return value
        if not value.registry.unbound:
            raise mixed()
        return value.bind(registry)
    if type(value) is int and -LIMIT < value < LIMIT:
        return Term(registry, (), (), value)
    singles = singles_of(value)
    if singles is not None and singles[0].registry is registry:
        return join_terms(registry, singles)
    plain = listed_integers(value) if depth < MAX_DEPTH - 1 else None
    if plain is not None:
        return constants_of(registry, plain, what)
    if _nested(value):
        refuse_misread(value, what)
        _require_depth(depth, what)
        parts = [part.truth() if isinstance(part, BoolArray) else part for part in value]
        kinds = set(map(type, parts))
        if Term in kinds and kinds <= _SINGLE:  # terms, integers among them at most: the short way
            terms: list[Any] = [
                Term(registry, (), (), p) if type(p) is int and -LIMIT < p < LIMIT else p for p in parts
            ]
            if int not in kinds or int not in map(type, terms):
                if any(t.registry is not registry and not t.registry.unbound for t in terms):
                    raise mixed()
                return join_terms(registry, terms)
        if any(isinstance(p, Operand) or _nested(p) for p in parts):
            inner = [as_linear(registry, p, what, depth + 1) for p in parts]
            if len({one.shape for one in inner}) > 1:
                lengths = " and ".join(map(str, dict.fromkeys(one.shape for one in inner)))
                raise ModelError(f"{what}: parts of one shape are needed in a list, got {lengths}")
            return stack_first(inner)
    try:
        value = registry.numbered(value)
    except ModelError as error:  # of a name, which it shows
        raise IntegerError(f"{what}: {error}") from None
    constants = as_integers(value, what, whole=True)
    return constants_of(registry, constants.copy(), what)  # a copy: the user may change the array later


def constants_of(registry: Registry, constants: IntArray, what: str = "value") -> LinearArray:
    """Return integers, which nobody changes later, as terms.

    Raises
    ------
    IntegerError
        For one that has no negation.
    """
    if constants.size and least(constants, axis=None) == -(2**63):
        raise IntegerError(f"{what}: -2^63 cannot be negated in 64 bits; allowed is at least -2^63 + 1")
    return constant_array(registry, constants)


def aligned(value: Any, *beside: Any) -> Any:
    """Return a series or frame of pandas in the order of the labels of terms beside it; all else as it is."""
    if isinstance(value, int | Operand) or not is_framed(value):  # most are no series, and soon known as such
        return value
    for terms in beside:
        if isinstance(terms, Operand):
            value = in_order(value, terms.registry.labels_along(terms), "an axis of the other terms")
    return value


def as_linears(*values: Any) -> list[LinearArray]:
    """Return each value as an array of terms of the one model that is found in them."""
    if _OPERANDS.issuperset(map(type, values)):  # as most are
        registry = registry_of(*values)
        return [as_linear(registry, value) for value in values]
    numbers = [listed_integers(value) for value in values]
    given = [
        listed(aligned(value, *values)) if plain is None else plain
        for value, plain in zip(values, numbers, strict=True)
    ]
    registry = registry_of(*given)
    return [
        as_linear(registry, value) if plain is None else constants_of(registry, plain)
        for value, plain in zip(given, numbers, strict=True)
    ]


def singles_of(value: Any) -> list[Term] | None:
    """Return a list of single terms of one model, as most are: the short way; None for all else."""
    if type(value) is list and set(map(type, value)) == {Term}:
        return value if len({term.registry for term in value}) == 1 else None
    return None


def flat_terms(value: Any, what: str = "value") -> LinearArray:
    """Return ``value`` as terms of shape (size,); in lists arrays of any shape may stand beside terms.

    Raises
    ------
    ModelError
        For a number alone, as of somebody who means how many terms there are.
    """
    if type(value) is LinearArray:
        return value.reshape(-1)
    if isinstance(value, int | np.integer):
        raise ModelError(f"{what}: an array or a list of terms is needed, got {value}")
    terms = singles_of(value)
    if terms is not None:
        return join_terms(terms[0].registry, terms)
    value = listed(value, what)
    return _flat(registry_of(value), value, what, 0)


def require_not_negative(kind: str, present: LinearArray, **sides: LinearArray) -> None:
    """Refuse numbers below 0, of tasks or boxes that are present; a variable may be so, in vain.

    Raises
    ------
    ModelError
        With the place of the first one.
    """
    for name, terms in sides.items():
        wrong = (terms.constants < 0).nonzero()[0]
        if wrong.size:  # seldom: look at which of them are numbers, of what is there
            wrong = wrong[~terms.coefficients[wrong].any(axis=1) & (present.bounds()[0][wrong] > 0)]
        if wrong.size:
            raise ModelError(f"{kind}: {name}: below 0 at position {wrong[0]}; at least 0 is needed")


def row_of_terms(value: Any, kind: str) -> LinearArray:
    """Return terms whose order matters, of shape (size,).

    Raises
    ------
    ModelError
        For an array of several axes, of which it is not plain whether its rows are meant one by one.
    """
    if isinstance(value, Operand | np.ndarray) and len(value.shape) > 1:
        raise ModelError(
            f"{kind}: one row of terms is needed, got shape {value.shape}; write a {kind} for each row, or "
            "x.reshape(-1) for all rows as one"
        )
    return flat_terms(value, kind)


def _flat(registry: Registry, value: Any, what: str, depth: int) -> LinearArray:
    if isinstance(value, list | tuple) and any(_is_array(part) for part in value):
        refuse_misread(value, what)
        _require_depth(depth, what)
        return concatenate_rows([_flat(registry, listed(part, what), what, depth + 1) for part in value])
    return as_linear(registry, value, what, depth).reshape(-1)


def _is_array(value: Any) -> bool:
    return bool(value.shape) if isinstance(value, Operand) else _nested(value)


def define(kind: str, *operands: Any) -> LinearArray:
    """Return the terms of a defined function of operands that broadcast to one shape."""
    arrays = broadcast_all(*as_linears(*operands))
    if not arrays[0].shape:
        return arrays[0].registry.define_single(kind, *arrays)
    return arrays[0].registry.define(kind, arrays[0].shape, *(a.reshape(-1) for a in arrays))
