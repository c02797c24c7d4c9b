"""The functions of the modelling language on terms and truths."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.errors import BadIndex, IntegerError, ModelError
from cpqueens.language.arrays import constant_array
from cpqueens.language.constraints.connective import And, Or
from cpqueens.language.conversion import as_linears, define, flat_terms, listed, listed_integers, singles_of
from cpqueens.language.expressions import BoolArray, LinearArray, Operand
from cpqueens.language.labels import in_order
from cpqueens.language.rows import as_listed, common_denominator, exactly
from cpqueens.language.term import Term
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.plaintext import shown


@explaining_keywords
def element(array: Any, *index: Any) -> LinearArray:
    """Return ``array[index]`` for variable indices, one index for each axis, counted from 0.

    If the index is out of range (or any entry is undefined), the element is undefined: the nearest Boolean
    expression around it is false, so a constraint that uses the element keeps the index in range.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(0, 5, name="x")
    >>> m.add((x < 3).implies(element([4, 5, 5], x) == 5))
    >>> [s[x] for s in m.solutions(solver="backtracking")]
    [1, 2, 3, 4, 5]

    Parameters
    ----------
    array
        Terms or integers of shape (size,).
    index
        Terms of any shape, which becomes the shape of the result. A variable whose values are names
        (`Model.var`) stands for the position of its name in its list of values.

    Raises
    ------
    ModelError
        For an array with another number of axes, or an empty one.
    """
    if set(map(type, index)) == {Term}:  # numbers and single terms: the short way
        numbers, registry = listed_integers(array), index[0].registry
        if numbers is not None and numbers.size and numbers.ndim == len(index):
            if len(index) > 1:
                return constant_array(registry, numbers)[index]
            position = registry.positions(index[0], "element: an index")
            return registry.define_single("element", position, registry.shared(numbers))
    names = [terms.registry.names_at(terms) if isinstance(terms, Operand) else None for terms in index]
    table, *positions = as_linears(listed(in_order(array, names, "an index")), *index)
    if not positions or table.ndim != len(positions):
        swapped = "; the array comes first: element(array, index)" if not table.ndim else ""
        raise ModelError(f"element: {len(positions)} indices for an array of shape {table.shape}{swapped}")
    if len(positions) > 1:
        return table[tuple(at if type(at) is int else p for at, p in zip(index, positions, strict=True))]
    (position,) = positions
    known = position.constants
    if position.ndim and not position.width and table.width and known.max(initial=0) >= table.size:
        raise BadIndex(
            f"element: index {known.max()} of an array of {table.size}; the array comes first: "
            "element(array, index)"
        )
    position = position.registry.positions(position, "element: an index")
    if not table.size:
        raise ModelError("element of an empty array")
    if not position.shape:
        return table.registry.define_single("element", position, table)
    return table.registry.define("element", position.shape, position.reshape(-1), table)


@explaining_keywords
def minimum(*operands: Any) -> LinearArray:
    """Return the elementwise minimum of two or more arrays, or the minimum of one array.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(0, 9, shape=3, name="x")
    >>> m += [minimum(x) == 4, maximum(x) == 4, minimum(x[0], 7) == 4]
    >>> m.solve()[x].tolist()
    [4, 4, 4]

    Parameters
    ----------
    operands
        Terms or integers whose shapes broadcast to that of the result; for a single array, the result is one
        term.

    Raises
    ------
    ModelError
        Without operands, or for an empty array.
    """
    return _extreme("minimum", operands)


@explaining_keywords
def maximum(*operands: Any) -> LinearArray:
    """Return the elementwise maximum of two or more arrays, or the maximum of one array.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(0, 9, shape=2, name="x")
    >>> m += x.sum() == 9
    >>> m.minimize(maximum(x))
    >>> m.solve().objective
    5

    Parameters
    ----------
    operands
        Terms or integers whose shapes broadcast to that of the result; for a single array, the result is one
        term.

    Raises
    ------
    ModelError
        Without operands, or for an empty array.
    """
    return _extreme("maximum", operands)


def _extreme(kind: str, operands: tuple[Any, ...]) -> LinearArray:
    if not operands:
        raise ModelError(f"{kind} of nothing")
    if len(operands) == 1:
        terms = singles_of(operands[0])
        if terms is not None:
            return terms[0].registry.define_single(kind, *terms)
        flat = flat_terms(operands[0])
        if not flat.size:
            raise ModelError(f"{kind} of nothing")
        return flat.registry.define_single(kind, *(flat[k] for k in range(flat.size)))
    return define(kind, *operands)


@explaining_keywords
def div_trunc(x: Any, y: Any) -> LinearArray:
    """Return the quotient rounded towards zero, elementwise (C's division); undefined where ``y`` is 0.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(-7, 7, name="x")
    >>> m += div_trunc(x, 3) == -2
    >>> [s[x] for s in m.solutions("backtracking")]
    [-7, -6]

    Parameters
    ----------
    x, y
        Terms or integers whose shapes broadcast to that of the result.

    Raises
    ------
    ModelError
        For a divisor that is always 0.
    """
    return define("quotient_truncated", x, y)


@explaining_keywords
def mod_trunc(x: Any, y: Any) -> LinearArray:
    """Return the remainder with the sign of ``x``, elementwise (as in C); undefined where ``y`` is 0.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(-7, 7, name="x")
    >>> m += mod_trunc(x, 3) == -2
    >>> [s[x] for s in m.solutions("backtracking")]
    [-5, -2]

    Parameters
    ----------
    x, y
        Terms or integers whose shapes broadcast to that of the result.

    Raises
    ------
    ModelError
        For a divisor that is always 0.
    """
    return define("remainder_truncated", x, y)


@explaining_keywords
def scaled(values: Any, by: int) -> Any:
    """Return numbers times ``by`` as integers, exactly: prices in cents, hours in minutes.

    A float counts as the decimal number that Python prints, so 0.1 is a tenth.

    >>> from cpqueens import scaled
    >>> scaled([0.1, 2.25, 3], 100), scaled(1.5, 60)
    (array([ 10, 225, 300]), 90)

    Parameters
    ----------
    values
        Numbers of any kind: one, an array, a list, a series or a frame.
    by
        The factor: an integer of at least 1.

    Returns
    -------
    int or array
        In the shape of ``values``; int64.

    Raises
    ------
    ModelError
        For a value that is not a multiple of ``1 / by``; the message names a factor that works for all.
    IntegerError
        For values that are not numbers, or a factor that is not an integer.
    """
    if isinstance(by, bool) or not isinstance(by, int | np.integer) or by < 1:
        raise IntegerError(f"scaled: by: an integer of at least 1, got {shown(by)}")
    by, array, numbers = int(by), np.asarray(listed(values, "scaled")), []
    for k, value in enumerate(array.flat):
        try:
            numbers.append(exactly(value))
        except (ValueError, TypeError, OverflowError):
            text = shown(array.reshape(-1).tolist()[k]) + _at(array, k)
            raise IntegerError(f"scaled: finite numbers are needed, got {text}") from None
    wrong = next((k for k, number in enumerate(numbers) if by % number.denominator), None)
    if wrong is not None:
        finer = common_denominator(numbers)
        advice = "" if finer is None else f"; {math.lcm(finer, by)} makes integers of all"
        raise ModelError(
            f"scaled: {array.flat[wrong]}{_at(array, wrong)} is not a multiple of 1/{by}{advice}"
        )
    found = as_listed([int(number * by) for number in numbers], "scaled").reshape(array.shape)
    return found if array.ndim else int(found)


def _at(array: NDArray[Any], k: int) -> str:
    """Return where an array has its element k, for a message; "" for a single number."""
    return f" at {', '.join(map(str, np.unravel_index(k, array.shape)))}" if array.ndim else ""


@explaining_keywords
def all_(truths: Any) -> BoolArray:
    """Return a Boolean that is true if every element holds (true without elements).

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=2, name="x")
    >>> m += ~all_(x >= 1)
    >>> m.count()
    5

    Parameters
    ----------
    truths
        Booleans or 0/1 terms of any shape, or a sequence of them.

    Raises
    ------
    ModelError
        For values that are not Boolean.
    """
    return And(truths)


@explaining_keywords
def any_(truths: Any) -> BoolArray:
    """Return a Boolean that is true if at least one element holds (false without elements).

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=2, name="x")
    >>> m += any_(x == 2)
    >>> m.count()
    5

    Parameters
    ----------
    truths
        Booleans or 0/1 terms of any shape, or a sequence of them.

    Raises
    ------
    ModelError
        For values that are not Boolean.
    """
    return Or(truths)
