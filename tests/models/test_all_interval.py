import pytest
from agreement import agree, complaints, solutions_verified
from each import each
from known_counts import ALL_INTERVAL

from cpqueens.problems import catalog


@each("n", range(1, 7))
def test_brute_force_solver_and_publication_agree(n: int) -> None:
    assert agree("all_interval", n=n) == ALL_INTERVAL[n]


@pytest.mark.parametrize("n", [7, 8, pytest.param(9, marks=pytest.mark.slow)])
def test_published_counts(n: int) -> None:
    assert solutions_verified("all_interval", n=n) == ALL_INTERVAL[n]


def test_the_declared_symmetries_map_the_solutions_onto_themselves() -> None:
    instance = catalog.find("all_interval").instance(n=6)
    rows = instance.model.enumerate(solver="cpsat").solutions.matrix
    known = {tuple(r) for r in rows.tolist()}
    for symmetry in instance.symmetries():
        assert {tuple(r) for r in symmetry(rows).tolist()} == known


def test_verify_names_the_interval() -> None:
    assert complaints("all_interval", {"x": [1, 2, 0]}, n=3) == []
    assert complaints("all_interval", {"x": [0, 1, 2]}, n=3) == ["the interval 1 occurs 2 times"]
    assert complaints("all_interval", {"x": [0, 1, 1]}, n=3) == ["not a permutation of 0..2"]
