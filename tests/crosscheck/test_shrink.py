"""Rebuilt models mean the same; shrunk ones are small and fail in the same way."""

import numpy as np
import pytest
from seeds import seeds

from cpqueens import (
    AllDifferent,
    BinPacking,
    LexChainLess,
    Model,
    NegativeTable,
    Regular,
    Table,
    ValuePrecede,
    maximum,
)
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.shrink import Budget, shrink, size
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.rebuild import rebuilt


@seeds(range(60))
def test_a_rebuilt_model_has_the_same_solutions_and_optimum(seed):
    model = random_model(seed)
    before, after = oracle.solve(model), oracle.solve(rebuilt(model))
    assert np.array_equal(before.solutions, after.solutions)
    assert before.optimum == after.optimum


def test_fixing_a_variable_while_rebuilding_is_a_cut_of_the_solutions():
    for seed in range(40):
        model = random_model(seed)
        truth = oracle.solve(model)
        first = int(model.decisions[0])
        for value in {int(model.lower[first]), int(model.upper[first])}:
            if first in model.domains and value not in model.domains[first]:
                continue
            cut = oracle.solve(rebuilt(model, constants={first: value}))
            assert np.array_equal(cut.solutions, truth.solutions[truth.solutions[:, 0] == value][:, 1:])


def test_names_and_sources_survive(tmp_path):
    model = Model()
    x = model.intvar(0, 3, shape=2, name="x")
    model.add(x[0] // (x[1] + 1) == 1, name="half")
    again = rebuilt(model)
    assert [(p.name, p.where) for p in again.constraints] == [(p.name, p.where) for p in model.constraints]


def test_shrinking_keeps_the_failure_and_nothing_else():
    model = Model()
    x = model.intvar(-9, 9, shape=4, name="x")
    model.add(AllDifferent(x), name="keep")
    model.add(x.sum() <= 7)
    model.add(maximum(x[0], x[1]) >= 3)
    model.add((x[2] == 1) | (x[3] != 2))
    model.minimize(x[0])

    def fails(m):
        kinds = [p.constraint for p in m.constraints]
        return (
            any(c.kind == "AllDifferent" and c.terms.size >= 2 for c in kinds) and oracle.solve(m).count > 0
        )

    small = shrink(model, fails)
    assert fails(small)
    assert size(small) == (0, 1)
    assert small.objective is None


def test_a_model_that_does_not_fail_is_returned_as_it_is():
    model = random_model(3)
    assert shrink(model, lambda m: False) is model


def test_the_budget_is_kept():
    calls = []
    shrink(random_model(5), lambda m: bool(calls.append(m)) or True, Budget(tries=7))
    assert len(calls) <= 7


SHORTENED = {
    "BinPacking": (
        lambda x: BinPacking(x, [1, 2, 3, 4], [9, 9]),
        lambda c: (c.bins.size, c.sizes.size),
        (2, 2),
    ),
    "LexChainLess": (lambda x: LexChainLess(x.reshape(4, 1)), lambda c: c.matrix.shape, (2, 1)),
    "NegativeTable": (
        lambda x: NegativeTable(x, [(0,) * 4, (1, "*", 0, 1), (3,) * 4]),
        lambda c: c.rows.shape,
        (2, 4),
    ),
    "Regular": (lambda x: Regular(x, [(0, k, 0) for k in range(4)], 0, 0), lambda c: c.terms.shape, (2,)),
    "ShortTable": (lambda x: Table(x, [(0,) * 4, (1, "*", 0, 1), (3,) * 4]), lambda c: c.rows.shape, (2, 4)),
    "ValuePrecede": (lambda x: ValuePrecede(x, 1, 2), lambda c: c.terms.shape, (2,)),
}


@pytest.mark.parametrize("kind", SHORTENED)
def test_what_a_kind_lists_becomes_as_short_as_the_failure_allows(kind):
    make, shape, least = SHORTENED[kind]
    model = Model()
    x = model.intvar(0, 3, shape=4, name="x")
    model.add(make(x))

    def fails(m):
        return any(p.constraint.kind == kind and shape(p.constraint) >= least for p in m.constraints)

    (posted,) = shrink(model, fails).constraints
    assert shape(posted.constraint) == least
