import pytest
from agreement import agree, complaints, solutions_verified
from each import each
from known_counts import TOROIDAL_QUEENS


@each("n", range(1, 7))
def test_brute_force_solver_and_publication_agree(n: int) -> None:
    assert agree("toroidal_queens", n=n) == TOROIDAL_QUEENS[n]


@pytest.mark.parametrize("n", [7, 8, 9])
def test_published_counts(n: int) -> None:
    assert solutions_verified("toroidal_queens", n=n) == TOROIDAL_QUEENS[n]


def test_verify_sees_diagonals_across_the_edge() -> None:
    assert complaints("toroidal_queens", {"q": [0, 2, 4, 1, 3]}, n=5) == []
    assert complaints("queens", {"q": [1, 3, 0, 2]}, n=4) == []
    assert "queens in rows 0 and 1 share a column" in complaints("toroidal_queens", {"q": [1, 1]}, n=2)
    assert any("of the torus" in line for line in complaints("toroidal_queens", {"q": [1, 3, 0, 2]}, n=4))
    assert complaints("toroidal_queens", {"q": [0]}, n=2) == ["1 rows instead of 2"]
    assert "row 0: column 7 is outside the board" in complaints("toroidal_queens", {"q": [7]}, n=1)
