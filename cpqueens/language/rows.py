"""Arithmetic on rows of terms as plain arrays, checked against wrapping; integers at the door."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence, Set, ValuesView
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.errors import BadIndex, IntegerError, ModelError
from cpqueens.language.ranges import (
    ALLOWED,
    LIMIT,
    Columns,
    IntArray as IntArray,
    Mask as Mask,
    OutOfRange,
    Positions as Positions,
    require_in_range,
    require_reach,
    size_text,
)
from cpqueens.text.plaintext import shown

if TYPE_CHECKING:
    from fractions import Fraction

Shape = tuple[int, ...]
Rows = tuple[IntArray, IntArray]
"""Variables and coefficients, each of shape (size, width)."""

MAX_ELEMENTS = 50_000_000
"""Elements of one array of terms."""

MAX_DEPTH = 32
"""Levels of nested lists: as many as all versions of NumPy have axes."""

MAX_SCALE = 10**9
"""The finest unit that is advised: a billionth."""

_INT64_MAX = 2**63 - 1
least, greatest = np.minimum.reduce, np.maximum.reduce  # as methods they take twice as long
_EXACT = 2.0**53  # from here on not every integer is a float
MASK_LOST = "the mask would be lost; write .compressed() or .filled(value)"
_MISREAD = {
    "MaskedArray": MASK_LOST,
    "matrix": "a matrix multiplies in its own way; write np.asarray(...)",
}
"""By the names of NumPy's types: asking for the first would load a part of NumPy that few programs need."""


def distinct(values: IntArray) -> IntArray:
    """Return the different values in ascending order.

    `np.unique` without counts imports `numpy.ma`, which takes a fifth of what `import cpqueens` takes; of few
    values it takes three times as long as this.
    """
    found = np.sort(values, axis=None)
    if len(found) < 2:
        return found
    first = np.ones(len(found), dtype=np.bool_)
    np.not_equal(found[1:], found[:-1], out=first[1:])
    return found[first]


@contextmanager
def refusing(what: str) -> Iterator[None]:
    """Turn what NumPy complains about into one line that says where.

    Raises
    ------
    ModelError
        In place of every error of the work inside that is none yet.
    """
    try:
        yield
    except ModelError:
        raise
    except MemoryError:
        raise ModelError(f"{what}: too large for the memory") from None
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ModelError(f"{what}: {' '.join(str(error).split())}") from None


def refuse_misread(value: object, what: str) -> None:
    """Refuse the kinds of arrays that would lose what is special about them, alone or in a list.

    Raises
    ------
    IntegerError
        With what to write instead.
    """
    kinds = set(map(type, value)) if isinstance(value, list | tuple) else {type(value)}
    for kind in kinds - {np.ndarray, int}:
        for name, origin in ((base.__name__, base.__module__) for base in kind.__mro__):
            if name in _MISREAD and origin.partition(".")[0] == "numpy":
                raise IntegerError(f"{what}: {name}: {_MISREAD[name]}")


def as_integers(values: object, what: str = "value", *, whole: bool = False) -> IntArray:
    """Return ``values`` as an int64 array, refusing everything that is not an integer.

    With ``whole`` floats are taken too that are integers below 2^53 in size, as tables of numbers hold them.

    Raises
    ------
    IntegerError
        For other floats, strings, None, objects and integers outside 64 bits.
    """
    if type(values) is np.ndarray and values.dtype == np.int64:
        return values
    if type(values) is int and abs(values) <= _INT64_MAX:
        return np.array(values, dtype=np.int64)
    small = _rows_of_bytes(values)
    if small is not None:
        return small
    array = plain_array(values, what)
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype == np.int64 and type(values) is list:  # made for this call alone
        return array
    if array.dtype.kind in "bi":
        return array.astype(np.int64)
    if array.dtype.kind == "u":
        if int(array.max()) > _INT64_MAX:
            raise IntegerError(f"{what}: {int(array.max())} does not fit 64 bits")
        return array.astype(np.int64)
    if array.dtype.kind == "O" and all(isinstance(v, int | np.integer) for v in array.flat):
        large = [v for v in array.flat if not -(2**63) <= int(v) <= _INT64_MAX]
        if large:
            raise IntegerError(f"{what}: {shown(large[0])} does not fit 64 bits")
        return array.astype(np.int64)
    if whole and are_whole(array):
        return array.astype(np.int64)
    raise no_integers(values, array, what)


