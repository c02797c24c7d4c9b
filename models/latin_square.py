"""Latin squares (Euler 1782; CSPLib prob003 asks for more of them)."""

from __future__ import annotations

from collections.abc import Mapping
from math import factorial
from typing import Annotated, Any, Literal

import numpy as np

from cpqueens import AllDifferent, Inverse, Model
from cpqueens.answers import groups
from cpqueens.answers.symmetry import Group
from cpqueens.language.views import Grid
from cpqueens.problems.published import series
from cpqueens.problems.signatures import Between, validated
from cpqueens.problems.viewpoints import by_booleans, inverse_of, unlike


@validated
def latin_square(
    n: Annotated[int, Between(1, 1_000)] = 4,
    fixed: Literal["none", "row", "reduced"] = "none",
    viewpoint: Literal["rows", "booleans", "dual"] = "rows",
) -> Model:
    """Fill an n by n square with 0..n-1 so that each number stands once in each row and column.

    ``fixed="row"`` writes 0, 1, 2, ... into the first row, ``"reduced"`` also into the first column.
    ``viewpoint="booleans"`` also decides whether a number stands in a cell, ``b[i, j, number]``, of which one
    is 1 in each line of that cube; ``"dual"`` in which column of each row a number stands, ``y[i, number]``.

    Source: L. Euler, *Recherches sur une nouvelle espece de quarres magiques* (1782); B. D. McKay and I. M.
    Wanless, *On the number of Latin squares*, Annals of Combinatorics 9 (2005).

    >>> [latin_square(4, fixed).count(solver="cpsat") for fixed in ("none", "row", "reduced")]
    [576, 24, 4]
    """
    m = Model("Latin square")
    if viewpoint == "booleans":
        b, x = by_booleans(m, "x", 0, n - 1, (n, n))
        m += [b.sum(axis=0) == 1, b.sum(axis=1) == 1]
    else:
        x = m.intvar(0, n - 1, shape=(n, n), name="x")
        m += [AllDifferent(line) for square in (x, x.T) for line in square]
    if fixed != "none":
        m.add(x[0] == np.arange(n), name="first row")
    if fixed == "reduced":
        m.add(x[:, 0] == np.arange(n), name="first column")
    if viewpoint == "dual":
        y = m.intvar(0, n - 1, shape=(n, n), name="y")
        m += [Inverse(row, places) for row, places in zip(x, y, strict=True)]
        m += [AllDifferent(column) for column in y.T]
    m.view = Grid("x")
    return m


def symmetries(n: int, fixed: str = "none", viewpoint: str = "rows") -> Group:
    """Return those of rows, columns and numbers, unless some are fixed or places are decided too."""
    return groups.latin_square(n) if (fixed, viewpoint) == ("none", "rows") else ()


_ALL = {1: 1, 2: 2, 3: 12, 4: 576, 5: 161280}

published = (
    *series("fundamental", "OEIS A003090, main classes", {1: 1, 2: 1, 3: 1, 4: 2, 5: 2}),
    *series("solutions", "OEIS A002860", _ALL),
    *series(
        "solutions", "OEIS A002860 over n!", {n: v // factorial(n) for n, v in _ALL.items()}, fixed="row"
    ),
    *series(
        "solutions",
        "OEIS A002860 over n! (n-1)!",
        {n: v // (factorial(n) * factorial(n - 1)) for n, v in _ALL.items()},
        fixed="reduced",
    ),
)


def verify(solution: Mapping[str, Any], n: int, fixed: str = "none", viewpoint: str = "rows") -> list[str]:
    """Return what is wrong with the square ``solution["x"]``."""
    rows = [[int(value) for value in row] for row in solution["x"]]
    if len(rows) != n or any(len(row) != n for row in rows):
        return [f"not a square of {n} by {n}"]
    numbers = list(range(n))
    wrong = [f"row {i} is not 0..{n - 1}" for i in range(n) if sorted(rows[i]) != numbers]
    columns = [[row[j] for row in rows] for j in range(n)]
    wrong += [f"column {j} is not 0..{n - 1}" for j in range(n) if sorted(columns[j]) != numbers]
    if fixed != "none" and rows[0] != numbers:
        wrong.append("the first row is not in order")
    if fixed == "reduced" and columns[0] != numbers:
        wrong.append("the first column is not in order")
    wrong += unlike(solution, "x", 0) if viewpoint == "booleans" else []
    if viewpoint == "dual" and not wrong:
        places = [[int(place) for place in row] for row in solution["y"]]
        if places != [inverse_of(row) for row in rows]:
            wrong.append("the places of the numbers are not those of the square")
    return wrong
