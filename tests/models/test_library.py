"""The problems of the library: brute force, published values, faults that are named, what is refused."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from agreement import agree, complaints
from library import LIBRARY

from cpqueens import ModelError, Status
from cpqueens.answers.symmetry import orbits
from cpqueens.problems import catalog


@pytest.mark.parametrize("name", LIBRARY)
def test_every_assignment_of_small_instances(name: str) -> None:
    for parameters, known in LIBRARY[name].small:
        assert agree(name, **parameters) == known or known is None


@pytest.mark.parametrize("name", LIBRARY)
def test_published_values(name: str) -> None:
    row, problem = LIBRARY[name], catalog.find(name)
    for entry in problem.published:
        if entry.value > row.value or entry.parameters in row.heavy:
            continue
        instance = problem.instance(**entry.parameters)
        if entry.what == "optimum":
            outcome = instance.model.solve(solver="cpsat")
            assert (outcome.status, outcome.objective) == (Status.OPTIMAL, entry.value), entry
        else:
            outcome = instance.model.enumerate(solver="cpsat")
            assert (outcome.complete, outcome.count) == (True, entry.value), entry
        assert not any(instance.verify(s.as_dict()) for s in outcome.solutions), entry


@pytest.mark.parametrize("name", LIBRARY)
def test_faults_are_named_and_bad_parameters_refused_in_one_line(name: str) -> None:
    for solution, parameters, part in LIBRARY[name].faults:
        assert any(part in complaint for complaint in complaints(name, solution, **parameters)), part
    for parameters, part in LIBRARY[name].refused:
        with pytest.raises(ModelError) as caught:
            catalog.find(name).instance(**parameters)
        assert part in str(caught.value)
        assert str(caught.value).startswith(f"{name}: ")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", [n for n in LIBRARY if hasattr(catalog.find(n).module, "symmetries")])
def test_declared_symmetries_map_solutions_onto_solutions(name: str) -> None:
    instance = catalog.find(name).instance(**LIBRARY[name].small[-1][0])
    rows = instance.model.enumerate(solver="cpsat").solutions.matrix
    assert orbits(rows, instance.symmetries()).total == len(rows)


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
