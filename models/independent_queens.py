"""Fewer queens than rows, none attacking another (Tarry 1890, Landau 1896 count two and three)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from cpqueens import Model
from cpqueens.answers.symmetry import CELL_BOARD
from cpqueens.language.views import Pieces
from cpqueens.problems.boards import diagonals, occupied
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated


@validated
def independent_queens(
    n: Annotated[int, Between(1, 100)] = 5, pieces: Annotated[int, Between(0, 100)] = 3
) -> Model:
    """Place so many queens on an n by n board so that none attacks another.

    With fewer queens than rows one cannot say "one in each row": ``x[i, j]`` is 1 where a queen stands, and
    each row, column and diagonal holds one at most.

    Source: E. Landau, *Ueber das Achtdamenproblem und seine Verallgemeinerung*, Naturwissenschaftliche
    Wochenschrift (1896); V. Kotesovec, *Non-attacking chess pieces*, sixth edition (2013).

    >>> independent_queens(4, 2).count(solver="cpsat")
    44
    """
    m = Model("independent queens")
    x = m.boolvar(shape=(n, n), name="x")
    m += [line.sum() <= 1 for line in (*x, *x.T, *diagonals(x))]
    m += x.sum() == pieces
    m.view = Pieces("x")
    return m


symmetries = CELL_BOARD

published = (
    *series("solutions", "OEIS A036464", from_index(1, 0, 0, 8, 44, 140, 340, 700, 1288), pieces=2),
    *series("solutions", "OEIS A047659", from_index(1, 0, 0, 0, 24, 204, 1024, 3628, 10320), pieces=3),
    *series("solutions", "OEIS A061994", from_index(1, 0, 0, 0, 2, 82, 982, 7002, 34568), pieces=4),
)


def verify(solution: Mapping[str, Any], n: int, pieces: int) -> list[str]:
    """Return what is wrong with the board ``solution["x"]``."""
    squares = occupied(solution)
    wrong = [] if len(squares) == pieces else [f"{len(squares)} queens instead of {pieces}"]
    for k, (a, b) in enumerate(squares):
        for c, d in squares[k + 1 :]:
            if a == c or b == d or abs(a - c) == abs(b - d):
                wrong.append(f"the queens at {(a, b)} and {(c, d)} attack each other")
    return wrong
