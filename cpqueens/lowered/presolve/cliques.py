"""Disequalities of pairs that make up AllDifferents.

Each row ``x - y != c`` is an edge between two variables. Some variables, with constants that can be added to
them so that all must differ, are a clique. Cliques are grown from the edges that are in none yet, the
variables with most edges first, as in greedy covers of the edges of a graph by cliques (Kellerman 1973).
"""

from dataclasses import replace

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import NE, Compiled, Terms, joined, offsets

FEWEST, FEWEST_EDGES = 4, 6
"""Variables and edges of a clique: what pairs and triples say is mostly seen by fixed values."""

MOST_DISEQUALITIES = 1 << 14
"""Disequalities of a model in which cliques are looked for."""

LOOKS = 8
"""Times the number of edges that one is looked up, in all."""

Edges = dict[tuple[int, int], set[int]]
"""Of pairs of variables the constants c of ``x - y != c``, both ways."""

Members = list[tuple[int, int]]
"""Pairs of a variable and the constant that is added to it."""


def disequalities(linear: Terms, relation: IntArray) -> IntArray:
    """Return the rows ``x - y != c`` as (number, x, y, c)."""
    two = np.flatnonzero((linear.lengths == 2) & (relation == NE))
    first = linear.start[two]
    a, b = linear.coefficient[first], linear.coefficient[first + 1]
    unit = (np.abs(a) == 1) & (a == -b)
    two, first, a = two[unit], first[unit], a[unit]
    gaps = -a * linear.constant[two]
    return np.stack([two, linear.variable[first], linear.variable[first + 1], gaps], axis=1)


def cliques(unequal: IntArray) -> list[Members]:
    """Return cliques of several variables, by disequalities; none where these are few, or too many."""
    if not FEWEST_EDGES <= len(unequal) <= MOST_DISEQUALITIES:
        return []
    edges: Edges = {}
    for _, x, y, c in unequal.tolist():
        for a, b, gap in ((x, y, c), (y, x, -c)):
            edges.setdefault((a, b), set()).add(gap)
    return [found for found in cover(edges, LOOKS * len(unequal)) if len(found) >= FEWEST]


def with_cliques(c: Compiled) -> Compiled | None:
    """Return the model with AllDifferents in the places of disequalities; None if there are no cliques."""
    unequal = disequalities(c.linear, c.relation)
    found = cliques(unequal)
    if not found:
        return None
    said = {(x, y, there - here) for members in found for x, here in members for y, there in members}
    kept = np.ones(len(c.relation), dtype=bool)
    kept[[number for number, x, y, gap in unequal.tolist() if (x, y, gap) in said]] = False
    members = np.array([pair for members in found for pair in members], dtype=np.int64)
    ones = np.ones(len(members), dtype=np.int64)
    terms = Terms(np.arange(len(members) + 1), members[:, 0], ones, members[:, 1])
    lengths = [*np.diff(c.different_start).tolist(), *map(len, found)]
    return replace(
        c,
        linear=c.linear.picked(np.flatnonzero(kept)),
        relation=c.relation[kept],
        different=joined([c.different, terms]),
        different_start=offsets(lengths),
    )


def cover(edges: Edges, looks: int) -> list[Members]:
    """Cover the edges by cliques, until that has taken so many looks."""
    near: dict[int, dict[int, None]] = {}
    for x, y in edges:
        near.setdefault(x, {})[y] = None
    found: list[Members] = []
    covered: set[tuple[int, int, int]] = set()
    order = sorted(near, key=lambda v: (-len(near[v]), v))
    rank = {v: k for k, v in enumerate(order)}
    for x in order:
        for y in sorted(near[x], key=rank.__getitem__):
            for gap in sorted(edges[x, y]):
                if rank[y] < rank[x] or (x, y, gap) in covered:
                    continue
                clique = {x: 0, y: gap}
                for z in sorted(near[x].keys() & near[y].keys(), key=rank.__getitem__):
                    looks -= len(clique)
                    for shift in sorted(edges[x, z]) if clique.keys() <= near[z].keys() else ():
                        if all(shift - own in edges[v, z] for v, own in clique.items()):
                            clique[z] = shift
                            break
                if looks < 0:
                    return found
                members = list(clique.items())
                covered |= {
                    (v, w, there - here) for v, here in members for w, there in members if rank[v] < rank[w]
                }
                found.append(members)
    return found
