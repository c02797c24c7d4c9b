"""What is written for CP-SAT: domains, sums among terms, tables, hints, and when presolve is off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import oracle
import pytest
from each import each

from cpqueens import AllDifferent, Inverse, Model, NoOverlap, Or, Table, element
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.backends.cpsat.translation import translate


def rows(model: Model) -> set[tuple[int, ...]]:
    return {tuple(row) for row in model.enumerate(solver="cpsat").solutions.matrix.tolist()}


@pytest.mark.parametrize("values", [[0, 2], [0, 2, 3, 5], [-4, -3, 9], [7]])
def test_a_domain_has_its_gaps(values: list[int]) -> None:
    m = Model()
    m.intvar(domain=values, name="x")
    assert rows(m) == {(value,) for value in values}


@pytest.mark.parametrize("constant", [-3, 0, 1])
def test_a_sum_among_terms_keeps_its_constant(constant: int) -> None:
    m = Model()
    x = m.intvar(0, 2, shape=3, name="x")
    m.add(AllDifferent([x[0] + x[1] + constant, x[2], 2 * x[0] - 1]))
    assert rows(m) == oracle.solve(m).rows


@pytest.mark.parametrize("factor", [2**26, 2**31])
def test_large_sums_of_small_variables_are_searched_without_presolve(factor: int) -> None:
    m = Model()
    x, y = m.intvar(0, 3, name="x"), m.intvar(0, 3, name="y")
    m.add(factor * x + y <= 2 * factor)
    outcome = m.enumerate(solver="cpsat")
    assert outcome.count == 9
    assert ("presolve" in outcome.statistics) == (factor == 2**31)


def test_nothing_is_in_an_empty_table() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=2, name="x")
    m.add(Table(x, np.zeros((0, 2), dtype=np.int64)))
    assert rows(m) == set()


@pytest.mark.parametrize("far", [2**30, 2**31, 2**32])
def test_tables_beyond_32_bits_are_not_the_solvers_own(far: int) -> None:
    """OR-Tools 9.15 loses their rows."""
    m = Model()
    x = m.intvar(domain=[0, 1, far], shape=2, name="x")
    m.add(Table(x, [(0, 1), (far, 0), (far, far)]))
    assert rows(m) == {(0, 1), (far, 0), (far, far)}
    assert ("table" in str(translate(m).proto)) == (far < 2**31)


@pytest.mark.parametrize("shift", [0, 1])
def test_an_inverse_of_shifted_terms(shift: int) -> None:
    m = Model()
    x, y = m.intvar(0, 3, shape=3, name="x"), m.intvar(0, 2, shape=3, name="y")
    m.add(Inverse(x - shift, y))
    assert rows(m) == oracle.solve(m).rows


def _a_truth_in_a_sum_too(m: Model, a: Any, x: Any) -> None:
    within = x[0] + x[1] <= 3
    m.add(a[0].implies(within), within + x[0] >= 2)


def _a_conjunction_denied(m: Model, a: Any, x: Any) -> None:
    m.add((a[:1] & a[1:2]).implies(a[2]), x == 0)


def _tasks_that_may_be_absent(m: Model, a: Any, x: Any) -> None:
    m.add(NoOverlap(x[:2], [2, x[2] + 1], present=[a[0], ~a[1]]), a[2] == 0, x[2] <= 1)


def _an_element_of_any_place(m: Model, a: Any, x: Any) -> None:
    m.add(Or([a[0], element([3, 1, 2], 2 * x[0] - 3) >= x[1]]), a[1:] == 0, x[2] == 0)


@each(
    "write",
    [_a_truth_in_a_sum_too, _a_conjunction_denied, _tasks_that_may_be_absent, _an_element_of_any_place],
)
def test_what_stands_for_others_means_the_same(write: Callable[[Model, Any, Any], None]) -> None:
    m = Model()
    a, x = m.boolvar(shape=3, name="a"), m.intvar(0, 3, shape=3, name="x")
    write(m, a, x)
    assert rows(m) == oracle.solve(m).rows


def test_a_hint_is_for_the_variables_that_were_hinted() -> None:
    m = Model()
    m.intvar(0, 4, shape=4, name="x")
    translation = translate(m)
    hint, hinted = np.array([9, 1, 9, 3]), np.array([False, True, False, True])
    translation.add_hint(Request(Want.ONE, Clock(None), hint=hint, hinted=hinted))
    given = translation.proto.solution_hint
    assert dict(zip(given.vars, given.values, strict=True)) == {1: 1, 3: 3}


def test_an_exported_model_answers_to_the_older_names_too() -> None:
    m = Model()
    m.intvar(1, 3, name="x")
    exported = m.to_cpsat()
    own = exported.model.NewIntVar(0, 3, "y")
    exported.model.Add(own > exported.variables["x"])
    assert len(exported.model.proto.variables) == 2
    assert len(exported.model.proto.constraints) == 1
    assert not hasattr(exported.model, "NewNothing")


@each("name", ["x", 'the "best"', "back\\slash", "Größe 'n'", "a{b}%d"])
def test_exported_variables_have_their_names(name: str) -> None:
    m = Model()
    m.add(m.intvar(1, 2, shape=2, name=name).sum() == 3)
    exported = m.to_cpsat()
    assert [v.name for v in exported.model.proto.variables] == [f"{name}[0]", f"{name}[1]"]
    assert [v.name for v in exported.variables.values()] == list(exported.variables)
