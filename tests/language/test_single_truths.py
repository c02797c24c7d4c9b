"""Truths of single terms: written one by one they are what they are as arrays, and where they were added."""

from __future__ import annotations

import pickle
from threading import Thread

import numpy as np
import oracle
import pytest
from each import each

from cpqueens import And, Clause, Model, ModelError, Or, Xor, any_
from cpqueens.errors import ModelError as Refused
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.pending import flatten
from cpqueens.language.term import GrowingSum, Term


def _loop(n: int = 5) -> Model:
    m = Model()
    x, b = m.intvar(0, 3, shape=n, name="x"), m.boolvar(shape=n, name="b")
    for k in range(n - 1):
        m.add(b[k].implies(x[k] + x[k + 1] <= 3))
        m.add(b[k + 1] | (x[k] == 2), name=f"c{k}")
        m.add(b[k].implies(Or([x[k] != 1, ~b[k + 1], And(b[k], x[k + 1] > 0)])))
    return m


def _arrays(n: int = 5) -> Model:
    m = Model()
    x, b = m.intvar(0, 3, shape=n, name="x"), m.boolvar(shape=n, name="b")
    m.add(b[:-1].implies(x[:-1] + x[1:] <= 3), b[1:] | (x[:-1] == 2))
    m.add(b[:-1].implies((x[:-1] != 1) | ~b[1:] | (b[:-1] & (x[1:] > 0))))
    return m


@pytest.mark.parametrize("solver", ["cpsat", "backtracking", "python-constraint"])
def test_a_loop_means_what_arrays_mean(solver: str) -> None:
    expected = {tuple(row) for row in _arrays().enumerate(solver="backtracking").solutions.matrix.tolist()}
    assert {tuple(row) for row in _loop().enumerate(solver=solver).solutions.matrix.tolist()} == expected


def test_every_constraint_keeps_its_place_name_and_line() -> None:
    m = _loop()
    kinds = [posted.constraint.kind for posted in m.constraints]
    assert kinds == ["Implication", "Or", "Or"] * 4
    assert [posted.name for posted in m.constraints][1::3] == ["c0", "c1", "c2", "c3"]
    lines = {posted.source[1] - m.constraints[0].source[1] for posted in m.constraints if posted.source}
    assert lines == {0, 1, 2}
    assert all(posted.constraint.shape == () for posted in m.constraints)


@pytest.mark.parametrize("change", ["copy", "pickle", "without", "more"])
def test_what_waits_is_not_lost(change: str) -> None:
    m = _loop()
    expected = _loop().count(solver="backtracking")
    if change == "copy":
        m = m.copy()
    elif change == "pickle":
        m = pickle.loads(pickle.dumps(m))
    elif change == "without":
        x, b = m["x"], m["b"]
        m.add(b[0].implies(x[0] + x[1] <= 0))
        m = m.without([12])
    else:
        assert m.variable_count > 10  # defines what waits
        m.add(m["b"][0].implies(m["x"][0] + m["x"][1] <= 3))
    assert m.count(solver="backtracking") == expected


def test_a_truth_that_was_written_before_a_copy_can_be_added_to_it() -> None:
    m = Model()
    x, b = m.intvar(0, 3, shape=2, name="x"), m.boolvar(name="b")
    rule = b.implies(x[0] + x[1] <= 2)
    other = m.copy()
    other.add(rule)
    assert (m.count(solver="backtracking"), other.count(solver="backtracking")) == (32, 22)
    late = m.intvar(0, 1, name="late")
    with pytest.raises(ModelError, match="after the model was copied"):
        other.add(b.implies(late + x[0] <= 2))


def test_ranges_are_refused_where_they_are_written() -> None:
    m = Model()
    x, b = m.intvar(0, 2**60, shape=2, name="x"), m.boolvar(name="b")
    with pytest.raises(Refused, match="narrow its variables"):
        b.implies(4 * x[0] + 4 * x[1] <= 2)
    with pytest.raises(Refused, match=r"values 0\.\.\d+ is not Boolean"):
        b.implies(x[0])


