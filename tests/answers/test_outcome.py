"""Outcomes, solutions and solution sets are values."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from cpqueens import AllDifferent, Model, ModelError, NoSolution, Status, minimum
from cpqueens.answers import lookup
from cpqueens.answers.solution import SolutionSet
from cpqueens.fuzzing.testing import queens
from cpqueens.language.definitions import Definition


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
        s[3.5]
    with pytest.raises(ModelError, match="no variable 'p'"):
        s["p"]


def test_a_variable_is_looked_up_by_its_name_too(outcome) -> None:
    q = outcome.model["q"]
    for found in (outcome, outcome.solution):
        assert found["q"].tolist() == found[q].tolist()
        assert found["q[2]"] == found[q[2]]
    assert outcome.solutions.values("q").tolist() == outcome.solutions.values(q).tolist()


def test_of_large_solutions_the_beginning_is_shown() -> None:
    m = Model()
    x = m.intvar(0, 9, shape=(500, 100), name="x")
    s = SolutionSet(m, m.decisions, np.zeros((1, x.size), dtype=np.int64))[0]
    assert len(repr(s)) == len("Solution()") + 200
    assert repr(s).startswith("Solution(x=[0, 0, ")
    assert repr(s).endswith("...)")


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
    assert str(outcome) == "cpsat: FEASIBLE, 4 solutions, complete, nothing is left to search"


@pytest.mark.parametrize(("limit", "said"), [(1, "found one, as asked"), (2, "found as many as asked")])
def test_what_stops_as_asked_is_not_called_incomplete(limit: int, said: str) -> None:
    outcome = queens(6).enumerate(solver="backtracking", solution_limit=limit)
    assert str(outcome).endswith(said)


def test_copies_understand_each_others_terms() -> None:
    m = queens(4)
    other = m.copy()
    s = other.solve().solution
    assert np.array_equal(s[m["q"]], s[other["q"]])


# ---- what reading costs, and what is kept ----------------------------------------------------------


def mixed(rows: int = 40) -> tuple[Model, SolutionSet]:
    """Return a model with defined variables between its decision variables, and random solutions."""
    m = Model()
    x = m.intvar(-5, 5, shape=6, name="x")
    m += abs(x[:3] - x[3:]) <= 9
    y = m.intvar(0, 3, shape=(2, 2), name="y")
    m += (x[0] * x[1] + y[0, 0]) * y[1, 1] <= 1000
    z = m.intvar(0, 3, name="z")
    m += minimum(x, z) <= 3
    r = np.random.default_rng(1)
    lower, upper = m.lower[m.decisions], m.upper[m.decisions]
    return m, SolutionSet(m, m.decisions, r.integers(lower, upper + 1, size=(rows, len(lower))))


def expressions_of(m: Model) -> list:
    x, y, z = m["x"], m["y"], m["z"]
    return [
        x, y, z, x[1:5], x[2], y[1, 0], y.T, x + 1, 2 * x[0] - y[0, 1] + 3, x[0] * x[1], abs(x[3] - x[0]),
        x == 3, AllDifferent(x), x.sum(), minimum(x, z), x[::2], x[[2, 0]], x[0] * 0 + 7, x[:0],
    ]  # fmt: skip


def read_through(found: SolutionSet, expression: object) -> list:
    return [np.asarray(s[expression]).tolist() for s in found]


def expected(m: Model, found: SolutionSet, expression: object) -> list:
    terms = expression.truth() if hasattr(expression, "truth") else expression
    values = terms.evaluate(m.complete(found.matrix, found.known))
    return values.reshape(len(found), *terms.shape).tolist()


@pytest.mark.parametrize("part", [None, 1, 64, 1 << 9])
def test_every_way_of_reading_gives_the_same(part: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if part is not None:
        monkeypatch.setattr(lookup, "_PART", part)
        monkeypatch.setattr(lookup, "_AT_ONCE", part)
        monkeypatch.setattr(lookup, "_EXPRESSIONS", 3)
    m, found = mixed()
    found = SolutionSet(m, found.known, found.matrix)  # with the limits as they are now
    for expression in expressions_of(m):
        values = expected(m, found, expression)
        assert read_through(found, expression) == values
        assert found.values(expression).tolist() == values
    order = np.random.default_rng(2).integers(len(found), size=60).tolist()
    several = expressions_of(m)
    for k, row in enumerate(order):  # rows and expressions in any order, one after the other
        expression = several[k % len(several)]
        assert np.asarray(found[row][expression]).tolist() == expected(m, found, expression)[row]


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by one number (of rows) whenever a definition is evaluated."""
    rows: list[int] = []
    for kind in [Definition, *Definition.__subclasses__()]:
        if "evaluate" in vars(kind):
            real = vars(kind)["evaluate"]

            def noted(self, values, real=real):
                rows.append(len(values))
                return real(self, values)

            monkeypatch.setattr(kind, "evaluate", noted)
    return rows


