"""Latin squares and quasigroups: counted, with identities, with holes."""

from __future__ import annotations

import random

import numpy as np
from cpqueens.models.latin_square import latin_square

from collection.instance import Instance
from cpqueens import AllDifferent, Model


def shuffled_square(n: int, seed: int) -> np.ndarray:
    """Return the cyclic square of order n with rows, columns and values shuffled."""
    shuffle = random.Random(seed)
    rows, columns, values = (np.array(shuffle.sample(range(n), n)) for _ in range(3))
    return values[(rows[:, None] + columns) % n]


def clues_with_holes(n: int, holes: int, seed: int) -> tuple[np.ndarray, list[int]]:
    """Return a shuffled square of order n, and which cells are given where ``holes`` are empty."""
    square, shuffle = shuffled_square(n, seed), random.Random(seed + 1)
    return square, shuffle.sample(range(n * n), n * n - holes)


def with_holes(n: int, holes: int, seed: int) -> Model:
    """A shuffled square of order n of which ``holes`` cells are empty (Gomes and Selman 1997)."""
    square, kept = clues_with_holes(n, holes, seed)
    m = latin_square(n)
    m.add(m["x"].flat[kept] == square.flat[kept])
    return m


def starting_rows(n: int, given: int, seed: int) -> Model:
    """A square of order n of which the first rows are those of a shuffled one."""
    m = latin_square(n)
    m.add(m["x"][:given] == shuffled_square(n, seed)[:given])
    return m


def quasigroup_5(n: int) -> Model:
    """Idempotent quasigroups with ((b a) b) b = a: QG5 of CSPLib prob003, isomorphic ones cut as there."""
    m = Model("QG5")
    x = m.intvar(0, n - 1, shape=(n, n), name="x")
    m += [AllDifferent(line) for square in (x, x.T) for line in square]
    m.add(x[np.arange(n), np.arange(n)] == np.arange(n))
    m.add(x[:, n - 1] >= np.arange(n) - 1)
    for a in range(n):
        for b in range(n):
            if a != b:
                m.add(x[:, b][x[:, b][x[b, a]]] == a)
    return m


def no_completion(n: int) -> Model:
    """The first row has 1..n-1 in its first cells, and the last column has the missing value further down."""
    m = latin_square(n)
    m.add(m["x"][0, : n - 1] == np.arange(1, n), m["x"][n // 2, n - 1] == 0)
    return m


FUJITA = "Fujita, Slaney and Bennett 1993: models of QG5 by order"
CONSTRUCTED = "a square with cells taken away"

INSTANCES = (
    Instance("Latin squares of order 4", lambda: latin_square(4), "OEIS A002860", 576),
    Instance(
        "reduced Latin squares of order 5", lambda: latin_square(5, fixed="reduced"), "OEIS A000315", 56
    ),
    Instance(
        "Latin squares of order 5, first row fixed", lambda: latin_square(5, fixed="row"),
        "OEIS A002860 over 5!", 1344,
    ),
    Instance(
        "reduced Latin squares of order 6", lambda: latin_square(6, fixed="reduced"), "OEIS A000315", 9408
    ),
    Instance("QG5 of order 7", lambda: quasigroup_5(7), FUJITA, 3),
    Instance("QG5 of order 8", lambda: quasigroup_5(8), FUJITA, 1),
    Instance("QG5 of order 9", lambda: quasigroup_5(9), FUJITA, 0),
    Instance("Latin square of order 20 with 160 holes", lambda: with_holes(20, 160, 1), CONSTRUCTED),
    Instance("Latin square of order 30 with 320 holes", lambda: with_holes(30, 320, 2), CONSTRUCTED),
    Instance(
        "Latin square of order 12 with 45 holes", lambda: with_holes(12, 45, 3),
        "computed by backtracking:forward and cpsat, which agree", 1,
    ),
    Instance("Latin square of order 9, 4 rows given", lambda: starting_rows(9, 4, 4), CONSTRUCTED),
    Instance(
        "Latin square of order 15 without completion", lambda: no_completion(15), "one cell has no value", 0
    ),
)  # fmt: skip
