"""Outcomes, solutions and solution sets are values."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from cpqueens import AllDifferent, Model, ModelError, NoSolution, Status
from cpqueens.testing import queens


@pytest.fixture(scope="module")
def outcome():
    return queens(6).enumerate(solver="cpsat")


def test_outcomes_are_frozen(outcome) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        outcome.status = Status.OPTIMAL


def test_outcomes_are_not_truths(outcome) -> None:
    with pytest.raises(TypeError, match=r"\.status"):
        bool(outcome)


def test_a_solution_answers_for_any_expression(outcome) -> None:
    q = outcome.model["q"]
    for s in outcome.solutions:
        values = s[q]
        assert (s[q + 1] == values + 1).all()
        assert s[q[0]] == values[0]
        assert isinstance(s[q[0]], int)
        assert s[abs(q[0] - q[1])] == abs(values[0] - values[1])
        assert s[AllDifferent(q)] == 1
        assert (s[q == 3] == (values == 3)).all()
        assert s[q.reshape(2, 3)].shape == (2, 3)
        assert s[q.sum()] == 15


def test_expressions_that_do_not_belong(outcome) -> None:
    s = outcome.solution
    with pytest.raises(ModelError, match="two different models"):
        s[Model().intvar(0, 1)]
    with pytest.raises(ModelError, match="asked for terms"):
        s["q"]


def test_variables_added_later_have_no_value() -> None:
    m = queens(4)
    s = m.solve().solution
    late = m.intvar(0, 1, name="late")
    with pytest.raises(ModelError, match="late was added after this run"):
        s[late + m["q"][0]]
    assert s[m["q"]].shape == (4,)
    assert s.as_dict().keys() == {"q"}


def test_sets_index_slice_and_iterate(outcome) -> None:
    found = outcome.solutions
    assert len(found) == 4
    assert len(found[1:3]) == 2
    assert found[-1] == list(found)[-1]
    with pytest.raises(IndexError):
        found[4]
    assert len(set(found)) == 4
    assert found.values(outcome.model["q"]).shape == (4, 6)


def test_solutions_compare_by_value(outcome) -> None:
    again = queens(6).enumerate(solver="cpsat")
    assert set(again.solutions) == set(outcome.solutions)
    assert outcome.solution != 3


def test_solutions_cannot_be_written(outcome) -> None:
    s, q = outcome.solution, outcome.model["q"]
    for array in (s[q], s[q + 1]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5


def test_as_dict_and_check(outcome) -> None:
    s = outcome.solution
    assert s.as_dict() == {"q": s[outcome.model["q"]].tolist()}
    assert s.check().ok
    assert repr(s).startswith("Solution(q=[")


def test_no_solution_says_why() -> None:
    m = queens(3)
    outcome = m.solve(solver="cpsat")
    with pytest.raises(NoSolution, match="cpsat found no solution: status INFEASIBLE"):
        outcome[m["q"]]
    assert outcome.solution is None
    assert "INFEASIBLE" in str(outcome)


def test_text_of_an_outcome(outcome) -> None:
    assert str(outcome) == "cpsat: FEASIBLE, complete, 4 solution(s), stopped by exhausted"


def test_copies_understand_each_others_terms() -> None:
    m = queens(4)
    other = m.copy()
    s = other.solve().solution
    assert np.array_equal(s[m["q"]], s[other["q"]])
