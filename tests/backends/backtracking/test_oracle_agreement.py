"""Every strategy, order and way of asking against brute force, as sets and in order."""

from __future__ import annotations

import random
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from cpqueens.models.queens import queens
from each import each
from seeds import LONG, seeds

from cpqueens import AllDifferent, Model, Status, UnsupportedConstraint
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model
from cpqueens.lowered.structures.table import Structures

GENERAL = ("backtracking", "backtracking:check", "backtracking:forward")
PATTERNED = ("backtracking:bitmask", "backtracking:rowmask", "backtracking:table")


def listed(model: Model, solver: str, **options: Any) -> list[tuple[int, ...]]:
    outcome = model.enumerate(solver=solver, **options)
    assert outcome.complete
    return [tuple(row) for row in outcome.solutions.matrix.tolist()]


def random_pattern(seed: int) -> Model:
    """Return a small random model of the AllDifferent pattern: offsets, moduli, part rows, holes, pairs."""
    source = random.Random(seed)
    n, low = source.randint(1, 5), source.randint(-3, 3)
    m = Model("pattern")
    if source.random() < 0.3:
        x = m.intvar(
            domain=sorted(source.sample(range(low, low + 9), source.randint(1, 5))), shape=n, name="x"
        )
    else:
        x = m.intvar(low, low + source.randint(0, 5), shape=n, name="x")
    for _ in range(source.randint(0, 3)):
        rows = np.array(sorted(source.sample(range(n), source.randint(1, n))))
        offsets = np.array([source.randint(-3, 3) for _ in rows])
        terms = x[rows] + offsets
        if source.random() < 0.3:
            terms = terms % source.randint(1, 7)
        elif source.random() < 0.3:
            terms = offsets - x[rows]
        m.add(AllDifferent(terms))
    for _ in range(source.randint(0, 2)):
        i, j = source.randrange(n), source.randrange(n)
        m.add(x[i] != x[j] + source.randint(1, 3))
    if source.random() < 0.4:
        m.add(source.choice((-2, 1, 3)) * x[source.randrange(n)] + source.randint(-4, 4) <= 6)
    return m


def solutions(model: Model) -> list[tuple[int, ...]]:
    return [tuple(row) for row in oracle.solve(model).solutions.tolist()]


@seeds(range(250))
def test_random_models_on_general_strategies(seed: int) -> None:
    model = random_model(seed)
    expected = solutions(model)
    for solver in GENERAL:
        assert listed(model, solver) == expected, solver
        for workers in (1, 2):
            assert model.count(solver=solver, num_workers=workers) == len(expected), solver


@seeds(range(120))
def test_random_patterns_on_every_strategy(seed: int) -> None:
    model = random_pattern(seed)
    expected = solutions(model)
    found = Structures(model).find("shifted_board")
    for solver in GENERAL + (PATTERNED if found is not None else ()):
        assert listed(model, solver) == expected, solver
        for workers in (1, 2):
            assert model.count(solver=solver, num_workers=workers) == len(expected), solver


def test_random_patterns_are_recognised() -> None:
    """The test above must not fall back to the general strategies."""
    found = [Structures(random_pattern(seed)).find("shifted_board") for seed in range(120)]
    assert sum(pattern is not None for pattern in found) == 120


ORDERS = list(product(("lexicographic", "smallest-domain"), ("ascending", "random")))


@pytest.mark.parametrize("orders", ORDERS)
def test_orders_of_search_change_no_set(orders: tuple[str, str]) -> None:
    options = {"variable_order": orders[0], "value_order": orders[1]}
    for seed in range(250, 310 if LONG else 275):
        model = random_model(seed)
        expected = solutions(model)
        rows = listed(model, "backtracking:forward", random_seed=seed, **options)
        assert sorted(rows) == expected
        if orders == ("lexicographic", "ascending"):
            assert rows == expected


def test_random_value_order_follows_the_seed() -> None:
    def first(seed: int) -> list[int]:
        outcome = queens(8).solve(solver="backtracking:forward", value_order="random", random_seed=seed)
        assert outcome.solution is not None
        values: list[int] = outcome.solution.values.tolist()
        return values

    assert first(3) == first(3)
    assert len({tuple(first(seed)) for seed in range(12)}) > 4


