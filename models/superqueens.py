"""Superqueens: queens that also move like knights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from cpqueens import AllDifferent, Model
from cpqueens.answers.symmetry import QUEENS_BOARD
from cpqueens.language.views import Board
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated


@validated
def superqueens(n: Annotated[int, Between(0, 1_000_000)] = 10) -> Model:
    """Place n queens on an n by n board so that none attacks another as a queen or as a knight.

    Source: M. Gardner, *Fractal Music, Hypercards and More* (1991), after Scientific American of June 1979.

    >>> superqueens(10).count(solver="cpsat")
    4
    """
    m = Model("superqueens")
    q = m.intvar(0, max(n - 1, 0), shape=n, name="q")
    i = np.arange(n)
    m += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    one_row, two_rows = q[1:] - q[:-1], q[2:] - q[:-2]
    m += [one_row != 2, one_row != -2, two_rows != 1, two_rows != -1]
    m.view = Board("q")
    return m


symmetries = QUEENS_BOARD

published = (
    *series("solutions", "OEIS A051223", from_index(2, 0, 0, 0, 0, 0, 0, 0, 0, 4, 44, 156, 1876)),
    *series("fundamental", "OEIS A051224", from_index(2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 6, 22, 239)),
)


def verify(solution: Mapping[str, Any], n: int) -> list[str]:
    """Return what is wrong with the board ``solution["q"]``."""
    q = [int(column) for column in solution["q"]]
    wrong = [] if len(q) == n else [f"{len(q)} rows instead of {n}"]
    wrong += [f"row {i}: column {c} is outside the board" for i, c in enumerate(q) if not 0 <= c < n]
    for i, a in enumerate(q):
        for j in range(i + 1, len(q)):
            down, across = j - i, abs(a - q[j])
            if across in (0, down) or (down, across) in ((1, 2), (2, 1)):
                wrong.append(f"queens in rows {i} and {j} attack each other")
    return wrong
