"""All-interval series (CSPLib prob007), with absolute differences."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal

from cpqueens import AllDifferent, Inverse, Model
from cpqueens.answers.symmetry import PERMUTATIONS, Group
from cpqueens.language.views import Sequence
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated
from cpqueens.problems.viewpoints import inverse_of


@validated
def all_interval(
    n: Annotated[int, Between(1, 10_000)] = 8, viewpoint: Literal["series", "dual"] = "series"
) -> Model:
    """Order 0..n-1 so that the absolute differences of neighbours all differ.

    ``x[k]`` is the number at place k. ``viewpoint="dual"`` also decides the place of each number, ``p``, the
    difference behind each place, ``d``, and the place of each difference, ``e[difference - 1]``.

    Source: H. H. Hoos, *Stochastic Local Search: Methods, Models, Applications* (dissertation, Darmstadt
    1998); CSPLib prob007.

    >>> all_interval(8).count(solver="cpsat")
    40
    """
    m = Model("all-interval series")
    x = m.intvar(0, n - 1, shape=n, name="x")
    if viewpoint == "dual":
        p, d = m.intvar(0, n - 1, shape=n, name="p"), m.intvar(1, max(n - 1, 1), shape=n - 1, name="d")
        e = m.intvar(0, max(n - 2, 0), shape=n - 1, name="e")
        m += [Inverse(x, p), d == abs(x[1:] - x[:-1]), Inverse(d - 1, e)]
    else:
        m += [AllDifferent(x), AllDifferent(abs(x[1:] - x[:-1]))]
    m.view = Sequence("x")
    return m


def symmetries(n: int, viewpoint: str = "series") -> Group:
    """Return those of permutations that keep differences, unless places are decided too."""
    return PERMUTATIONS if viewpoint == "series" else ()


# A141599 counts another problem, the twelve-tone version with differences modulo n and a fixed first note.
published = series("solutions", "OEIS A006967", from_index(1, 1, 2, 4, 4, 8, 24, 32, 40, 120, 296))


def verify(solution: Mapping[str, Any], n: int, viewpoint: str = "series") -> list[str]:
    """Return what is wrong with the series ``solution["x"]``."""
    x = [int(value) for value in solution["x"]]
    if sorted(x) != list(range(n)):
        return [f"not a permutation of 0..{n - 1}"]
    steps = [abs(b - a) for a, b in pairwise(x)]
    wrong = [
        f"the interval {s} occurs {steps.count(s)} times" for s in sorted(set(steps)) if steps.count(s) > 1
    ]
    if viewpoint == "dual" and not wrong:
        places = inverse_of(x), steps, inverse_of([step - 1 for step in steps])
        if (solution["p"], solution["d"], solution["e"]) != places:
            wrong.append("places and differences are not those of the series")
    return wrong
