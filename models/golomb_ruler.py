"""Golomb rulers (Sidon 1932, Babcock 1953; CSPLib prob006)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, pairwise
from typing import Annotated, Any, Literal

import numpy as np

from cpqueens import AllDifferent, Increasing, Model
from cpqueens.language.views import Marks
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated


@validated
def golomb_ruler(
    marks: Annotated[int, Between(1, 200)] = 6, viewpoint: Literal["marks", "distances"] = "marks"
) -> Model:
    """Find the shortest ruler whose marks have pairwise different distances.

    A ruler that is no longer than the square of the number of marks exists for every number allowed here
    (Dimitromanolakis 2002 checked up to 65,000 marks), so that this is taken as the upper bound. Of a ruler
    and its mirror image the one with the shorter first distance is meant. ``viewpoint="distances"`` also
    decides the distance of each two marks, ``d``, of which those of three marks add up.

    Source: S. Sidon, *Ein Satz ueber trigonometrische Polynome und seine Anwendung in der Theorie der
    Fourier-Reihen*, Mathematische Annalen 106 (1932); W. C. Babcock, *Intermodulation interference in radio
    systems*, Bell System Technical Journal 32 (1953); CSPLib prob006.

    >>> golomb_ruler(4).solve(solver="cpsat").objective
    6
    """
    m = Model("Golomb ruler")
    x = m.intvar(0, marks * marks, shape=marks, name="x")
    first, second = np.triu_indices(marks, 1)
    m += [x[0] == 0, Increasing(x, strict=True)]
    if viewpoint == "distances":
        d = m.intvar(1, marks * marks, shape=len(first), name="d")
        place = {pair: k for k, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True))}
        m += [AllDifferent(d), d == x[second] - x[first]]
        for i, j, k in combinations(range(marks), 3):
            m += d[place[i, k]] == d[place[i, j]] + d[place[j, k]]
    else:
        m += AllDifferent(x[second] - x[first])
    if marks > 2:
        m.add(x[1] - x[0] < x[-1] - x[-2], name="not its mirror image")
    m.minimize(x[-1])
    m.view = Marks("x")
    return m


published = series(
    "optimum", "OEIS A003022", from_index(2, 1, 3, 6, 11, 17, 25, 34, 44, 55), parameter="marks"
)


def verify(solution: Mapping[str, Any], marks: int, viewpoint: str = "marks") -> list[str]:
    """Return what is wrong with the marks ``solution["x"]``; the length is not judged."""
    x = [int(value) for value in solution["x"]]
    if len(x) != marks:
        return [f"{len(x)} marks instead of {marks}"]
    wrong = []
    if x[0] != 0 or any(a >= b for a, b in pairwise(x)):
        wrong.append("the marks do not ascend from 0")
    seen: dict[int, tuple[int, int]] = {}
    for a, b in combinations(x, 2):
        if b - a in seen:
            wrong.append(f"marks {seen[b - a]} and {(a, b)} have the same distance {b - a}")
        seen[b - a] = (a, b)
    if marks > 2 and x[1] - x[0] >= x[-1] - x[-2]:
        wrong.append("the mirror image is meant")
    if viewpoint == "distances" and solution["d"] != [b - a for a, b in combinations(x, 2)]:
        wrong.append("the distances are not those of the marks")
    return wrong