@pytest.mark.parametrize("solver", GENERAL)
@seeds(range(310, 350))
def test_resuming_after_every_solution(solver: str, seed: int) -> None:
    model = random_model(seed)
    expected = solutions(model)
    if len(expected) > 40:
        expected_starts = [0, len(expected) // 2, len(expected) - 1]
    else:
        expected_starts = list(range(len(expected)))
    full = model.enumerate(solver=solver).solutions
    for k in expected_starts:
        assert listed(model, solver, after=full[k]) == expected[k + 1 :]


@each("solver", GENERAL + PATTERNED)
def test_resuming_queens(solver: str) -> None:
    full = queens(6).enumerate(solver=solver).solutions
    rows = [tuple(row) for row in full.matrix.tolist()]
    for k in range(len(rows)):
        assert listed(queens(6), solver, after=full[k]) == rows[k + 1 :]
    every = list(product(range(6), repeat=6))
    for values in random.Random(1).sample(every, 40):  # also from assignments that are no solutions
        assert listed(queens(6), solver, after={"q": list(values)}) == [row for row in rows if row > values]


@pytest.mark.parametrize("solver", GENERAL)
@seeds(range(350, 500))
def test_branch_and_bound_finds_the_optimum(solver: str, seed: int) -> None:
    model = random_model(seed)
    if model.objective is None:
        names = [block.name for block in model.blocks]
        model.minimize(sum(k * model[name].sum() for k, name in enumerate(names, 1)) + 3)
    truth = oracle.solve(model)
    outcome = model.solve(solver=solver)
    assert outcome.complete
    assert outcome.objective == truth.optimum
    assert outcome.status is (Status.INFEASIBLE if truth.optimum is None else Status.OPTIMAL)
    assert outcome.bound == truth.optimum


def test_improvements_improve() -> None:
    m = Model()
    x = m.intvar(0, 9, shape=3, name="x")
    m.add(AllDifferent(x))
    m.maximize(x.sum())
    seen: list[int] = []
    outcome = m.solve(solver="backtracking", on_improvement=lambda s: seen.append(s[x.sum()]))
    assert outcome.objective == 24
    assert seen[-1] == 24
    assert all(a < b for a, b in pairwise(seen))


@pytest.mark.parametrize("solver", PATTERNED)
def test_patterned_strategies_refuse_other_models(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    m += [AllDifferent(x), x.sum() <= 5]
    with pytest.raises(UnsupportedConstraint, match="needs AllDifferents over shifted variables"):
        m.count(solver=solver)


IMPLIED = ("parts", "cliques", "circles", "distances", "relaxation")


@seeds(range(60))
def test_what_is_found_before_the_search_changes_no_set(seed: int) -> None:
    model = random_model(seed)
    expected = solutions(model)
    for left_out in (*([one] for one in IMPLIED), list(IMPLIED)):
        assert listed(model, "backtracking", without=left_out) == expected, left_out


def pigeons() -> Model:
    """Return six pigeons in five holes, pair by pair."""
    m = Model("pigeons")
    x = m.intvar(0, 4, shape=6, name="x")
    m += [x[i] != x[j] for i in range(6) for j in range(i)]
    return m


def marks() -> Model:
    """Return a Golomb ruler of six marks."""
    m = Model("marks")
    x = m.intvar(0, 20, shape=6, name="x")
    m += [x[0] == 0, x[:-1] < x[1:], AllDifferent([x[j] - x[i] for j in range(6) for i in range(j)])]
    m.minimize(x[5])
    return m


def circle() -> Model:
    """Return three numbers, each of which is less than the next one."""
    m = Model("circle")
    x = m.intvar(0, 5000, shape=3, name="x")
    m += [x[0] < x[1], x[1] < x[2], x[2] < x[0]]
    return m


def coins() -> Model:
    """Return a grid whose rows have fewer coins than its columns."""
    m = Model("coins")
    x = m.boolvar(shape=(7, 7), name="x")
    m += [x.sum(axis=1) == 2, x.sum(axis=0) == 3]
    return m


@pytest.mark.parametrize(
    ("make", "left_out"),
    [(pigeons, "cliques"), (marks, "distances"), (circle, "circles"), (coins, "relaxation")],
    ids=IMPLIED[1:],
)
def test_what_is_found_before_the_search_spares_work_and_can_be_left_out(make: Any, left_out: str) -> None:
    given = {"solver": "backtracking:forward"}
    found, less = make().solve(**given), make().solve(**given, without=[left_out])
    assert (less.status, less.objective) == (found.status, found.objective)
    assert less.statistics["propagations"] > 3 * found.statistics["propagations"]
