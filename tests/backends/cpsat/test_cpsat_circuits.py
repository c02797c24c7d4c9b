"""Sums over Booleans of which exactly one is true have the literals of their values already."""

from __future__ import annotations

from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from seeds import sweep

from cpqueens import Circuit, Model, SubCircuit, from_cpsat
from cpqueens.backends.cpsat.constraints import _groups, _literals_of

cp_model = pytest.importorskip("ortools.sat.python.cp_model", reason="OR-Tools is not installed")


def literals_of(model: Model, term: Any) -> dict[int, int]:
    """The literals of a term's values that the rows of a model give."""
    stated = [posted.constraint for posted in model.constraints]
    writer: Any = SimpleNamespace(stated=stated, store=model, index=range(model.variable_count))
    ((variables, coefficients, constant),) = term.rows()
    return _literals_of(writer, (list(variables), list(coefficients), constant), _groups(writer))


def test_a_literal_is_true_exactly_where_the_sum_has_its_value() -> None:
    """In all assignments that satisfy the row, whatever is negated in it."""
    for seed in sweep(40, 400):
        draw = Random(seed)
        m = Model()
        b = m.boolvar(shape=draw.randint(2, 4), name="b")
        plain = [draw.random() < 0.6 for _ in b]
        literals = [x if keep else 1 - x for x, keep in zip(b, plain, strict=True)]
        m.add(sum(literals) == 1)
        weights = draw.sample(range(-4, 5), len(literals))
        term = sum(w * x for w, x in zip(weights, literals, strict=True)) + draw.randint(-3, 3)
        found = literals_of(m, term)
        assert len(found) == len(literals)
        for solution in m.enumerate(solver="backtracking").solutions:
            values = solution[b].tolist()
            true = {k for k in found.values() if (values[k] if k >= 0 else 1 - values[-k - 1])}
            assert true == {found[int(solution[term])]}


def test_what_is_no_such_sum() -> None:
    m = Model()
    b, x = m.boolvar(shape=3, name="b"), m.intvar(0, 2, name="x")
    m.add(b[0] + b[1] == 1, b[0] + b[1] + b[2] <= 1, b[1] + b[2] == 2, x + b[2] == 1, b[0] + 2 * b[2] == 1)
    for term in (b[0] + 2 * b[2], b[1] + 2 * b[2], x + b[2], b[0] + b[1], 3 * x):
        assert literals_of(m, term) == {}
    assert literals_of(m, 2 * b[1] + 1) == {1: b[0].literal(), 3: b[1].literal()}


@pytest.mark.parametrize("nodes", [5, 9])
def test_arcs_of_another_circuit_are_the_arcs_again(nodes: int) -> None:
    """No new variables, and no arcs that were not there."""
    theirs = cp_model.CpModel()
    pairs = [(a, b) for a, b in product(range(nodes), repeat=2) if (a, b) != (0, 0) and (a + b) % 3]
    theirs.add_circuit([(a, b, theirs.new_bool_var(f"{a} {b}")) for a, b in pairs])
    native = from_cpsat(theirs).model.to_cpsat().model.proto
    assert len(native.variables) == len(pairs)
    (circuit,) = [c.circuit for c in native.constraints if c.has_circuit()]
    arcs = zip(circuit.tails, circuit.heads, circuit.literals, strict=True)
    assert sorted((native.variables[k].name, (a, b)) for a, b, k in arcs) == sorted(
        (f"{a} {b}", (a, b)) for a, b in pairs
    )


@pytest.mark.parametrize("kind", [Circuit, SubCircuit])
def test_circuits_over_sums_have_the_solutions_of_circuits_over_variables(kind: Any) -> None:
    m, plain = Model(), Model()
    there = m.boolvar(shape=(4, 4), name="there")
    m.add(there.sum(axis=1) == 1)
    m.add(kind((there * np.arange(4)).sum(axis=1)))
    plain.add(kind(plain.intvar(0, 3, shape=4, name="next")))
    assert m.count(solver="cpsat") == plain.count(solver="cpsat") == m.count(solver="backtracking")


def test_tours_of_depots_over_sums() -> None:
    m, plain = Model(), Model()
    there = m.boolvar(shape=(5, 5), name="there")
    m.add(there.sum(axis=1) == 1)
    m.add(Circuit((there * np.arange(5)).sum(axis=1), depots=[0, 1]))
    plain.add(Circuit(plain.intvar(0, 4, shape=5, name="next"), depots=[0, 1]))
    assert m.count(solver="cpsat") == plain.count(solver="cpsat") == plain.count(solver="backtracking")
