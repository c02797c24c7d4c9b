"""What equations of few variables and absolute values get besides bounds, where there are few values."""

import math

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator

MOST_VALUES = 1 << 12
"""Of any of the variables."""

MOST_PAIRS = 1 << 9
"""Pairs of values of two of an equation's three variables, the smaller ones."""


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
