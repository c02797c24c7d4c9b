"""Orbits counted as solutions come: published numbers, the sum of sizes, classes, what breaks symmetries."""

import numpy as np
import pytest
from each import each
from known_counts import QUEENS, QUEENS_FIXED_BY_90, QUEENS_FIXED_BY_180, QUEENS_FUNDAMENTAL

from cpqueens import AllDifferent, Model, ModelError
from cpqueens.answers.symmetry import (
    CELL_BOARD,
    PERMUTATIONS,
    QUEENS_BOARD,
    Group,
    OrbitTally,
    lex_leader,
    orbits,
    symmetry_class,
)
from cpqueens.problems import catalog


@each("n", [4, 5, 6, 7, 8, 9])
def test_orbits_of_queens_by_every_published_sequence(n: int) -> None:
    rows = catalog.find("queens").instance(n=n).model.enumerate(solver="backtracking").solutions.matrix
    tally = OrbitTally(QUEENS_BOARD)
    for part in np.array_split(rows, 3):
        tally.take(part)
    assert (tally.orbits, tally.total) == (QUEENS_FUNDAMENTAL[n], QUEENS[n])
    assert tally.total == tally.solutions
    classes = [symmetry_class(row, QUEENS_BOARD) for row in rows]
    assert sum("rotation by 180" in names for names in classes) == QUEENS_FIXED_BY_180[n]
    assert sum("rotation by 90" in names for names in classes) == QUEENS_FIXED_BY_90[n]


def test_a_missing_solution_is_seen_by_the_sum() -> None:
    rows = catalog.find("queens").instance(n=6).model.enumerate(solver="backtracking").solutions.matrix
    for k in range(len(rows)):
        tally = OrbitTally(QUEENS_BOARD)
        tally.take(np.delete(rows, k, axis=0))
        assert tally.total != tally.solutions


def cells(n: int) -> Model:
    m = Model("rooks")
    x = m.boolvar(shape=(n, n), name="x")
    m.add(x.sum(axis=0) == 1, x.sum(axis=1) == 1)
    return m


def permutations(n: int) -> Model:
    m = Model("permutations")
    m += AllDifferent(m.intvar(0, n - 1, shape=n, name="x"))
    return m


@pytest.mark.parametrize(("build", "group"), [(cells, CELL_BOARD), (permutations, PERMUTATIONS)])
def test_lex_leaders_keep_one_of_each_orbit(build: type, group: Group) -> None:
    whole, broken = build(4), build(4)
    broken.add(lex_leader(broken["x"], group))
    rows = broken.enumerate(solver="cpsat").solutions.matrix
    assert orbits(rows, group).total == whole.count(solver="cpsat") == 24
    all_rows = whole.enumerate(solver="cpsat").solutions.matrix
    assert len(rows) == len(orbits(all_rows, group).sizes)


def test_what_is_no_map_of_terms_is_refused() -> None:
    with pytest.raises(
        ModelError, match="rotation by 90 is not a map of terms; state the model square by square"
    ):
        lex_leader(permutations(4)["x"], QUEENS_BOARD)
