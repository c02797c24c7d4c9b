"""Building models: variables, names, posting, copies, fixing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import oracle
import pytest

from cpqueens import AllDifferent, IntegerError, Linear, Model, ModelError, Negation, Or
from cpqueens.answers.check import Checker


def test_variables_by_bounds_and_domain() -> None:
    m = Model()
    m.intvar(1, 3, name="a")
    m.intvar([0, 1], [2, 3], shape=2, name="b")
    m.intvar(domain=[5, 1, 5, 3], name="c")
    m.intvar(domain={1, 2, 3}, name="d")
    m.intvar(domain=range(0, 6, 2), name="e")
    m.boolvar(shape=(1, 2), name="f")
    assert m.lower.tolist() == [1, 0, 1, 1, 1, 0, 0, 0]
    assert m.upper.tolist() == [3, 2, 3, 5, 3, 4, 1, 1]
    assert {v: d.tolist() for v, d in m.domains.items()} == {3: [1, 3, 5], 5: [0, 2, 4]}
    assert [m.name_of(k) for k in range(8)] == ["a", "b[0]", "b[1]", "c", "d", "e", "f[0,0]", "f[0,1]"]


def test_names_lead_back() -> None:
    m = Model()
    q = m.intvar(0, 5, shape=(2, 3), name="q")
    assert m["q"].shape == (2, 3)
    assert m["q[1,2]"].variable_list == (5,)
    assert m.name_of(5) == "q[1,2]"
    q[0, 0] * q[1, 1]  # a defined variable, which is no decision
    m.intvar(0, 1, shape=0, name="none")
    m.boolvar(name="b")
    assert m.blocks.names() == [m.name_of(v) for v in m.decisions.tolist()]
    assert m.blocks.names()[-2:] == ["q[1,2]", "b"]
    with pytest.raises(ModelError, match="did you mean 'q'"):
        m["qq"]
    for missing in ("q[2,0]", "q[1]", "q[0,0,0]"):
        with pytest.raises(ModelError, match="no variable"):
            m[missing]
    assert q.variables.max() == 5


def test_names_are_unique() -> None:
    m = Model()
    m.intvar(0, 1, name="x")
    m.intvar(0, 1, shape=2, name="y")
    m.intvar(0, 1, name="z[0]")
    for name in ("x", "y", "y[1]"):
        with pytest.raises(ModelError, match="in use"):
            m.intvar(0, 1, name=name)
    with pytest.raises(ModelError, match="share the name"):
        m.intvar(0, 1, shape=3, name="z")
    m.intvar(0, 1, name="y[7]")  # not an element of y
    assert m["y[7]"].variable_list == (4,)


@pytest.mark.parametrize("name", ["", 3, "a" * 201, "a\0b"])
def test_bad_names(name) -> None:
    with pytest.raises(ModelError, match="name"):
        Model().intvar(0, 1, name=name)


def test_defined_variables_are_named_by_their_function() -> None:
    m = Model()
    x, y = m.intvar(0, 3, name="x"), m.intvar(1, 3, name="y")
    assert m.name_of(abs(x - y).variable_list[0]) == "abs(x - y)"
    assert m.name_of((x // y).variable_list[0]) == "x // y"


def test_adding_splits_conjunctions_and_nested_lists() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    m += [AllDifferent(x), [x[0] < x[1], (x[1] < x[2], [x[2] > 0])]]
    m.add((x[0] == 1) & (x[1] == 2) & AllDifferent(x))
    m.add(c for c in [x[0] != 3])
    m.add(True, np.bool_(True))
    kinds = [p.constraint.kind for p in m.constraints]
    assert "And" not in kinds
    assert kinds.count("AllDifferent") == 2
    assert oracle.solve(m).rows == {(1, 2, 0), (1, 2, 3)} & {(1, 2, 3)}


def test_adding_false_makes_it_infeasible(solver: str) -> None:
    for false in (False, np.bool_(False), np.array([True, False])):
        m = Model()
        m.intvar(0, 1)
        m.add(false)
        assert m.count(solver=solver) == 0


def test_adding_truths_posts_what_they_stand_for() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    b = m.boolvar(name="b")
    m.add((x[0] == 1).truth())
    m.add(1 - (x[1] == 2).truth())
    m.add(1 - AllDifferent(x).truth())
    m.add(b)
    kinds = [p.constraint for p in m.constraints]
    assert isinstance(kinds[0], Linear)
    assert kinds[0].relation == "=="
    assert kinds[1].relation == "!="
    assert isinstance(kinds[2], Negation)
    assert oracle.solve(m).rows == {(1, 1, 1)}


def test_an_array_of_relations_posts_every_element() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=(2, 2), name="x")
    m.add(x == np.array([[0, 1], [2, 3]]))
    assert oracle.solve(m).rows == {(0, 1, 2, 3)}


@pytest.mark.parametrize("bad", [None, 5, "x", 1.5, object(), [None], {"a": 1}])
def test_what_is_no_constraint(bad) -> None:
    with pytest.raises(ModelError, match="a constraint is needed"):
        Model().add(bad)


def test_a_term_is_no_truth() -> None:
    m = Model()
    x = m.intvar(0, 2, name="x")
    with pytest.raises(ModelError, match="is not Boolean"):
        m.add(x)
    with pytest.raises(ModelError, match="is not Boolean"):
        Or(x, x)


def test_names_and_sources_are_kept() -> None:
    m = Model()
    x = m.intvar(0, 2, name="x")
    m.add(x > 0, name="lower")
    m += x < 2
    first, second = m.constraints
    assert first.name == "lower"
    assert Path(first.source[0]).name == "test_model.py"
    assert second.source[1] == first.source[1] + 1
    assert "test_model.py" in str(m.check({x: 0}))


def test_objectives() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=2, name="x")
    m.minimize(x.sum())
    m.maximize(x[0])
    assert m.maximizing
    with pytest.raises(ModelError, match="single term"):
        m.minimize(x)
    with pytest.raises(ModelError, match="two different models"):
        m.minimize(Model().intvar(0, 1))


def test_fixing(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 2, shape=2, name="x")
    m.fix(x[0], 2)
    assert m.count(solver=solver) == 3
    m.fix(x, [2, 1])
    assert m.count(solver=solver) == 1
    m.fix(x[1], 2)
    assert m.count(solver=solver) == 0
    with pytest.raises(ModelError, match="do not fit together"):
        m.fix(x, [1, 2, 3])


def test_copies_are_independent(optimizer: str) -> None:
    m = Model()
    x = m.intvar(0, 2, shape=2, name="x")
    m.add(x[0] != x[1])
    m.minimize(abs(x[0] - x[1]))
    other = m.copy()
    other.add(x[0] == 0, AllDifferent(x))  # terms of the original are understood
    other.fix(other["x"][1], 2)
    assert m.count(solver=optimizer) == 6
    outcome = other.solve(solver=optimizer)
    assert outcome[x].tolist() == [0, 2]
    assert outcome.objective == 2
    later = m.intvar(0, 1, name="later")
    with pytest.raises(ModelError, match="after the model was copied"):
        other.add(later == 1)
    with pytest.raises(ModelError, match="two different models"):
        m.add(other["x"][0] == 1)


def test_without_drops_constraints() -> None:
    m = Model()
    x = m.intvar(0, 2, name="x")
    m.add(x > 0, name="a")
    m.add(x > 1, name="b")
    assert [p.name for p in m.without([0]).constraints] == ["b"]
    assert len(m.constraints) == 2


def test_no_model_is_implied() -> None:
    m, other = Model(), Model()
    m.intvar(0, 1)
    with pytest.raises(ModelError, match="two different models"):
        m.add(other.intvar(0, 1) == 1)


def test_zero_sized_variables(solver: str) -> None:
    m = Model()
    m.intvar(0, 5, shape=0, name="none")
    x = m.intvar(0, 1, name="x")
    m.intvar(0, 5, shape=(2, 0), name="neither")
    assert m.name_of(0) == "x"
    assert m.count(solver=solver) == 2
    assert m.solve(solver=solver).solution.as_dict().keys() == {"none", "x", "neither"}
    assert x.shape == ()


def test_many_names() -> None:
    m = Model()
    for k in range(5000):
        m.intvar(0, 1, shape=2, name=f"x{k}")
    assert m["x4999"].shape == (2,)


def test_a_million_queens_are_built_and_checked() -> None:
    n = 10**6  # n mod 6 = 4, so the even columns followed by the odd ones solve it (Pauls 1874)
    solution = np.concatenate([np.arange(1, n, 2), np.arange(0, n, 2)])
    m = Model()
    q, i = m.intvar(0, n - 1, shape=n, name="q"), np.arange(n)
    m += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    assert m.check({q: solution}).ok
    solution[[0, 1]] = solution[[1, 0]]
    assert not m.check({q: solution}).ok


def test_sixty_thousand_scalar_constraints() -> None:
    n = 200
    m = Model()
    q = m.intvar(0, n - 1, shape=n, name="q")
    for i in range(n):
        for j in range(i):
            m.add(q[i] != q[j], q[i] - q[j] != i - j, q[i] - q[j] != j - i)
    assert len(m.constraints) == 59_700
    assert m.constraints[-1].where.startswith(__file__)
    assert Checker(m).accepts(np.arange(n)[None, :]).tolist() == [False]


def test_mixed_integers_are_welcome() -> None:
    m = Model()
    x = m.intvar(np.int8(0), np.uint16(3), shape=np.int64(2), name="x")
    assert m.check({x: np.array([1, 2], dtype=np.uint8)}).ok
    b = m.boolvar(name="b")
    assert m.check({x: [1, 2], b: True}).ok
    with pytest.raises(IntegerError):
        m.intvar(False, True)
