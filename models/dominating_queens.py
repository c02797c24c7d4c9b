"""Fewest queens that see every square (de Jaenisch 1862)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from cpqueens import Model
from cpqueens.answers.symmetry import CELL_BOARD
from cpqueens.language.views import Pieces
from cpqueens.problems.boards import occupied, sees
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated


@validated
def dominating_queens(n: Annotated[int, Between(1, 60)] = 6) -> Model:
    """Place as few queens as possible on an n by n board so that each square is occupied or attacked.

    ``x[i, j]`` is 1 where a queen stands; the queens may attack each other. Five are enough on the chess
    board: a covering problem, where n queens at peace are a packing problem.

    CP-SAT proves n = 8, 9 and 10 in one or two seconds of processor time each with
    ``linearization_level=2``; without, 8 is not proved in six.

    Source: C. F. de Jaenisch, *Traite des applications de l'analyse mathematique au jeu des echecs* (1862);
    P. R. J. Ostergard and W. D. Weakley, *Values of domination numbers of the queen's graph*, Electronic
    Journal of Combinatorics 8 (2001).

    >>> dominating_queens(5).solve(solver="cpsat").objective
    3
    """
    m = Model("dominating queens")
    x = m.boolvar(shape=(n, n), name="x")
    for square, seen in enumerate(sees(n, n, "queen")):
        m += x.flat[[square, *np.flatnonzero(seen).tolist()]].sum() >= 1
    m.minimize(x.sum())
    m.view = Pieces("x")
    return m


symmetries = CELL_BOARD

published = series("optimum", "OEIS A075458", from_index(1, 1, 1, 1, 2, 3, 3, 4, 5, 5, 5))


def verify(solution: Mapping[str, Any], n: int) -> list[str]:
    """Return which squares of ``solution["x"]`` no queen sees; whether fewer would do is not judged."""
    queens = occupied(solution)
    return [
        f"no queen sees the square {(r, c)}"
        for r in range(n)
        for c in range(n)
        if not any(r == a or c == b or abs(r - a) == abs(c - b) for a, b in queens)
    ]
