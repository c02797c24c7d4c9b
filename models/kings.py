"""Kings that do not attack each other (Wilf 1995 counts them)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from cpqueens import Model
from cpqueens.answers.symmetry import CELL_BOARD
from cpqueens.language.views import Pieces
from cpqueens.problems.boards import occupied
from cpqueens.problems.published import Published, series
from cpqueens.problems.signatures import Between, validated


@validated
def kings(n: Annotated[int, Between(1, 100)] = 6, pieces: Annotated[int, Between(0, 10_000)] = 0) -> Model:
    """Place kings on an n by n board so that none attacks another: so many, or as many as possible.

    ``x[i, j]`` is 1 where a king stands. Each block of two by two squares holds one at most, so that there
    is room for the square of n/2, rounded up.

    Source: H. S. Wilf, *The problem of the kings*, Electronic Journal of Combinatorics 2 (1995).

    >>> kings(4).solve(solver="cpsat").objective, kings(4, pieces=4).count(solver="cpsat")
    (4, 79)
    """
    m = Model("kings")
    x = m.boolvar(shape=(n, n), name="x")
    m += [x[i : i + 2, j : j + 2].sum() <= 1 for i in range(max(1, n - 1)) for j in range(max(1, n - 1))]
    if pieces:
        m += x.sum() == pieces
    else:
        m.maximize(x.sum())
    m.view = Pieces("x", "king")
    return m


symmetries = CELL_BOARD

published = (
    *series("optimum", "OEIS A008794(n + 1)", {n: ((n + 1) // 2) ** 2 for n in range(1, 13)}),
    *(
        Published("solutions", value, "OEIS A018807", {"n": 2 * k, "pieces": k * k})
        for k, value in enumerate((4, 79, 3600), 1)
    ),
    *(
        Published("fundamental", value, "OEIS A319096", {"n": 2 * k, "pieces": k * k})
        for k, value in enumerate((1, 14, 459), 1)
    ),
)


def verify(solution: Mapping[str, Any], n: int, pieces: int = 0) -> list[str]:
    """Return what is wrong with the board ``solution["x"]``; whether there could be more is not judged."""
    squares = occupied(solution)
    wrong = [f"{len(squares)} kings instead of {pieces}"] if pieces and len(squares) != pieces else []
    for k, (a, b) in enumerate(squares):
        for c, d in squares[k + 1 :]:
            if max(abs(a - c), abs(b - d)) == 1:
                wrong.append(f"the kings at {(a, b)} and {(c, d)} attack each other")
    return wrong
