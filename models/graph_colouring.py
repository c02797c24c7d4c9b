"""Graph colouring: the vertices of an edge get different colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Annotated, Any, Literal

import numpy as np

from cpqueens import Model, ModelError
from cpqueens.answers import groups
from cpqueens.answers.symmetry import Group
from cpqueens.language.views import Colouring
from cpqueens.problems.published import Published
from cpqueens.problems.signatures import Between, validated
from cpqueens.problems.viewpoints import by_booleans, unlike

Edges = tuple[tuple[int, int], ...]


@validated
def graph_colouring(
    graph: Literal["petersen", "mycielski", "queens", "cycle", "complete", "edges"] = "petersen",
    size: Annotated[int, Between(1, 1_000)] = 5,
    colours: Annotated[int, Between(1, 10_000)] = 3,
    edges: Edges = (),
    viewpoint: Literal["colours", "booleans"] = "colours",
) -> Model:
    """Colour the vertices of a graph so that adjacent ones differ.

    ``size`` is the number of outer vertices (petersen: the generalised Petersen graph GP(size, 2)), the
    chromatic number (mycielski), the side of the board (queens), or the number of vertices (cycle,
    complete, and edges, where the edges themselves are given as pairs of vertices from 0).

    ``viewpoint="booleans"`` also decides for each vertex and colour whether it has it, ``b[vertex, colour]``.

    Source: G. D. Birkhoff, *A determinant formula for the number of ways of coloring a map*, Annals of
    Mathematics 14 (1912); J. Mycielski, *Sur le coloriage des graphes*, Colloquium Mathematicum 3 (1955).

    >>> graph_colouring().count(solver="cpsat")
    120
    >>> graph_colouring("edges", 3, 2, edges=((0, 1), (1, 2), (0, 2))).solve(solver="cpsat").status.value
    'INFEASIBLE'
    """
    vertices, links = build_graph(graph, size, edges)
    m = Model("graph colouring")
    ends = np.array(links, dtype=int).reshape(-1, 2).T
    if viewpoint == "booleans":
        b, _ = by_booleans(m, "colour", 0, colours - 1, vertices)
        m += [b[first] + b[second] <= 1 for first, second in [ends] if links]
    else:
        colour = m.intvar(0, colours - 1, shape=vertices, name="colour")
        m += [colour[first] != colour[second] for first, second in [ends] if links]
    m.view = Colouring("colour", links)
    return m


def build_graph(graph: str, size: int, edges: Edges = ()) -> tuple[int, Edges]:
    """Return the number of vertices and the edges of a graph by name.

    Raises
    ------
    ModelError
        For edges that are not given with ``graph="edges"``, or that leave the vertices 0..size-1.
    """
    if graph == "edges":
        for a, b in edges:
            if not (0 <= a < size and 0 <= b < size and a != b):
                raise ModelError(f"edges: ({a}, {b}) is not a pair of different vertices of 0..{size - 1}")
        return size, edges
    if edges:
        raise ModelError(f"edges: given together with graph={graph}; write graph=edges")
    return GRAPHS[graph](size)


def _petersen(size: int) -> tuple[int, Edges]:
    """Return GP(size, 2) (Watkins 1969): an outer cycle, an inner star of steps of 2, and spokes."""
    if size < 5:
        raise ModelError(f"size: a generalised Petersen graph GP(size, 2) needs at least 5, got {size}")
    outer = [(i, (i + 1) % size) for i in range(size)]
    inner = [(size + i, size + (i + 2) % size) for i in range(size)]
    return 2 * size, (*outer, *((i, size + i) for i in range(size)), *inner)


def _mycielski(size: int) -> tuple[int, Edges]:
    """Return the triangle-free graph of chromatic number ``size`` (Mycielski 1955); 4 is Grotzsch's."""
    if size > 12:
        raise ModelError(f"size: Mycielski graphs are built up to 12, got {size}")
    if size == 1:
        return 1, ()
    vertices, edges = 2, [(0, 1)]
    for _ in range(size - 2):
        shadows = [(a, vertices + b) for a, b in edges] + [(b, vertices + a) for a, b in edges]
        edges += shadows + [(vertices + v, 2 * vertices) for v in range(vertices)]
        vertices = 2 * vertices + 1
    return vertices, tuple(edges)


def _queens(size: int) -> tuple[int, Edges]:
    """Return the squares of a board, joined where a queen goes from one to the other."""
    if size > 40:
        raise ModelError(f"size: graphs of a queen's moves are built up to 40, got {size}")
    squares = [divmod(square, size) for square in range(size * size)]
    lines = (
        (p, q)
        for (p, (a, b)), (q, (c, d)) in combinations(enumerate(squares), 2)
        if a == c or b == d or abs(a - c) == abs(b - d)
    )
    return size * size, tuple(lines)


def _cycle(size: int) -> tuple[int, Edges]:
    if size < 3:
        raise ModelError(f"size: a cycle needs at least 3 vertices, got {size}")
    return size, tuple((i, (i + 1) % size) for i in range(size))


def _complete(size: int) -> tuple[int, Edges]:
    return size, tuple(combinations(range(size), 2))


GRAPHS: dict[str, Callable[[int], tuple[int, Edges]]] = {
    "petersen": _petersen,
    "mycielski": _mycielski,
    "queens": _queens,
    "cycle": _cycle,
    "complete": _complete,
}


def symmetries(graph: str, size: int, colours: int, edges: Edges = (), viewpoint: str = "colours") -> Group:
    """Return those of the colours; graphs have their own, which are not looked for."""
    return groups.generated(groups.values(0, colours)) if viewpoint == "colours" else ()


published = (
    Published("solutions", 120, "chromatic polynomial of the Petersen graph at 3"),
    Published("solutions", 0, "chromatic number of the Petersen graph: 3", {"colours": 2}),
    *(
        Published("solutions", 0, "Mycielski 1955", {"graph": "mycielski", "size": size, "colours": size - 1})
        for size in range(2, 8)
    ),
    *(
        Published(
            "solutions",
            (colours - 1) ** size + (-1) ** size * (colours - 1),
            "chromatic polynomial of a cycle (Birkhoff 1912)",
            {"graph": "cycle", "size": size, "colours": colours},
        )
        for size in range(3, 13)
        for colours in range(1, 6)
    ),
)


def verify(
    solution: Mapping[str, Any],
    graph: str = "petersen",
    size: int = 5,
    colours: int = 3,
    edges: Edges = (),
    viewpoint: str = "colours",
) -> list[str]:
    """Return what is wrong with the colours ``solution["colour"]``."""
    vertices, links = build_graph(graph, size, edges)
    colour = [int(value) for value in solution["colour"]]
    if len(colour) != vertices:
        return [f"{len(colour)} vertices instead of {vertices}"]
    wrong = [
        f"vertex {v} has no colour of 0..{colours - 1}" for v, c in enumerate(colour) if not 0 <= c < colours
    ]
    wrong += unlike(solution, "colour", 0) if viewpoint == "booleans" else []
    return wrong + [f"vertices {a} and {b} have the same colour" for a, b in links if colour[a] == colour[b]]
