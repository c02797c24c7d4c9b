"""Densest still lifes of Conway's game of life (Conway 1970; CSPLib prob032)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Annotated, Any

import numpy as np

from cpqueens import Model, NegativeTable
from cpqueens.answers.symmetry import CELL_BOARD
from cpqueens.language.views import Pieces
from cpqueens.problems.boards import occupied
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated

CHANGES = ((1, 0), (1, 1), (1, 4), (1, 5), (1, 6), (1, 7), (1, 8), (0, 3))
"""(alive, living neighbours) of cells that the next generation changes."""


@validated
def still_life(n: Annotated[int, Between(1, 50)] = 5) -> Model:
    """Find the most living cells within an n by n square that all live on, with none born outside.

    ``x[i, j]`` is 1 where a cell lives. A living cell dies unless two or three of its eight neighbours live;
    one is born where exactly three do, which must not happen around the square either.

    CP-SAT proves n = 7 in one or two seconds of processor time and does not find 36 for n = 8 in six. The own
    exact engine, which remembers what it has searched and meets it again behind other rows, proves n = 7 in
    half a second and n = 8 in five. The optima of n = 9 and 10 are published ones that no test here proves.

    Source: M. Gardner, *The fantastic combinations of John Conway's new solitaire game "life"*, Scientific
    American 223 (1970); R. A. Bosch and M. A. Trick, *Constraint programming and hybrid formulations for
    three life designs*, Annals of Operations Research 130 (2004); G. Chu and P. J. Stuckey, *A complete
    solution to the maximum density still life problem*, Artificial Intelligence 184 (2012); CSPLib prob032.

    >>> still_life(4).solve(solver="cpsat").objective
    8
    """
    m = Model("still life")
    cells = m.boolvar(shape=(n, n), name="x")
    x: list[list[Any]] = np.zeros((n + 4, n + 4), dtype=int).tolist()
    for i, j in np.ndindex(n, n):
        x[i + 2][j + 2] = cells[i, j]
    for i, j in product(range(1, n + 3), repeat=2):
        around = [x[a][b] for a, b in product((i - 1, i, i + 1), (j - 1, j, j + 1)) if (a, b) != (i, j)]
        m += NegativeTable([x[i][j], sum(around)], CHANGES)
    m.maximize(cells.sum())
    m.view = Pieces("x", "block")
    return m


symmetries = CELL_BOARD

published = series("optimum", "OEIS A055397", from_index(1, 0, 4, 6, 8, 16, 18, 28, 36, 43, 54))


def verify(solution: Mapping[str, Any], n: int) -> list[str]:
    """Return which cells of ``solution["x"]`` change; whether there could be more is not judged."""
    living = set(occupied(solution))
    wrong = []
    for r, c in product(range(-1, n + 1), repeat=2):
        near = sum((r + a, c + b) in living for a, b in product((-1, 0, 1), repeat=2) if (a, b) != (0, 0))
        if (r, c) in living and near not in (2, 3):
            wrong.append(f"the cell at {(r, c)} dies of {near} neighbours")
        if (r, c) not in living and near == 3:
            wrong.append(f"a cell is born at {(r, c)}")
    return wrong