def test_reading_decision_variables_evaluates_nothing(evaluated: list[int]) -> None:
    m, found = mixed()
    x, y = m["x"], m["y"]
    for s in found:
        assert [s[x[i]] for i in range(6)] == s[x].tolist()
        assert [[s[y[i, j]] for j in range(2)] for i in range(2)] == s[y].tolist()
        assert s[3 * x[1] - y[0, 0] + 1] == 3 * s[x[1]] - s[y[0, 0]] + 1
        assert (s[x + y[0, 0]] == s[x] + s[y[0, 0]]).all()
    assert found.values(x + 1).shape == (40, 6)
    assert evaluated == []


def test_a_definition_is_evaluated_once_for_neighbouring_solutions(evaluated: list[int]) -> None:
    m, found = mixed()
    x = m["x"]
    for s in found:
        for _ in range(3):
            assert s[x[0] * x[1]] == s[x[0]] * s[x[1]]
            assert s[(x[0] * x[1] + m["y"][0, 0]) * m["y"][1, 1]] >= -100
    assert evaluated == [40, 40]


def test_definitions_made_while_reading_are_evaluated_once_each(evaluated: list[int]) -> None:
    m = queens(12)
    q = m["q"]
    s = m.solve(solver="backtracking").solution
    before, pairs = len(evaluated), [(i, j) for i in range(12) for j in range(i)]
    for i, j in pairs * 3:
        assert s[abs(q[i] - q[j])] == abs(s[q[i]] - s[q[j]])
    assert len(evaluated) - before == len(pairs)


def test_one_of_many_solutions_is_read_without_completing_all(evaluated: list[int]) -> None:
    m, found = mixed(rows=5000)
    assert found[4321][abs(m["x"][3] - m["x"][0])] >= 0
    assert sum(evaluated) <= 1024
    assert read_through(found, m["x"][0] * m["x"][1]) == expected(m, found, m["x"][0] * m["x"][1])


def test_what_is_kept_is_bounded_and_no_id_is_mistaken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "_EXPRESSIONS", 16)
    m, found = mixed()
    x, s = m["x"], found[7]
    values = s[x]
    for k in range(2000):  # temporary arrays, whose ids are used again and again
        assert (s[x + k] == values + k).all()
        assert s[x[k % 6] * x[0]] == values[k % 6] * values[0]
    assert len(found.lookup._kept) <= 16
    assert sum(kept[2].size for kept in found.lookup._kept.values()) <= lookup._PART


def test_a_late_variable_has_no_value_under_a_definition_either() -> None:
    m = queens(4)
    q = m["q"]
    s = m.solve().solution
    late = m.intvar(0, 1, name="late")
    both = abs(np.concatenate([q, late.reshape(1)]) - 1)
    assert s[both[0]] == abs(s[q[0]] - 1)
    for term in (both[4], both, late, AllDifferent([q[0], late]), abs(both[4] - 3), q.sum() + late):
        with pytest.raises(ModelError, match="late was added after this run"):
            s[term]
        with pytest.raises(ModelError, match="late was added after this run"):
            s._set.values(term)
    assert s[both[1]] == abs(s[q[1]] - 1)


def test_solutions_are_read_backwards_from_far_behind() -> None:
    m, found = mixed(rows=3000)
    term = m["x"][0] * m["x"][1]
    values = expected(m, found, term)
    for row in (2999, 2000, 1100, 1023, 5, 0, 2048):
        assert found[row][term] == values[row]


@pytest.mark.parametrize("factor", [3, -1])
def test_scaled_arrays_are_no_views(factor: int) -> None:
    m, found = mixed()
    x = m["x"]
    assert found.values(factor * x).tolist() == (factor * found.values(x)).tolist()
    assert found[7][factor * x].tolist() == (factor * found[7][x]).tolist()
