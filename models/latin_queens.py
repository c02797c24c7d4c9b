"""Boards full of queens in n colours, each colour a solution (Polya 1918, Vasquez 2004)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from cpqueens import AllDifferent, Model
from cpqueens.answers import groups
from cpqueens.answers.symmetry import CELL_BOARD, Group
from cpqueens.language.rows import IntArray
from cpqueens.language.views import Grid
from cpqueens.problems.boards import diagonals
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated
from cpqueens.problems.viewpoints import by_booleans, unlike


@validated
def latin_queens(
    n: Annotated[int, Between(1, 100)] = 5, viewpoint: Literal["colours", "booleans"] = "colours"
) -> Model:
    """Put n queens of each of n colours on an n by n board, none attacking another of its colour.

    All squares are taken: ``x[i, j]`` is the colour there. A Latin square whose diagonals, broken off at the
    edges, have no colour twice; colours are named by the first row. It is a colouring of the queens' graph
    with n colours, which exists for n = 1, 5, 7, 11, 12, ... ``viewpoint="booleans"`` also decides whether a
    square has each colour, ``b[i, j, colour]``.

    Source: G. Polya in W. Ahrens, *Mathematische Unterhaltungen und Spiele*, volume 2 (1918); M. Vasquez,
    *New results on the queens_n^2 graph coloring problem*, Journal of Heuristics 10 (2004).

    >>> latin_queens(5).count(solver="cpsat")
    2
    """
    m = Model("Latin queens")
    if viewpoint == "booleans":
        b, x = by_booleans(m, "x", 0, n - 1, (n, n))
        m += [b.sum(axis=0) == 1, b.sum(axis=1) == 1]
        m += [line.sum() <= 1 for colour in range(n) for line in diagonals(b[:, :, colour])]
    else:
        x = m.intvar(0, n - 1, shape=(n, n), name="x")
        m += [AllDifferent(line) for line in (*x, *x.T, *diagonals(x))]
    m.add(x[0] == np.arange(n), name="colours by the first row")
    m.view = Grid("x")
    return m


def symmetries(n: int, viewpoint: str = "colours") -> Group:
    """Return the eight of the square, after which the colours are named by the first row again."""

    if viewpoint != "colours":
        return ()

    def by_first_row(boards: IntArray) -> IntArray:
        return np.take_along_axis(np.argsort(boards[:, :n], axis=1), boards, axis=1)

    return groups.then(CELL_BOARD, by_first_row)


_NONE = "OEIS A088202: the queens' graph needs more than n colours"

published = (
    *series("solutions", "one square", {1: 1}),
    *series("solutions", _NONE, from_index(2, 0, 0, 0)),
    *series("solutions", _NONE, {6: 0, 8: 0, 9: 0, 10: 0}),
)


def verify(solution: Mapping[str, Any], n: int, viewpoint: str = "colours") -> list[str]:
    """Return what is wrong with the colours ``solution["x"]``."""
    x = [[int(value) for value in row] for row in solution["x"]]
    if len(x) != n or any(len(row) != n for row in x):
        return [f"not a square of {n} by {n}"]
    wrong = [] if x[0] == list(range(n)) else ["the first row does not name the colours"]
    for colour in range(n):
        places = [(r, c) for r in range(n) for c in range(n) if x[r][c] == colour]
        if len(places) != n:
            wrong.append(f"{len(places)} queens of colour {colour} instead of {n}")
        for k, (a, b) in enumerate(places):
            for c, d in places[k + 1 :]:
                if a == c or b == d or abs(a - c) == abs(b - d):
                    wrong.append(f"the queens of colour {colour} at {(a, b)} and {(c, d)} attack each other")
    return wrong + (unlike(solution, "x", 0) if viewpoint == "booleans" else [])
