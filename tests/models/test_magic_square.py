import itertools

import pytest
from agreement import agree, by_solver, complaints, raw, solutions_verified
from known_counts import MAGIC_SQUARES

from cpqueens.answers.symmetry import fundamental
from cpqueens.problems import catalog

LO_SHU = [[2, 7, 6], [9, 5, 1], [4, 3, 8]]


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("normal", [False, True])
def test_brute_force_and_solver_agree(n: int, normal: bool) -> None:
    assert agree("magic_square", n=n, normal=normal) == MAGIC_SQUARES[n]


@pytest.mark.parametrize("normal", [False, True])
def test_all_permutations_for_three_by_three(normal: bool) -> None:
    instance = catalog.find("magic_square").instance(n=3, normal=normal)
    rows = (row for row in itertools.permutations(range(1, 10)) if sum(row[:3]) == sum(row[3:6]) == 15)
    expected = {row for row in rows if not instance.verify(raw(instance, row))}
    assert by_solver(instance) == expected
    assert len(expected) == (1 if normal else 8) * MAGIC_SQUARES[3]


def test_the_eight_squares_are_one_up_to_symmetry() -> None:
    instance = catalog.find("magic_square").instance(n=3)
    rows = instance.model.enumerate(solver="cpsat").solutions.matrix
    assert len(fundamental(rows, instance.symmetries())) == MAGIC_SQUARES[3]
    assert catalog.find("magic_square").instance(normal=True).symmetries() == ()


@pytest.mark.slow
def test_published_count_for_four_by_four() -> None:
    assert solutions_verified("magic_square", n=4, normal=True) == MAGIC_SQUARES[4]


def test_verify_names_the_lines() -> None:
    assert complaints("magic_square", {"x": LO_SHU}, n=3) == []
    assert complaints("magic_square", {"x": LO_SHU}, n=3, normal=True) == []
    assert complaints("magic_square", {"x": LO_SHU[::-1]}, n=3, normal=True) == [
        "not in Frenicle's normal form"
    ]
    swapped = [[7, 2, 6], *LO_SHU[1:]]
    assert complaints("magic_square", {"x": swapped}, n=3) == [
        "column 0 sums to 20, not 15",
        "column 1 sums to 10, not 15",
        "falling diagonal sums to 20, not 15",
    ]
    assert complaints("magic_square", {"x": [[1, 1], [1, 1]]}, n=2) == ["not the numbers 1..4, each once"]