def no_integers(values: object, array: NDArray[Any], what: str) -> IntegerError:
    """Return what is said of values, read as ``array``, that are not all integers."""
    advice = scaling_advice(values, what)
    return IntegerError(f"{what}: integers only, got {_first_bad(values, array)}{advice}")


def _rows_of_bytes(values: object) -> IntArray | None:
    """Return equally long lists of integers in 0..255, as most tables are, as an array; None for all else.

    NumPy takes twice as long to read them.
    """
    if type(values) is not list or not values or not set(map(type, values)) <= {list, tuple}:
        return None
    widths = set(map(len, values))
    if len(widths) != 1 or widths == {0} or type(values[0][0]) is not int:
        return None
    try:
        flat = bytes(list(chain.from_iterable(values)))  # a list, which is read in half the time
    except Exception:  # larger ones, and what is no integer
        return None
    return np.frombuffer(flat, dtype=np.uint8).astype(np.int64).reshape(len(values), *widths)


def are_whole(array: NDArray[Any]) -> bool:
    """Say whether these are floats that are integers, of a size where each integer is one."""
    if array.dtype.kind != "f":
        return False
    with np.errstate(all="ignore"):  # half floats hold no 2^53, long ones more than a float
        values = array.astype(np.float64)
        return bool(((np.abs(values) < _EXACT) & (array == np.floor(array))).all())


_IN_UNITS = {
    "factor": "write {whole}*x, and {by} times what it is added to or compared with",
    "weight": "write {whole}, and {by} times all other weights and the objective",
}
"""What becomes of one number in finer units, by what it is for."""


def scaling_advice(values: Any, what: str = "value") -> str:
    """Return what to write instead of numbers that are no integers; "" where they are none at all."""
    try:
        array = np.asarray(values)
        numbers = [exactly(v) for v in array.flat] if array.dtype.kind in "fO" else []
    except (ValueError, TypeError, OverflowError):
        return ""
    by = common_denominator(numbers)
    if by == 1:
        return ""
    if by is None:
        return "; round to multiples of a unit, as in np.round(100 * values).astype(int)"
    whole = [int(number * by) for number in numbers]
    if array.ndim:
        return f"; in units of 1/{by} write scaled(values, {by}), which is {shown(whole, 60)}"
    instead = _IN_UNITS.get(what, "as in {by}*x <= {whole} for x <= {given}")
    written = instead.format(by=by, whole=whole[0], given=shown(values))
    return f"; in units of 1/{by} it is {whole[0]}{',' if what == 'value' else ':'} {written}"


def common_denominator(numbers: Sequence[Fraction]) -> int | None:
    """Return a number by which all become integers, a power of ten if there is one; None above 10^9."""
    by = math.lcm(*(number.denominator for number in numbers))
    tens = (10**k for k in range(10))
    return next((ten for ten in tens if ten % by == 0), by if by <= MAX_SCALE else None)


def exactly(number: Any) -> Fraction:
    """Return a number as the fraction that it is written as: 0.1 is a tenth.

    Raises
    ------
    ValueError, TypeError, OverflowError
        For what is no finite number.
    """
    from fractions import Fraction  # with `decimal`: a tenth of what `import cpqueens` takes

    if isinstance(number, str):
        raise TypeError("a string is not a number")
    if isinstance(number, int | np.integer | np.bool_):
        return Fraction(int(number))
    if isinstance(number, float | np.floating):
        return Fraction(int(number)) if number == np.floor(number) else Fraction(str(number))
    return Fraction(number)


def as_listed(values: object, what: str) -> IntArray:
    """Return ``values``, which a constraint lists, as an int64 array.

    Raises
    ------
    IntegerError
        For everything that is not an integer.
    OutOfRange
        For integers that no term may reach.
    """
    if isinstance(values, Set | ValuesView | Iterator):  # of an order that does not matter
        values = list(islice(values, MAX_ELEMENTS))
    return require_in_range(as_integers(values, what, whole=True), what)


