"""Graphs: colourings, colourings of edges without a clique, Hamiltonian cycles, graceful labels."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from cpqueens.models.graph_colouring import build_graph, graph_colouring

from collection.instance import QUESTIONS, Instance
from cpqueens import AllDifferent, Model


def ramsey(n: int, red: int, blue: int) -> Model:
    """Edges of the complete graph in two colours without a red or a blue clique of these sizes."""
    m = Model("Ramsey")
    edges = {pair: k for k, pair in enumerate(combinations(range(n), 2))}
    x = m.boolvar(shape=len(edges), name="x")
    for size, limit in ((red, None), (blue, 1)):
        for clique in combinations(range(n), size):
            inside = [edges[pair] for pair in combinations(clique, 2)]
            m.add(x[inside].sum() <= len(inside) - 1 if limit is None else x[inside].sum() >= limit)
    return m


def hamiltonian(graph: str, size: int) -> Model:
    """Orders of the vertices, from vertex 0, in which neighbours are joined: each cycle twice."""
    n, edges = build_graph(graph, size)
    joined = np.zeros((n, n), dtype=int)
    for a, b in edges:
        joined[a, b] = joined[b, a] = 1
    m = Model("Hamiltonian cycle")
    x = m.intvar(0, n - 1, shape=n, name="x")
    m += [AllDifferent(x), x[0] == 0]
    apart = [(a, b) for a in range(n) for b in range(n) if a != b and not joined[a, b]]
    for k in range(n):
        for a, b in apart:
            m.add((x[k] == a).implies(x[(k + 1) % n] != b))
    return m


def graceful(n: int) -> Model:
    """Labels 0..edges of the complete graph, differences of edges all different."""
    m = Model("graceful")
    first, second = np.triu_indices(n, 1)
    x = m.intvar(0, len(first), shape=n, name="x")
    m += [AllDifferent(x), AllDifferent(abs(x[first] - x[second]))]
    return m


MYCIELSKI = "Mycielski 1955"
GREENWOOD = "Greenwood and Gleason 1955"

INSTANCES = (
    Instance("Petersen graph, 3 colours", graph_colouring, "chromatic polynomial at 3", 120),
    Instance("Petersen graph, 2 colours", lambda: graph_colouring(colours=2), "chromatic number 3", 0),
    Instance("cycle of 9, 3 colours", lambda: graph_colouring("cycle", 9, 3), "Birkhoff 1912: 2^9 - 2", 510),
    Instance("Grotzsch's graph, 3 colours", lambda: graph_colouring("mycielski", 4, 3), MYCIELSKI, 0),
    Instance("Mycielski's graph 5, 4 colours", lambda: graph_colouring("mycielski", 5, 4), MYCIELSKI, 0),
    Instance("Mycielski's graph 6, 6 colours", lambda: graph_colouring("mycielski", 6, 6), MYCIELSKI),
    Instance(
        "queens' graph 5, 5 colours", lambda: graph_colouring("queens", 5, 5),
        "two modular squares, 5! each", 240,
    ),
    Instance("queens' graph 6, 6 colours", lambda: graph_colouring("queens", 6, 6), "OEIS A088202: 7", 0),
    Instance("queens' graph 7, 7 colours", lambda: graph_colouring("queens", 7, 7), "OEIS A088202: 7"),
    Instance("edges of 5 vertices, R(3,3)", lambda: ramsey(5, 3, 3), "the pentagon, 5!/10", 12),
    Instance("edges of 6 vertices, R(3,3)", lambda: ramsey(6, 3, 3), GREENWOOD, 0),
    Instance("edges of 8 vertices, R(3,4)", lambda: ramsey(8, 3, 4), GREENWOOD),
    Instance("edges of 9 vertices, R(3,4)", lambda: ramsey(9, 3, 4), GREENWOOD, 0, slow=QUESTIONS),
    Instance(
        "Petersen graph, Hamiltonian", lambda: hamiltonian("petersen", 5), "Petersen 1898", 0, slow=QUESTIONS
    ),
    Instance("graceful complete graph of 4", lambda: graceful(4), "Golomb 1972: one up to symmetry", 48),
    Instance("graceful complete graph of 5", lambda: graceful(5), "Golomb 1972", 0),
)  # fmt: skip
