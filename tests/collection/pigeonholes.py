"""Pigeonholes in several formulations, and the permutations that they are one pigeon away from."""

from __future__ import annotations

from itertools import combinations
from math import factorial

from collection.instance import QUESTIONS, Instance
from cpqueens import AllDifferent, Count, Model, maximum

NONE, ALL = "Dirichlet's principle", "n factorial"


def different(pigeons: int, holes: int) -> Model:
    """One AllDifferent."""
    m = Model("pigeonholes")
    m += AllDifferent(m.intvar(1, holes, shape=pigeons, name="x"))
    return m


def pairs(pigeons: int, holes: int) -> Model:
    """A disequality for each pair."""
    m = Model("pigeonholes, pairs")
    x = m.intvar(1, holes, shape=pigeons, name="x")
    m.add(*(x[i] != x[j] for i, j in combinations(range(pigeons), 2)))
    return m


def truths(pigeons: int, holes: int) -> Model:
    """A truth for each pigeon and hole, clauses."""
    m = Model("pigeonholes, truths")
    x = m.boolvar(shape=(pigeons, holes), name="x")
    m.add(x.sum(axis=1) >= 1)
    for i, j in combinations(range(pigeons), 2):
        m.add(x[i] + x[j] <= 1)
    return m


def counts(pigeons: int, holes: int) -> Model:
    """Each hole is counted."""
    m = Model("pigeonholes, counts")
    x = m.intvar(1, holes, shape=pigeons, name="x")
    m += [Count(x, hole, "<=", 1) for hole in range(1, holes + 1)]
    return m


def best(pigeons: int, holes: int) -> Model:
    """The maximum of a team is a pigeon; there are gaps between the holes."""
    m = Model("pigeonholes, the best of teams")
    members = m.intvar(domain=range(0, 3 * holes, 3), shape=(pigeons, 3), name="x")
    m += AllDifferent([maximum(team) for team in members])
    return m


INSTANCES = (
    Instance("pigeonholes, 12 in 11", lambda: different(12, 11), NONE, 0),
    Instance("pigeonholes, 9 in 8, pairs", lambda: pairs(9, 8), NONE, 0),
    Instance("pigeonholes, 8 in 7, truths", lambda: truths(8, 7), NONE, 0, slow=QUESTIONS),
    Instance("pigeonholes, 8 in 7, counts", lambda: counts(8, 7), NONE, 0),
    Instance("pigeonholes, the best of 5 teams in 4", lambda: best(5, 4), NONE, 0),
    Instance("permutations of 7", lambda: different(7, 7), ALL, factorial(7)),
    Instance("permutations of 7, pairs", lambda: pairs(7, 7), ALL, factorial(7)),
    Instance("permutations of 6, counts", lambda: counts(6, 6), ALL, factorial(6)),
)
