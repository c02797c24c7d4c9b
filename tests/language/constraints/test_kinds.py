"""Every constraint kind: meaning, violation, decomposition and contexts against the oracle."""

from __future__ import annotations

import inspect
import itertools
import pkgutil
from pathlib import Path

import numpy as np
import oracle
import pytest
from each import each
from hypothesis import given
from seeds import sweep

import cpqueens
import cpqueens.language.constraints as package
from cpqueens import Linear, Model
from cpqueens.fuzzing.generate import CONTEXTS, random_model, usage
from cpqueens.fuzzing.testing import random_models
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.kinds import KINDS, kind_class
from cpqueens.language.definedness import defined_elements
from cpqueens.lowered.lowering import Scratch

SHARED = {
    "base",
    "joining",
    "kinds",
    "paired",
    "setups",
    "expression",
    "states",
    "table_rows",
}
"""Files of what several kinds share."""


def test_registry_and_directory_agree() -> None:
    files = {module.name for module in pkgutil.iter_modules(package.__path__)} - SHARED
    assert set(KINDS.values()) == files
    for name in KINDS:
        assert kind_class(name).__name__ == name
        assert getattr(cpqueens, name) is kind_class(name)
    assert set(oracle.KINDS) == set(KINDS)


@each("kind", KINDS)
def test_docstrings_have_a_doctest(kind: str) -> None:
    assert ">>>" in (inspect.getdoc(kind_class(kind)) or "")


def _columns(model: Model, constraint: Constraint) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return all assignments completed by the package, where terms are defined, and the oracle's word."""
    grid = oracle.assignments(model)
    values, defined = model.complete_where_defined(grid, model.decisions)
    return (
        values,
        defined_elements(constraint, defined),
        oracle.TruthTable(model, grid).constraint(constraint),
    )


@each("kind", KINDS)
@each("context", CONTEXTS)
def test_meaning_is_the_oracles(kind: str, context: str) -> None:
    for seed in sweep(4, 12):
        model = random_model(seed, kinds=[kind], contexts=[context], constraints=2)
        for posted in model.constraints:
            constraint = posted.constraint.flattened()
            values, defined, held = _columns(model, constraint)
            assert not held[~defined].any(), seed
            everywhere = defined.all(axis=1)
            values, held = values[everywhere], held[everywhere]
            assert (constraint.satisfied(values) == held).all(), seed
            assert ((constraint.amounts(values) == 0) == held).all(), seed
            assert (constraint.amounts(values) >= 0).all()
            assert (constraint.holds(values) == held.all(axis=1)).all()
            assert ((constraint.violation(values) == 0) == held.all(axis=1)).all()


@each("kind", [k for k in KINDS if kind_class(k).simpler is not Constraint.simpler])
def test_decomposition_means_the_same(kind: str) -> None:
    ways = (False, True) if "computed_forms" in vars(kind_class(kind)) else (False,)
    for seed, computed in itertools.product(sweep(8, 25), ways):
        model = random_model(seed, kinds=[kind], contexts=["plain"], constraints=2)
        for posted in model.constraints:
            if posted.constraint.kind != kind:
                continue
            grid = oracle.assignments(model)
            values, where = model.complete_where_defined(grid, model.decisions)
            before = posted.constraint.holds(values)
            scratch = Scratch(model)
            parts = posted.constraint.decompose(scratch, computed=computed)
            values, _ = scratch.complete_where_defined(grid, model.decisions)
            after = np.ones(len(grid), dtype=bool)
            for part in parts:
                after &= part.holds(values)
            defined = defined_elements(posted.constraint, where).all(axis=1)
            assert (before == after)[defined].all(), seed
            assert len(scratch.decisions) == len(model.decisions)


def test_only_the_kernel_core_lacks_a_decomposition() -> None:
    core = {k for k in KINDS if kind_class(k).simpler is Constraint.simpler}
    assert core == {"Linear", "Or"}


@each("kind", KINDS)
@each("context", CONTEXTS)
def test_backends_find_the_oracles_solutions(solver: str, kind: str, context: str) -> None:
    checked = 0
    for seed in range(24):
        model = random_model(seed, kinds=[kind], contexts=[context], constraints=2)
        truth = oracle.solve(model)
        if truth.count > 400:
            continue
        checked += 1
        outcome = model.enumerate(solver=solver)
        assert outcome.complete
        assert {tuple(r) for r in outcome.solutions.matrix.tolist()} == truth.rows, seed
        if checked == len(sweep(1, 4)):
            return
    raise AssertionError("too few models to say anything")


