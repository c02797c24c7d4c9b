"""Bishops that do not attack each other (Yaglom and Yaglom 1964)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from cpqueens import Model
from cpqueens.answers.symmetry import CELL_BOARD
from cpqueens.language.views import Pieces
from cpqueens.problems.boards import diagonals, occupied
from cpqueens.problems.published import Published, series
from cpqueens.problems.signatures import Between, validated


@validated
def bishops(n: Annotated[int, Between(1, 100)] = 6, pieces: Annotated[int, Between(0, 10_000)] = 0) -> Model:
    """Place bishops on an n by n board so that none attacks another: so many, or as many as possible.

    ``x[i, j]`` is 1 where a bishop stands. There is room for 2n - 2 of them from n = 2 on, in 2^n ways: the
    2n - 1 rising diagonals hold one each, and the two shortest share the long falling one.

    Source: A. M. Yaglom and I. M. Yaglom, *Challenging Mathematical Problems with Elementary Solutions*,
    volume 1 (1964).

    >>> bishops(4).solve(solver="cpsat").objective, bishops(4, pieces=6).count(solver="cpsat")
    (6, 16)
    """
    m = Model("bishops")
    x = m.boolvar(shape=(n, n), name="x")
    m += [line.sum() <= 1 for line in diagonals(x)]
    if pieces:
        m += x.sum() == pieces
    else:
        m.maximize(x.sum())
    m.view = Pieces("x", "bishop")
    return m


symmetries = CELL_BOARD

_SOURCE = "Yaglom and Yaglom 1964"

published = (
    *series("optimum", f"{_SOURCE}: 2n - 2", {n: 2 * n - 2 for n in range(2, 11)}),
    *(Published("solutions", 2**n, f"{_SOURCE}: 2^n", {"n": n, "pieces": 2 * n - 2}) for n in range(2, 11)),
)


def verify(solution: Mapping[str, Any], n: int, pieces: int = 0) -> list[str]:
    """Return what is wrong with the board ``solution["x"]``; whether there could be more is not judged."""
    squares = occupied(solution)
    wrong = [f"{len(squares)} bishops instead of {pieces}"] if pieces and len(squares) != pieces else []
    for k, (a, b) in enumerate(squares):
        for c, d in squares[k + 1 :]:
            if abs(a - c) == abs(b - d):
                wrong.append(f"the bishops at {(a, b)} and {(c, d)} attack each other")
    return wrong
