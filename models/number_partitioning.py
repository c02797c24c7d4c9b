"""Number partitioning: 1..n in two halves that agree in number, sum and sum of squares (CSPLib prob049)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from cpqueens import Model
from cpqueens.language.views import Groups
from cpqueens.problems.published import Published, from_index, series
from cpqueens.problems.signatures import Between, validated


@validated
def number_partitioning(
    n: Annotated[int, Between(1, 2_000)] = 8, equal: Literal["sums", "numbers", "squares"] = "squares"
) -> Model:
    """Split 1..n into two sides of equal sum.

    ``equal="numbers"`` also asks for equally many numbers on both sides, ``"squares"`` for that and for equal
    sums of squares. ``x[k - 1]`` is the side of k; 1 is on side 0, as the sides have no names.

    Source: E. Prouhet, *Memoire sur quelques relations entre les puissances des nombres*, Comptes Rendus 33
    (1851); CSPLib prob049.

    >>> number_partitioning(8).solve(solver="cpsat").solution.as_dict()["x"]
    [0, 1, 1, 0, 1, 0, 0, 1]
    """
    m = Model("number partitioning")
    x = m.boolvar(shape=n, name="x")
    k = np.arange(1, n + 1)
    m += [2 * (k * x).sum() == int(k.sum()), x[0] == 0]
    if equal != "sums":
        m += 2 * x.sum() == n
    if equal == "squares":
        m += 2 * (k**2 * x).sum() == int((k**2).sum())
    m.view = Groups("x", weights=tuple(range(1, n + 1)), first=1)
    return m


published = (
    *series("solutions", "OEIS A058377", from_index(1, 0, 0, 1, 1, 0, 0, 4, 7, 0, 0, 35, 62), equal="sums"),
    Published("solutions", 1, "Prouhet 1851; CSPLib prob049", {"n": 8}),
    *series("solutions", "CSPLib prob049: none below 8", dict.fromkeys(range(1, 8), 0)),
)


def verify(solution: Mapping[str, Any], n: int, equal: str) -> list[str]:
    """Return what is wrong with the sides ``solution["x"]``."""
    x = [int(side) for side in solution["x"]]
    sides = [[k for k, side in enumerate(x, 1) if side == s] for s in (0, 1)]
    wrong = (
        [] if len(x) == n and set(x) <= {0, 1} and x[0] == 0 else ["1 is not on side 0, or a side is missing"]
    )
    measures = {"sums": 1, "numbers": 0, "squares": 2}
    asked = {"sums": ("sums",), "numbers": ("sums", "numbers")}.get(equal, tuple(measures))
    for name in asked:
        left, right = (sum(k ** measures[name] for k in side) for side in sides)
        if left != right:
            wrong.append(f"{name}: {left} on side 0, {right} on side 1")
    return wrong
