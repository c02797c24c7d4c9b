import pytest
from agreement import agree, complaints, solutions_verified
from each import each
from known_counts import SUPERQUEENS


@each("n", range(2, 7))
def test_brute_force_solver_and_publication_agree(n: int) -> None:
    assert agree("superqueens", n=n) == SUPERQUEENS[n]


@pytest.mark.parametrize("n", [8, 9, 10, 11])
def test_published_counts(n: int) -> None:
    assert solutions_verified("superqueens", n=n) == SUPERQUEENS[n]


def test_the_smallest_boards() -> None:
    assert agree("superqueens", n=0) == 1
    assert agree("superqueens", n=1) == 1


def test_verify_sees_the_knight() -> None:
    assert complaints("queens", {"q": [1, 3, 0, 2]}, n=4) == []
    found = complaints("superqueens", {"q": [1, 3, 0, 2]}, n=4)
    assert found == [
        "queens in rows 0 and 1 attack each other",
        "queens in rows 0 and 2 attack each other",
        "queens in rows 1 and 3 attack each other",
        "queens in rows 2 and 3 attack each other",
    ]
    assert complaints("superqueens", {"q": [0]}, n=2) == ["1 rows instead of 2"]
    assert complaints("superqueens", {"q": [1]}, n=1) == ["row 0: column 1 is outside the board"]
