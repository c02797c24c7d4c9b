import pytest
from agreement import agree, complaints, raw
from each import each
from known_counts import PEACEABLE_QUEENS

from cpqueens import Status
from cpqueens.problems import catalog


@pytest.mark.parametrize("n", [1, 2])
def test_brute_force_and_solver_agree_on_all_placements(n: int) -> None:
    assert agree("peaceable_queens", n=n) == 1  # only the empty board: no two queens are at peace on it


@pytest.mark.slow
def test_brute_force_and_solver_agree_on_three_by_three() -> None:
    assert agree("peaceable_queens", n=3) > 1


@each("n", range(1, 7))
def test_published_sizes(n: int) -> None:
    instance = catalog.find("peaceable_queens").instance(n=n)
    outcome = instance.model.solve(solver="cpsat")
    assert outcome.status is Status.OPTIMAL
    assert outcome.objective == PEACEABLE_QUEENS[n]
    assert instance.verify(raw(instance, tuple(outcome.solution.values.tolist()))) == []  # type: ignore[union-attr]


def test_verify_names_the_attack() -> None:
    white = [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    away, beside = [[0, 0, 0], [0, 0, 1], [0, 0, 0]], [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert complaints("peaceable_queens", {"white": white, "black": away}, n=3) == []
    attack = "the white queen at (0, 0) attacks the black one at (0, 1)"
    assert complaints("peaceable_queens", {"white": white, "black": beside}, n=3) == [attack]
    same = "the white queen at (0, 0) attacks the black one at (0, 0)"
    assert complaints("peaceable_queens", {"white": white, "black": white}, n=3) == [same]
    empty = [[0, 0, 0]] * 3
    uneven = complaints("peaceable_queens", {"white": white, "black": empty}, n=3)
    assert uneven == ["1 white queens against 0 black ones"]
