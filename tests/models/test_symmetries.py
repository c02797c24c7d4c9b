"""Declared symmetries: each image of a solution passes the problem's own check, and the orbits add up."""

from __future__ import annotations

from typing import Any

import pytest
from agreement import raw
from each import each

from cpqueens.answers.symmetry import OrbitTally
from cpqueens.problems import catalog

SMALL: dict[str, tuple[dict[str, Any], ...]] = {
    "all_interval": ({"n": 5},),
    "bishops": ({"n": 3, "pieces": 3},),
    "block_design": ({"v": 3, "k": 2, "ordered": "none"}, {}, {"v": 3, "k": 2, "ordered": "both"}),
    "costas_array": ({"n": 5},),
    "dominating_queens": ({"n": 3},),
    "graph_colouring": ({"graph": "cycle", "size": 5}, {"graph": "cycle", "size": 3, "colours": 1}),
    "independent_queens": ({"n": 4, "pieces": 2},),
    "kings": ({"n": 3}, {"n": 4, "pieces": 4}),
    "knights": ({"n": 3},),
    "knights_tour": (
        {"rows": 3, "columns": 4, "closed": False}, {"rows": 3, "columns": 10}, {"rows": 1, "columns": 1},
    ),
    "langford": ({"n": 7}, {"n": 4, "one_direction": True}),
    "latin_queens": ({"n": 5}, {"n": 7}),
    "latin_square": ({"n": 1}, {"n": 2}, {"n": 4}, {"n": 3, "fixed": "row"}),
    "magic_square": ({"n": 3}, {"n": 3, "normal": True}),
    "peaceable_queens": ({"n": 3}, {"n": 4}),
    "quasigroup_completion": ({"n": 3, "holes": 9}, {"n": 4, "holes": 8}),
    "queens": ({"n": 0}, {"n": 6}, {"n": 5, "viewpoint": "booleans"}, {"n": 5, "given": ((0, 0),)}),
    "queens_no_three_in_line": ({"n": 8},),
    "rectangular_queens": ({"rows": 3, "columns": 5}, {"rows": 5, "columns": 5}, {"rows": 0, "columns": 2}),
    "rooks": ({"n": 4},),
    "social_golfers": ({"groups": 3, "size": 2, "weeks": 5},),
    "still_life": ({"n": 3},),
    "sudoku": ({"clues": "", "box": 2}, {"clues": "", "box": 1}, {}),
    "superqueens": ({"n": 10}, {"n": 11}),
    "toroidal_queens": ({"n": 1}, {"n": 5}, {"n": 7}),
}  # fmt: skip


@each("name", SMALL)
def test_a_declared_group_maps_solutions_to_solutions_and_its_orbits_add_up(name: str) -> None:
    orbits = []
    for parameters in SMALL[name]:
        instance = catalog.find(name).instance(**parameters)
        group = instance.symmetries()
        found = instance.model.enumerate(solver="cpsat").solutions.matrix
        every = {tuple(row) for row in found.tolist()}
        for symmetry in group:
            images = {tuple(row) for row in symmetry(found).tolist()} if len(found) else set()
            assert images == every, symmetry.name
            assert not any(instance.verify(raw(instance, row)) for row in images), symmetry.name
        tally = OrbitTally(group)
        tally.take(found)
        assert tally.total == (len(found) if group else tally.orbits)
        published = instance.published("fundamental")
        assert not group or published is None or published.value == tally.orbits
        orbits.append(len(group))
    assert max(orbits) > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("block_design", {"v": 9}),
        ("latin_square", {"n": 5}),
        ("social_golfers", {"weeks": 4}),
        ("toroidal_queens", {"n": 11}),
        ("toroidal_queens", {"n": 13}),
    ],
)
def test_published_classes_of_larger_ones(name: str, parameters: dict[str, Any]) -> None:
    instance = catalog.find(name).instance(**parameters)
    published = instance.published("fundamental")
    found = instance.model.enumerate(solver="backtracking").solutions.matrix
    assert published is not None
    tally = OrbitTally(instance.symmetries())
    tally.take(found)
    assert (tally.orbits, tally.total) == (published.value, len(found))


def test_every_problem_that_declares_symmetries_is_tested() -> None:
    declared = {n for n in catalog.names() if hasattr(catalog.find(n).module, "symmetries")}
    assert declared == SMALL.keys()