@given(random_models())
def test_checker_and_oracle_agree(model: Model) -> None:
    from cpqueens.answers.check import Checker

    grid = oracle.assignments(model)
    accepted = Checker(model).accepts(grid)
    assert {tuple(r) for r in grid[accepted].tolist()} == oracle.solve(model).rows


def test_the_generator_reaches_every_kind_in_every_context() -> None:
    met: set[tuple[str, str]] = set()
    for seed in range(600):
        met |= set(usage(random_model(seed, cancelling=seed % 20 == 0)))
    for kind in KINDS:
        assert (kind, "reified") in met, kind
        if kind != "And":  # a conjunction that is posted is split
            assert (kind, "plain") in met, kind
        if kind not in ("Linear", "Negation"):  # their negations are other constraints
            assert (kind, "negated") in met, kind
    from cpqueens.language.defined_functions import DEFINITION_KINDS

    assert {(kind, "defined") for kind in DEFINITION_KINDS} <= met


def test_the_generator_is_deterministic() -> None:
    for seed in range(30):
        first, second = random_model(seed), random_model(seed)
        assert oracle.solve(first).rows == oracle.solve(second).rows
        assert [repr(p.constraint) for p in first.constraints] == [
            repr(p.constraint) for p in second.constraints
        ]


def test_the_generator_varies() -> None:
    counts = [oracle.solve(random_model(seed)).count for seed in range(200)]
    assert 20 < sum(c == 0 for c in counts) < 140
    assert sum(0 < c <= 20 for c in counts) > 20
    assert sum(c > 20 for c in counts) > 20


def test_constraints_are_frozen_and_compare_by_identity() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=3, name="x")
    for constraint in (cpqueens.AllDifferent(x), x[0] == 1):
        with pytest.raises(AttributeError):
            constraint.terms = x
    c = cpqueens.AllDifferent(x)
    assert len({c, cpqueens.AllDifferent(x)}) == 2


# ---- semantics that are settled, one by one --------------------------------------------------------------


def _count(constraint_of, solver: str, size: int = 2) -> int:
    m = Model()
    x = m.intvar(0, 2, shape=size, name="x")
    m.add(constraint_of(x))
    return m.count(solver=solver)


