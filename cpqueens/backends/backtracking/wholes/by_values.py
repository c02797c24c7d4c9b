"""What equations of few variables and functions get besides bounds, where there are few values."""

import math
from collections.abc import Sequence

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator
from cpqueens.kernels import kinds

MOST_VALUES = 1 << 12
"""Of any of the variables."""

MOST_PAIRS = 1 << 9
"""Pairs of values of two of an equation's three variables, the smaller ones."""


BY_PAIRS = frozenset(
    {
        kinds.PRODUCT, kinds.QUOTIENT, kinds.QUOTIENT_TRUNCATED, kinds.REMAINDER, kinds.REMAINDER_TRUNCATED,
        kinds.MINIMUM, kinds.MAXIMUM,
    }
)  # fmt: skip
"""Kinds of functions that are looked at by pairs of values, if they have two arguments."""


def _span(variable: int, parts: Parts) -> int:
    low, high = parts.bounds(variable)
    return high - low + 1


def add_equation_values(row: tuple[tuple[int, ...], tuple[int, ...], int], parts: Parts) -> None:
    """Let the equation ``row == 0`` look at each value, if it has two or three variables of few values.

    Of truths that are added up, bounds say as much.
    """
    variables, coefficients, constant = row
    if len(variables) not in (2, 3):
        return
    *others, largest = sorted(_span(v, parts) for v in variables)
    if largest <= 2 and set(coefficients) <= {1, -1}:
        return
    if largest <= MOST_VALUES and math.prod(others) <= MOST_PAIRS:
        parts.propagator(Propagator("equation_values", variables, coefficients, constant=constant))


def add_absolute_values(variable: int, result: int, parts: Parts) -> None:
    """Let an absolute value look at each value."""
    if _span(variable, parts) <= MOST_VALUES:
        parts.propagator(Propagator("absolute_values", [variable, result]))


def add_function_values(kind: int, variables: Sequence[int], result: int, parts: Parts) -> None:
    """Let a function of two arguments, or an element of constants, look at each value.

    Of truths, bounds say as much.
    """
    if kind == kinds.ELEMENT:
        position, *table = variables
        constants = [parts.bounds(v) for v in table]
        if any(low != high for low, high in constants):
            return
        variables, numbers = [position], [low for low, _ in constants]
    elif kind in BY_PAIRS and len(variables) == 2:
        numbers = []
    else:
        return
    spans = [_span(v, parts) for v in dict.fromkeys(variables)]
    if not 2 < math.prod(spans) <= MOST_PAIRS or (max(spans) <= 2 and kind != kinds.ELEMENT):
        return
    if _span(result, parts) > MOST_VALUES:
        return
    parts.propagator(Propagator("function_values", [*variables, result], numbers=numbers, constant=kind))
