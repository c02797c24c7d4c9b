"""Costas arrays (Costas 1965): permutations whose dots have pairwise different vectors between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from cpqueens import AllDifferent, Model
from cpqueens.answers.symmetry import QUEENS_BOARD
from cpqueens.language.views import Dots
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated


@validated
def costas_array(n: Annotated[int, Between(1, 1_000)] = 8) -> Model:
    """Find a permutation such that, for each distance, the differences at that distance all differ.

    Source: J. P. Costas, *A study of a class of detection waveforms having nearly ideal range-Doppler
    ambiguity properties*, Proceedings of the IEEE 72 (1984), after his report of 1965.

    >>> costas_array(5).count(solver="cpsat")
    40
    """
    m = Model("Costas array")
    p = m.intvar(0, n - 1, shape=n, name="p")
    m += AllDifferent(p)
    m += [AllDifferent(p[d:] - p[:-d]) for d in range(1, n - 1)]
    m.view = Dots("p")
    return m


symmetries = QUEENS_BOARD

published = series("solutions", "OEIS A008404", from_index(1, 1, 2, 4, 12, 40, 116, 200, 444, 760, 2160))


def verify(solution: Mapping[str, Any], n: int) -> list[str]:
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
    return wrong
