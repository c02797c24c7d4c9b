"""Small searches of every layer, audited at each step: quick enough to run without compiling, too."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from cpqueens.models.costas_array import costas_array
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens
from each import each
from searched import diagonals, mixed, products, run

from cpqueens import AllDifferent, Model, Outcome
from cpqueens.fuzzing.generate import random_model
from cpqueens.kernels.jit import tiers

MODELS = {
    "queens": queens(6),
    "costas": costas_array(6),
    "magic": magic_square(3),
    "diagonals": diagonals(6),
    "mixed": mixed(6),
    "products": products(6),
}


@pytest.fixture(autouse=True)
def plain() -> Iterator[None]:
    """Stay in plain form: random models of many layers would each have their own kernels compiled."""
    with tiers.mode("plain"):
        yield


def reached(outcome: Outcome) -> np.ndarray:
    """Return the values of the solution, or of what came closest to one."""
    assignment = outcome.solution or outcome.closest
    assert assignment is not None
    return np.array(assignment.values)


@each("strategy", ["annealing", "tabu", "min-conflicts"])
@each("name", MODELS)
def test_the_state_is_that_of_a_fresh_computation(name: str, strategy: str) -> None:
    for measure in ("surplus", "pairs") if strategy == "annealing" else ("",):
        options = {"measure": measure} if measure else {}
        outcome = run(MODELS[name], strategy, 3, 40, audit="full", **options)
        assert 0 < outcome.statistics["steps"] <= 40


@pytest.mark.parametrize("strategy", ["annealing", "jump"])
def test_it_is_for_random_models(strategy: str) -> None:
    steps = [run(random_model(s), strategy, s, 20, audit="full").statistics["steps"] for s in range(25)]
    assert sum(steps) > 50


@each("strategy", ["min-conflicts", "tabu", "annealing", "jump"])
@each("different", [False, True])
def test_no_value_in_a_gap_is_taken(strategy: str, different: bool) -> None:
    """Neither by assigning nor by exchanging: what one variable may take, another may not."""
    domains = [[k for k in range(6) if k != gap] for gap in (1, 2, 3, 4, 1, 2)]
    m = Model()
    x = [m.intvar(domain=domain, name=f"x{k}") for k, domain in enumerate(domains)]
    m.add(sum(a * k for k, a in enumerate(x)) == 1000)
    if different:
        m.add(AllDifferent(x))
    for seed in range(5):
        values = reached(run(m, strategy, seed, 60))
        assert all(value in domain for value, domain in zip(values, domains, strict=True))


@pytest.mark.parametrize("strategy", ["min-conflicts", "tabu", "annealing", "jump"])
def test_exchanged_values_stay_different(strategy: str) -> None:
    """Three of six values are spare; what a variable gives back may be taken by the next."""
    m = Model()
    x = m.intvar(1, 6, shape=3, name="x")
    m.add(AllDifferent(x), x @ np.array([3, 5, 7]) == 1)
    for seed in range(5):
        outcome = run(m, strategy, seed, 60)
        assert outcome.solution is None
        assert len(set(reached(outcome))) == 3
