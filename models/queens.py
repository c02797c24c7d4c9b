"""Queens on a board, none attacking another (Bezzel 1848; CSPLib prob054)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from cpqueens import AllDifferent, Inverse, Model, ModelError
from cpqueens.answers.symmetry import CELL_BOARD, QUEENS_BOARD, Group
from cpqueens.language.views import Board, Pieces
from cpqueens.problems.boards import diagonals, occupied
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, Squares, validated


@validated
def queens(
    n: Annotated[int, Between(0, 20_000_000)] = 8,
    given: Squares = (),
    blocked: Squares = (),
    viewpoint: Literal["rows", "booleans", "dual"] = "rows",
) -> Model:
    """Place n queens on an n by n board so that no two share a row, a column or a diagonal.

    ``q[i]`` is the column of the queen in row i, from 0. ``given`` squares (row, column) must have a queen
    (n queens completion, CSPLib prob079); ``blocked`` ones must have none.

    ``viewpoint`` says what is decided, with the same boards as solutions: columns by row (``"rows"``);
    for each square whether a queen stands there (``"booleans"``, ``x[i, j]``); or columns of rows and rows of
    columns, ``p``, each the inverse of the other (``"dual"``).

    Source: M. Bezzel, *Zwei Schachfragen*, Berliner Schachzeitung 3 (1848); J. Bell and B. Stevens, *A survey
    of known results and research areas for n-queens*, Discrete Mathematics 309 (2009); CSPLib prob054.

    >>> queens(8).count(solver="cpsat")
    92
    >>> queens(8, given=((0, 0), (1, 4))).count(solver="cpsat")
    1
    """
    if viewpoint == "booleans":
        return _booleans(n, given, blocked)
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
    if viewpoint == "dual":
        p = m.intvar(0, max(n - 1, 0), shape=n, name="p")
        m += [Inverse(q, p), AllDifferent(p), AllDifferent(p + i), AllDifferent(p - i)]
    m.view = Board("q", given, blocked)
    return m


def _booleans(n: int, given: Squares, blocked: Squares) -> Model:
    """Return the model of one 0/1 variable for each square."""
    m = Model("queens")
    x = m.boolvar(shape=(n, n), name="x")
    m += [line.sum() == 1 for line in (*x, *x.T)]
    m += [line.sum() <= 1 for line in diagonals(x)]
    for squares, name, value in ((given, "given", 1), (blocked, "blocked", 0)):
        if squares:
            rows, columns = _on_board(n, squares, name)
            m.add(x[rows, columns] == value, name=f"{name} squares")
    m.view = Pieces("x", given=given, blocked=blocked)
    return m


def _on_board(n: int, squares: Squares, what: str) -> np.ndarray[Any, Any]:
    for row, column in squares:
        if not (0 <= row < n and 0 <= column < n):
            raise ModelError(
                f"{what}: square ({row}, {column}) is not on the board of 0..{n - 1} by 0..{n - 1}"
            )
    return np.array(squares).T


def symmetries(n: int, given: Squares = (), blocked: Squares = (), viewpoint: str = "rows") -> Group:
    """Return the eight symmetries of the square, unless some squares are special; none if dual."""
    if given or blocked:
        return ()
    return {"rows": QUEENS_BOARD, "booleans": CELL_BOARD}.get(viewpoint, ())


published = (
    *series(
        "solutions",
        "OEIS A000170",
        from_index(
            0, 1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512,
            95815104, 666090624, 4968057848, 39029188884, 314666222712, 2691008701644, 24233937684440,
            227514171973736, 2207893435808352, 22317699616364044, 234907967154122528,
        ),
    ),
    *series(
        "fundamental",
        "OEIS A002562",
        from_index(1, 1, 0, 0, 1, 2, 1, 6, 12, 46, 92, 341, 1787, 9233, 45752),
    ),
)  # fmt: skip


def verify(
    solution: Mapping[str, Any],
    n: int,
    given: Squares = (),
    blocked: Squares = (),
    viewpoint: str = "rows",
) -> list[str]:
    """Return what is wrong with the board ``solution["q"]``, or ``solution["x"]``, a line for each fault."""
    if viewpoint == "booleans":
        squares = occupied(solution)
        if [r for r, _ in squares] != list(range(n)):
            return ["not one queen in each row"]
        q = [c for _, c in squares]
    else:
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
    rows_of = [q.index(c) if c in q else -1 for c in range(n)]
    if viewpoint == "dual" and [int(r) for r in solution["p"]] != rows_of:
        wrong.append("rows of columns and columns of rows do not fit together")
    wrong += [f"no queen on the given square ({r}, {c})" for r, c in given if q[r] != c]
    wrong += [f"a queen on the blocked square ({r}, {c})" for r, c in blocked if q[r] == c]
    return wrong
