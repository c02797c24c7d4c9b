"""What equations of few variables and functions get besides bounds, where there are few values."""

import math
from collections.abc import Sequence

import numpy as np

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator
from cpqueens.kernels.exact import kinds
from cpqueens.kernels.exact.propagators.distance_values import MOST_BITS
from cpqueens.language.rows import IntArray

MOST_VALUES = 1 << 12
"""Of any of the variables."""

MOST_PAIRS = 1 << 9
"""Pairs of values of two of an equation's three variables, the smaller ones."""

MOST_COUNTED = 1 << 3
"""Values of an entry that count: elements of variables are looked at only once few of the result are left."""

MOST_LOOKS = 1 << 16
"""Arguments of an extreme, times values of its result."""

EXTREMES = frozenset({kinds.MINIMUM, kinds.MAXIMUM})
"""Kinds of functions that are looked at by values of the result, however many arguments they have."""

BY_PAIRS = frozenset(
    {kinds.PRODUCT, kinds.QUOTIENT, kinds.QUOTIENT_TRUNCATED, kinds.REMAINDER, kinds.REMAINDER_TRUNCATED}
)
"""Kinds of functions that are looked at by pairs of values, if they have two arguments."""


def add_equation_values(row: tuple[tuple[int, ...], tuple[int, ...], int], parts: Parts) -> None:
    """Let the equation ``row == 0`` look at each value, if it has two or three variables of few values.

    Of truths that are added up, bounds say as much.
    """
    variables, coefficients, constant = row
    if len(variables) not in (2, 3):
        return
    *others, largest = sorted(parts.spans(variables))
    if largest <= 2 and min(coefficients) >= -1 and max(coefficients) <= 1:
        return
    if largest <= MOST_VALUES and math.prod(others) <= MOST_PAIRS:
        parts.propagator(Propagator("equation_values", variables, coefficients, constant=constant))


def add_absolute_values(variable: int, result: int, parts: Parts) -> None:
    """Let an absolute value look at each value."""
    if parts.spans([variable])[0] <= MOST_VALUES:
        parts.propagator(Propagator("absolute_values", [variable, result]))


def add_distance_values(row: tuple[tuple[int, ...], tuple[int, ...], int], result: int, parts: Parts) -> bool:
    """Let ``result == abs(row)`` look at values of two variables, if there are few; say whether it does."""
    variables, coefficients, constant = row
    if len(variables) != 2 or abs(coefficients[0]) != 1 or abs(coefficients[1]) != 1:
        return False
    ends = [[a * end for end in parts.bounds(v)] for v, a in zip(variables, coefficients, strict=True)]
    least, most = (sum(map(side, ends)) + constant for side in (min, max))
    low, high = parts.bounds(result)
    if max(*parts.spans(variables), most - low + 1, 1 - least - low, high - low + 1) > MOST_BITS or low < 0:
        return False
    parts.propagator(
        Propagator("distance_values", [*variables, result], [*coefficients, 1], constant=constant)
    )
    return True


def has_values(kind: int, many: int) -> bool:
    """Say whether a function of its kind, and of so many variables, may be looked at by values."""
    return kind == kinds.ELEMENT or kind in EXTREMES or (kind in BY_PAIRS and many == 2)


def seen_by_values(kind: int, variables: IntArray, low: IntArray, high: IntArray, wide: IntArray) -> IntArray:
    """Return which functions that `has_values` are small enough to look at each of them.

    Parameters
    ----------
    variables, low, high
        The arguments of each function and their bounds, (functions, arguments).
    wide
        (functions,), how many values the result may have.
    """
    spans = np.minimum(high - low, MOST_VALUES) + 1
    if kind == kinds.ELEMENT:  # with a table of numbers by positions, else by pairs with a value of the table
        most = np.minimum(spans[:, 1:].max(axis=1, initial=1), MOST_COUNTED)
        inside = (low[:, 0] >= 0) & (high[:, 0] < variables.shape[1] - 1)
        few = np.where(most > 1, inside, spans[:, 0] > 2) & (spans[:, 0] * most <= MOST_PAIRS)
    elif kind in EXTREMES:
        few = (spans.max(axis=1) > 2) & (wide > 2) & (wide * variables.shape[1] <= MOST_LOOKS)
    else:  # of truths, bounds say as much
        pairs = np.where(variables[:, 0] == variables[:, 1], spans[:, 0], spans[:, 0] * spans[:, 1])
        few = (spans.max(axis=1) > 2) & (pairs > 2) & (pairs <= MOST_PAIRS)
    return np.flatnonzero(few & (wide <= MOST_VALUES))


def add_function_values(kind: int, variables: Sequence[int], result: int, parts: Parts) -> None:
    """Let a function that is seen by values look at each of them."""
    name, numbers = "function_values", []
    if kind == kinds.ELEMENT and all(low == high for low, high in map(parts.bounds, variables[1:])):
        variables, numbers = variables[:1], [parts.bounds(v)[0] for v in variables[1:]]
    elif kind in EXTREMES:
        name, numbers = "extreme_values", [0] * (1 + parts.spans([result])[0])
    parts.propagator(Propagator(name, [*variables, result], numbers=numbers, constant=kind))