def plain_array(values: object, what: str) -> NDArray[Any]:
    """Return ``values`` as a NumPy array whose integers keep their values, of whatever size.

    Raises
    ------
    IntegerError
        If it is no array at all.
    """
    refuse_misread(values, what)
    if isinstance(values, range) and values[MAX_ELEMENTS:]:
        raise IntegerError(f"{what}: {shown(values)} has more than {MAX_ELEMENTS} elements")
    try:
        array = np.asarray(values)
        if array.dtype.kind == "f" and not isinstance(values, np.ndarray | np.generic | float):
            array = np.asarray(values, dtype=object)  # NumPy reads [2**63, 0] as floats
            if not all(isinstance(v, int | np.integer) for v in array.flat):
                array = np.asarray(values)
    except Exception as error:  # what NumPy says of ragged, deep or cyclic lists, and values of their own
        raise IntegerError(f"{what}: {shown(values, 60)} is not an array of integers") from error
    if array.ndim > MAX_DEPTH:
        raise IntegerError(f"{what}: {shown(values, 60)} is nested more than {MAX_DEPTH} levels deep")
    return array


def _first_bad(values: object, array: NDArray[Any]) -> str:
    """Return the first value that is no integer as text, of several with its place or its label."""
    try:
        given = array if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)
    except ValueError:
        return shown(values)
    flat = given.reshape(-1).tolist()
    at = next((k for k, v in enumerate(flat) if not _is_whole(v)), 0)
    if len(flat) == 1:
        return shown(flat[at])
    place = [int(k) for k in np.unravel_index(at, given.shape)]
    labels = getattr(values, "axes", None)  # of a series or frame of pandas
    names = [shown(axis[k]) for axis, k in zip(labels, place, strict=True)] if labels else map(str, place)
    return f"{shown(flat[at])} at {', '.join(names)}"


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) or (isinstance(value, float) and are_whole(np.array(value)))


_FEW = 64
"""Up to so many numbers Python's own are faster than NumPy's calls."""


def normalise(variables: IntArray, coefficients: IntArray) -> Rows:
    """Merge equal variables within each row and drop columns of zero coefficients."""
    size, width = variables.shape
    if width > 1 and size:
        if coefficients.all() and (variables[:, 1:] > variables[:, :-1]).all():
            return variables, coefficients
        key = np.where(coefficients == 0, np.iinfo(np.int64).max, variables)
        order = np.argsort(key, axis=1, kind="stable")
        key = np.take_along_axis(key, order, axis=1)
        coefficients = np.take_along_axis(coefficients, order, axis=1)
        same = key[:, 1:] == key[:, :-1]
        if (same & (coefficients[:, 1:] != 0)).any():
            starts = np.ones((size, width), dtype=bool)
            starts[:, 1:] = ~same
            target = np.cumsum(starts, axis=1) - 1
            if np.abs(coefficients.astype(np.float64)).sum(axis=1).max() >= 2.0**62:
                raise OutOfRange("coefficients of one variable add up to 2^62 or more")
            merged = np.zeros_like(coefficients)
            np.add.at(merged, (np.arange(size)[:, None], target), coefficients)
            names = np.full_like(key, np.iinfo(np.int64).max)
            names[np.arange(size)[:, None], target] = key
            return (
                normalise(np.where(merged == 0, 0, names), merged) if (merged == 0).any() else (names, merged)
            )
        variables = np.where(coefficients == 0, 0, key)
        width = int((coefficients != 0).sum(axis=1).max())
        return variables[:, :width], coefficients[:, :width]
    if width == 1 and size and not coefficients.any():
        return variables[:, :0], coefficients[:, :0]
    return variables, coefficients


def row_bounds(
    terms: Columns, lower: IntArray, upper: IntArray, span: int, most: int = LIMIT
) -> tuple[IntArray, IntArray]:
    """Return the lower and upper bound of each row, both of shape (size,); no variable's is above ``span``.

    Raises
    ------
    OutOfRange
        If the reach of a row is larger than ``most``.
    """
    variables, coefficients, constants = terms
    width = variables.shape[1]
    if width * _largest(coefficients) * span + _largest(constants) > most:  # else a glance is enough
        require_reach(terms, lower, upper, most)
    if not width:
        return constants, constants
    at_low, at_high = coefficients * lower[variables], coefficients * upper[variables]
    low, high = np.minimum(at_low, at_high), np.maximum(at_low, at_high)
    return low.sum(axis=1) + constants, high.sum(axis=1) + constants


