"""Keys of arrays of terms: constants pick what NumPy picks, terms pick by their value.

A constant in a key, alone or among terms, follows NumPy: it counts from the end if it is negative, and
outside its axis it is an error. A term counts from 0, and what it picks is undefined outside its axis, for
each axis on its own. Apart from that a term stands for an integer array of its shape, as in NumPy. A label
of an axis stands for its place; integers are places, also where labels are integers.
"""

import math
from typing import Any

import numpy as np

from cpqueens.errors import BadIndex, ModelError
from cpqueens.language.arrays import concatenate_rows, constant_array
from cpqueens.language.conversion import as_linear, leaves, registry_of
from cpqueens.language.expressions import BoolArray, LinearArray, Operand
from cpqueens.language.rows import MAX_ELEMENTS, IntArray, Positions, distinct, refuse_misread
from cpqueens.language.term import Term
from cpqueens.text.plaintext import did_you_mean, shown

_PLAIN = frozenset({int, slice, type(Ellipsis), type(None)})
"""Parts of a key that hold no terms."""


def pick(array: LinearArray, key: Any) -> LinearArray:
    """Return ``array[key]``.

    Raises
    ------
    BadIndex
        For a key that is outside the array or no key at all.
    """
    parts = _parts(array, key)
    if any(isinstance(part, LinearArray) for part in parts):
        return _pick_by_terms(array, parts)
    return array._pick(_positions(array.shape, parts, (array.shape, key if type(key) is tuple else (key,))))


def plain_positions(array: Operand, key: Any) -> Positions | None:
    """Return the flat positions that ``key`` picks from an array; None if it holds terms."""
    parts = _parts(array, key)
    return None if any(isinstance(part, LinearArray) for part in parts) else _positions(array.shape, parts)


def _parts(array: Operand, key: Any) -> tuple[Any, ...]:
    parts = key if isinstance(key, tuple) else (key,)
    if any(map(_may_be_labels, parts)):
        parts = _by_place(array, key, parts)
    return tuple(part if type(part) in _PLAIN else _part(part) for part in parts)


# ---- labels as indices --------------------------------------------------------------------------------


def _may_be_labels(part: Any) -> bool:
    """Say whether a part of a key is nothing that NumPy takes: a label, or a list of labels."""
    numbers = isinstance(part, np.ndarray) and part.dtype.kind in "biu"  # perhaps many
    if numbers or isinstance(part, int | np.integer | np.bool_ | type(Ellipsis) | type(None) | Operand):
        return False
    if isinstance(part, slice):
        return any(end is not None and _may_be_labels(end) for end in (part.start, part.stop))
    if isinstance(part, list | np.ndarray) or hasattr(part, "iloc") or hasattr(part, "get_indexer"):
        found = part.tolist() if hasattr(part, "tolist") else part
        flat = isinstance(found, list) and bool(found)
        return flat and all(not isinstance(one, list) and _may_be_labels(one) for one in found)
    return True