def test_two_threads_may_define_what_waits() -> None:
    m, found = _loop(), []
    threads = [Thread(target=lambda: found.append(m.count(solver="backtracking"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [_loop().count(solver="backtracking")] * 4


@each("relation", ["== 1", "!= 0", ">= 1", "> 0", "== 0", "!= 1", "<= 0", "< 1"])
def test_a_truth_compared_with_0_or_1_is_that_truth_or_its_negation(relation: str) -> None:
    m = Model()
    x = m.intvar(0, 2, shape=2, name="x")
    itself = relation in ("== 1", "!= 0", ">= 1", "> 0")
    truths = {"relation": x[0] < x[1], "conjunction": (x[0] > 0) & (x[1] > 0), "array": x > 0}
    for name, truth in truths.items():
        compared = eval(f"truth {relation}", {"truth": truth})
        assert compared.kind == {"conjunction": "And" if itself else "Or"}.get(name, "Linear")
        other = m.copy()
        other.add(compared if itself else ~compared)
        expected = m.copy()
        expected.add(truth)
        assert other.count(solver="backtracking") == expected.count(solver="backtracking")


def test_a_sum_is_not_changed_by_a_longer_one() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=40, name="x")
    total = sum(x[k] for k in range(30))
    assert type(total) is GrowingSum
    one, other = total + x[30], total - 2 * x[31] + 5
    again = one + x[3]
    for term, coefficients, constant in (
        (total, dict.fromkeys(range(30), 1), 0),
        (one, dict.fromkeys(range(31), 1), 0),
        (other, {**dict.fromkeys(range(30), 1), 31: -2}, 5),
        (again, {**dict.fromkeys(range(31), 1), 3: 2}, 0),
    ):
        assert dict(zip(term.variable_list, term.coefficient_list, strict=True)) == coefficients
        assert term.constant == constant
    assert type(total - 1) is Term
    m.add(total == 30, one + 1 <= 31, sum(x[k] == 1 for k in range(40)) == 30)
    assert m.solve(solver="cpsat")[x].tolist() == np.repeat([1, 0], [30, 10]).tolist()


NESTED: list[tuple[str, int, str]] = [  # what is posted, truths that are defined for it, its text
    ("a.implies(Or([b, ~c, d]))", 0, "a.implies(Or(b, ~c, d))"),
    ("Or([a, Or([b, c]), ~d])", 0, "Or(a, b | c, ~d)"),
    ("(a & ~b).implies(c | d)", 0, "(a & ~b).implies(c | d)"),
    ("(~a).implies(b.implies(c))", 0, "(~a).implies(b.implies(c))"),
    ("a | ((b & c).implies(d))", 0, "a | (b & c).implies(d)"),
    ("a.implies(Or([b, x <= 1, x == 3]))", 2, "a.implies(Or(b, x <= 1, x == 3))"),
    ("(a | b).implies(c)", 1, "(a | b).implies(c)"),
    ("a.implies(And([b, ~c, d]))", 1, "a.implies(And(b, ~c, d))"),
    ("a | b | c | ~d | (x == 2)", 1, "(((a | b) | c) | ~d) | (x == 2)"),
    ("a.implies((b ^ c) | d)", 1, "a.implies((b ^ c) | d)"),
]


@pytest.mark.parametrize(("posted", "defined", "text"), NESTED)
def test_what_is_a_clause_is_posted_as_one(posted: str, defined: int, text: str) -> None:
    m = Model()
    terms = {name: m.boolvar(name=name) for name in "abcd"} | {"x": m.intvar(0, 3, name="x")}
    m.add(eval(posted, {"Or": Or, "And": And, **terms}))
    for one in (m, m.copy(), pickle.loads(pickle.dumps(m))):
        assert (str(one.constraints[0].constraint), int(one.is_defined.sum())) == (text, defined)
    apart = Model()  # the same as a truth that is compared, which nothing is merged with
    others = {name: apart.boolvar(name=name) for name in "abcd"} | {"x": apart.intvar(0, 3, name="x")}
    apart.add(apart.boolvar(name="truth") == eval(posted, {"Or": Or, "And": And, **others}), apart["truth"])
    wanted = oracle.solve(apart).count
    assert 0 < wanted < 64
    assert wanted == oracle.solve(m).count
    assert [m.count(name) for name in ("cpsat", "backtracking", "python-constraint")] == [wanted] * 3


@pytest.mark.parametrize("nothing", [(), ([],)])
def test_connectives_of_nothing(nothing: tuple[object, ...]) -> None:
    counted = []
    for kind in (And, Or, Xor, Clause):
        m = Model()
        m.boolvar(name="b")
        m.add(kind(*nothing))
        counted.append(m.count(solver="backtracking"))
    assert counted == [2, 0, 0, 0]


def test_conditions_that_share_parts_are_not_written_out() -> None:
    m = Model()
    cells = range(6)
    free = m.boolvar(shape=6, name="free")
    reached = [free[k] & (free[k] >= 1) for k in cells]
    for _ in range(6):
        reached = [free[k] & any_(reached) for k in cells]
    m.add(any_(reached) | free[0])
    parts: list[object] = []
    flatten(any_(reached), parts)
    assert len(parts) < 100, "with six in each of twelve levels, millions"
    truths = [d.constraint for d in m.definitions if isinstance(d.constraint, Connective)]
    assert truths
    assert all(type(part) is Term for truth in truths for part in truth.operands or ())
    assert m.count(solver="backtracking") == 2**6 - 1
