"""Langford's problem (Langford 1958; CSPLib prob024)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from cpqueens import AllDifferent, Inverse, LexLess, Model
from cpqueens.answers.symmetry import IDENTITY, Group, Symmetry
from cpqueens.language.views import Pairing
from cpqueens.problems.published import series
from cpqueens.problems.signatures import Between, validated


@validated
def langford(
    n: Annotated[int, Between(1, 10_000)] = 7,
    one_direction: bool = False,
    viewpoint: Literal["places", "dual"] = "places",
) -> Model:
    """Arrange two copies of 1..n in a row so that between the two copies of k there are k other numbers.

    ``p[k - 1]`` is the place of the first copy of k, from 0; the second stands k + 1 places behind it.
    ``viewpoint="dual"`` also decides which copy stands at each place, ``copy[place]``: k - 1 or n + k - 1.
    ``one_direction`` keeps one of each arrangement and its reversal. There are solutions exactly if n mod 4
    is 0 or 3.

    Source: C. D. Langford, *Problem*, Mathematical Gazette 42 (1958); CSPLib prob024.

    >>> langford(7).count(solver="cpsat"), langford(7, one_direction=True).count(solver="cpsat")
    (52, 26)
    """
    m = Model("Langford")
    gap = np.arange(2, n + 2)
    last = 2 * n - 1
    p = m.intvar(0, np.maximum(last - gap, 0), shape=n, name="p")
    m += [AllDifferent(np.concatenate([p, p + gap])), p + gap <= last]
    if one_direction:  # the reversal puts the first copy of k where the second was, counted from the end
        m.add(LexLess(p[::-1], (last - gap - p)[::-1]), name="one direction")
    if viewpoint == "dual":
        copies = m.intvar(0, 2 * n - 1, shape=2 * n, name="copy")
        m += Inverse(np.concatenate([p, p + gap]), copies)
    m.view = Pairing("p")
    return m


def symmetries(n: int, one_direction: bool = False, viewpoint: str = "places") -> Group:
    """Return the reversal of the row, unless it is broken, or copies are decided too."""
    if one_direction or viewpoint == "dual":
        return ()
    return (IDENTITY, Symmetry("reversal", lambda p: 2 * n - 1 - np.arange(2, n + 2) - p))


_UP_TO_REVERSAL = {3: 1, 4: 1, 5: 0, 6: 0, 7: 26, 8: 150, 11: 17792, 12: 108144}

published = (
    *series("fundamental", "OEIS A014552", _UP_TO_REVERSAL),
    *series("solutions", "OEIS A014552", _UP_TO_REVERSAL, one_direction=True),
    *series("solutions", "OEIS A014552, both directions", {n: 2 * v for n, v in _UP_TO_REVERSAL.items()}),
)


def verify(
    solution: Mapping[str, Any], n: int, one_direction: bool = False, viewpoint: str = "places"
) -> list[str]:
    """Return what is wrong with the places ``solution["p"]``."""
    p = [int(place) for place in solution["p"]]
    row = [0] * (2 * n)
    wrong = [] if len(p) == n else [f"{len(p)} numbers instead of {n}"]
    for k, place in enumerate(p, 1):
        for at in (place, place + k + 1):
            if not 0 <= at < 2 * n:
                wrong.append(f"number {k} stands at place {at}, outside 0..{2 * n - 1}")
            elif row[at]:
                wrong.append(f"numbers {row[at]} and {k} stand at place {at}")
            else:
                row[at] = k
    if viewpoint == "dual" and not wrong:
        copies = [int(copy) for copy in solution["copy"]]
        if [copies[place] for place in (*p, *(q + k + 1 for k, q in enumerate(p, 1)))] != list(range(2 * n)):
            wrong.append("the copies do not stand at their places")
    if one_direction and not wrong:
        backwards = row[::-1]
        mirrored = [backwards.index(k) for k in range(1, n + 1)]
        if p[::-1] > mirrored[::-1]:
            wrong.append("the reversal is meant")
    return wrong
