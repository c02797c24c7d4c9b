"""Queens on a torus: diagonals go on across the edges (Polya 1918)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from cpqueens import AllDifferent, Model
from cpqueens.answers.groups import torus
from cpqueens.language.views import Board
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated


@validated
def toroidal_queens(n: Annotated[int, Between(1, 1_000_000)] = 7) -> Model:
    """Place n queens on an n by n torus so that no two share a row, a column or a diagonal.

    There are solutions exactly if n is divisible by neither 2 nor 3.

    Source: G. Polya, *Ueber die "doppelt-periodischen" Loesungen des n-Damen-Problems*, in W. Ahrens,
    *Mathematische Unterhaltungen und Spiele*, volume 2 (1918); I. Rivin, I. Vardi and P. Zimmermann, *The
    n-queens problem*, American Mathematical Monthly 101 (1994).

    >>> toroidal_queens(5).count(solver="cpsat")
    10
    """
    m = Model("toroidal queens")
    q = m.intvar(0, n - 1, shape=n, name="q")
    i = np.arange(n)
    m += [AllDifferent(q), AllDifferent((q + i) % n), AllDifferent((q - i) % n)]
    m.view = Board("q")
    return m


symmetries = torus

published = (
    *series("solutions", "OEIS A051906", from_index(1, 1, 0, 0, 0, 10, 0, 28, 0, 0, 0, 88, 0, 4524)),
    *series("fundamental", "OEIS A053994", {1: 1, 3: 0, 5: 1, 7: 1, 9: 0, 11: 2, 13: 11}),
)


def verify(solution: Mapping[str, Any], n: int) -> list[str]:
    """Return what is wrong with the board ``solution["q"]``."""
    q = [int(column) for column in solution["q"]]
    wrong = [] if len(q) == n else [f"{len(q)} rows instead of {n}"]
    wrong += [f"row {i}: column {c} is outside the board" for i, c in enumerate(q) if not 0 <= c < n]
    for i, a in enumerate(q):
        for j in range(i + 1, len(q)):
            if a == q[j]:
                wrong.append(f"queens in rows {i} and {j} share a column")
            if (a - q[j] - (i - j)) % n == 0 or (a - q[j] + (i - j)) % n == 0:
                wrong.append(f"queens in rows {i} and {j} share a diagonal of the torus")
    return wrong
