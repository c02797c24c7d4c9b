"""What compiling renumbers and shifts: variables behind definitions, blocks of elements, strict counts."""

from __future__ import annotations

import random

import numpy as np
import pytest
from each import each
from seeds import seeds

from cpqueens import AllDifferent, Count, Model, Table, element
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model
from cpqueens.lowered import evaluation, forms
from cpqueens.lowered.compiled import stable_order
from cpqueens.lowered.evaluation import _by_levels, values_of_all


def agrees(model: Model, solver: str) -> bool:
    found = model.enumerate(solver=solver).solutions.matrix
    return {tuple(row) for row in found.tolist()} == oracle.solve(model).rows


def test_domains_of_variables_made_behind_definitions(solver: str) -> None:
    model = Model()
    x = model.intvar(domain=[-3, 0, 2], name="x")
    size = abs(x)
    y = model.intvar(domain=[0, 2, 5], name="y")
    model.add(size + y <= 5)
    assert agrees(model, solver)


def test_several_positions_in_one_table(solver: str) -> None:
    model = Model()
    x = model.intvar(0, 2, shape=2, name="x")
    picked = element([x[0] + 1, 2, x[1]], x)
    model.add(picked[0] < picked[1])
    assert agrees(model, solver)


@pytest.mark.parametrize("most", [0, 1 << 20], ids=["one by one", "together"])
def test_positions_in_one_table_are_renumbered_alike(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "_MOST_TOGETHER", most)
    model = Model()
    x = model.boolvar(shape=4, name="x")
    model.add(element(x[:3] + 1, [x[3], 2 * x[0], x[1] + x[2]]) == 2)
    definitions = forms.compile_model(model).definitions
    rows = [[definition.terms.row(t) for t in range(4)] for definition in definitions]
    found = [[(v.tolist(), a.tolist(), c) for v, a, c in each] for each in rows]
    table = [([v], [1], 1) for v in range(3)]
    positions = [([3], [1], 0), ([0], [2], 0), ([1, 2], [1, 1], 0)]
    assert found == [[position, *table] for position in positions]


@pytest.mark.parametrize(
    ("relation", "number", "total"), [("<", 1, 1), (">", 2, 6), ("<=", 0, 1), (">=", 3, 6)]
)
def test_strict_counts_in_local_search(relation: str, number: int, total: int) -> None:
    model = Model()
    x = model.intvar(0, 2, shape=3, name="x")
    model += [Count(x, 2, relation, number), x.sum() == total]
    outcome = model.solve(solver="local-search:tabu", step_limit=20_000)
    assert outcome.solution is not None
    assert outcome.solution.check().ok


def test_several_clauses_in_one_block(solver: str) -> None:
    model = Model()
    x = model.intvar(0, 2, shape=4, name="x")
    model.add((x[:3] == 0) | (x[1:] == 1))
    assert agrees(model, solver)


def test_several_clauses_in_one_block_in_local_search() -> None:
    model = Model()
    x = model.intvar(0, 2, shape=6, name="x")
    model.add((x[:5] == 0) | (x[1:] == 1))
    for seed in range(4):
        assert model.solve(solver="local-search", random_seed=seed, step_limit=20_000).solution is not None


@pytest.mark.parametrize(("relation", "number", "total"), [("<", 1, 3), (">", 1, 4)])
def test_strict_counts_that_the_sum_does_not_imply(relation: str, number: int, total: int) -> None:
    model = Model()
    x = model.intvar(0, 2, shape=3, name="x")
    model += [Count(x, 2, relation, number), x.sum() == total]
    for seed in range(8):  # what is delivered wrongly is refused
        outcome = model.solve(solver="local-search:tabu", random_seed=seed, step_limit=20_000)
        assert outcome.solution is not None


@each("second", [3, 4])
def test_constants_beside_sums_in_all_different(solver: str, second: int) -> None:
    model = Model()
    x = model.intvar(0, 2, shape=2, name="x")
    zero = 0 * x[0]
    model.add(AllDifferent([x.sum(), zero + 3, zero + second]))
    assert agrees(model, solver)
    assert model.count(solver=solver) == (0 if second == 3 else 6)


@each("rows", [0, 1])
def test_a_table_of_no_terms_holds_if_it_has_a_row(solver: str, rows: int) -> None:
    model = Model()
    x = model.intvar(0, 2, shape=1, name="x")
    model.add(Table(x[:0], np.zeros((rows, 0), dtype=np.int64)))
    assert model.count(solver=solver) == (3 if rows else 0)


@each("sign", [1, -1])
def test_the_worst_value_is_the_best_where_there_is_no_other(solver: str, sign: int) -> None:
    model = Model()
    x = model.intvar(0, 3, shape=2, name="x")
    model.add(sign * x.sum() >= (6 if sign > 0 else 0))
    model.minimize(sign * x.sum())
    outcome = model.solve(solver=solver)
    assert (outcome.status, outcome.objective) == ("OPTIMAL", 6 if sign > 0 else 0)


def test_a_truth_that_must_hold_prunes_its_arguments() -> None:
    model = Model()
    x, y = model.intvar(0, 2, shape=12, name="x"), model.intvar(0, 1, name="y")
    model.add((x.sum() >= 24).truth() + (y == 1).truth() == 2)
    outcome = model.solve(solver="backtracking:forward")
    assert outcome[x].tolist() == [2] * 12
    assert outcome.statistics["failures"] == 0


def test_definitions_of_one_block_may_need_each_other() -> None:
    """Values are computed run by run; in none of them a definition needs another one."""
    model = Model()
    x, table = model.intvar(0, 3, shape=2, name="x"), np.array([2, 3, 1, 0])
    for k in range(2):
        model.add(element(table, element(table, x[k])) >= 0)
    c = forms.compile_model(model)
    (block,) = c.definitions.blocks
    assert [part.results.tolist() for part in block.runs] == [[2], [3, 4], [5]]
    values = values_of_all(c, np.array([3, 1]))
    assert values.tolist() == [3, 1, 0, 2, 3, 0]


def random_row(compiled: forms.Compiled, seed: int) -> list[int]:
    """Return random values of the decision variables."""
    source, n = random.Random(seed), compiled.decision_count
    ends = zip(compiled.lower[:n].tolist(), compiled.upper[:n].tolist(), strict=True)
    return [source.randint(low, high) for low, high in ends]


@seeds(range(60))
def test_definitions_put_together_by_levels_have_the_same_values(seed: int) -> None:
    c = forms.compile_model(random_model(seed))
    x = np.array(random_row(c, seed), dtype=np.int64)
    levels = _by_levels(c)
    ranks = {int(v): k for k, block in enumerate(levels) for v in block.results}
    assert sorted(ranks) == sorted(v for block in c.definitions.blocks for v in block.results.tolist())
    assert all(ranks.get(v, -1) < k for k, b in enumerate(levels) for v in b.terms.variable.tolist())
    values = values_of_all(c, x)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluation, "MANY", -1)
        assert values_of_all(c, x).tolist() == values.tolist()


def test_a_stable_order_is_that_of_numpy() -> None:
    rng = np.random.default_rng(20261127)
    for size in (0, 1, 2, 511, 512, 5000):
        for low, high in ((0, 2), (0, 10**6), (0, 2**40), (2**62, 2**63 - 1), (-5, 5), (3, 4)):
            keys = rng.integers(low, high, size)
            for given in (keys, np.sort(keys), keys[::-1], keys[::3]):
                before = given.copy()
                assert (stable_order(given) == np.argsort(given, kind="stable")).all()
                assert (given == before).all()
