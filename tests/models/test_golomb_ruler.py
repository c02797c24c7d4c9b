import pytest
from agreement import agree, complaints, raw
from each import each
from known_counts import GOLOMB

from cpqueens import Status
from cpqueens.problems import catalog


@pytest.mark.parametrize("marks", [1, 2, 3, 4])
def test_brute_force_and_solver_agree_on_all_rulers(marks: int) -> None:
    assert agree("golomb_ruler", marks=marks) > 0


@each("marks", range(2, 8))
def test_published_lengths(marks: int) -> None:
    instance = catalog.find("golomb_ruler").instance(marks=marks)
    outcome = instance.model.solve(solver="cpsat")
    assert outcome.status is Status.OPTIMAL
    assert outcome.objective == GOLOMB[marks]
    assert instance.verify(raw(instance, tuple(outcome.solution.values.tolist()))) == []  # type: ignore[union-attr]


def test_verify_names_the_repeated_distance() -> None:
    assert complaints("golomb_ruler", {"x": [0, 1, 4, 6]}, marks=4) == []
    assert complaints("golomb_ruler", {"x": [0, 2, 5, 6]}, marks=4) == ["the mirror image is meant"]
    assert complaints("golomb_ruler", {"x": [0, 1, 2, 4]}, marks=4) == [
        "marks (0, 1) and (1, 2) have the same distance 1",
        "marks (0, 2) and (2, 4) have the same distance 2",
    ]
    assert complaints("golomb_ruler", {"x": [1, 2]}, marks=2) == ["the marks do not ascend from 0"]
    assert complaints("golomb_ruler", {"x": [0, 2]}, marks=3) == ["2 marks instead of 3"]
