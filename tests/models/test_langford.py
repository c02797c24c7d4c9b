import pytest
from agreement import agree, complaints, solutions_verified
from each import each
from known_counts import LANGFORD

from cpqueens.answers.symmetry import fundamental
from cpqueens.problems import catalog


@each("n", [1, 2, 3, 4])
@each("one_direction", [False, True])
def test_brute_force_and_solver_agree(n: int, one_direction: bool) -> None:
    directions = 1 if one_direction else 2
    assert agree("langford", n=n, one_direction=one_direction) == directions * LANGFORD.get(n, 0)


@pytest.mark.parametrize("n", [5, 6, 7])
def test_published_counts(n: int) -> None:
    assert solutions_verified("langford", n=n) == 2 * LANGFORD[n]
    assert solutions_verified("langford", n=n, one_direction=True) == LANGFORD[n]


def test_the_declared_symmetry_is_the_reversal() -> None:
    instance = catalog.find("langford").instance(n=7)
    rows = instance.model.enumerate(solver="cpsat").solutions.matrix
    assert len(fundamental(rows, instance.symmetries())) == LANGFORD[7]
    reversed_rows = instance.symmetries()[1](rows)
    assert {tuple(r) for r in reversed_rows.tolist()} == {tuple(r) for r in rows.tolist()}
    assert catalog.find("langford").instance(one_direction=True).symmetries() == ()


def test_verify_names_places() -> None:
    assert complaints("langford", {"p": [1, 2, 0]}, n=3) == []  # 3 1 2 1 3 2
    assert complaints("langford", {"p": [2, 0, 1]}, n=3) == []  # 2 3 1 2 1 3
    backwards = [complaints("langford", {"p": p}, n=3, one_direction=True) for p in ([1, 2, 0], [2, 0, 1])]
    assert sorted(backwards) == [[], ["the reversal is meant"]]
    assert complaints("langford", {"p": [0, 0]}, n=2) == ["numbers 1 and 2 stand at place 0"]
    assert complaints("langford", {"p": [5]}, n=1) == [
        "number 1 stands at place 5, outside 0..1",
        "number 1 stands at place 7, outside 0..1",
    ]
    assert "1 numbers instead of 2" in complaints("langford", {"p": [0]}, n=2)
