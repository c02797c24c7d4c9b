"""Which models are searched with AllDifferents over sums, and that they mean the same."""

from __future__ import annotations

import random

import numpy as np
import pytest
from cpqueens.models.costas_array import costas_array
from cpqueens.models.graph_colouring import graph_colouring
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens
from seeds import seeds

from cpqueens import AllDifferent, Model, Status, UnsupportedConstraint
from cpqueens.crosscheck import oracle
from cpqueens.lowered.forms import DECOMPOSED, compiled_of
from cpqueens.lowered.structures.table import find


def random_model(seed: int) -> Model:
    """Return AllDifferents over differences and sums, disequalities, conditions on one variable, holes."""
    source = random.Random(seed)
    n, low = source.randint(2, 5), source.randint(-9, 9)
    m = Model("sums")
    if source.random() < 0.3:
        x = m.intvar(domain=sorted(source.sample(range(low, low + 30), 4)), shape=n, name="x")
    else:
        x = m.intvar(low, low + source.randint(1, 5), shape=n, name="x")
    for _ in range(source.randint(1, 2)):
        terms = []
        for _ in range(source.randint(3, 5)):
            i, j = source.sample(range(n), 2)
            first, last = source.choice([-3, -1, 1, 2]), source.choice([-1, 1])
            terms.append(first * x[min(i, j)] + last * x[max(i, j)] + source.randint(-20, 20))
        m.add(AllDifferent(terms))
    if source.random() < 0.5:
        m.add(x[0] + 2 * x[1] - x[n - 1] != source.randint(-5, 5))
    if source.random() < 0.5:
        m.add(2 * x[source.randrange(n)] >= 2 * low + 1)
    return m


@seeds(range(60))
def test_agrees_with_brute_force(seed: int) -> None:
    m = random_model(seed)
    truth = [tuple(row) for row in oracle.solve(m).solutions.tolist()]
    outcome = m.enumerate(solver="backtracking:sums") if fits(m) else m.enumerate(solver="backtracking")
    assert [tuple(row) for row in outcome.solutions.matrix.tolist()] == sorted(truth)
    assert outcome.complete
    for workers in (1, 2):
        assert m.count(solver="backtracking", num_workers=workers) == len(truth)


def fits(model: Model) -> bool:
    return find("sum_board", compiled_of(model, DECOMPOSED)) is not None


def test_most_random_models_fit() -> None:
    assert sum(fits(random_model(seed)) for seed in range(60)) > 40


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (costas_array(6), True),
        (queens(6), True),
        (magic_square(3), False),  # sums that are not AllDifferents
        (graph_colouring("cycle", 6, 3), False),  # disequalities alone
    ],
)
def test_what_fits(model: Model, expected: bool) -> None:
    assert fits(model) is expected


def test_a_last_coefficient_of_two_does_not_fit() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    m.add(AllDifferent([x[0] + 2 * x[1], x[1] - 2 * x[2], x[2]]))
    assert not fits(m)
    with pytest.raises(UnsupportedConstraint, match="backtracking:sums needs AllDifferents over sums"):
        m.enumerate(solver="backtracking:sums")


def test_auto_lists_costas_arrays_by_sums_and_says_so() -> None:
    m = costas_array(7)
    outcome = m.enumerate(solver="backtracking")
    assert (outcome.statistics["strategy"], outcome.count) == ("sums", 200)
    rows = outcome.solutions.matrix
    again = m.enumerate(solver="backtracking", after={"p": rows[120].tolist()})
    assert np.array_equal(again.solutions.matrix, rows[121:])
    other = m.enumerate(solver="backtracking:forward")
    assert np.array_equal(other.solutions.matrix, rows)


def test_limits_end_it_and_are_told() -> None:
    outcome = costas_array(13).enumerate(solver="backtracking", step_limit=5_000)
    assert (outcome.status, outcome.complete) in [(Status.FEASIBLE, False), (Status.UNKNOWN, False)]
    assert outcome.statistics["nodes"] <= 5_020  # and a few
