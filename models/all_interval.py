"""All-interval series (CSPLib prob007), with absolute differences."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any

from cpqueens import AllDifferent, Model
from cpqueens.answers.symmetry import PERMUTATIONS
from cpqueens.language.views import Sequence
from cpqueens.problems.published import from_index, series
from cpqueens.problems.signatures import Between, validated


@validated
def all_interval(n: Annotated[int, Between(1, 10_000)] = 8) -> Model:
    """Order 0..n-1 so that the absolute differences of neighbours all differ.

    Source: H. H. Hoos, *Stochastic Local Search: Methods, Models, Applications* (dissertation, Darmstadt
    1998); CSPLib prob007.

    >>> all_interval(8).count(solver="cpsat")
    40
    """
    m = Model("all-interval series")
    x = m.intvar(0, n - 1, shape=n, name="x")
    m += [AllDifferent(x), AllDifferent(abs(x[1:] - x[:-1]))]
    m.view = Sequence("x")
    return m


symmetries = PERMUTATIONS

# A141599 counts another problem, the twelve-tone version with differences modulo n and a fixed first note.
published = series("solutions", "OEIS A006967", from_index(1, 1, 2, 4, 4, 8, 24, 32, 40, 120, 296))


def verify(solution: Mapping[str, Any], n: int) -> list[str]:
    """Return what is wrong with the series ``solution["x"]``."""
    x = [int(value) for value in solution["x"]]
    if sorted(x) != list(range(n)):
        return [f"not a permutation of 0..{n - 1}"]
    steps = [abs(b - a) for a, b in pairwise(x)]
    return [
        f"the interval {s} occurs {steps.count(s)} times" for s in sorted(set(steps)) if steps.count(s) > 1
    ]
