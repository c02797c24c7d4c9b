"""Peaceable armies of queens (Bosch 1999; CSPLib prob110)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from cpqueens import Model
from cpqueens.answers import groups
from cpqueens.answers.symmetry import CELL_BOARD, IDENTITY, Group
from cpqueens.language.views import Armies
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated


@validated
def peaceable_queens(n: Annotated[int, Between(1, 100)] = 5) -> Model:
    """Place two armies of equally many queens so that no queen attacks one of the other colour; most wins.

    ``white`` and ``black`` are 0/1 arrays of the board's shape. Queens of one colour may attack each other.

    Source: R. A. Bosch, *Peaceably coexisting armies of queens*, Optima 62 (1999); B. M. Smith, K. E. Petrie
    and I. P. Gent, *Models and symmetry breaking for 'peaceable armies of queens'*, CPAIOR (2004); CSPLib
    prob110.

    >>> peaceable_queens(4).solve(solver="cpsat").objective
    2
    """
    m = Model("peaceable armies of queens")
    white, black = m.boolvar(shape=(n, n), name="white"), m.boolvar(shape=(n, n), name="black")
    here, there = attacks(n)
    m += white.flat[here] + black.flat[there] <= 1
    m += white.sum() == black.sum()
    m.maximize(white.sum())
    m.view = Armies("white", "black")
    return m


def attacks(n: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return all ordered pairs of squares on one line, each square with itself included, as flat indices."""
    row, column = np.divmod(np.arange(n * n), n)
    down, across = row[:, None] - row, column[:, None] - column
    here, there = np.nonzero((down == 0) | (across == 0) | (abs(down) == abs(across)))
    return here, there


def symmetries(n: int) -> Group:
    """Return the eight of the square, with the colours as they are and exchanged."""
    cells = np.arange(2 * n * n).reshape(2, n, n)
    turned = [(board.name, np.stack([board(army.reshape(1, -1)) for army in cells])) for board in CELL_BOARD]
    exchanged = [
        groups.placed("colours exchanged" if name == "identity" else f"{name}, colours exchanged", both[::-1])
        for name, both in turned
    ]
    return (IDENTITY, *(groups.placed(name, both) for name, both in turned[1:]), *exchanged)


published = series("optimum", "OEIS A250000", from_index(1, 0, 0, 1, 2, 4, 5, 7))


def verify(solution: Mapping[str, Any], n: int) -> list[str]:
    """Return what is wrong with the boards ``solution["white"]`` and ``solution["black"]``."""
    armies = {
        colour: [(i, j) for i, row in enumerate(solution[colour]) for j, v in enumerate(row) if v]
        for colour in ("white", "black")
    }
    wrong = []
    if len(armies["white"]) != len(armies["black"]):
        wrong.append(f"{len(armies['white'])} white queens against {len(armies['black'])} black ones")
    for a, b in armies["white"]:
        for c, d in armies["black"]:
            if a == c or b == d or abs(a - c) == abs(b - d):
                wrong.append(f"the white queen at {(a, b)} attacks the black one at {(c, d)}")
    return wrong
