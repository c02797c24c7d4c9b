"""Arrays of disjunctions within disjunctions are one clause an element, and shown as they were written."""

import numpy as np

from cpqueens import Model
from cpqueens.crosscheck import oracle
from cpqueens.files.modelfile import dump_model, parse_model


def _model() -> Model:
    m = Model()
    m.boolvar(shape=2, name="a")
    m.intvar(0, 3, shape=2, name="x")
    return m


def test_no_truth_is_defined_of_what_stands_within() -> None:
    m = _model()
    a, x = m["a"], m["x"]
    clauses = a | ~a[::-1] | (x > 2)
    assert [type(d.constraint).__name__ for d in m.definitions] == ["Linear"]
    assert clauses.literals.shape == (2, 3)
    assert str(clauses[0]) == "(a[0] | ~a[1]) | (x[0] > 2)"
    assert str((a | (x > 2) | (a | ~a))[1]) == "(a[1] | (x[1] > 2)) | (a[1] | ~a[1])"


def test_they_mean_the_same(solver) -> None:
    m = _model()
    a, x = m["a"], m["x"]
    m.add((a | ~a[::-1] | (x > 2)) & (x[0] < 3), ~((x == 1) | (a | (x == x[::-1])))[0] | a[1])
    found = {tuple(s.values.tolist()) for s in m.solutions(solver=solver)}
    expected = set()
    for a0, a1, x0, x1 in np.ndindex(2, 2, 4, 4):
        first = (a0 or not a1 or x0 > 2) and x0 < 3
        second = (a1 or not a0 or x1 > 2) and x0 < 3
        third = not (x0 == 1 or a0 or x0 == x1) or a1
        if first and second and third:
            expected.add((a0, a1, x0, x1))
    assert found == expected == set(map(tuple, oracle.solve(m).solutions.tolist()))
    assert parse_model(dump_model(m)).count(solver=solver) == len(expected)


def test_long_ones_stay_one_literal() -> None:
    m = Model()
    a = m.boolvar(shape=(2, 9), name="a")
    clauses = a.any(axis=1) | a[:, 0]
    assert clauses.literals.shape == (2, 2)
    chain = a[:, 0]
    for k in range(1, 9):
        chain |= a[:, k]
    assert m.definitions[-1].size == 2, "a chain grows no further than that"
