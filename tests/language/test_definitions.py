"""Defined variables: values, bounds, ranges of partial functions, sharing."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import oracle
import pytest
from each import each

from cpqueens import LinearArray, Model, div_trunc, element, maximum, minimum, mod_trunc
from cpqueens.answers.check import Checker
from cpqueens.language.conversion import define
from cpqueens.language.defined_functions import DEFINITION_KINDS
from cpqueens.language.definitions import FEW, together

FUNCTIONS = {
    "abs": lambda x, y: abs(x - y),
    "product": lambda x, y: x * y,
    "quotient": lambda x, y: x // y,
    "remainder": lambda x, y: x % y,
    "quotient_truncated": div_trunc,
    "remainder_truncated": mod_trunc,
    "minimum": minimum,
    "maximum": maximum,
    "element": lambda x, y: element([3, y, -1, x], x),
}
RANGES = [(-3, 3), (-4, -1), (1, 4), (0, 2), (-2, 0), (0, 0), (2, 2), (-5, 1)]


def function(kind: str) -> Callable[..., LinearArray]:
    """Return the tested function of two terms: as the table writes it, else of as many as it takes."""
    many = DEFINITION_KINDS[kind].arity[0]
    return FUNCTIONS.get(kind, lambda *terms: define(kind, *terms[:many]))


def test_every_kind_is_covered() -> None:
    assert set(FUNCTIONS) <= set(DEFINITION_KINDS)
    assert set(DEFINITION_KINDS) - {"element"} == set(oracle.DEFINITIONS)


@each("kind", DEFINITION_KINDS)
@each("first", RANGES)
def test_values_and_bounds(kind: str, first: tuple[int, int]) -> None:
    for second in RANGES:
        m = Model()
        x, y = m.intvar(*first, name="x"), m.intvar(*second, name="y")
        term = function(kind)(x, y)
        grid = oracle.assignments(m)
        expected, defined = oracle.TruthTable(m, grid).column(next(term.rows()))
        values = term.evaluate(m.complete(grid, m.decisions))[:, 0]
        assert (values == expected)[defined].all()
        low, high = term.bounds()
        assert (values >= low).all()
        assert (values <= high).all()


@each("kind", DEFINITION_KINDS)
def test_backends_know_every_definition(solver: str, kind: str) -> None:
    for first, second in itertools.product([(-3, 3), (1, 4)], [(-2, 2), (1, 3), (-3, -1)]):
        m = Model()
        x, y = m.intvar(*first, name="x"), m.intvar(*second, name="y")
        z = m.intvar(-4, 4, name="z")
        m.add(function(kind)(x, y) == z)
        found = m.enumerate(solver=solver).solutions.matrix
        assert {tuple(r) for r in found.tolist()} == oracle.solve(m).rows


def test_ranges_of_partial_functions_are_constraints() -> None:
    m = Model()
    x, y = m.intvar(0, 5, name="x"), m.intvar(-1, 1, name="y")
    m.add(x // y >= 0)
    assert [p.name for p in m.constraints] == [None, "range of x // y"]
    assert "range of x // y" in str(m.check({x: 1, y: 0}))
    n = Model()
    i = n.intvar(-1, 5, name="i")
    n.add(element([4, 5, 6], i) > 4)
    assert any((v.name or "").startswith("range of element") for v in n.check({i: 3}).violations)
    assert n.check({i: -1}).amount >= 1
    assert n.check({i: 2}).ok


def test_ranges_inside_the_table_of_an_element() -> None:
    """As many positions as entries: each result needs the whole table, not one entry."""
    m = Model()
    x, y = m.intvar(0, 2, shape=2, name="x"), m.intvar(0, 1, name="y")
    table = [x[0], 6 // y]
    m.add(element(table, np.stack([m.intvar(0, 1), m.intvar(0, 1)])) >= 0)
    assert any(p.name == "range of 6 // y" for p in m.constraints)


def test_partial_functions_in_the_objective(optimizer: str) -> None:
    m = Model()
    x = m.intvar(-2, 2, name="x")
    m.maximize(6 // x)
    assert m.solve(solver=optimizer).objective == 6
    assert m.count(solver=optimizer) == 4


def test_partial_functions_only_under_truths_are_false_where_undefined(solver: str) -> None:
    m = Model()
    x, y = m.intvar(0, 5, name="x"), m.intvar(0, 3, name="y")
    m.add((x // y == 2) | (x == 0))
    expected = {(x, y) for x in range(6) for y in range(4) if x == 0 or (y and x // y == 2)}
    assert {tuple(r) for r in m.enumerate(solver=solver).solutions.matrix.tolist()} == expected


def test_functions_of_what_is_undefined_are_undefined(solver: str) -> None:
    m = Model()
    x, y = m.intvar(0, 5, name="x"), m.intvar(0, 3, name="y")
    m.add((abs(x // y - 1) + 1 == 2) | (x == 0))
    expected = {(x, y) for x in range(6) for y in range(4) if x == 0 or (y and abs(x // y - 1) == 1)}
    assert {tuple(r) for r in m.enumerate(solver=solver).solutions.matrix.tolist()} == expected


def test_partial_functions_under_truths_that_cannot_fail_are_fine(solver: str) -> None:
    m = Model()
    x, y = m.intvar(0, 5, name="x"), m.intvar(domain=[-1, 1, 2], name="y")
    m.add((x // y == 2) | (x == 0))
    assert {tuple(r) for r in m.enumerate(solver=solver).solutions.matrix.tolist()} == oracle.solve(m).rows


def test_unreached_definitions_do_not_count(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 3, name="x")
    _ = x // (x - 1), abs(x), x * x
    assert m.count(solver=solver) == 4


def test_arithmetic_is_pythons() -> None:
    m = Model()
    x, y = m.intvar(-7, -7, name="x"), m.intvar(2, 2, name="y")
    values = m.intvar(-9, 9, shape=4, name="v")
    m += [values[0] == x // y, values[1] == x % y, values[2] == div_trunc(x, y), values[3] == mod_trunc(x, y)]
    assert m.solve()[values].tolist() == [-4, 1, -3, -1]


@pytest.mark.parametrize("kind", ["abs", "product", "minimum", "maximum"])
def test_bounds_of_total_functions_are_attained(kind: str) -> None:
    """Bounds that are too wide let products of such terms be refused for their size."""
    for first, second in itertools.product(RANGES, repeat=2):
        m = Model()
        x, y = m.intvar(*first, name="x"), m.intvar(*second, name="y")
        term = FUNCTIONS[kind](x, y)
        values = term.evaluate(m.complete(oracle.assignments(m), m.decisions))[:, 0]
        low, high = term.bounds()
        assert (low.item(), high.item()) == (values.min(), values.max()), (first, second)


@each("kind", DEFINITION_KINDS)
def test_one_result_has_the_bounds_and_the_key_that_it_has_in_an_array(kind: str) -> None:
    m = Model()
    x = [m.intvar(low, high, name=f"x{k}") for k, (low, high) in enumerate(RANGES)]
    table = m.intvar([3, -1, 4, -2], [3, 5, 9, 0], shape=4, name="table")
    terms = [*x, x[2] - x[0], x[0] - x[2] + 1, 2 * x[3], x[3] + x[2]]
    for left, right in itertools.product(terms, repeat=2):
        if kind == "element":
            given = [(left, table), (left, 0 * table + [3, 1, 4, 1])]
        else:
            given = [(left, right)[: DEFINITION_KINDS[kind].arity[1]]]
        for arguments in given:
            single = DEFINITION_KINDS[kind](arguments)
            flat = DEFINITION_KINDS[kind](tuple(a.reshape(-1) for a in arguments))
            low, high = flat.bounds()
            assert single.ends() == (low[0], high[0], flat.partial().any())
            assert [single.key()] == flat.keys()


@each("kind", FUNCTIONS)
def test_a_batch_of_no_assignments(kind: str) -> None:
    m = Model()
    x, y = m.intvar(0, 3, name="x"), m.intvar(0, 3, name="y")
    m.add(FUNCTIONS[kind](x, y) >= 0)
    none = np.zeros((0, 2), dtype=np.int64)
    assert Checker(m).accepts(none).shape == (0,)
    assert m.complete_where_defined(none, m.decisions)[0].shape == (0, m.variable_count)


def test_solutions_are_completed_column_by_column() -> None:
    """A definition reads columns of many solutions; rows would be copied as a whole for each."""
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    product = x[0] * x[1] + abs(x[2] - 1)
    values = m.complete(oracle.assignments(m), m.decisions)
    assert values.T.flags.c_contiguous
    assert product.evaluate(values)[:, 0].tolist() == [
        a * b + abs(c - 1) for a, b, c in oracle.assignments(m).tolist()
    ]


def test_definitions_of_a_level_and_sort_are_evaluated_together() -> None:
    m = Model()
    x = m.intvar(-3, 3, shape=6, name="x")
    tables = [[k, 3, -k, 5, 1, 0, 2] for k in range(5)]
    inner = [element(table, x[k] + 3) + abs(x[k] * x[k + 1]) for k, table in enumerate(tables)]
    m.add(
        *(
            (inner[k] < inner[k + 1]) | (maximum(inner[k], x[k]) == x[5]) & (x[k] // x[5] > 0)
            for k in range(4)
        )
    )
    assert len(together(m.definitions, m.variable_count)) < len(m.definitions) / 2
    rows = np.random.default_rng(7).integers(-3, 4, size=(64, 6))
    expected = m.complete_where_defined(rows, m.decisions)
    for first in range(0, len(rows), FEW):
        some = slice(first, first + FEW)
        found = m.complete_where_defined(rows[some], m.decisions)
        assert np.array_equal(expected[0][some], found[0])
        assert np.array_equal(expected[1][some], found[1])
    assert not expected[1].all()
