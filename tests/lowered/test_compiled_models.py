"""What compiling renumbers and shifts: variables behind definitions, blocks of elements, strict counts."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from each import each
from seeds import seeds

from cpqueens import AllDifferent, And, Count, Implication, Model, Negation, Or, Table, element
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.constraints.linear import Linear
from cpqueens.lowered import forms
from cpqueens.lowered.compiled import side_by_side, stable_order
from cpqueens.lowered.evaluation import values_of_all


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


@each("relation", ["==", "!=", "<=", ">="])
def test_rows_with_a_common_factor_are_divided(relation: str) -> None:
    for constant in range(-5, 6):
        model = Model()
        x = model.intvar(-2, 2, shape=3, name="x")
        rows = np.array([[4, -6, 0], [0, 2, -2], [3, 0, 1], [0, -1, 0], [0, 0, -3]])
        model.add(Linear(rows @ x + constant, relation))
        linear = forms.compile_model(model).linear
        assert np.abs(linear.coefficient).max() == 3
        assert agrees(model, "backtracking")


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


def test_literals_may_be_terms(solver: str) -> None:
    model = Model()
    x, b = model.intvar(1, 2, shape=2, name="x"), model.boolvar(shape=2, name="b")
    model.add(Or([x[0] - 1, 1 - b[0], 2 - x[1]]), Or([1 - b[0], 1 - b[1]]))
    assert agrees(model, solver)
    assert model.count(solver=solver) == 11


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


@each("other", [[0, 0], [1, 3]])
def test_shifted_variables_beside_sums_in_all_different(solver: str, other: list[int]) -> None:
    """Beside other constraints: alone it is a board of sums, which is searched in another way."""
    model = Model()
    x = model.intvar(0, 3, shape=4, name="x")
    model.add(AllDifferent([x[0] + x[1], *(x[:2] + other), *x[2:]]), x[0] * x[1] <= 6)
    assert agrees(model, solver)


@each("sizes", [[0, 1, 2, 3], [2, 0, 0, 1]])
def test_shifted_variables_of_few_values_in_all_different(solver: str, sizes: list[int]) -> None:
    model = Model()
    x = model.intvar(0, 3, shape=4, name="x")
    model.add(AllDifferent(x + sizes), x[0] * x[1] <= 6)
    assert agrees(model, solver)


@each("place", [lambda x: 2 * x + 1, lambda x: x + 1, lambda x: 3 - x])
def test_a_position_may_be_a_term_of_one_variable(solver: str, place: Callable[[Any], Any]) -> None:
    model = Model()
    x, y = model.intvar(0, 2, name="x"), model.intvar(0, 9, name="y")
    model.add(element([3, 1, 4, 1, 5, 9, 2, 6], place(x)) == y)
    assert agrees(model, solver)


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


def test_no_definition_of_a_block_needs_another_one() -> None:
    model = Model()
    x, table = model.intvar(0, 3, shape=2, name="x"), np.array([2, 3, 1, 0])
    for k in range(2):
        model.add(element(table, element(table, x[k])) >= 0)
    c = forms.compile_model(model)
    assert [block.results.tolist() for block in c.definitions.blocks] == [[2, 3], [4, 5]]
    assert values_of_all(c, np.array([3, 1])).tolist() == [3, 1, 0, 3, 2, 0]
    again = side_by_side(c.definitions)
    assert [block.results.tolist() for block in again.blocks] == [[2, 3], [4, 5]]


def random_row(compiled: forms.Compiled, seed: int) -> list[int]:
    """Return random values of the decision variables."""
    source, n = random.Random(seed), compiled.decision_count
    ends = zip(compiled.lower[:n].tolist(), compiled.upper[:n].tolist(), strict=True)
    return [source.randint(low, high) for low, high in ends]


@seeds(range(60))
def test_definitions_in_levels_have_the_values_that_the_model_gives_them(seed: int) -> None:
    model = random_model(seed)
    c = forms.compile_model(model)
    x = np.array(random_row(c, seed), dtype=np.int64)
    ranks = {int(v): k for k, block in enumerate(c.definitions.blocks) for v in block.results}
    assert sorted(ranks) == list(range(c.decision_count, c.variable_count))
    for k, block in enumerate(c.definitions.blocks):
        assert all(ranks.get(v, -1) < k for v in block.terms.variable.tolist())
    if not model.has_partial:
        known = c.stated >= 0
        expected = model.complete(x[None, :], model.decisions)[0]
        assert values_of_all(c, x)[known].tolist() == expected[c.stated[known]].tolist()


def test_definitions_in_loops_become_a_block_for_each_level() -> None:
    model = Model()
    x = model.intvar(0, 9, shape=100, name="x")
    close = [abs(x[i] - x[i + 1]) <= 2 for i in range(99)]
    model.add(sum(a & b for a, b in pairwise(close)) >= 1)
    kinds = [block.kind for block in forms.compile_model(model).definitions.blocks]
    assert kinds == ["abs", "truth_linear", "truth_linear"]


@pytest.mark.parametrize("truth", [And, Implication, Negation, Or], ids=lambda kind: kind.__name__)
def test_truths_of_connectives_are_compiled_as_they_are(truth: Any, solver: str) -> None:
    model = Model()
    x = model.intvar(0, 2, shape=3, name="x")
    literals = [x[0] == 1, x[1] > x[0]][: 1 if truth is Negation else 2]
    model.add(truth(*literals) + (x[2] == 0) == 1)
    model.add((truth(*literals) + truth(x[2] == 1, *literals[1:])) != 2)
    assert agrees(model, solver)
    kinds = {block.kind for block in forms.compile_model(model).definitions.blocks}
    assert kinds <= {"truth_linear", "truth_or"}


def test_a_conjunction_may_have_a_literal_twice_and_its_negation(solver: str) -> None:
    model = Model()
    b = model.boolvar(shape=3, name="b")
    c = model.boolvar(shape=2, name="c")
    model.add(And(b[0], b[1], b[0]) == c[0], And(b[1], b[2], 1 - b[2]) == c[1])
    assert agrees(model, solver)


def test_a_stable_order_is_that_of_numpy() -> None:
    rng = np.random.default_rng(20261127)
    for size in (0, 1, 2, 511, 512, 5000):
        for low, high in ((0, 2), (0, 10**6), (0, 2**40), (2**62, 2**63 - 1), (-5, 5), (3, 4)):
            keys = rng.integers(low, high, size)
            for given in (keys, np.sort(keys), keys[::-1], keys[::3]):
                before = given.copy()
                assert (stable_order(given) == np.argsort(given, kind="stable")).all()
                assert (given == before).all()
