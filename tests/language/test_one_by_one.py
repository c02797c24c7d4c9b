"""What is stated one by one, by quick ways of its own, means what the same does as arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import numpy as np
import oracle
import pytest

from cpqueens import Count, GlobalCardinality, Model, ModelError, NoOverlap, Table, element
from cpqueens.language.conversion import listed_integers
from cpqueens.language.rows import as_integers

TABLE = [[3, 1, 4], [1, 5, 9]]

Write = Callable[[Any], Any]

BOTH: dict[str, tuple[Write, Write]] = {
    "elements": (
        lambda x: [element(TABLE[0], x[k]) != k for k in range(3)],
        lambda x: element(np.array(TABLE[0]), x) != np.arange(3),
    ),
    "elements of a matrix": (
        lambda x: [element(TABLE, x[k], x[k + 1]) >= 4 for k in range(2)],
        lambda x: element(np.array(TABLE), x[:2], x[1:]) >= 4,
    ),
    "a matrix by term and number": (
        lambda x: [element(TABLE, 1, x[k]) < 9 for k in range(3)],
        lambda x: element(np.array(TABLE), np.ones(3, dtype=int), x) < 9,
    ),
    "terms of a matrix by term and number": (
        lambda x: [
            (x[:, None] + [0, 1])[x[k], -1] + element(x[:, None] + [0, 1], x[k], 0) >= 2 for k in range(3)
        ],
        lambda x: (x[:, None] + [0, 1])[x, [1, 1, 1]] + (x[:, None] + [0, 1])[x, [0, 0, 0]] >= 2,
    ),
    "counts": (
        lambda x: [Count([x[0], x[1], x[2]], 3 - x[2].size) <= 1, Count(list(x), x[0]) == 2],
        lambda x: [(x == 2).sum() <= 1, (x == x[0]).sum() == 2],
    ),
    "cardinalities": (
        lambda x: [
            GlobalCardinality([x[0], x[1]], [0, 1], [1, 1]),
            Count(x, 3, ">=", 1),
            Count(x, 2, "<", 2),
        ],
        lambda x: [(x[:2] == v).sum() == 1 for v in range(2)] + [(x == 3).sum() >= 1, (x == 2).sum() < 2],
    ),
    "tasks": (
        lambda x: NoOverlap([x[0], 2 * x[1] - 1, x[2] + 300], [1, 2, 3]),
        lambda x: NoOverlap(np.array([1, 2, 1]) * x + np.array([0, -1, 300]), np.array([1, 2, 3])),
    ),
}


@pytest.mark.parametrize("name", BOTH)
def test_one_by_one_means_the_same(name: str) -> None:
    found = []
    for write in BOTH[name]:
        m = Model()
        x = m.intvar([0, -1, 0], 3, shape=3, name="x")
        m.add(write(x))
        rows = oracle.solve(m).rows
        for solver in ("cpsat", "backtracking"):
            assert {tuple(row) for row in m.enumerate(solver=solver).solutions.matrix.tolist()} == rows
        found.append(rows)
    assert found[0] == found[1] != set()


def test_a_single_term_takes_no_more_memory_than_an_array_without_its_columns() -> None:
    x = Model().boolvar(shape=2, name="x")
    term = x[0]
    assert sys.getsizeof(term) == sys.getsizeof(x)
    assert (term.shape, term.variables.tolist(), term.coefficients.tolist()) == ((), [[0]], [[1]])
    assert term.constants.tolist() == [0]
    assert list((~term).truth().rows()) == [([0], [-1], 1)]


def test_equal_elements_are_one_however_they_are_written() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=2, name="x")
    element(TABLE[0], x)
    element(np.array(TABLE), x, x[::-1])
    before = m.variable_count
    element(TABLE[0], x[1])
    element(TABLE, x[1], x[0])
    element(tuple(TABLE[0]), x[0])
    assert m.variable_count == before


def test_single_variables_have_names_bounds_and_refusals() -> None:
    m = Model()
    made = [m.intvar(-k, 2**40, name=f"x{k}") for k in range(40)]
    assert [str(x) for x in made] == [f"x{k}" for k in range(40)]
    assert m.lower.tolist() == [-k for k in range(40)]
    assert (made[39].bounds()[1] == 2**40).all()
    assert m.span == 2**40
    for bad, words in (((0, 1, None, "x3"), "in use"), ((1, 0, None, "y"), "empty"), ((0, 2**70), "range")):
        with pytest.raises(ModelError, match=words):
            m.intvar(*bad)
    m.intvar(0, 1, shape=2, name="y")
    with pytest.raises(ModelError, match="in use"):
        m.intvar(0, 1, name="y[1]")
    m.intvar(0, 1, name="z[1]")
    with pytest.raises(ModelError, match="share the name"):
        m.intvar(0, 1, shape=2, name="z")


def test_lists_of_integers_are_read_as_numpy_reads_them() -> None:
    for listed in ([1, 2], [[1, 2], [3, -4]], [[0, 255], (7, 8)], [[256, 0]], [[-1]], [[1], [2**62]]):
        assert as_integers(listed).tolist() == np.array(listed).tolist()
        found = listed_integers(listed)
        assert found is not None
        assert found.tolist() == np.array(listed).tolist()
    for other in ([], [1, 2.5], [True, 2], [[1], [2, 3]], [[1], 2], [[1, "2"]], [2**70], "12", [[[1]]]):
        assert listed_integers(other) is None


@pytest.mark.parametrize("rows", [[[1, 2], [1, 2], [0, 3]], [[0, 1], [2**40, -5]], [[0, 1], [0, 2]], []])
def test_tables_are_sorted_rows_each_once(rows: list[list[int]]) -> None:
    m = Model()
    table = Table(m.intvar(-9, 2**40, shape=2, name="x"), rows)
    assert table.rows.tolist() == sorted(list(row) for row in {tuple(row) for row in rows})


RELATIONS = {"==": eq, "!=": ne, "<=": le, "<": lt, ">=": ge, ">": gt}


@pytest.mark.parametrize("relation", RELATIONS)
def test_both_sides_of_a_comparison_count(relation: str) -> None:
    m = Model()
    x, y = m.intvar(-2, 2, name="x"), m.intvar(-1, 3, name="y")
    sides = [(x + 1, 2 * y - 1), (x + y, 3 * x), (-x, 2), (sum([x, y, 4]), y + 5), (y, y)]
    values = np.array([[a, b] for a in range(-2, 3) for b in range(-1, 4)])
    for left, right in sides:
        constraint = RELATIONS[relation](left, right)
        lefts, rights = (
            np.full(len(values), side) if isinstance(side, int) else side.evaluate(values)[:, 0]
            for side in (left, right)
        )
        expected = RELATIONS[relation](lefts, rights)
        m2 = m.copy()
        m2.add(constraint)  # before its sides are subtracted
        assert (constraint.satisfied(values)[:, 0] == expected).all()
        assert m2.count(solver="python-constraint") == expected.sum()
        m2.add(constraint)
        first, second = (str(posted.constraint) for posted in m2.constraints)
        assert first == second


def test_unknown_keywords_and_frozen_relations() -> None:
    m = Model()
    x = m.intvar(0, 2, name="x")
    with pytest.raises(TypeError, match=r"write m\.add_soft"):
        m.add(x <= 1, weight=3)
    with pytest.raises(AttributeError):
        (x <= 1).relation = "=="


def test_comparisons_within_connectives_mean_what_arrays_mean() -> None:
    models = Model(), Model()
    counts = []
    for k, m in enumerate(models):
        x, b = m.intvar(-1, 2, shape=4, name="x"), m.boolvar(shape=3, name="b")
        if k:
            m.add(b.implies(x[:-1] < 2 * x[1:]), ~b | (x[:-1] + 1 == x[1:]) | (x[1:] != 0))
            m.add(b.implies(x[:-1] - x[:-1] <= x[:-1]), b.implies((x[:-1] + x[1:] >= x[0]) | (x[1:] == 2)))
        for i in range(0 if k else 3):
            m.add(b[i].implies(x[i] < 2 * x[i + 1]), ~b[i] | (x[i] + 1 == x[i + 1]) | (x[i + 1] != 0))
            m.add(
                b[i].implies(x[i] - x[i] <= x[i]), b[i].implies((x[i] + x[i + 1] >= x[0]) | (x[i + 1] == 2))
            )
        counts.append(m.count(solver="backtracking"))
    assert counts[0] == counts[1] == models[0].count(solver="python-constraint") > 0
