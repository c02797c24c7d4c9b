"""Queens on boards that are not square: as many as the shorter side has lines (Tarry 1890)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from cpqueens import AllDifferent, Model, ModelError
from cpqueens.answers.symmetry import IDENTITY, QUEENS_BOARD, Group, Symmetry
from cpqueens.language.views import Board
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated


@validated
def rectangular_queens(
    rows: Annotated[int, Between(0, 100_000)] = 4, columns: Annotated[int, Between(0, 100_000)] = 6
) -> Model:
    """Place a queen in each row of a board that is at least as wide as high, none attacking another.

    ``q[i]`` is the column of the queen in row i, from 0; some columns stay empty.

    Source: E. Lucas, *Recreations mathematiques*, volume 1, with H. Tarry's formula of 1890 for three rows.

    >>> rectangular_queens(3, 5).count(solver="cpsat")
    14
    """
    if columns < rows:
        raise ModelError(f"columns: at least as many as rows ({rows}) are needed, got {columns}")
    m = Model("rectangular queens")
    q = m.intvar(0, max(columns - 1, 0), shape=rows, name="q")
    i = np.arange(rows)
    m += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    m.view = Board("q")
    return m


def symmetries(rows: int, columns: int) -> Group:
    """Return the eight of the square, or the four of a rectangle."""
    if rows == columns:
        return QUEENS_BOARD
    return (
        IDENTITY,
        Symmetry("rotation by 180", lambda q: columns - 1 - q[:, ::-1]),
        Symmetry("mirror left to right", lambda q: columns - 1 - q),
        Symmetry("mirror top to bottom", lambda q: q[:, ::-1]),
    )


published = (
    *series("solutions", "OEIS A061989", from_index(3, 0, 4, 14, 36, 76, 140, 234), "columns", rows=3),
    *series("solutions", "OEIS A061990", from_index(4, 2, 12, 46, 140, 344, 732), "columns", rows=4),
)


def verify(solution: Mapping[str, Any], rows: int, columns: int) -> list[str]:
    """Return what is wrong with the board ``solution["q"]``."""
    q = [int(column) for column in solution["q"]]
    wrong = [] if len(q) == rows else [f"{len(q)} rows instead of {rows}"]
    wrong += [f"row {i}: column {c} is outside the board" for i, c in enumerate(q) if not 0 <= c < columns]
    for i, a in enumerate(q):
        for j in range(i + 1, len(q)):
            if abs(a - q[j]) in (0, j - i):
                wrong.append(f"queens in rows {i} and {j} attack each other")
    return wrong
