"""Queens and relatives: whole boards, boards with given and with blocked squares, large ones."""

from __future__ import annotations

import numpy as np
from cpqueens.models.dominating_queens import dominating_queens
from cpqueens.models.peaceable_queens import peaceable_queens
from cpqueens.models.queens import queens
from cpqueens.models.superqueens import superqueens
from cpqueens.models.toroidal_queens import toroidal_queens

from collection.instance import Instance
from cpqueens import AllDifferent, Model


def modular_squares(n: int, rows: range) -> tuple[tuple[int, int], ...]:
    """Return squares (i, 2 i mod n): for all rows they are a solution if n is coprime to 6 (Polya 1918)."""
    return tuple((i, 2 * i % n) for i in rows)


def rooks(n: int, *forbidden: int) -> Model:
    """Permutations with x[i] - i modulo n not among ``forbidden``."""
    m = Model("rooks")
    x = m.intvar(0, n - 1, shape=n, name="x")
    m += AllDifferent(x)
    for shift in forbidden:
        m.add(x != (np.arange(n) + shift) % n)
    return m


INSTANCES = (
    Instance("queens 10", lambda: queens(10), "OEIS A000170", 724),
    Instance("queens 12", lambda: queens(12), "OEIS A000170", 14200, slow=("enumerate",)),
    Instance("queens 3", lambda: queens(3), "OEIS A000170", 0),
    Instance(
        "queens 8, one in the corner", lambda: queens(8, given=((0, 0),)),
        "Watkins, Across the Board (2004): 4, 8, 16, 18, 18, 16, 8, 4 by first column", 4,
    ),
    Instance("queens 60", lambda: queens(60), "Pauls 1874: for every n > 3"),
    Instance("queens 200", lambda: queens(200), "Pauls 1874: for every n > 3"),
    Instance(
        "queens 61, 20 given", lambda: queens(61, given=modular_squares(61, range(20))),
        "Polya 1918: i to 2 i",
    ),
    Instance(
        "queens 97, 60 given", lambda: queens(97, given=modular_squares(97, range(20, 80))),
        "Polya 1918: i to 2 i",
    ),
    Instance(
        "queens 49, all but 12 given", lambda: queens(49, given=modular_squares(49, range(12, 49))),
        "computed by backtracking:forward and cpsat, which agree", 1,
    ),
    Instance(
        "queens 31, two given that attack", lambda: queens(31, given=((3, 5), (20, 22))),
        "one diagonal", 0,
    ),
    Instance("toroidal queens 11", lambda: toroidal_queens(11), "OEIS A051906", 88),
    Instance("toroidal queens 12", lambda: toroidal_queens(12), "Polya 1918: none, 2 divides 12", 0),
    Instance("superqueens 9", lambda: superqueens(9), "OEIS A051223", 0),
    Instance("superqueens 12", lambda: superqueens(12), "OEIS A051223", 156),
    Instance("derangements of 8", lambda: rooks(8, 0), "OEIS A000166", 14833),
    Instance("menage numbers 8", lambda: rooks(8, 0, 1), "OEIS A000179", 4738),
    Instance("peaceable queens 5", lambda: peaceable_queens(5), "OEIS A250000", optimum=4),
    Instance("dominating queens 6", lambda: dominating_queens(6), "OEIS A075458", optimum=3),
)  # fmt: skip
