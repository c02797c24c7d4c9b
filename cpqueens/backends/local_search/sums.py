"""Models that are one permutation under equations of plain sums: found here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cpqueens.backends.local_search.neighbourhood import plain_scope
from cpqueens.backends.local_search.problem import Constraint, Ints, Kind, Problem

MIN_SIZE = 36  # smaller permutations leave too few exchanges to choose from
MAX_LINES = 2000  # a table of lines times lines is kept


@dataclass(frozen=True)
class Sums:
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
    lines: tuple[Ints, ...]
    totals: Ints


def find_sums(problem: Problem) -> Sums | None:
    """Return the pattern if ``problem`` is exactly this, else None."""
    n = problem.size
    if n < MIN_SIZE or problem.domains or problem.definitions or problem.objective is not None:
        return None
    low = int(problem.lower[0])
    if (problem.lower != low).any() or (problem.upper != low + n - 1).any():
        return None
    lines, totals, kept = [], [], False
    if len(problem.constraints) > MAX_LINES:
        return None
    for constraint in problem.constraints:
        scope = plain_scope(problem, constraint)
        if scope is not None and len(scope) == n:
            kept = True
            continue
        line = _line(problem, constraint)
        if line is None:
            return None
        total = line[1] - low * len(line[0])
        if abs(total) > n * n:  # out of every line's reach, and sums of such distances could wrap around
            return None
        lines.append(line[0])
        totals.append(total)
    return Sums(n, low, tuple(lines), np.array(totals, dtype=np.int64)) if kept and lines else None


def _line(problem: Problem, constraint: Constraint) -> tuple[Ints, int] | None:
    """Return the cells of a sum that equals a constant, and the constant; None for anything else."""
    terms = problem.terms
    if constraint.kind != Kind.LINEAR or constraint.relation != "==":
        return None
    t = int(constraint.terms[0])
    entries = slice(int(terms.start[t]), int(terms.start[t + 1]))
    nodes, coefficients = terms.nodes[entries], terms.coefficients[entries]
    if len(nodes) == 0 or abs(coefficients[0]) != 1 or (coefficients != coefficients[0]).any():
        return None
    if len(np.unique(nodes)) < len(nodes):
        return None
    return np.sort(nodes), int(-terms.constants[t] * coefficients[0])
