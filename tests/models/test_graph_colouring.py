import importlib
from math import perm

import pytest
from agreement import agree, complaints, solutions_verified
from each import each

from cpqueens import ModelError, Status
from cpqueens.problems import catalog

graphs = importlib.import_module("cpqueens.models.graph_colouring")


@pytest.mark.parametrize(
    ("graph", "size", "colours"),
    [("cycle", 5, 3), ("cycle", 4, 4), ("complete", 4, 4), ("mycielski", 3, 3), ("queens", 2, 4)],
)
def test_brute_force_and_solver_agree(graph: str, size: int, colours: int) -> None:
    assert agree("graph_colouring", graph=graph, size=size, colours=colours) > 0


@each("colours", [1, 2, 3, 4])
@each("size", [3, 4, 5, 6])
def test_chromatic_polynomials(size: int, colours: int) -> None:
    cycle = catalog.find("graph_colouring").instance(graph="cycle", size=size, colours=colours)
    assert cycle.model.count(solver="cpsat") == cycle.published().value  # type: ignore[union-attr]
    complete = catalog.find("graph_colouring").instance(graph="complete", size=size, colours=colours)
    assert complete.model.count(solver="cpsat") == perm(colours, size)


def test_the_petersen_graph() -> None:
    vertices, edges = graphs.build_graph("petersen", 5)
    assert (vertices, len(edges)) == (10, 15)
    assert [sum(v in edge for edge in edges) for v in range(10)] == [3] * 10
    assert solutions_verified("graph_colouring") == 120
    assert solutions_verified("graph_colouring", colours=2) == 0


@pytest.mark.parametrize(
    ("size", "vertices", "edges"), [(1, 1, 0), (2, 2, 1), (3, 5, 5), (4, 11, 20), (5, 23, 71)]
)
def test_mycielski_graphs_have_the_known_sizes_and_no_triangle(size: int, vertices: int, edges: int) -> None:
    found, links = graphs.build_graph("mycielski", size)
    assert (found, len(links)) == (vertices, edges)
    near = {v: {b for a, b in links if a == v} | {a for a, b in links if b == v} for v in range(found)}
    assert not any(near[a] & near[b] for a, b in links)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_mycielski_graphs_need_as_many_colours_as_their_number(size: int) -> None:
    problem = catalog.find("graph_colouring")
    few = problem.instance(graph="mycielski", size=size, colours=size - 1)
    assert few.published().value == 0  # type: ignore[union-attr]
    assert few.model.solve(solver="cpsat").status is Status.INFEASIBLE
    enough = problem.instance(graph="mycielski", size=size, colours=size)
    assert enough.model.solve(solver="cpsat").status is Status.FEASIBLE


def test_the_graph_of_a_queen() -> None:
    vertices, edges = graphs.build_graph("queens", 8)
    assert (vertices, len(edges)) == (64, 728)  # a queen's moves on the empty board, each counted once
    instance = catalog.find("graph_colouring").instance(graph="queens", size=5, colours=5)
    assert instance.model.solve(solver="cpsat").status is Status.FEASIBLE


def test_own_edges() -> None:
    path = catalog.load("graph_colouring", ["graph=edges", "size=3", "colours=2", "edges=[[0,1],[1,2]]"])
    assert path.model.count(solver="cpsat") == 2
    assert agree("graph_colouring", graph="edges", size=3, colours=3, edges=()) == 27


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"graph": "edges", "size": 2, "edges": ((0, 2),)}, r"\(0, 2\) is not a pair of different vertices"),
        ({"graph": "edges", "size": 2, "edges": ((1, 1),)}, r"\(1, 1\) is not a pair of different vertices"),
        ({"edges": ((0, 1),)}, "write graph=edges"),
        ({"size": 4}, "needs at least 5"),
        ({"graph": "cycle", "size": 2}, "at least 3"),
        ({"graph": "mycielski", "size": 13}, "up to 12"),
        ({"graph": "queens", "size": 41}, "up to 40"),
        ({"graph": "peterson"}, "did you mean 'petersen'"),
    ],
)
def test_what_is_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        catalog.find("graph_colouring").instance(**parameters)


def test_verify_names_the_edge() -> None:
    parameters = {"graph": "cycle", "size": 3}
    assert complaints("graph_colouring", {"colour": [0, 1, 2]}, **parameters) == []
    assert complaints("graph_colouring", {"colour": [0, 1, 1]}, **parameters) == [
        "vertices 1 and 2 have the same colour"
    ]
    assert complaints("graph_colouring", {"colour": [0, 1, 3]}, **parameters) == [
        "vertex 2 has no colour of 0..2"
    ]
    assert complaints("graph_colouring", {"colour": [0]}, **parameters) == ["1 vertices instead of 3"]