SETTLED = {
    "no terms differ": (lambda x: cpqueens.AllDifferent([]), 9),
    "one term differs": (lambda x: cpqueens.AllDifferent(x[:1]), 9),
    "a term twice never differs": (lambda x: cpqueens.AllDifferent(x[0], x[0]), 0),
    "its negation always holds": (lambda x: ~cpqueens.AllDifferent(x[0], x[0]), 9),
    "a table without rows": (lambda x: cpqueens.Table(x, []), 0),
    "its negation": (lambda x: ~cpqueens.Table(x, []), 9),
    "a table with a double row": (lambda x: cpqueens.Table(x, [(0, 1), (0, 1)]), 1),
    "a row of stars": (lambda x: cpqueens.Table(x, [("*", "*")]), 9),
    "a row of stars forbidden": (lambda x: cpqueens.NegativeTable(x, [("*", "*")]), 0),
    "stars beside values": (lambda x: cpqueens.Table(x, [(0, "*"), ("*", 1), (2, 2)]), 6),
    "no rows forbidden": (lambda x: cpqueens.NegativeTable(x, []), 9),
    "a row of nothing": (lambda x: cpqueens.Table([], [[]]), 9),
    "a row of nothing forbidden": (lambda x: cpqueens.NegativeTable([], [[]]), 0),
    "a chain of one row": (lambda x: cpqueens.LexChainLess([x]), 9),
    "a chain of empty rows": (lambda x: cpqueens.LexChainLess([[], []]), 0),
    "a weak chain of empty rows": (lambda x: cpqueens.LexChainLessEqual([[], []]), 9),
    "one value precedes nothing": (lambda x: cpqueens.ValuePrecede(x, [1]), 9),
    "no value precedes": (lambda x: cpqueens.ValuePrecede(x, []), 9),
    "nothing in bins": (lambda x: cpqueens.BinPacking([], [], x), 1),
    "no bins": (lambda x: cpqueens.BinPacking(x, [0, 0], []), 0),
    "nothing in no bins": (lambda x: cpqueens.BinPacking([], [], []), 9),
    "a bin of its size": (lambda x: cpqueens.BinPacking(x[:1], x[1:], [1]), 1),
    "an empty clause": (lambda x: cpqueens.Or([]), 0),
    "an empty conjunction": (lambda x: cpqueens.And([]), 9),
    "an empty parity": (lambda x: cpqueens.Xor([]), 0),
    "lexicographic on nothing": (lambda x: cpqueens.LexLess([], []), 0),
    "lexicographic or equal on nothing": (lambda x: cpqueens.LexLessEqual([], []), 9),
    "count of nothing": (lambda x: cpqueens.Count([], 1, 0), 9),
    "count of nothing against a term": (lambda x: cpqueens.Count([], 1, x[0]), 3),
    "among nothing": (lambda x: cpqueens.Among(x, [], 0), 9),
    "cardinality closed on nothing": (lambda x: cpqueens.GlobalCardinality(x, [], [], closed=True), 0),
    "cardinality open on nothing": (lambda x: cpqueens.GlobalCardinality(x, [], []), 9),
    "a circuit of nothing": (lambda x: cpqueens.Circuit([]), 9),
    "a circuit of one node": (lambda x: cpqueens.Circuit(x[:1]), 3),
    "a circuit without a loop": (lambda x: cpqueens.Circuit(x), 1),
    "a subcircuit of nothing": (lambda x: cpqueens.SubCircuit([]), 9),
    "a subcircuit may be empty": (lambda x: cpqueens.SubCircuit(x) & (x[0] == 0), 1),
    "a subcircuit of two nodes": (lambda x: cpqueens.SubCircuit(x), 2),
    "a circuit of constants": (lambda x: cpqueens.Circuit([1, 2, 0]), 9),
    "two circuits of constants": (lambda x: cpqueens.SubCircuit([1, 0, 3, 2]), 0),
    "values of nothing": (lambda x: cpqueens.NValue([], 0), 9),
    "one value of nothing": (lambda x: cpqueens.NValue([], 1), 0),
    "inverse of nothing": (lambda x: cpqueens.Inverse([], []), 9),
    "excepted value repeats": (lambda x: cpqueens.AllDifferentExcept(x, 0), 7),
    "nothing excepted": (lambda x: cpqueens.AllDifferentExcept(x, []), 6),
    "no tasks overlap": (lambda x: cpqueens.NoOverlap([], []), 9),
    "no tasks demand nothing": (lambda x: cpqueens.Cumulative([], [], [], 0), 9),
    "no tasks within less than nothing": (lambda x: cpqueens.Cumulative([], [], [], x[0] - 1), 6),
    "no rectangles overlap": (lambda x: cpqueens.NoOverlap2D([], 1, [], 1), 9),
    "points in time do not overlap": (lambda x: cpqueens.NoOverlap(x, 0), 9),
    "a point in time lies beside a task": (lambda x: cpqueens.NoOverlap(x, [0, 2]), 7),
    "not a negative duration": (lambda x: ~cpqueens.NoOverlap(x, [1, -1]), 9),
    "a negative duration of no task": (lambda x: cpqueens.NoOverlap(x, [1, -1], [True, False]), 9),
    "a point lies beside a rectangle": (lambda x: cpqueens.NoOverlap2D(x, [0, 2], [1, 0], [0, 2]), 7),
    "a line does not cross another": (lambda x: cpqueens.NoOverlap2D(x, [0, 2], [0, 1], [2, 0]), 7),
    "a line may meet a point": (lambda x: cpqueens.NoOverlap2D(x, [0, 0], 1, [0, 2]), 9),
    "not a negative size": (lambda x: ~cpqueens.NoOverlap2D(x, 1, [0, 5], [-1, 1]), 9),
    "room for one of two": (lambda x: cpqueens.Cumulative(x, 1, 1, 1), 6),
    "a demand for no time": (lambda x: cpqueens.Cumulative(x, [0, 1], [5, 1], 1), 9),
    "not a negative demand": (lambda x: ~cpqueens.Cumulative(x, 1, [-1, 1], 1), 9),
    "a negative demand of no task": (lambda x: cpqueens.Cumulative(x, 1, [-1, 1], 1, [False, True]), 9),
    "a demand beyond the capacity": (lambda x: ~cpqueens.Cumulative(x, 1, 2, 1), 9),
    "double negation": (lambda x: ~~cpqueens.AllDifferent(x), 6),
    "same value, same truth": (lambda x: (x[0] == x[1]) == cpqueens.AllEqual(x), 9),
}


@each("name", SETTLED)
def test_settled_semantics(solver: str, name: str) -> None:
    constraint_of, expected = SETTLED[name]
    assert _count(constraint_of, solver) == expected