def _by_place(array: Operand, key: Any, parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the parts of a key with places for labels."""
    known = array.registry.labels_along(array)
    if isinstance(key, tuple) and known and key in (known[0] or ()):
        parts = (key,)  # a label of an index of several levels is a tuple
    found, axis = [], 0
    for part in parts:
        here = known[axis] if axis < len(known) else None
        found.append(_place_of(array, part, axis, here) if _may_be_labels(part) else part)
        rest = array.ndim - sum(_span(other) or 0 for other in parts)
        span = _span(part)
        axis += max(0, rest) if span is None else span
    return tuple(found)


def _place_of(array: Operand, part: Any, axis: int, known: list[Any] | None) -> Any:
    """Return the place of a label along an axis, those of a list of labels; what is no label as it is.

    Raises
    ------
    BadIndex
        For a label that the axis does not have, and for a slice between labels.
    """
    if known is None:
        if not isinstance(part, str) or axis >= array.ndim:
            return part  # which NumPy refuses
        why = f"axis {axis} has no labels; write a place from 0, or make the variables with shape=[labels]"
        raise BadIndex(f"index {shown(part)}: {why}")
    if isinstance(part, slice):
        raise BadIndex(f"index {shown(part)}: slices go by place; write a list of labels of axis {axis}")
    if isinstance(part, list) or hasattr(part, "tolist"):
        listed = part if isinstance(part, list) else part.tolist()
        return [_place_of(array, one, axis, known) for one in listed]
    if part in known:
        return known.index(part)
    near = did_you_mean(str(part), map(str, known))
    raise BadIndex(f"index {shown(part)}: axis {axis} has no such label{near}")


# ---- parts of keys ------------------------------------------------------------------------------------


def _part(part: Any) -> Any:
    """Return one part of a key, lists with terms as arrays of terms."""
    if isinstance(part, LinearArray) or (type(part) is np.ndarray and part.dtype != object):
        return part
    refuse_misread(part, "index")
    found = {type(leaf) for leaf in leaves(part)}
    if any(issubclass(kind, BoolArray) for kind in found):
        raise BadIndex(
            "an index that is Boolean is not known before solving; write element(array, 1 * boolean)"
        )
    terms = any(issubclass(kind, LinearArray) for kind in found)
    return as_linear(registry_of(part), part, "index") if terms else part


def _positions(
    shape: tuple[int, ...],
    parts: tuple[Any, ...],
    said: tuple[tuple[int, ...], tuple[Any, ...]] | None = None,
) -> Positions:
    """Return the flat positions that NumPy picks from an array of ``shape``.

    ``said`` are the shape and the key as the user wrote them, where NumPy gets others.
    """
    try:
        return np.asarray(np.arange(math.prod(shape)).reshape(shape)[parts])
    except (IndexError, TypeError, ValueError, OverflowError, RecursionError) as error:
        shape, parts = said or (shape, parts)
        key = parts[0] if len(parts) == 1 else parts
        many = sum(_span(part) or 0 for part in parts)
        reason = f"{many} indices are too many" if many > len(shape) else " ".join(str(error).split())
        raise BadIndex(f"index {shown(key)} of an array of shape {shape}: {reason}") from None


# ---- terms as indices ---------------------------------------------------------------------------------


def _pick_by_terms(array: LinearArray, parts: tuple[Any, ...]) -> LinearArray:
    """Return ``array[parts]``: an element of a table for each result, chosen by the terms in the key.

    NumPy itself says what is combined with what: a term of size s stands for the positions 0..s-1 of an axis
    that is made as long as that.
    """
    single = [part for part in parts if type(part) is Term and part.variable_list]
    fixed = [type(part) is int and -n <= part < n for part, n in zip(parts, array.shape, strict=False)]
    if len(single) + sum(fixed) == array.ndim == len(parts):
        at = tuple(part if one else slice(None) for part, one in zip(parts, fixed, strict=True))
        return _single_element(array[at] if any(fixed) else array, single)
    terms = _terms_by_axis(array, parts)
    numbers = {axis: term for axis, term in terms.items() if term.size and not term.coefficients.any()}
    if numbers and len(numbers) < len(terms):  # as such: each result then has a table of its own, not all
        return _pick_by_terms(array, _with_numbers(array, parts, list(terms), numbers))
    lengths = tuple(terms[axis].size if axis in terms else n for axis, n in enumerate(array.shape))
    standing = tuple(part._index() if isinstance(part, LinearArray) else part for part in parts)
    picked = _positions(lengths, standing, (array.shape, parts))
    where = np.unravel_index(picked.reshape(-1), lengths)
    if not picked.size:
        return array._pick(picked)
    strides = np.array([math.prod(array.shape[axis + 1 :]) for axis in range(array.ndim)])
    first = sum((where[k] * strides[k] for k in range(array.ndim) if k not in terms), np.zeros_like(where[0]))
    table = np.zeros((), dtype=np.intp)
    position = constant_array(array.registry, np.zeros(picked.size, dtype=np.int64))
    for axis, term in terms.items():  # row by row over the axes that are chosen by terms
        n = array.shape[axis]
        table = np.add.outer(table, np.arange(n) * strides[axis])
        position = position * n + _within(term, n, axis, alone=len(terms) == 1)._pick(where[axis])
    return _elements(array, first, table.reshape(-1), position).reshape(picked.shape)


def _single_element(array: LinearArray, parts: list[Term]) -> LinearArray:
    """Return the one element that single terms, one for each axis, choose."""
    registry = registry_of(array, *parts)
    terms = [as_linear(registry, part, "index") for part in parts]
    position: Any = 0
    for axis, (term, n) in enumerate(zip(terms, array.shape, strict=True)):
        position = position * n + _within_axis(term, n, axis, alone=len(parts) == 1)
    table = array.reshape(-1) if array.width else registry.shared(array.constants)
    return registry.define_single("element", position, table)


def _within_axis(term: Any, length: int, axis: int, *, alone: bool) -> LinearArray:
    """Return what `_within` does of one term that is no number."""
    registry = term.registry
    term = registry.positions(term, f"axis {axis}: an index")
    if type(term) is not Term or not length:
        return _within(term.reshape(-1), length, axis, alone=alone).reshape(())
    first, last, _ = term.ends()
    if alone or (first >= 0 and last < length):
        return term
    return registry.define_single("element", term, constant_array(registry, np.arange(length)))


def _terms_by_axis(array: LinearArray, parts: tuple[Any, ...]) -> dict[int, LinearArray]:
    """Return the terms of a key by the axis that they index, flat."""
    spans = [_span(part) for part in parts]
    used = sum(span for span in spans if span is not None)
    rest = max(0, array.ndim - used)
    found, axis = {}, 0
    for part, span in zip(parts, spans, strict=True):
        if isinstance(part, LinearArray):
            if axis >= array.ndim:
                raise BadIndex(f"{used} indices for an array of shape {array.shape}")
            found[axis] = as_linear(registry_of(array, part), part, "index").reshape(-1)
        axis += rest if span is None else span
    return found


def _with_numbers(
    array: LinearArray, parts: tuple[Any, ...], axes: list[int], numbers: dict[int, LinearArray]
) -> tuple[Any, ...]:
    """Return a key with the terms that are ``numbers`` as integers; ``axes`` are those of its terms."""
    written, axis = list(parts), iter(axes)
    for k, part in enumerate(parts):
        if isinstance(part, LinearArray):
            at = next(axis)
            if at in numbers:
                inside = _constants_inside(numbers[at], array.shape[at], at)
                written[k] = inside.constants.reshape(part.shape)
    return tuple(written)


def _span(part: Any) -> int | None:
    """Return how many axes a part of a key takes; None for an ellipsis: those that are left."""
    if part is Ellipsis:
        return None
    if part is None or isinstance(part, bool | np.bool_):
        return 0
    if not isinstance(part, list | tuple | np.ndarray):
        return 1
    try:
        mask = np.asarray(part)
    except ValueError:
        return 1  # ragged lists, which are refused as a key
    return mask.ndim if mask.dtype == bool else 1


def _within(term: LinearArray, length: int, axis: int, *, alone: bool) -> LinearArray:
    """Return indices that are undefined outside 0..length-1, constants among them as NumPy reads them.

    The only index of an element needs no such care: there the table's ends are those of the axis.
    """
    term = term.registry.positions(term, f"axis {axis}: an index")
    if not length:
        raise BadIndex(f"axis {axis} has no elements to choose from")
    term = _constants_inside(term, length, axis)
    low, high = term.bounds()
    outside = np.flatnonzero((low < 0) | (high >= length))
    if alone or not outside.size:
        return term
    counted = constant_array(term.registry, np.arange(length))
    checked = term.registry.define("element", outside.shape, term._pick(outside), counted)
    order = np.arange(term.size)
    order[outside] = term.size + np.arange(outside.size)
    return concatenate_rows([term, checked])._pick(order)


def _constants_inside(term: LinearArray, length: int, axis: int) -> LinearArray:
    constants: IntArray = term.constants
    lone = ~term.coefficients.any(axis=1)
    wrong = lone & ((constants < -length) | (constants >= length))
    if wrong.any():
        raise BadIndex(
            f"index {constants[wrong][0]}: axis {axis} has {length} elements, "
            f"allowed are {-length}..{length - 1}"
        )
    shifted = np.where(lone & (constants < 0), constants + length, constants)
    return LinearArray(term.registry, term.shape, term.variables, term.coefficients, shifted)


def _elements(array: LinearArray, first: Positions, table: Positions, position: LinearArray) -> LinearArray:
    """Return ``array.flat[first[r] + table[position[r]]]`` for each result r."""
    flat = array.reshape(-1)
    order = np.argsort(first, kind="stable")
    starts, begins, counts = np.unique(first[order], return_index=True, return_counts=True)
    if len(starts) * table.size > MAX_ELEMENTS:
        raise ModelError(f"{len(starts)} tables of {table.size} elements are more than {MAX_ELEMENTS} in all")
    parts, made = [], []
    for many in distinct(counts).tolist():  # tables of equally many results at once
        alike = np.flatnonzero(counts == many)
        rows = order[begins[alike][:, None] + np.arange(many)].reshape(-1)
        places = starts[alike][:, None] + table
        whole = places.size == flat.size and (places.reshape(-1) == np.arange(flat.size)).all()
        tables = flat.reshape(places.shape) if whole else flat._pick(places)
        parts.append(array.registry.define("element", rows.shape, position._pick(rows), tables))
        made.append(rows)
    return concatenate_rows(parts)._pick(np.argsort(np.concatenate(made)))
