"""What a search by python-constraint must not do without: sums and AllDifferents that prune ahead."""

from __future__ import annotations

import numpy as np
import pytest

from cpqueens import AllDifferent, Model
from cpqueens.puzzles.generating import model_of
from cpqueens.puzzles.puzzle import Puzzle

SOLVER = "python-constraint"


def test_sums_leave_no_value_to_be_tried_in_vain() -> None:
    model = Model()
    x = model.intvar(0, 30, shape=5, name="x")
    model.add(x @ np.array([1, 5, 10, 20, 50]) == 97)
    outcome = model.enumerate(solver=SOLVER)
    assert outcome.count == 188
    assert outcome.statistics["nodes"] < 1000


@pytest.mark.parametrize("scale", [1, -1])
def test_a_sum_over_wide_domains_is_pruned_at_the_root(scale: int) -> None:
    model = Model()
    x = model.intvar(0, 10**5, shape=3, name="x")
    model.add(scale * (2 * x[0] + 3 * x[1] + 5 * x[2]) == scale * 12)
    outcome = model.enumerate(solver=SOLVER)
    found = {tuple(row) for row in outcome.solutions.matrix.tolist()}
    assert found == {(6, 0, 0), (3, 2, 0), (0, 4, 0), (2, 1, 1), (1, 0, 2)}
    assert outcome.statistics["nodes"] < 100


def test_diagonals_are_hidden_from_open_queens() -> None:
    model = Model()
    n = 30
    q, i = model.intvar(0, n - 1, shape=n, name="q"), np.arange(n)
    model += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    assert model.solve(solver=SOLVER).statistics["nodes"] < 1000


def test_differences_of_two_variables_are_hidden() -> None:
    model = Model("golomb")
    x = model.intvar(0, 17, shape=6, name="x")
    first, second = np.triu_indices(6, 1)
    model += [x[0] == 0, x[:-1] < x[1:], AllDifferent(x[second] - x[first])]
    outcome = model.enumerate(solver=SOLVER)
    assert outcome.count == 8  # OEIS A036501: 4, and their mirror images
    assert outcome.statistics["nodes"] < 5000


@pytest.mark.parametrize("relation", ["__eq__", "__ne__"])
def test_two_variables_are_compared_by_the_library(relation: str) -> None:
    model = Model()
    x = model.intvar(0, 2, shape=2, name="x")
    model.add(getattr(x[0], relation)(x[1]))
    outcome = model.enumerate(solver=SOLVER)
    assert outcome.count == {"__eq__": 3, "__ne__": 6}[relation]
    assert outcome.statistics["constraints"] == ["native"]


TWO_STARS = "CCCDDDDDA CCDDCCEAA FCCDCEEEA FCCCCCCEA FFCHHGCCA FFHHHGGAA FIHHHGAAA IIHHGGGAB IIIHHHBBB"


def test_the_squares_at_the_edges_do_not_wait_to_the_end() -> None:
    """In the library's order, with its sums, this takes more than 500,000 values."""
    outcome = model_of(Puzzle(9, tuple(TWO_STARS.split()), 2)).enumerate(solver=SOLVER)
    assert (outcome.count, outcome.complete) == (1, True)
    assert outcome.statistics["nodes"] < 5000


def test_of_equal_domains_the_variable_in_the_most_constraints_goes_first() -> None:
    """A star of 12 differences: only its middle leaves nothing to be tried in vain."""
    model = Model("star")
    x = model.intvar(0, 2, shape=13, name="x")
    model.add(x[:12] + x[12] == 2)
    outcome = model.enumerate(solver=SOLVER)
    assert outcome.count == 3
    assert outcome.statistics["nodes"] == 3 * 13
