"""The problems of the library: brute force, published values, faults that are named, what is refused."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np
import pytest
from agreement import agree, by_solver, complaints
from each import each
from library import LIBRARY

from cpqueens import ModelError, Status, compare
from cpqueens.problems import catalog


@each("name", LIBRARY)
def test_every_assignment_of_small_instances(name: str) -> None:
    for parameters, known in LIBRARY[name].small:
        assert agree(name, **parameters) == known or known is None


@each("name", LIBRARY)
def test_published_values(name: str) -> None:
    row, problem = LIBRARY[name], catalog.find(name)
    for entry in problem.published:
        if entry.what == "fundamental" or entry.value > row.value or entry.parameters in row.heavy:
            continue  # classes are counted in `test_symmetries.py`
        instance = problem.instance(**entry.parameters)
        if entry.what == "optimum":
            outcome = instance.model.solve(solver="cpsat")
            assert (outcome.status, outcome.objective) == (Status.OPTIMAL, entry.value), entry
        else:
            outcome = instance.model.enumerate(solver="cpsat")
            assert (outcome.complete, outcome.count) == (True, entry.value), entry
        assert not any(instance.verify(s.as_dict()) for s in outcome.solutions), entry


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n"),
    [("dominating_queens", n) for n in (7, 8, 9, 10)] + [("knights", 9), ("knights", 10), ("still_life", 7)],
)
def test_published_optima_that_need_the_linear_relaxation(name: str, n: int) -> None:
    instance = catalog.find(name).instance(n=n)
    published = instance.published("optimum")
    assert published is not None
    outcome = instance.model.solve(solver="cpsat", linearization_level=2)
    assert (outcome.status, outcome.objective) == (Status.OPTIMAL, published.value)


@each("name", LIBRARY)
def test_faults_are_named_and_bad_parameters_refused_in_one_line(name: str) -> None:
    for solution, parameters, part in LIBRARY[name].faults:
        assert any(part in complaint for complaint in complaints(name, solution, **parameters)), part
    for parameters, part in LIBRARY[name].refused:
        with pytest.raises(ModelError) as caught:
            catalog.find(name).instance(**parameters)
        assert part in str(caught.value)
        assert str(caught.value).startswith(f"{name}: ")
        assert "\n" not in str(caught.value)


BAD: tuple[Any, ...] = (
    None, -1, 0, 3, 2**63, -(2**70), 1.5, float("nan"), True, "", "A\nB", "\x1b[31m", b"x", {"a": 1},
    object(),
    (), ((),), [[1, 2], [3]], ((-1, 2),), ((0, 0), (0, 0)), ((1, "a"),), ("AA", "BB"), ("AB", "A"), ("\x1b",),
    (0,), (-5,), (10**12,), ((10**12,),), (((0, 0),),), (((0, 10**9),),), ((1, (1,), ()),), ((1, (), ()),),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", catalog.names())
def test_every_parameter_takes_a_bad_value_or_refuses_it_in_one_line(name: str) -> None:
    for parameter, value in itertools.product(catalog.find(name).parameters, BAD):
        said = refusal(name, parameter, value)
        assert said == "" or (said.startswith(f"{name}: ") and said.isprintable() and len(said) < 400)
        assert "Error:" not in said


def refusal(name: str, parameter: str, value: object) -> str:
    """Return why a value is refused, "" if it is not."""
    try:
        catalog.find(name).instance(**{parameter: value})
    except ModelError as error:
        return str(error)
    return ""


def test_the_shortest_trip_is_that_of_all_orders() -> None:
    problem = catalog.find("travelling_salesman")
    distances, _ = problem.module.roads("random", 6, 3)
    trips = ((0, *order) for order in itertools.permutations(range(1, 6)))
    shortest = min(sum(distances[t[k - 1]][t[k]] for k in range(6)) for t in trips)
    assert problem.instance(cities=6, seed=3).model.solve(solver="cpsat").objective == shortest


def test_latin_queens_are_disjoint_solutions() -> None:
    """Boards of five colours are sets of five disjoint solutions of the queens; colours have names there."""
    rows = catalog.find("queens").instance(n=5).model.enumerate(solver="cpsat").solutions.matrix
    boards = [
        five
        for five in itertools.combinations(rows, 5)
        if all(len(set(column)) == 5 for column in np.array(five).T)
    ]
    assert len(boards) == catalog.find("latin_queens").instance(n=5).model.count(solver="cpsat")


def test_a_square_with_holes_is_given_by_its_seed() -> None:
    problem = catalog.find("quasigroup_completion")
    drawn = [problem.module.given_cells(6, 12, seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(drawn[0][0]) == 24


def test_bins_at_hand_are_enough() -> None:
    shuffle = random.Random(0)
    first_fit = catalog.find("bin_packing").module.first_fit
    for _ in range(50):
        weights = tuple(shuffle.randint(1, 10) for _ in range(shuffle.randint(1, 12)))
        assert math.ceil(sum(weights) / 10) <= first_fit(weights, 10) <= len(weights)
    assert first_fit((6, 6, 4, 4), 10) == 2


PAIR = {"instance": "own", "jobs": (((0, 2), (1, 1)), ((1, 1), (0, 1)))}
PROJECT = {
    "instance": "own",
    "activities": ((2, (1,), (3,)), (1, (1,), (3,)), (0, (0,), ())),
    "capacities": (1,),
}

VIEWPOINTS: dict[tuple[str, str], tuple[dict[str, Any], dict[str, Any]]] = {
    ("all_interval", "dual"): ({"n": 5}, {"n": 3}),
    ("bin_packing", "booleans"): (
        {"weights": (5, 4, 3, 3, 2), "capacity": 7}, {"weights": (3, 2), "capacity": 4},
    ),
    ("car_sequencing", "booleans"): (
        {"demand": (2, 1, 1), "options": ((1, 0, 1), (0, 1, 1)), "windows": ((2, 3), (2, 3))},
        {"demand": (1, 1), "options": ((1, 0),), "windows": ((1, 2),)},
    ),
    ("costas_array", "dual"): ({"n": 6}, {"n": 3}),
    ("golomb_ruler", "distances"): ({"marks": 4}, {"marks": 2}),
    ("graph_colouring", "booleans"): ({}, {"graph": "cycle", "size": 3, "colours": 2}),
    ("job_shop", "orders"): (PAIR, PAIR),
    ("knights_tour", "order"): ({"rows": 3, "columns": 4, "closed": False}, {"rows": 1, "columns": 2}),
    ("langford", "dual"): ({"n": 4}, {"n": 1}),
    ("latin_queens", "booleans"): ({"n": 5}, {"n": 2}),
    ("latin_square", "booleans"): ({"n": 4, "fixed": "row"}, {"n": 2}),
    ("latin_square", "dual"): ({"n": 4, "fixed": "row"}, {"n": 2}),
    ("magic_square", "booleans"): ({"n": 3}, {"n": 1}),
    ("magic_square", "dual"): ({"n": 3}, {"n": 2}),
    ("nonogram", "places"): (
        {"rows": ((1,), (2,), ()), "columns": ((1,), (2,), ())}, {"rows": ((1,), (1,)), "columns": ((2,),)},
    ),
    ("project_scheduling", "times"): (PROJECT, {**PROJECT, "activities": ((1, (1,), (2,)), (0, (0,), ()))}),
    ("quasigroup_completion", "booleans"): ({"n": 4, "holes": 12}, {"n": 2, "holes": 3}),
    ("quasigroup_completion", "dual"): ({"n": 4, "holes": 12}, {"n": 2, "holes": 3}),
    ("queens", "booleans"): ({"n": 6}, {"n": 4}),
    ("queens", "dual"): ({"n": 6, "given": ((0, 1),), "blocked": ((5, 5),)}, {"n": 4}),
    ("social_golfers", "booleans"): (
        {"groups": 2, "size": 2, "weeks": 3}, {"groups": 2, "size": 1, "weeks": 2},
    ),
    ("star_battle", "rows"): (
        {"regions": ("AAAAA", "BBBBB", "CCCCC", "DDDDD", "EEEEE")}, {"regions": ("AB", "AB")},
    ),
    ("sudoku", "booleans"): ({"clues": "1234" + "." * 12, "box": 2}, {"clues": "", "box": 1}),
    ("sudoku", "dual"): ({"clues": "1234" + "." * 12, "box": 2}, {"clues": "", "box": 1}),
    ("travelling_salesman", "order"): ({"cities": 5}, {"cities": 3}),
}  # fmt: skip
"""An instance to be compared with the first viewpoint, and one of which every assignment can be tried."""


def test_every_viewpoint_is_compared() -> None:
    told = {
        (name, viewpoint)
        for name in catalog.names()
        if catalog.VIEWPOINT in catalog.find(name).parameters
        for viewpoint in catalog.find(name).parameters[catalog.VIEWPOINT].choices[1:]
    }
    assert told == VIEWPOINTS.keys()


@pytest.mark.parametrize(
    ("name", "viewpoint"),
    [pytest.param(*both, marks=pytest.mark.slow if both[0] == "knights_tour" else ()) for both in VIEWPOINTS],
)
def test_viewpoints_have_the_same_solutions(name: str, viewpoint: str) -> None:
    """`compare` proves it, both lists are the same, and ``verify`` accepts what brute force accepts."""
    problem, (given, tiny) = catalog.find(name), VIEWPOINTS[name, viewpoint]
    plain, other = problem.instance(**given), problem.instance(**given, viewpoint=viewpoint)
    shared = {block.name for block in plain.model.blocks} & {block.name for block in other.model.blocks}
    mapping = None if shared else {"q": other.model["x"] @ np.arange(6)}
    assert compare(plain.model, other.model, mapping=mapping, time_limit=600).verdict == "EQUAL"
    found = other.model.enumerate(solver="cpsat").solutions
    assert not any(other.verify(s.as_dict()) for s in found)
    assert plain.model.count(solver="cpsat") == len(found) > 0
    assert plain.published() == other.published()
    assert f"viewpoint={viewpoint}" in other.title
    assert "viewpoint" not in plain.title
    agree(name, **tiny, viewpoint=viewpoint)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "viewpoint"), [both for both in VIEWPOINTS if both[0] != "knights_tour"])
def test_viewpoints_on_every_exact_backend(name: str, viewpoint: str) -> None:
    """Tours by their order take others than CP-SAT minutes on the smallest board that has one."""
    given, _ = VIEWPOINTS[name, viewpoint]
    instance = catalog.find(name).instance(**given, viewpoint=viewpoint)
    sets = [by_solver(instance, solver) for solver in ("cpsat", "backtracking", "python-constraint")]
    assert sets[0] == sets[1] == sets[2]


def test_verify_names_what_does_not_fit_together() -> None:
    assert complaints("queens", {"x": [[0, 1], [0, 0]]}, n=2, viewpoint="booleans") == [
        "not one queen in each row"
    ]
    assert complaints("queens", {"q": [1, 3, 0, 2], "p": [0, 1, 2, 3]}, n=4, viewpoint="dual") == [
        "rows of columns and columns of rows do not fit together"
    ]
    assert complaints("latin_square", {"x": [[0]], "y": [[1]]}, n=1, viewpoint="dual") == [
        "the places of the numbers are not those of the square"
    ]
    assert complaints("langford", {"p": [1, 2, 0], "copy": [0] * 6}, n=3, viewpoint="dual") == [
        "the copies do not stand at their places"
    ]
