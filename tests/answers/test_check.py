"""The independent checker: violations with amounts, assignments from anywhere, attacking pairs."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import cpqueens
from cpqueens import AllDifferent, Model, ModelError
from cpqueens.answers.check import Checker
from cpqueens.fuzzing.testing import queens

GOOD = [0, 4, 7, 5, 2, 6, 1, 3]


def test_a_solution() -> None:
    m = queens(8)
    result = m.check({m["q"]: GOOD})
    assert result.ok
    assert bool(result)
    assert result.amount == 0
    assert str(result) == "a solution: every constraint holds"


def test_terms_of_several_variables_that_collide_are_told_with_their_values() -> None:
    m = Model()
    slot = m.intvar(0, 3, shape=3, name="slot")
    room = m.intvar(0, 2, shape=3, name="room")
    m.add(AllDifferent(3 * slot + room))
    m.add(AllDifferent([2 * slot[0], slot[1], 4]))
    (several,) = m.check({"slot": [3, 2, 3], "room": [1, 0, 1]}).violations
    assert several.pairs == (
        (
            "3*slot[0] + room[0] = 10 (slot[0]=3, room[0]=1)",
            "3*slot[2] + room[2] = 10 (slot[2]=3, room[2]=1)",
        ),
    )
    (single,) = m.check({"slot": [1, 2, 3], "room": [0, 0, 0]}).violations
    assert single.pairs == (("slot[0]=1", "slot[1]=2"),)
    (constant,) = m.check({"slot": [2, 0, 3], "room": [0, 0, 0]}).violations
    assert constant.pairs == (("slot[0]=2", "4"),)


def test_every_violation_with_amount_and_pairs() -> None:
    m = queens(4)
    result = m.check({"q": [0, 0, 1, 2]})
    assert [v.amount for v in result.violations] == [1, 2]
    columns, diagonals = result.violations
    assert columns.pairs == (("q[0]=0", "q[1]=0"),)
    assert len(diagonals.pairs) == 3
    assert columns.values == {"q[0]": 0, "q[1]": 0, "q[2]": 1, "q[3]": 2}
    assert "q[0]=0 and q[1]=0" in str(result)


def test_values_outside_their_domain() -> None:
    m = Model()
    x = m.intvar(0, 3, name="x")
    y = m.intvar(domain=[1, 4], name="y")
    assert m.check({x: 5, y: 1}).problems == ("x = 5 is outside its domain 0..3",)
    assert m.check({x: 0, y: 2}).problems == ("y = 2 is outside its domain {1, 4}",)


def test_far_outside_values_do_not_wrap() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m.add(x.sum() == 3)
    assert not m.check({x: [2**62, -(2**62)]}).ok


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ({}, "no value for q[0], q[1]"),
        ({"q": [0, 1, 2]}, "takes 4 values, got 3"),
        ({"q": [0, 1, 2, 3.5]}, "integers only"),
        ({"q": [0, 1, 2, None]}, "integers only"),
        ({"q": "0123"}, "integers only"),
        ({"qq": [0, 1, 2, 3]}, "did you mean 'q'"),
        ({3: [0]}, "neither a variable"),
        ({"q[9]": 1}, "no variable"),
        ({"q": [2**63, 0, 0, 0]}, "64 bits"),
    ],
)
def test_bad_assignments(assignment, message: str) -> None:
    result = queens(4).check(assignment)
    assert not result.ok
    assert message in str(result)


def test_assignments_in_pieces() -> None:
    m = queens(4)
    q = m["q"]
    assert m.check({q[0]: 1, "q[1]": 3, q[2:]: [0, 2]}).ok
    assert m.check({q[::-1]: [2, 0, 3, 1]}).ok


def test_expressions_are_not_assigned() -> None:
    m = queens(4)
    q = m["q"]
    for key in (q + 1, abs(q), q[0] + q[1], 2 * q):
        assert "not to expressions" in str(m.check({key: np.zeros(key.shape, int)}))


@pytest.mark.parametrize("bad", [[0, 1, 2, 3], 7, None, "q"])
def test_what_is_no_assignment(bad) -> None:
    with pytest.raises(ModelError, match="an assignment"):
        queens(4).check(bad)


def test_outcomes_and_solutions_are_assignments() -> None:
    m = queens(6)
    outcome = m.solve()
    assert m.check(outcome).ok
    assert m.check(outcome.solution).ok
    stricter = m.copy()
    stricter.add(m["q"][0] == 5)
    assert not stricter.check(outcome).ok


def test_batches() -> None:
    m = queens(6)
    grid = np.stack(np.meshgrid(*[range(6)] * 6, indexing="ij"), axis=-1).reshape(-1, 6)
    checker = Checker(m)
    accepted = checker.accepts(grid)
    assert accepted.sum() == 4
    assert ((checker.violation(grid) == 0) == accepted).all()


def test_an_empty_batch() -> None:
    assert Checker(queens(4)).accepts(np.zeros((0, 4), dtype=np.int64)).shape == (0,)


def test_objective_values_are_recomputed() -> None:
    m = Model()
    x = m.intvar(-3, 3, shape=2, name="x")
    m.minimize(abs(x[0] - x[1]) * 2 - 5)
    assert Checker(m).objectives(np.array([[1, 3], [0, 0]]))[:, 0].tolist() == [-1, -5]


def test_single_relations_check_like_arrays() -> None:
    rng = np.random.default_rng(1)
    m, n = Model(), Model()
    x, y = m.intvar(0, 3, shape=4, name="x"), n.intvar(0, 3, shape=4, name="x")
    for relation in ("__eq__", "__ne__", "__le__", "__lt__", "__ge__", "__gt__"):
        weights = rng.integers(-1, 2, size=(3, 4))
        m.add(getattr(weights @ x, relation)(1))
        for row in weights.tolist():
            terms = [a * y[k] for k, a in enumerate(row)]
            n.add(getattr(terms[0] + terms[1] + terms[2] + terms[3], relation)(1))
    grid = np.stack(np.meshgrid(*[range(4)] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
    assert (Checker(m).violation(grid) == Checker(n).violation(grid)).all()


def test_many_equal_values_stay_cheap() -> None:
    m = Model()
    q = m.intvar(0, 10**5, shape=10**5, name="q")
    m.add(AllDifferent(q))
    (violation,) = m.check({q: np.zeros(10**5, dtype=int)}).violations
    assert violation.amount == 10**5 - 1
    assert len(violation.pairs) == 1000


def test_the_checker_stands_alone() -> None:
    """check.py and the language know nothing of compilation, kernels, backends or the oracle."""
    root = Path(cpqueens.__file__).parent
    for file in [root / "answers" / "check.py", *(root / "language").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                assert not name.startswith(FOREIGN), f"{file.name} imports {name}"


FOREIGN = (
    "cpqueens.backends",
    "cpqueens.lowered.compiled",
    "cpqueens.kernels",
    "cpqueens.lowered.lowering",
    "cpqueens.solving",
    "cpqueens.crosscheck",
    "numba",
    "ortools",
)


def test_every_element_of_an_array_must_hold() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m.add(x >= [1, 2])
    (posted,) = m.constraints
    assert (
        posted.constraint.holds(np.array([[1, 2], [1, 1], [0, 2], [0, 0]])).tolist() == [True] + [False] * 3
    )


def test_a_model_is_no_assignment() -> None:
    m = Model()
    m.intvar(0, 1, name="x")
    with pytest.raises(ModelError, match="is needed, got Model"):
        m.check(m)
