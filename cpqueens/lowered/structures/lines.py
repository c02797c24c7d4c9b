"""One permutation under sums of lines of cells: magic squares."""

from dataclasses import dataclass

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ, Compiled, Terms
from cpqueens.lowered.structures.shifted_permutation import (
    distinct,
    is_alone,
    is_over_all,
    least_value,
    single_terms,
)

MIN_CELLS = 36  # smaller permutations leave too few exchanges to choose from
MAX_CONSTRAINTS = 2000  # a table of lines times lines is kept


@dataclass(frozen=True, eq=False)
class LinesPermutation:
    """Cells with the values ``low`` .. ``low + size - 1``, all different, and the sums of lines of cells.

    Attributes
    ----------
    lines
        The cells of each line, ascending.
    totals
        What each line must sum to in values that begin with 0.
    """

    size: int
    low: int
    lines: tuple[IntArray, ...]
    totals: IntArray


def find(compiled: Compiled) -> LinesPermutation | None:
    """Return the model as a permutation under equations of plain sums, None if it is anything else."""
    n, lines = compiled.decision_count, len(compiled.linear)
    low = least_value(compiled.lower, compiled.upper, n)
    if n < MIN_CELLS or low is None or not is_alone(compiled) or compiled.definitions or not lines:
        return None
    different = len(compiled.different_start) - 1
    if not 0 < different <= MAX_CONSTRAINTS - lines or (compiled.relation != EQ).any():
        return None
    if not all(is_over_all(found, n) for found in single_terms(compiled)):
        return None
    found = [_line(compiled.linear, t) for t in range(lines)]
    cells = [line for line in found if line is not None]
    totals = [total - low * len(line) for line, total in cells]
    # a total beyond n * n is out of every line's reach, and sums of such distances could wrap around
    if len(cells) < lines or any(abs(total) > n * n for total in totals):
        return None
    return LinesPermutation(n, low, tuple(line for line, _ in cells), np.array(totals, dtype=np.int64))


def _line(terms: Terms, t: int) -> tuple[IntArray, int] | None:
    """Return the cells of a sum that equals a constant, and the constant; None for anything else."""
    variables, coefficients, constant = terms.row(t)
    if len(variables) == 0 or abs(coefficients[0]) != 1 or (coefficients != coefficients[0]).any():
        return None
    return (np.sort(variables), int(-constant * coefficients[0])) if distinct(variables) else None
