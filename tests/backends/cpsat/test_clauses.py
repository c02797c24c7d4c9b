"""Truths that stand in one clause only are no variables of CP-SAT's, and solutions stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import oracle
from each import each

from cpqueens import And, Model, Or, Table, element, maximum
from cpqueens.backends.cpsat.translation import translate

Write = Callable[[Model, Any, Any], Any]

WRITTEN: dict[str, tuple[Write, int, int]] = {
    "relation": (lambda m, x, b: b[0].implies(x[0] + x[1] <= 2), 0, 1),
    "negated relation": (lambda m, x, b: ~(x[0] + x[1] <= 2) | b[0], 0, 1),
    "premise": (lambda m, x, b: (x[0] == x[1]).implies(b[0]), 0, 1),
    "clause in a clause": (lambda m, x, b: b[0].implies(Or([b[1], ~b[2]])), 0, 1),
    "one of two relations": (lambda m, x, b: b[0].implies(Or([x[0] == 1, x[0] + x[1] > 3])), 1, 3),
    "one of two values": (lambda m, x, b: b[0].implies((x[0] == 1) | (x[1] == 2)), 2, 5),
    "a value": (lambda m, x, b: b[0].implies(x[0] == 1), 0, 1),
    "conjunction": (lambda m, x, b: b[0].implies(b[1] & b[2]), 0, 1),
    "negated conjunction in a clause": (lambda m, x, b: (b[0] & b[1]).implies(b[2]), 0, 1),
    "not both": (lambda m, x, b: ~(b[0] & b[1]), 0, 1),
    "both at most 0": (lambda m, x, b: (b[0] & b[1]) <= 0, 0, 1),
    "neither": (lambda m, x, b: ~(b[0] | b[1]), 0, 1),
    "used twice": (lambda m, x, b: [b[0] | (x[0] == x[1]), b[1] | (x[0] == x[1])], 1, 4),
    "used in a sum too": (lambda m, x, b: [b[0] | (x[0] == x[1]), 1 * (x[0] == x[1]) + b[1] <= 1], 1, 4),
    "used in a function too": (lambda m, x, b: [b[0] | (x[0] > 1), maximum(1 * (x[0] > 1), x[1]) == 1], 2, 5),
    "a term of two values": (lambda m, x, b: b[0].implies(Or([x[2] - 3, b[1]])), 1, 2),
    "both ways": (lambda m, x, b: (x[0] == 1) | ~(x[0] == 1) | b[0], 2, 5),
    "both ways of a sum": (lambda m, x, b: (x[0] == x[1]) | ~(x[0] == x[1]) | b[0], 1, 3),
    "arrays": (lambda m, x, b: b[:2].implies(x[:2] + x[1] >= 3), 0, 2),
    "false": (lambda m, x, b: Or([]), 0, 1),
}


@each("name", WRITTEN)
def test_truths_of_one_clause_are_written_out(name: str) -> None:
    write, variables, constraints = WRITTEN[name]
    m = Model()
    x, b = m.intvar([0, 0, 3], [3, 3, 4], shape=3, name="x"), m.boolvar(shape=3, name="b")
    m.add(write(m, x, b))
    proto = translate(m).proto
    assert len(proto.variables) - 6 == variables
    assert len(proto.constraints) == constraints
    found = m.enumerate(solver="cpsat").solutions.matrix.tolist()
    assert len(found) == len(oracle.solve(m).rows)
    assert {tuple(row) for row in found} == oracle.solve(m).rows


def test_what_the_objective_speaks_of_is_not_written_out() -> None:
    m = Model()
    x, b = m.intvar(0, 3, shape=2, name="x"), m.boolvar(name="b")
    late = x[0] + x[1] >= 3
    m.add(b | late, b == 0)
    m.minimize(5 * late + x.sum())
    assert m.solve(solver="cpsat").objective == 8


def test_large_numbers_under_literals_keep_their_bounds() -> None:
    m = Model()
    x, b = m.intvar(0, 2**33, shape=2, name="x"), m.boolvar(name="b")
    m.add(b.implies(x[0] + x[1] >= 2**34), b == 1)
    assert m.solve(solver="cpsat")[x].tolist() == [2**33, 2**33]


@each("lower, factor, constant", [(0, 1, 0), (0, -1, 3), (0, 2, -2), (1, 1, -1), (-2, 1, 2), (5, 1, -5)])
def test_elements_of_numbers_are_looked_up_at_variables(lower: int, factor: int, constant: int) -> None:
    m = Model()
    x, y = m.intvar(lower, lower + 3, shape=2, name="x"), m.intvar(0, 9, name="y")
    m.add(element([3, 1, 4, 1], factor * x[0] + constant) == y, element([3, 1, 4, 1], x[1] - lower) != y)
    there = m.to_cpsat().model
    assert not any(c.element.exprs for c in there.proto.constraints if c.has_element())
    assert {tuple(row) for row in m.enumerate(solver="cpsat").solutions.matrix.tolist()} == oracle.solve(
        m
    ).rows


def test_tables_and_elements_of_numbers_come_in_lists() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    numbers = np.array([3, 1, 0, 2])
    m.add(Table([x[0] + x[1], x[1]], [(3, 1), (4, 2), (9, 9)]), element(numbers, x[0]) >= 0)
    m.add(element([5, 6, 7], 2 * x[1] - 2) != 5, And(element(numbers, x[1] + 1) <= 2))
    assert {tuple(row) for row in m.enumerate(solver="cpsat").solutions.matrix.tolist()} == oracle.solve(
        m
    ).rows
