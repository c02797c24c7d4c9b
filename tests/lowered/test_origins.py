"""Where compiled rows come from: each is compared with the constraint that it is said to be of."""

from __future__ import annotations

import random

from seeds import seeds

from cpqueens import AllDifferent, Model, Or
from cpqueens.backends.backtracking.backend import model_form
from cpqueens.fuzzing.generate import random_model
from cpqueens.lowered.compiled import Compiled, Terms
from cpqueens.lowered.forms import OBJECTIVE, SHARED, compiled_of, origins_of

FORM = model_form(True)


def row_of(terms: Terms, k: int) -> tuple[tuple[tuple[int, int], ...], int]:
    variables, coefficients, constant = terms.row(k)
    return tuple(sorted(zip(variables.tolist(), coefficients.tolist(), strict=True))), constant


def test_rows_in_whatever_order_are_those_of_their_constraint() -> None:
    m = Model()
    x = m.intvar(0, 9, shape=4, name="x")
    given = [x[0] + x[1] <= 3, x[2] == 4, x[:2] >= 1, x[0] - x[3] >= -2, x[1] != x[2]]
    given += [x[1] + x[3] <= 7, x[3] <= 8]
    for constraint in given:
        m.add(constraint)
    compiled, origins = compiled_of(m, FORM), list(origins_of(m, FORM).linear)
    assert len(origins) == len(compiled.relation)
    assert sorted(set(origins)) == list(range(len(m.constraints)))
    for k, origin in enumerate(origins):
        mine = m.constraints[origin].constraint.arguments[0]
        its = [sorted(zip(v, a, strict=True)) for v, a, _ in mine.reshape(-1).rows()]
        (used, _) = row_of(compiled.linear, k)
        assert list(used) in its


@seeds(range(30), together=30)
def test_origins_of_all_kinds_have_the_lengths_of_the_arrays(seed: int) -> None:
    model = random_model(random.Random(seed))
    compiled: Compiled = compiled_of(model, FORM)
    origins = origins_of(model, FORM)
    assert len(list(origins.linear)) == len(compiled.relation)
    assert len(list(origins.clauses)) == len(compiled.clause_start) - 1
    assert len(list(origins.different)) == len(compiled.different_start) - 1
    assert len(list(origins.tables)) == len(compiled.tables)
    assert len(list(origins.wholes)) == len(compiled.wholes)
    assert len(origins.defined) == compiled.variable_count
    known = range(OBJECTIVE, len(model.constraints))
    assert all(k in known for part in (origins.linear, origins.clauses, origins.defined) for k in part)


def test_clauses_and_what_they_need_are_their_own() -> None:
    m = Model()
    x = m.intvar(0, 9, shape=3, name="x")
    either, both = x[0] == 1, x[2] == 2
    m.add(Or(either, both))
    m.add(AllDifferent(x))
    m.add(Or(x[0] == 5, both))
    m.minimize(abs(x[0] - x[1]))
    compiled, origins = compiled_of(m, FORM), origins_of(m, FORM)
    assert sorted(origins.clauses) == [0, 2]
    assert list(origins.different) == [1]
    owners = [origins.owner(v) for v in range(compiled.decision_count, compiled.variable_count)]
    assert sorted(owners) == sorted([0, SHARED, 2, OBJECTIVE])