AMOUNTS = {
    "AllDifferent": (lambda x: cpqueens.AllDifferent(x), [1, 1, 1, 2], 2),
    "AllDifferentExcept": (lambda x: cpqueens.AllDifferentExcept(x, 1), [1, 1, 2, 2], 1),
    "AllEqual": (lambda x: cpqueens.AllEqual(x), [0, 2, 2, 1], 2),
    "Among": (lambda x: cpqueens.Among(x, [1, 2], 4), [0, 1, 2, 0], 2),
    "And": (lambda x: cpqueens.And(x == 1), [1, 0, 2, 1], 2),
    "BinPacking": (lambda x: cpqueens.BinPacking(x, [3, 1, 1, 2], [3, 2], "<="), [0, 0, 1, 2], 2),
    "Circuit": (lambda x: cpqueens.Circuit(x), [0, 0, 2, 2], 3),
    "Count": (lambda x: cpqueens.Count(x, 0, ">=", 3), [0, 1, 1, 1], 2),
    "Cumulative": (lambda x: cpqueens.Cumulative(x, 2, [1, 2, 1, 1], 2), [0, 1, 1, 2], 6),
    "Decreasing": (lambda x: cpqueens.Decreasing(x), [0, 1, 2, 2], 2),
    "GlobalCardinality": (lambda x: cpqueens.GlobalCardinality(x, [0, 1], [1, 1], True), [0, 0, 2, 2], 4),
    "Increasing": (lambda x: cpqueens.Increasing(x, strict=True), [0, 1, 1, 0], 2),
    "Inverse": (lambda x: cpqueens.Inverse(x[:2], x[2:]), [0, 1, 0, 0], 2),
    "LexChainLess": (lambda x: cpqueens.LexChainLess(x.reshape(2, 2)), [1, 2, 1, 2], 1),
    "LexChainLessEqual": (lambda x: cpqueens.LexChainLessEqual(x.reshape(4, 1)), [2, 1, 1, 0], 2),
    "LexLess": (lambda x: cpqueens.LexLess(x[:2], x[2:]), [2, 0, 1, 0], 2),
    "LexLessEqual": (lambda x: cpqueens.LexLessEqual(x[:2], x[2:]), [1, 2, 1, 0], 1),
    "Linear": (lambda x: x.sum() <= 3, [2, 2, 2, 2], 5),
    "NegativeTable": (lambda x: cpqueens.NegativeTable(x, [(0, "*", 1, 1), ("*", 0, 1, 1)]), [0, 0, 1, 1], 2),
    "NoOverlap": (lambda x: cpqueens.NoOverlap(x, [1, 2, 0, 1]), [0, 1, 2, 2], 2),
    "NoOverlap2D": (lambda x: cpqueens.NoOverlap2D(x[:2], 3, x[2:], [2, 1]), [0, 2, 1, 2], 1),
    "NValue": (lambda x: cpqueens.NValue(x, 1), [0, 2, 1, 0], 2),
    "Or": (lambda x: cpqueens.Or(x == 1), [0, 0, 2, 2], 1),
    "Regular": (lambda x: cpqueens.Regular(x, [(0, 0, 0), (0, 1, 1), (1, 1, 1)], 0, 1), [1, 0, 2, 1], 2),
    "ShortTable": (lambda x: cpqueens.ShortTable(x, [(0, "*", 1, 1), (2, 2, 2, "*")]), [0, 1, 2, 0], 2),
    "SubCircuit": (lambda x: cpqueens.SubCircuit(x), [1, 0, 2, 0], 1),
    "Table": (lambda x: cpqueens.Table(x, [(0, 0, 0, 0), (2, 2, 2, 2)]), [2, 2, 0, 2], 1),
    "ValuePrecede": (lambda x: cpqueens.ValuePrecede(x, 0, 1, 2), [2, 1, 0, 2], 2),
    "Xor": (lambda x: cpqueens.Xor(x == 1), [1, 1, 0, 0], 1),
}


@each("kind", AMOUNTS)
def test_violation_is_the_fields_measure(kind: str) -> None:
    make, values, amount = AMOUNTS[kind]
    m = Model()
    x = m.intvar(0, 2, shape=4, name="x")
    constraint = make(x)
    assert constraint.kind == kind
    assert constraint.violation(m.complete(np.array([values]), m.decisions)).tolist() == [amount]


def test_negated_relations_are_relations() -> None:
    m = Model()
    q = m.intvar(0, 7, shape=8, name="q")
    assert isinstance(~(q == 3), Linear)
    assert (~(q < 3)).relation == ">="


def test_every_file_of_a_family_is_short() -> None:
    for module in package.__path__:
        for file in Path(module).glob("*.py"):
            assert len(file.read_text().splitlines()) <= 450, file
