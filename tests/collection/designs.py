"""Designs, partitions of numbers and orders: truths under sums and clauses."""

from __future__ import annotations

import numpy as np

from collection.instance import ALL, BOTH, Instance
from cpqueens import LexLess, LexLessEqual, Model, NegativeTable, ValuePrecede


def block_design(v: int, b: int, r: int, k: int, l: int) -> Model:  # noqa: E741 - the letters of the literature
    """BIBD (CSPLib prob028), rows and columns in lexicographic order."""
    m = Model("BIBD")
    x = m.boolvar(shape=(v, b), name="x")
    m.add(x.sum(axis=1) == r, x.sum(axis=0) == k)
    first, second = np.triu_indices(v, 1)
    m.add((x[first] * x[second]).sum(axis=1) == l)
    m += [LexLessEqual(x[i], x[i + 1]) for i in range(v - 1)]
    m += [LexLessEqual(x[:, j], x[:, j + 1]) for j in range(b - 1)]
    return m


def steiner_triples() -> Model:
    """The labelled Steiner triple systems of order 7: blocks in order, points not."""
    m = Model("Steiner triples")
    x = m.boolvar(shape=(7, 7), name="x")
    m.add(x.sum(axis=1) == 3, x.sum(axis=0) == 3)
    first, second = np.triu_indices(7, 1)
    m.add((x[first] * x[second]).sum(axis=1) == 1)
    m += [LexLess(x[:, j], x[:, j + 1]) for j in range(6)]
    return m


def schur(n: int) -> Model:
    """Three boxes for 1..n, none with a, b and a + b (CSPLib prob015)."""
    m = Model("Schur")
    x = m.boolvar(shape=(n, 3), name="x")
    m.add(x.sum(axis=1) == 1)
    a, b = np.array([(a, b) for a in range(1, n) for b in range(a, n + 1 - a)]).reshape(-1, 2).T
    m.add(x[a - 1] + x[b - 1] + x[a + b - 1] <= 2)
    return m


def unnamed_schur(n: int) -> Model:
    """The same with boxes that have no names: a number has a box."""
    m = Model("Schur")
    x = m.intvar(1, 3, shape=n, name="x")
    m.add(x[0] == 1, ValuePrecede(x, 1, 2, 3))
    for a in range(1, n + 1):
        for b in range(a, n + 1 - a):
            m += NegativeTable(x[[a - 1, b - 1, a + b - 1]], [(1, 1, 1), (2, 2, 2), (3, 3, 3)])
    return m


def progressions(n: int, length: int) -> Model:
    """Two colours for 1..n without an arithmetic progression of one colour."""
    m = Model("van der Waerden")
    x = m.boolvar(shape=n, name="x")
    for step in range(1, n):
        for start in range(n - (length - 1) * step):
            line = x[start : start + (length - 1) * step + 1 : step]
            m.add(line.sum() >= 1, line.sum() <= length - 1)
    return m


def partial_orders(n: int) -> Model:
    """Reflexive, antisymmetric and transitive relations."""
    m = Model("partial orders")
    x = m.boolvar(shape=(n, n), name="x")
    for a in range(n):
        m.add(x[a, a] == 1)
        for b in range(n):
            if a != b:
                m.add(x[a, b] + x[b, a] <= 1)
            m.add(*(x[a, b] + x[b, c] <= 1 + x[a, c] for c in range(n)))
    return m


def cap_set(dimension: int) -> Model:
    """Most points of the affine space over three elements, no three on a line."""
    m, size = Model("cap set"), 3**dimension
    points = np.array(np.unravel_index(np.arange(size), (3,) * dimension)).T
    x = m.boolvar(shape=size, name="x")
    a, b = np.triu_indices(size, 1)
    third = np.ravel_multi_index(tuple((-(points[a] + points[b]) % 3).T), (3,) * dimension)
    once = third > b
    m.add(x[a[once]] + x[b[once]] + x[third[once]] <= 2)
    m.maximize(x.sum())
    return m


def code(length: int, distance: int) -> Model:
    """Most binary words, any two of which differ in so many places."""
    m = Model("code")
    x = m.boolvar(shape=2**length, name="x")
    a, b = np.triu_indices(2**length, 1)
    differing = (((a ^ b)[:, None] >> np.arange(length)) & 1).sum(axis=1)
    close = differing < distance
    m.add(x[a[close]] + x[b[close]] <= 1)
    m.maximize(x.sum())
    return m


INSTANCES = (
    Instance("BIBD (7, 7, 3, 3, 1)", lambda: block_design(7, 7, 3, 3, 1), "the Fano plane"),
    Instance(
        "BIBD (8, 14, 7, 4, 3)", lambda: block_design(8, 14, 7, 4, 3), "CSPLib prob028", slow=("solve",)
    ),
    Instance("Steiner triples of order 7", steiner_triples, "OEIS A030128", 30),
    Instance(
        "Schur's boxes, 13", lambda: schur(13), "brute force: 3**13 ways; S(3) = 13 is OEIS A030126", 18
    ),
    Instance(
        "Schur's boxes, 13, unnamed", lambda: unnamed_schur(13), "brute force: 18 by 6 names", 3, exact=ALL
    ),
    Instance("Schur's boxes, 14, unnamed", lambda: unnamed_schur(14), "Schur 1916: S(3) = 13", 0, exact=ALL),
    Instance("Schur's boxes, 14", lambda: schur(14), "Schur 1916: S(3) = 13", 0),
    Instance("van der Waerden, 8, 3", lambda: progressions(8, 3), "van der Waerden 1927", 6),
    Instance("van der Waerden, 9, 3", lambda: progressions(9, 3), "van der Waerden 1927: W(2, 3) = 9", 0),
    Instance("van der Waerden, 34, 4", lambda: progressions(34, 4), "Chvatal 1970: W(2, 4) = 35"),
    Instance("van der Waerden, 35, 4", lambda: progressions(35, 4), "Chvatal 1970: W(2, 4) = 35", 0),
    Instance("partial orders of 4", lambda: partial_orders(4), "OEIS A001035", 219),
    Instance("partial orders of 5", lambda: partial_orders(5), "OEIS A001035", 4231),
    Instance("cap set of 3 dimensions", lambda: cap_set(3), "OEIS A090245", optimum=9, exact=BOTH),
    Instance("code of length 7", lambda: code(7, 3), "Hamming 1950", optimum=16, exact=("cpsat",)),
)
