"""Queens of which no three stand on any straight line (Dudeney 1906 for pawns)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Annotated, Any

import numpy as np

from cpqueens import AllDifferent, Model
from cpqueens.answers.symmetry import QUEENS_BOARD
from cpqueens.language.views import Board
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated


@validated
def queens_no_three_in_line(n: Annotated[int, Between(0, 60)] = 8) -> Model:
    """Place n queens so that none attacks another and no three stand on a straight line of any slope.

    Three squares are on a line if the vectors between them are parallel, which is linear in the columns
    ``q[i]`` as the rows are known.

    Source: H. E. Dudeney, *Amusements in Mathematics* (1917), for sixteen pawns; MathOverflow 457913 (2023),
    for queens.

    >>> queens_no_three_in_line(8).count(solver="cpsat")
    8
    """
    m = Model("queens, no three in line")
    q = m.intvar(0, max(n - 1, 0), shape=n, name="q")
    row = np.arange(n)
    m += [AllDifferent(q), AllDifferent(q + row), AllDifferent(q - row)]
    if n > 2:
        i, j, k = np.array(list(combinations(range(n), 3))).T
        m += (k - i) * (q[j] - q[i]) != (j - i) * (q[k] - q[i])
    m.view = Board("q")
    return m


symmetries = QUEENS_BOARD

published = series(
    "solutions", "OEIS A365437, MathOverflow 457913", from_index(1, 1, 0, 0, 2, 0, 0, 0, 8, 32, 40, 96, 410)
)


def verify(solution: Mapping[str, Any], n: int) -> list[str]:
    """Return what is wrong with the board ``solution["q"]``."""
    q = [int(column) for column in solution["q"]]
    wrong = [] if len(q) == n else [f"{len(q)} rows instead of {n}"]
    wrong += [f"row {i}: column {c} is outside the board" for i, c in enumerate(q) if not 0 <= c < n]
    for (i, a), (j, b) in combinations(enumerate(q), 2):
        if abs(a - b) in (0, j - i):
            wrong.append(f"queens in rows {i} and {j} attack each other")
    for (i, a), (j, b), (k, c) in combinations(enumerate(q), 3):
        if (j - i) * (c - a) == (k - i) * (b - a):
            wrong.append(f"the queens in rows {i}, {j} and {k} stand on a line")
    return wrong
