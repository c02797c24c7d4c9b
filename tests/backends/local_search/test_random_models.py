"""Random models of the whole language against the exhaustive oracle, and what is too wide for counters."""

from __future__ import annotations

import numpy as np
import pytest
from each import each
from seeds import sweep

from cpqueens import AllDifferent, Model, UnsupportedConstraint, UnsupportedRequest, element, minimum
from cpqueens.backends.local_search.strategies import STRATEGIES
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model

pytestmark = pytest.mark.usefixtures("uncompiled")
ANY_MODEL = [name for name in STRATEGIES if name not in ("reversal", "sosic-gu", "sosic-gu-4")]


def agree(seed: int, audit: str) -> bool:
    """Solve one random model and check every claim; say whether it was found to be feasible."""
    model = random_model(seed)
    strategy = ANY_MODEL[seed % len(ANY_MODEL)]
    outcome = model.solve(solver=f"local-search:{strategy}", step_limit=300, random_seed=seed, audit=audit)
    truth = oracle.solve(model)
    assert outcome.status in ("FEASIBLE", "UNKNOWN")
    assert not outcome.complete
    if outcome.bound is not None and truth.optimum is not None:  # that of the linear rows
        assert outcome.bound >= truth.optimum if model.maximizing else outcome.bound <= truth.optimum
    if outcome.status == "UNKNOWN":
        assert outcome.closest is None or not outcome.closest.check().ok
        return False
    row = outcome.solutions.matrix[0].tolist()
    assert tuple(row) in truth.rows
    if truth.objectives is not None:
        assert outcome.objective == truth.objectives[truth.solutions.tolist().index(row)]
    return True


def test_random_models() -> None:
    found = sum(agree(seed, "full" if seed % 5 == 0 else "final") for seed in sweep(30, 150))
    assert 8 < found < 150


@pytest.mark.slow
def test_two_thousand_random_models() -> None:
    found = sum(agree(seed, "full" if seed % 5 == 0 else "final") for seed in range(2000))
    assert 700 < found < 2000


def wide(terms: int, spread: int) -> Model:
    m = Model("wide")
    x = m.intvar(0, spread, shape=terms, name="x")
    m.add(AllDifferent(x * 2 + np.arange(terms)))
    m.add(x <= 5)
    return m


@pytest.mark.parametrize("spread", [2**20, 2**33, 2**59])
def test_all_different_over_wide_ranges(spread: int) -> None:
    outcome = wide(5, spread).solve(solver="local-search:tabu", step_limit=4_000, random_seed=1)
    assert outcome.status in ("FEASIBLE", "UNKNOWN")


def test_far_from_zero_is_not_wide() -> None:
    m = Model("far")
    x = m.intvar(2**50, 2**50 + 3, shape=4, name="x")
    m.add(AllDifferent(x))
    m.add(AllDifferent(x + np.arange(4)))
    outcome = m.solve(solver="local-search:tabu", step_limit=20_000, random_seed=1)
    assert outcome.status == "FEASIBLE"
    assert outcome.statistics["layers"]["rows"] + outcome.statistics["layers"]["plain"] == 1


@each("strategy", ["auto", "tabu", "jump", "min-conflicts", "annealing"])
def test_huge_distances_stay_within_64_bits(strategy: str) -> None:
    """Weighted violations of 2**53 and more, added up, once wrapped to 0 and looked like a solution."""
    m = Model("impossible")
    x = m.intvar(2**53 - 1, 2**53, name="x")
    y = m.intvar(-(2**31), -(2**31) + 5, name="y")
    m.add(2 * x + 2 <= minimum([y, -x]), 3 * x != y, x * 4 == y)
    outcome = m.solve(solver=f"local-search:{strategy}", step_limit=800, random_seed=1, audit="full")
    assert outcome.status == "UNKNOWN"


def test_totals_out_of_reach_do_not_cancel_out() -> None:
    """Four distances of 2^62 from the totals of four lines add up to 2^64, which is 0 in 64 bits."""
    m = Model("sums")
    x = m.intvar(0, 35, shape=36, name="x")
    m.add(AllDifferent(x))
    for line in range(4):
        m.add(x[3 * line : 3 * line + 3].sum() == 2**62 - 10_000)
    outcome = m.solve(solver="local-search", step_limit=2000, random_seed=1)
    assert outcome.status == "UNKNOWN"


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
def test_objectives_beyond_53_bits_are_exact(sense: str) -> None:
    m = Model("large")
    x = m.intvar(2**53 - 1, 2**53 + 3, shape=2, name="x")
    m.add(x[0] != x[1])
    getattr(m, sense)(2 * x[0] + x[1] - 2)
    outcome = m.solve(solver="local-search", step_limit=20_000, random_seed=1)
    best = 2 * (2**53 - 1) + 2**53 if sense == "minimize" else 2 * (2**53 + 3) + 2**53 + 2
    assert outcome.objective == best - 2


@each("strategy", STRATEGIES)
@each("holds", [True, False])
@each("with_objective", [True, False])
def test_a_model_without_variables(strategy: str, holds: bool, with_objective: bool) -> None:
    m = Model("constant")
    x = m.intvar(3, 3, name="x")
    m.add(AllDifferent([x - x, 1, 2 if holds else 1]))
    constant = Model("nothing")
    constant.add(AllDifferent([0, 1, 2 if holds else 1]))
    for model in (m, constant):
        if with_objective:
            model.minimize(7)
        try:
            outcome = model.solve(solver=f"local-search:{strategy}", step_limit=1000, random_seed=1)
        except UnsupportedRequest:  # a strategy for permutations or queens only
            continue
        assert outcome.status == ("FEASIBLE" if holds else "UNKNOWN")


def test_a_loose_bound_beyond_64_bits_harms_nobody() -> None:
    """Interval arithmetic over the lowered terms alone would leave the range; the model's bounds do not."""
    m = Model("large")
    x = m.intvar(2**33, 2**33, name="x")
    square = element([2, x, 1 - 3 * x], 0) * element([2, x, 1 - 3 * x], 0)
    m.maximize(square)
    assert m.solve(solver="local-search", step_limit=10, random_seed=1).objective == 4
    m.add(AllDifferent([square, square + 1]))
    assert m.solve(solver="local-search", step_limit=10, random_seed=1).objective == 4


def test_what_is_too_wide_is_refused_in_one_line() -> None:
    m = Model("wide")
    x = m.intvar(0, 2**40, shape=2000, name="x")
    m.add(AllDifferent(x * 2 + np.arange(2000)))
    with pytest.raises(UnsupportedConstraint, match=r"^local-search: AllDifferents over ranges of [^\n]*$"):
        m.solve(solver="local-search", step_limit=10)


@pytest.mark.parametrize(("rows", "status"), [([], "UNKNOWN"), ([()], "FEASIBLE")])
def test_a_table_without_terms(rows: list[tuple[int, ...]], status: str) -> None:
    from cpqueens.language.constraints.table import Table

    m = Model("empty")
    x = m.intvar(0, 3, shape=3, name="x")
    m.add(Table(x[:0], np.array(rows, dtype=np.int64).reshape(len(rows), 0)))
    outcome = m.solve(solver="local-search:tabu", step_limit=100)
    assert outcome.status == status
