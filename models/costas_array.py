"""Costas arrays (Costas 1965): permutations whose dots have pairwise different vectors between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from cpqueens import AllDifferent, Inverse, Model
from cpqueens.answers.symmetry import QUEENS_BOARD, Group
from cpqueens.language.views import Dots
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated
from cpqueens.problems.viewpoints import inverse_of


@validated
def costas_array(
    n: Annotated[int, Between(1, 1_000)] = 8, viewpoint: Literal["rows", "dual"] = "rows"
) -> Model:
    """Find a permutation such that, for each distance, the differences at that distance all differ.

    ``p[i]`` is the column of the dot in row i. ``viewpoint="dual"`` also decides the rows of columns, ``r``,
    which are a Costas array themselves.

    Source: J. P. Costas, *A study of a class of detection waveforms having nearly ideal range-Doppler
    ambiguity properties*, Proceedings of the IEEE 72 (1984), after his report of 1965.

    >>> costas_array(5).count(solver="cpsat")
    40
    """
    m = Model("Costas array")
    p = m.intvar(0, n - 1, shape=n, name="p")
    arrays = [p]
    if viewpoint == "dual":
        arrays.append(m.intvar(0, n - 1, shape=n, name="r"))
        m += Inverse(*arrays)
    for a in arrays:
        m += [AllDifferent(a), *(AllDifferent(a[d:] - a[:-d]) for d in range(1, n - 1))]
    m.view = Dots("p")
    return m


def symmetries(n: int, viewpoint: str = "rows") -> Group:
    """Return the eight of the square, unless rows of columns are decided too."""
    return QUEENS_BOARD if viewpoint == "rows" else ()


published = series("solutions", "OEIS A008404", from_index(1, 1, 2, 4, 12, 40, 116, 200, 444, 760, 2160))


def verify(solution: Mapping[str, Any], n: int, viewpoint: str = "rows") -> list[str]:
    """Return what is wrong with the permutation ``solution["p"]``."""
    p = [int(value) for value in solution["p"]]
    if sorted(p) != list(range(n)):
        return [f"not a permutation of 0..{n - 1}"]
    seen: dict[tuple[int, int], tuple[int, int]] = {}
    wrong = []
    for i in range(n):
        for j in range(i + 1, n):
            vector = (j - i, p[j] - p[i])
            if vector in seen:
                wrong.append(f"positions {seen[vector]} and {(i, j)} have the same vector {vector}")
            seen[vector] = (i, j)
    if viewpoint == "dual" and solution["r"] != inverse_of(p):
        wrong.append("rows of columns and columns of rows do not fit together")
    return wrong
