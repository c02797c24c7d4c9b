"""Magic squares (CSPLib prob019)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from cpqueens import AllDifferent, Inverse, Model
from cpqueens.answers.symmetry import CELL_BOARD, Group
from cpqueens.language.views import Grid
from cpqueens.problems.published import Published, series
from cpqueens.problems.signatures import Between, validated
from cpqueens.problems.viewpoints import by_booleans, inverse_of, unlike


@validated
def magic_square(
    n: Annotated[int, Between(1, 1_000)] = 3,
    normal: bool = False,
    viewpoint: Literal["cells", "booleans", "dual"] = "cells",
) -> Model:
    """Fill an n by n square with 1..n*n so that rows, columns and both diagonals have the same sum.

    ``normal`` keeps one of the eight turned and mirrored forms (Frenicle 1693): the least corner stands at
    the top left, and its right neighbour is less than the one below.

    ``viewpoint="booleans"`` also decides whether a number stands in a cell, ``b[i, j, number - 1]``, and is
    linear throughout; ``"dual"`` in which cell, row by row, a number stands, ``p[number - 1]``.

    Source: B. Frenicle de Bessy, *Des quarrez ou tables magiques* (1693); CSPLib prob019.

    >>> magic_square(3).count(solver="cpsat"), magic_square(3, normal=True).count(solver="cpsat")
    (8, 1)
    """
    m = Model("magic square")
    if viewpoint == "booleans":
        b, x = by_booleans(m, "x", 1, n * n, (n, n))
        m += b.sum(axis=(0, 1)) == 1
    else:
        x = m.intvar(1, n * n, shape=(n, n), name="x")
        m += AllDifferent(x.flat)
    if viewpoint == "dual":
        m += Inverse(x.flat - 1, m.intvar(0, n * n - 1, shape=n * n, name="p"))
    total = n * (n * n + 1) // 2
    i = np.arange(n)
    m += [x.sum(axis=1) == total, x.sum(axis=0) == total]
    m += [x[i, i].sum() == total, x[i, n - 1 - i].sum() == total]
    if normal and n > 1:
        m += [x[0, 0] < x[0, -1], x[0, 0] < x[-1, 0], x[0, 0] < x[-1, -1], x[0, 1] < x[1, 0]]
    m.view = Grid("x")
    return m


def symmetries(n: int, normal: bool = False, viewpoint: str = "cells") -> Group:
    """Return the eight symmetries of the square, unless they are broken."""
    return () if normal or viewpoint != "cells" else CELL_BOARD


published = (
    *series("fundamental", "OEIS A006052", {1: 1, 2: 0, 3: 1, 4: 880}),
    *series("solutions", "OEIS A006052", {1: 1, 2: 0, 3: 1, 4: 880}, normal=True),
    Published("solutions", 1, "OEIS A006052", {"n": 1}),
    *series("solutions", "OEIS A006052, in eight positions each", {2: 0, 3: 8, 4: 8 * 880}),
)


def verify(solution: Mapping[str, Any], n: int, normal: bool = False, viewpoint: str = "cells") -> list[str]:
    """Return what is wrong with the square ``solution["x"]``."""
    rows = [[int(value) for value in row] for row in solution["x"]]
    if sorted(value for row in rows for value in row) != list(range(1, n * n + 1)):
        return [f"not the numbers 1..{n * n}, each once"]
    total = n * (n * n + 1) // 2
    lines = {f"row {i}": rows[i] for i in range(n)}
    lines |= {f"column {j}": [row[j] for row in rows] for j in range(n)}
    lines["falling diagonal"] = [rows[i][i] for i in range(n)]
    lines["rising diagonal"] = [rows[i][n - 1 - i] for i in range(n)]
    wrong = [f"{name} sums to {sum(v)}, not {total}" for name, v in lines.items() if sum(v) != total]
    if normal and n > 1:
        least = min(rows[0][0], rows[0][-1], rows[-1][0], rows[-1][-1])
        if rows[0][0] != least or rows[0][1] > rows[1][0]:
            wrong.append("not in Frenicle's normal form")
    wrong += unlike(solution, "x", 1) if viewpoint == "booleans" else []
    if viewpoint == "dual" and solution["p"] != inverse_of([value - 1 for row in rows for value in row]):
        wrong.append("the cells of the numbers are not those of the square")
    return wrong
