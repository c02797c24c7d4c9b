"""Who meets whom: golfers in groups, teams in weeks and periods, couples that stay together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from cpqueens.models.social_golfers import social_golfers

from collection.instance import ALL, BOTH, Instance
from cpqueens import (
    AllDifferent,
    GlobalCardinality,
    Inverse,
    Model,
    Table,
    element,
)


def league(teams: int) -> Model:
    """Each two teams meet once, each week, and at most twice in a period (CSPLib 26)."""
    m = Model("league")
    weeks, periods = teams - 1, teams // 2
    games = list(itertools.combinations(range(teams), 2))
    x = m.intvar(0, teams - 1, shape=(weeks, periods, 2), name="x")
    game = m.intvar(0, len(games) - 1, shape=(weeks, periods), name="game")
    rows = [(a, b, k) for k, (a, b) in enumerate(games)]
    m += [Table([*x[w, p], game[w, p]], rows) for w, p in np.ndindex(weeks, periods)]
    m += AllDifferent(game)
    m += [AllDifferent(week) for week in x]
    m += [GlobalCardinality(x[:, p], range(teams), upper=2) for p in range(periods)]
    m += [game[0, p] == games.index((2 * p, 2 * p + 1)) for p in range(periods)]
    return m


MEN = ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0))
WOMEN = MEN[::-1]


def marriages(men: Sequence[Sequence[int]], women: Sequence[Sequence[int]]) -> Model:
    """No man and woman prefer each other to whom they have; both list the others, the best first."""
    m = Model("marriages")
    size = len(men)
    wife, husband = (m.intvar(0, size - 1, shape=size, name=name) for name in ("wife", "husband"))
    m += Inverse(wife, husband)
    his, hers = np.argsort(men, axis=1), np.argsort(women, axis=1)  # ranks
    for man, woman in np.ndindex(size, size):
        he_would = element(his[man], wife[man]) > his[man][woman]
        she_would = element(hers[woman], husband[woman]) > hers[woman][man]
        m += ~(he_would & she_would)
    return m


INSTANCES = (
    Instance(
        "golfers 3-3-4",
        lambda: social_golfers(3, 3, 4),
        "affine planes of order 3: OEIS A030128",
        840,
        exact=("backtracking",),
    ),
    Instance("golfers 3-3-5", lambda: social_golfers(3, 3, 5), "4 weeks meet all 8 others", 0, exact=BOTH),
    Instance("golfers 4-4-5", lambda: social_golfers(4, 4, 5), "an affine plane of order 4", exact=BOTH),
    Instance("league of 4", lambda: league(4), "CSPLib 26: none for 4", 0, exact=ALL),
    Instance("league of 6", lambda: league(6), "CSPLib 26: for all even numbers but 4", exact=BOTH),
    Instance("league of 8", lambda: league(8), "CSPLib 26: for all even numbers but 4", exact=BOTH),
    Instance("marriages of 4", lambda: marriages(MEN, WOMEN), "Gusfield and Irving 1989: 10", 10, exact=ALL),
)
