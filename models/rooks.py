"""Rooks that do not attack each other: permutations, for contrast with queens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from cpqueens import AllDifferent, Model
from cpqueens.answers.symmetry import QUEENS_BOARD
from cpqueens.language.views import Pieces
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated


@validated
def rooks(n: Annotated[int, Between(0, 1_000_000)] = 8) -> Model:
    """Place n rooks on an n by n board so that no two share a row or a column.

    ``q[i]`` is the column of the rook in row i, from 0. Each permutation is a solution, n! in all; queens
    are rooks that keep off diagonals too, and leave 92 of the 40,320 on the chess board.

    Source: I. Kaplansky and J. Riordan, *The problem of the rooks and its applications*, Duke Mathematical
    Journal 13 (1946).

    >>> rooks(5).count(solver="cpsat")
    120
    """
    m = Model("rooks")
    q = m.intvar(0, max(n - 1, 0), shape=n, name="q")
    m += AllDifferent(q)
    m.view = Pieces("q", "rook")
    return m


symmetries = QUEENS_BOARD

published = series("solutions", "OEIS A000142", from_index(0, 1, 1, 2, 6, 24, 120, 720, 5040, 40320))


def verify(solution: Mapping[str, Any], n: int) -> list[str]:
    """Return what is wrong with the board ``solution["q"]``."""
    q = [int(column) for column in solution["q"]]
    wrong = [] if len(q) == n else [f"{len(q)} rows instead of {n}"]
    wrong += [f"row {i}: column {c} is outside the board" for i, c in enumerate(q) if not 0 <= c < n]
    return wrong + [f"column {c} has {q.count(c)} rooks" for c in sorted(set(q)) if q.count(c) > 1]
