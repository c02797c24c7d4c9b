"""What equations of few variables and functions get besides bounds, where there are few values."""

import math
from collections.abc import Sequence

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator
from cpqueens.kernels import kinds

MOST_VALUES = 1 << 12
"""Of any of the variables."""

MOST_PAIRS = 1 << 9
"""Pairs of values of two of an equation's three variables, the smaller ones."""

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


def has_values(kind: int, variables: Sequence[int]) -> bool:
    """Say whether a function of its kind, and of so many variables, may be looked at by values."""
    return kind == kinds.ELEMENT or kind in EXTREMES or (kind in BY_PAIRS and len(variables) == 2)


def add_function_values(kind: int, variables: Sequence[int], result: int, parts: Parts) -> None:
    """Let a function that `has_values` look at each of them.

    Of truths, bounds say as much.
    """
    if kind in EXTREMES:
        add_extreme_values(kind, variables, result, parts)
        return
    if kind == kinds.ELEMENT:
        position, *table = variables
        if any(low != high for low, high in map(parts.bounds, table)):
            low, high = parts.bounds(position)
            small = (high - low + 1) * max(parts.spans(table)) <= MOST_PAIRS
            if small and low >= 0 and high < len(table) and parts.spans([result])[0] <= MOST_VALUES:
                parts.propagator(Propagator("function_values", [*variables, result], constant=kind))
            return
        variables, numbers = [position], [parts.bounds(v)[0] for v in table]
    else:
        numbers = []
    spans = parts.spans(dict.fromkeys(variables))
    if not 2 < math.prod(spans) <= MOST_PAIRS or (max(spans) <= 2 and kind != kinds.ELEMENT):
        return
    if parts.spans([result])[0] > MOST_VALUES:
        return
    parts.propagator(Propagator("function_values", [*variables, result], numbers=numbers, constant=kind))


def add_extreme_values(kind: int, variables: Sequence[int], result: int, parts: Parts) -> None:
    """Let a minimum or maximum of different variables look at each value of its result."""
    (values,) = parts.spans([result])
    small = values <= MOST_VALUES and values * len(variables) <= MOST_LOOKS
    if small and values > 2 and max(parts.spans(variables)) > 2:
        numbers = [0] * (1 + values)
        parts.propagator(Propagator("extreme_values", [*variables, result], numbers=numbers, constant=kind))
