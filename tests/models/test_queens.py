import time

import numpy as np
import pytest
from agreement import agree, complaints, solutions_verified
from each import each
from known_counts import QUEENS, QUEENS_FUNDAMENTAL

from cpqueens import ModelError
from cpqueens.answers.symmetry import QUEENS_BOARD, fundamental
from cpqueens.problems import catalog

EIGHT = [0, 4, 7, 5, 2, 6, 1, 3]


@each("n", range(7))
def test_brute_force_solver_and_publication_agree(n: int) -> None:
    assert agree("queens", n=n) == QUEENS[n]


@pytest.mark.parametrize("n", [7, 8, 9, 10])
def test_published_counts(n: int) -> None:
    assert solutions_verified("queens", n=n) == QUEENS[n]


@pytest.mark.parametrize("n", [5, 6, 8])
def test_published_counts_up_to_symmetry(n: int) -> None:
    instance = catalog.find("queens").instance(n=n)
    rows = instance.model.enumerate(solver="cpsat").solutions.matrix
    assert len(fundamental(rows, instance.symmetries())) == QUEENS_FUNDAMENTAL[n]


def test_given_queens_and_blocked_squares() -> None:
    assert agree("queens", n=5, given=((1, 3),)) == 2
    everything = agree("queens", n=5)
    assert everything == agree("queens", n=5, given=((0, 0),)) + agree("queens", n=5, blocked=((0, 0),))
    assert agree("queens", n=5, given=((0, 0), (0, 1))) == 0
    assert agree("queens", n=4, given=((0, 1),), blocked=((3, 2),)) == 0


def test_special_squares_have_no_declared_symmetry() -> None:
    problem = catalog.find("queens")
    assert problem.instance(n=5).symmetries() == QUEENS_BOARD
    assert problem.instance(n=5, blocked=((0, 0),)).symmetries() == ()
    assert problem.instance(n=5, given=((0, 0),)).symmetries() == ()
    assert problem.instance(n=5, given=((0, 0),)).published() is None


@each("square", [(8, 0), (0, 8), (-1, 0), (0, -1)])
@each("what", ["given", "blocked"])
def test_squares_outside_the_board_are_refused(what: str, square: tuple[int, int]) -> None:
    with pytest.raises(ModelError, match=f"queens: {what}: square .* is not on the board"):
        catalog.find("queens").instance(n=8, **{what: (square,)})


def test_verify_names_every_fault() -> None:
    assert complaints("queens", {"q": EIGHT}, n=8) == []
    assert complaints("queens", {"q": EIGHT[:7]}, n=8) == ["7 rows instead of 8"]
    assert complaints("queens", {"q": [0, 0]}, n=2) == ["queens in rows 0 and 1 share a column"]
    assert complaints("queens", {"q": [0, 1]}, n=2) == ["queens in rows 0 and 1 share a falling diagonal"]
    assert complaints("queens", {"q": [1, 0]}, n=2) == ["queens in rows 0 and 1 share a rising diagonal"]
    assert "row 0: column 4 is outside the board" in complaints("queens", {"q": [4, 1, 3, 0]}, n=4)
    assert complaints("queens", {"q": EIGHT}, n=8, given=((0, 1),)) == ["no queen on the given square (0, 1)"]
    assert complaints("queens", {"q": EIGHT}, n=8, blocked=((1, 4),)) == [
        "a queen on the blocked square (1, 4)"
    ]


def test_a_million_queens_build_array_by_array() -> None:
    problem = catalog.find("queens")
    problem.instance(n=10)
    started = time.process_time()
    model = problem.instance(n=10**6).model
    assert time.process_time() - started < 1.0
    assert model.variable_count == 10**6
    assert len(model.constraints) == 3
    assert np.array_equal(model.constraints[1].constraint.terms.constants, np.arange(10**6))  # type: ignore[attr-defined]