def as_rows(values: Sequence[Any]) -> IntArray:
    """Return Python integers as an int64 array, refusing those outside 64 bits."""
    try:
        if values and type(values[0]) is int:
            return np.fromiter(values, np.int64, len(values))
        return np.array(values, dtype=np.int64)
    except OverflowError:
        raise too_large(values) from None


def too_large(values: Sequence[Any]) -> OutOfRange:
    """Return the error for (nested) integers of which one does not fit an array."""
    flat = np.array(values, dtype=object).reshape(-1).tolist()
    worst = size_text(max(flat, key=abs))
    return OutOfRange(f"a coefficient or constant of {worst} does not fit 64 bits; {ALLOWED}")


def _checked(function: Callable[[Any, Any], Any], a: IntArray, b: IntArray) -> IntArray:
    result: IntArray = function(a, b)
    if function(_largest(a), _largest(b)) >= 2**62:  # seldom: look at each element
        near = function(np.abs(a.astype(np.float64)), np.abs(b.astype(np.float64)))
        if float(near.max(initial=0)) >= 2.0**62:
            raise OutOfRange(
                f"a coefficient or constant of {size_text(int(near.max()))} may not fit 64 bits; {ALLOWED}"
            )
    return result


def _largest(a: IntArray) -> int:
    if a.size <= _FEW:
        return max(map(abs, a.reshape(-1).tolist()), default=0)
    return max(abs(int(greatest(a, axis=None))), abs(int(least(a, axis=None))))


def checked_add(a: IntArray, b: IntArray) -> IntArray:
    """Return ``a + b``, refusing results of 2^62 and more in size."""
    return _checked(operator.add, a, b)


def checked_multiply(a: IntArray, b: IntArray) -> IntArray:
    """Return ``a * b``, refusing results of 2^62 and more in size."""
    return _checked(operator.mul, a, b)


def common_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape to which arrays of these shapes broadcast.

    Raises
    ------
    ModelError
        If they do not broadcast.
    """
    if all(shape == shapes[0] or not shape for shape in shapes):
        return shapes[0]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ModelError(f"shapes {' and '.join(map(str, shapes))} do not fit together") from None


def reshaped(shape: tuple[int, ...], *new: Any) -> tuple[int, ...]:
    """Return the shape that NumPy's ``reshape(*new)`` makes of ``shape``.

    Raises
    ------
    ModelError
        If it makes none.
    """
    size = math.prod(shape)
    wanted = new[0] if len(new) == 1 and type(new[0]) is tuple else new
    if len(wanted) == 1 and type(wanted[0]) is int and wanted[0] in (-1, size):
        return (size,)  # most are like that, and NumPy takes longer
    if new and all(type(n) is int and n >= 0 for n in wanted) and math.prod(wanted) == size:
        return tuple(wanted)
    with refusing(f"reshape of an array of shape {shape}"):
        other = np.broadcast_to(np.False_, size).reshape(*new)
    return other.shape


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return the axes that ``axis`` (an integer, or a tuple of some) names, each in 0..ndim-1.

    Raises
    ------
    ModelError
        For an axis that is not there, or is named twice.
    """
    given = axis if isinstance(axis, tuple) else (axis,)
    if any(isinstance(a, bool) or not isinstance(a, int | np.integer) for a in given):
        raise IntegerError(f"axis: an integer or a tuple of integers, got {shown(axis)}")
    axes = tuple(map(int, given))
    outside = [a for a in axes if not -ndim <= a < ndim]
    if outside:
        allowed = f"the array has {ndim} axes, allowed are {-ndim}..{ndim - 1}"
        raise BadIndex(f"axis {shown(outside[0])}: {allowed}")
    axes = tuple(a % ndim for a in axes)
    if len(set(axes)) < len(axes):
        raise ModelError(f"axis: {shown(axis)} names an axis twice")
    return axes


def behind(batch: IntArray, row: IntArray) -> IntArray:
    """Return the rows of an ascending batch that come after ``row`` in lexicographic order."""
    differs = batch != row
    first = differs.argmax(axis=1)
    place = np.arange(len(batch))
    return batch[differs.any(axis=1) & (batch[place, first] > row[first])]
