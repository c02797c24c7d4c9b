"""The functions of the modelling language on terms and truths."""

from typing import Any

from cpqueens.errors import ModelError
from cpqueens.language.constraints.and_ import And
from cpqueens.language.constraints.or_ import Or
from cpqueens.language.conversion import as_linears, define, flat_terms
from cpqueens.language.expressions import BoolArray, LinearArray


def element(array: Any, *index: Any) -> LinearArray:
    """Return ``array[index]`` for an index that is a term, one index for each axis; counts from 0.

    Where the index leaves the array (or any entry is undefined), the element is undefined: the nearest
    truth around it is false there, and a constraint that needs it keeps the index inside.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(0, 5, name="x")
    >>> m.add((x < 3).implies(element([4, 5, 5], x) == 5))
    >>> [s[x] for s in m.solutions(solver="backtracking")]
    [1, 2, 3, 4, 5]
    """
    table, *positions = as_linears(array, *index)
    if not positions or table.ndim != len(positions):
        raise ModelError(f"element: {len(positions)} indices for an array of shape {table.shape}")
    if len(positions) > 1:
        return table[tuple(positions)]
    (position,) = positions
    position.registry.require_numbers(position, "element: an index")
    if not table.size:
        raise ModelError("element of an empty array")
    if not position.shape:
        return table.registry.define_single("element", position, table)
    return table.registry.define("element", position.shape, position.reshape(-1), table)


def minimum(*operands: Any) -> LinearArray:
    """Return the elementwise minimum of two or more arrays, or the minimum of one array."""
    return _extreme("minimum", operands)


def maximum(*operands: Any) -> LinearArray:
    """Return the elementwise maximum of two or more arrays, or the maximum of one array."""
    return _extreme("maximum", operands)


def _extreme(kind: str, operands: tuple[Any, ...]) -> LinearArray:
    if not operands:
        raise ModelError(f"{kind} of nothing")
    if len(operands) == 1:
        flat = flat_terms(operands[0])
        if not flat.size:
            raise ModelError(f"{kind} of nothing")
        return flat.registry.define_single(kind, *(flat[k] for k in range(flat.size)))
    return define(kind, *operands)


def div_trunc(x: Any, y: Any) -> LinearArray:
    """Return the quotient rounded towards zero, elementwise (C's division); undefined where ``y`` is 0."""
    return define("quotient_truncated", x, y)


def mod_trunc(x: Any, y: Any) -> LinearArray:
    """Return the remainder with the sign of ``x``, elementwise (as in C); undefined where ``y`` is 0."""
    return define("remainder_truncated", x, y)


def all_(truths: Any) -> BoolArray:
    """Return the truth that every element holds (true for none)."""
    return And(truths)


def any_(truths: Any) -> BoolArray:
    """Return the truth that at least one element holds (false for none)."""
    return Or(truths)
