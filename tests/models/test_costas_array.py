import pytest
from agreement import agree, complaints, solutions_verified
from each import each
from known_counts import COSTAS

from cpqueens.answers.symmetry import canonical, orbits
from cpqueens.problems import catalog


@each("n", range(1, 6))
def test_brute_force_solver_and_publication_agree(n: int) -> None:
    assert agree("costas_array", n=n) == COSTAS[n]


@pytest.mark.parametrize("n", [6, 7, pytest.param(8, marks=pytest.mark.slow)])
def test_published_counts(n: int) -> None:
    assert solutions_verified("costas_array", n=n) == COSTAS[n]


def test_the_declared_symmetries_map_the_solutions_onto_themselves() -> None:
    instance = catalog.find("costas_array").instance(n=5)
    rows = instance.model.enumerate(solver="cpsat").solutions.matrix
    assert orbits(rows, instance.symmetries()).total == COSTAS[5]
    assert {tuple(r) for r in canonical(rows).tolist()} <= {tuple(r) for r in rows.tolist()}


def test_verify_names_the_repeated_vector() -> None:
    assert complaints("costas_array", {"p": [0, 1, 2]}, n=3) == [
        "positions (0, 1) and (1, 2) have the same vector (1, 1)"
    ]
    assert complaints("costas_array", {"p": [0, 2, 1]}, n=3) == []
    assert complaints("costas_array", {"p": [0, 0, 1]}, n=3) == ["not a permutation of 0..2"]
