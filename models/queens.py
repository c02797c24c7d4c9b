"""Queens on a board, none attacking another (Bezzel 1848; CSPLib prob054)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from cpqueens import AllDifferent, Model, ModelError
from cpqueens.answers.symmetry import QUEENS_BOARD, Group
from cpqueens.language.views import Board
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, Squares, validated


@validated
def queens(
    n: Annotated[int, Between(0, 20_000_000)] = 8, given: Squares = (), blocked: Squares = ()
) -> Model:
    """Place n queens on an n by n board so that no two share a row, a column or a diagonal.

    ``q[i]`` is the column of the queen in row i, from 0. ``given`` squares (row, column) must have a queen
    (n queens completion, CSPLib prob079); ``blocked`` ones must have none.

    >>> queens(8).count(solver="cpsat")
    92
    >>> queens(8, given=((0, 0), (1, 4))).count(solver="cpsat")
    1
    """
    m = Model("queens")
    q = m.intvar(0, max(n - 1, 0), shape=n, name="q")
    i = np.arange(n)
    m += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    if given:
        rows, columns = _on_board(n, given, "given")
        m.add(q[rows] == columns, name="given queens")
    if blocked:
        rows, columns = _on_board(n, blocked, "blocked")
        m.add(q[rows] != columns, name="blocked squares")
    m.view = Board("q", given, blocked)
    return m


def _on_board(n: int, squares: Squares, what: str) -> np.ndarray[Any, Any]:
    for row, column in squares:
        if not (0 <= row < n and 0 <= column < n):
            raise ModelError(
                f"{what}: square ({row}, {column}) is not on the board of 0..{n - 1} by 0..{n - 1}"
            )
    return np.array(squares).T


def symmetries(n: int, given: Squares = (), blocked: Squares = ()) -> Group:
    """Return the eight symmetries of the square, unless some squares are special."""
    return () if given or blocked else QUEENS_BOARD


published = (
    *series(
        "solutions",
        "OEIS A000170",
        from_index(
            0, 1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512,
            95815104, 666090624, 4968057848, 39029188884,
        ),
    ),
    *series(
        "fundamental",
        "OEIS A002562",
        from_index(1, 1, 0, 0, 1, 2, 1, 6, 12, 46, 92, 341, 1787, 9233, 45752),
    ),
)  # fmt: skip


def verify(solution: Mapping[str, Any], n: int, given: Squares = (), blocked: Squares = ()) -> list[str]:
    """Return what is wrong with the board ``solution["q"]``, as one line for each fault."""
    q = [int(column) for column in solution["q"]]
    if len(q) != n:
        return [f"{len(q)} rows instead of {n}"]
    wrong = [f"row {i}: column {c} is outside the board" for i, c in enumerate(q) if not 0 <= c < n]
    lines: dict[tuple[str, int], int] = {}
    for i, c in enumerate(q):
        for line in (("column", c), ("rising diagonal", c + i), ("falling diagonal", c - i)):
            if line in lines:
                wrong.append(f"queens in rows {lines[line]} and {i} share a {line[0]}")
            lines[line] = i
    wrong += [f"no queen on the given square ({r}, {c})" for r, c in given if q[r] != c]
    wrong += [f"a queen on the blocked square ({r}, {c})" for r, c in blocked if q[r] == c]
    return wrong
