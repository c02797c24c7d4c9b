"""Knights that do not attack each other, on squares of one colour if there are to be many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from cpqueens import Model
from cpqueens.answers.symmetry import CELL_BOARD
from cpqueens.language.views import Pieces
from cpqueens.problems.boards import occupied, sees
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated


@validated
def knights(n: Annotated[int, Between(1, 100)] = 6, pieces: Annotated[int, Between(0, 10_000)] = 0) -> Model:
    """Place knights on an n by n board so that none attacks another: so many, or as many as possible.

    ``x[i, j]`` is 1 where a knight stands. With ``pieces=0`` the most are asked for: a knight goes from
    light to dark squares, so that all squares of one colour can be taken, and from n = 3 on no more.

    Proving that is quick where the solver looks at the linear relaxation: CP-SAT proves n = 10 in half a
    second of processor time with ``linearization_level=2``, and not in six without.

    Source: H. E. Dudeney, *Amusements in Mathematics* (1917); V. Kotesovec, *Non-attacking chess pieces*,
    sixth edition (2013).

    >>> knights(4).solve(solver="cpsat").objective
    8
    """
    m = Model("knights")
    x = m.boolvar(shape=(n, n), name="x")
    here, there = np.nonzero(np.triu(sees(n, n, "knight")))
    if here.size:
        m += x.flat[here] + x.flat[there] <= 1
    if pieces:
        m += x.sum() == pieces
    else:
        m.maximize(x.sum())
    m.view = Pieces("x", "knight")
    return m


symmetries = CELL_BOARD

published = series("optimum", "OEIS A030978", from_index(1, 1, 4, 5, 8, 13, 18, 25, 32, 41, 50))


def verify(solution: Mapping[str, Any], n: int, pieces: int = 0) -> list[str]:
    """Return what is wrong with the board ``solution["x"]``; whether there could be more is not judged."""
    squares = occupied(solution)
    wrong = [f"{len(squares)} knights instead of {pieces}"] if pieces and len(squares) != pieces else []
    for k, (a, b) in enumerate(squares):
        for c, d in squares[k + 1 :]:
            if sorted((abs(a - c), abs(b - d))) == [1, 2]:
                wrong.append(f"the knights at {(a, b)} and {(c, d)} attack each other")
    return wrong
