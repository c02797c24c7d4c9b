from math import factorial

from agreement import agree, complaints, solutions_verified
from each import each
from known_counts import LATIN_SQUARES


@each("n", [1, 2, 3])
@each("fixed", ["none", "row", "reduced"])
def test_brute_force_and_solver_agree(n: int, fixed: str) -> None:
    divisor = {"none": 1, "row": factorial(n), "reduced": factorial(n) * factorial(n - 1)}[fixed]
    assert agree("latin_square", n=n, fixed=fixed) == LATIN_SQUARES[n] // divisor


def test_published_counts() -> None:
    assert solutions_verified("latin_square", n=4) == LATIN_SQUARES[4]
    assert solutions_verified("latin_square", n=5, fixed="reduced") == LATIN_SQUARES[5] // (120 * 24)


def test_verify_names_rows_and_columns() -> None:
    assert complaints("latin_square", {"x": [[0, 1], [1, 0]]}, n=2, fixed="reduced") == []
    assert complaints("latin_square", {"x": [[1, 0], [0, 1]]}, n=2, fixed="reduced") == [
        "the first row is not in order",
        "the first column is not in order",
    ]
    assert complaints("latin_square", {"x": [[0, 1], [0, 1]]}, n=2) == [
        "column 0 is not 0..1",
        "column 1 is not 0..1",
    ]
    assert complaints("latin_square", {"x": [[0, 0], [1, 1]]}, n=2) == [
        "row 0 is not 0..1",
        "row 1 is not 0..1",
    ]
    assert complaints("latin_square", {"x": [[0]]}, n=2) == ["not a square of 2 by 2"]
