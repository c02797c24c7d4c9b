"""Where samples put values, against the exact marginals of all solutions."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement

MOST_CELLS = 4096
"""Variables times values of a model whose cells are told."""

FEWEST = 20
"""Samples below which nothing is told."""


@dataclass(frozen=True)
class Occupancy:
    """How often each variable takes each value, in samples and in the set of all solutions.

    Attributes
    ----------
    heuristic, problem
        The solver and the problem.
    samples
        Checked solutions of runs.
    variables, values
        Names of rows, and values of columns of what follows.
    seen, exact
        (variables, values) shares of the samples, and of all solutions.
    p
        Of the hypothesis that samples are drawn uniformly: the least of the cells' binomial tests, times
        their number (Bonferroni).
    cell_p
        (variables, values) of each of these tests.
    board
        Rows and columns, where each variable is a square that is taken (1) or not.
    """

    heuristic: str
    problem: str
    samples: int
    variables: tuple[str, ...]
    values: tuple[int, ...]
    p: float
    board: tuple[int, int] | None
    seen: NDArray[np.float64] = field(repr=False)
    exact: NDArray[np.float64] = field(repr=False)
    cell_p: NDArray[np.float64] = field(repr=False)

    @property
    def farthest(self) -> tuple[int, int]:
        """Variable and value, by their numbers, that the test finds least likely."""
        least = np.lexsort((-np.abs(self.seen - self.exact).ravel(), self.cell_p.ravel()))[0]
        row, column = np.unravel_index(least, self.seen.shape)
        return int(row), int(column)

    @property
    def farthest_said(self) -> str:
        """That cell in words."""
        row, column = self.farthest
        seen, exact = 100 * self.seen[row, column], 100 * self.exact[row, column]
        name = f"{self.variables[row]} = {self.values[column]}"
        return f"{name}: {seen:.1f} % of samples, {exact:.1f} % of solutions"

    def __str__(self) -> str:
        verdict = "not uniform" if self.p < 0.05 else "no sign of not being uniform"
        return f"{verdict} (binomial tests of {self.seen.size:,} cells, p = {self.p:.2g})"


def occupancy(
    heuristic: str, problem: str, model: Statement, found: IntArray, everything: IntArray | None
) -> Occupancy | None:
    """Return where samples (samples, variables) and all solutions (solutions, variables) put values.

    None where not all solutions are known, cells are too many or samples too few.
    """
    if everything is None or not len(everything) or len(found) < FEWEST:
        return None
    low, high = int(min(everything.min(), found.min())), int(max(everything.max(), found.max()))
    if (high - low + 1) * found.shape[1] > MOST_CELLS:
        return None
    from scipy.stats import binom

    seen, exact = (_shares(rows, low, high) for rows in (found, everything))
    n = len(found)
    hits = np.rint(seen * n)
    cell_p = np.minimum(2 * np.minimum(binom.cdf(hits, n, exact), binom.sf(hits - 1, n, exact)), 1.0)
    tests = int(((exact > 0) & (exact < 1)).sum())
    names = tuple(model.label_of(v) for v in model.decisions.tolist())
    return Occupancy(
        heuristic, problem, n, names, tuple(range(low, high + 1)), min(1.0, float(cell_p.min()) * tests),
        _board(model) if (low, high) == (0, 1) else None, seen, exact, cell_p,
    )  # fmt: skip


def _shares(rows: IntArray, low: int, high: int) -> NDArray[np.float64]:
    """Return how large a share of rows (rows, variables) has each value from low to high."""
    return np.stack([(rows == value).mean(axis=0) for value in range(low, high + 1)], axis=1)


def _board(model: Statement) -> tuple[int, int] | None:
    """Return the shape of a model's variables if they are squares."""
    shapes = [block.shape for block in model.blocks if block.size]
    return shapes[0] if len(shapes) == 1 and len(shapes[0]) == 2 else None
