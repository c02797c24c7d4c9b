"""Every claimed delta against a fresh computation, and the audit over random models."""

from __future__ import annotations

import numpy as np
import pytest
from cpqueens.models.all_interval import all_interval
from cpqueens.models.costas_array import costas_array
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens
from each import each
from searched import compiled, diagonals, products, run

from cpqueens import Model
from cpqueens.backends.local_search.audit import fresh_state
from cpqueens.backends.local_search.layers import FUNCTIONS
from cpqueens.backends.local_search.search import Search
from cpqueens.fuzzing.generate import random_model
from cpqueens.kernels.local import arena
from cpqueens.kernels.local.info import NEVER
from cpqueens.kernels.local.moves import allowed
from cpqueens.kernels.local.scan import evaluate_span
from cpqueens.kernels.local.state import assign_deltas, swap_deltas
from cpqueens.lowered.forms import PLAIN_KINDS

STRUCTURED = [queens(7), costas_array(7), magic_square(4), all_interval(8), products(6)]


def fresh_cost(search: Search, x: np.ndarray) -> int:
    return fresh_state(search.arrays, x, search.arrays.part(arena.WEIGHT), search.measure).cost


def check_all_moves(model: Model, seed: int, **options: str) -> int:
    search = Search(compiled(model), seed, **options)
    search.start()
    assert search.cost == fresh_cost(search, search.x)
    checked = 0
    moves, out = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for v in range(search.size):
        for j in range(search.size):
            y = search.x.copy()
            y[[v, j]] = y[[j, v]]
            if not (allowed(v, y[v], search.space) and allowed(j, y[j], search.space)):
                continue  # no bound holds there, and no search looks there
            moves[0] = j
            swap_deltas(v, moves, 1, out, *search.state[:3], search.measure)
            assert search.cost + out[0] == fresh_cost(search, y), (v, j)
            checked += 1
        for value in range(int(search.space.lower[v]), int(search.space.upper[v]) + 1):
            if not allowed(v, value, search.space):
                continue
            moves[0] = value
            assign_deltas(v, moves, 1, out, *search.state[:3], search.measure)
            y = search.x.copy()
            y[v] = value
            assert search.cost + out[0] == fresh_cost(search, y), (v, value)
            checked += 1
    assert search.cost == fresh_cost(search, search.x), "an evaluation must not change anything"
    return checked


@each("measure", ["surplus", "pairs"])
@each("number", range(len(STRUCTURED)))
def test_deltas_of_structured_problems(number: int, measure: str) -> None:
    assert check_all_moves(STRUCTURED[number], 3, measure=measure) > 50


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("block", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3))])
def test_deltas_of_random_models(block: int) -> None:
    for seed in range(block * 50, block * 50 + 50):
        check_all_moves(random_model(seed), seed, measure="pairs" if seed % 3 == 0 else "surplus")


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("models", [6, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize("strategy", ["min-conflicts", "jump", "tabu", "annealing", "hill-climbing"])
def test_full_audit_of_random_models(strategy: str, models: int) -> None:
    steps = 0
    for seed in range(200, 200 + 2 * models):  # many are solved where they start
        outcome = run(random_model(seed), strategy, seed, 30, audit="full")
        steps += outcome.statistics["steps"]
    assert steps > 5 * models


@pytest.mark.parametrize("number", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2, 3))])
def test_full_audit_of_structured_problems(number: int) -> None:
    for strategy in ("min-conflicts", "tabu", "adaptive", "jump", "sosic-gu", "annealing", "sideways"):
        assert run(STRUCTURED[number], strategy, 1, 25, audit="full").statistics["steps"] > 0


AUDITED = ("min-conflicts", "jump", "tabu", "annealing", "hill-climbing")


@pytest.mark.slow
def test_a_million_audited_moves() -> None:
    """About 5000 steps on each of 200 random models, by all strategies in turn, with new seeds.

    A model that every start solves has few steps and is given up after some rounds; those after it make
    up for that.
    """
    steps = 0
    models = [random_model(seed) for seed in range(200)]
    searches = [Search(compiled(model)) for model in models]
    kinds = {(entry.kind, entry.layer) for search in searches for entry in search.arrays.entries}
    functions = {d.kind for search in searches for d in search.compiled.definitions}
    assert {kind for kind, layer in kinds if layer == "deep"} == set(PLAIN_KINDS)
    assert functions == set(FUNCTIONS)
    for number, model in enumerate(models):
        for audited in range(200):
            due = (number + 1) * 5000 - steps
            if due <= 0:
                break
            strategy = AUDITED[audited % len(AUDITED)]
            outcome = run(model, strategy, audited, min(due, 1000), audit="full")
            steps += outcome.statistics["steps"]
    assert steps >= 1_000_000


@pytest.mark.parametrize("measure", ["surplus", "pairs"])
@pytest.mark.parametrize("weight", [1, 3])
def test_all_values_at_once_change_as_they_do_one_by_one(measure: str, weight: int) -> None:
    compared, moves, out = 0, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for model in (queens(7), magic_square(3), diagonals(5)):
        search = Search(compiled(model), 3, assignment_only=True, measure=measure)
        search.arrays.part(arena.WEIGHT)[:] = weight
        search.start()
        for v in range(search.size):
            size = evaluate_span(v, search.state)
            assert size == search.space.upper[v] - search.space.lower[v] + 1
            changes = search.deltas[:size].copy()
            for q, value in enumerate(range(search.space.lower[v], search.space.upper[v] + 1)):
                moves[0] = value
                assign_deltas(v, moves, 1, out, *search.state[:3], search.measure)
                assert changes[q] == (NEVER if value == search.x[v] else out[0]), (v, value)
                compared += 1
    assert compared == 7 * 7 + 9 * 9 + 5 * 5


def test_values_of_other_layers_are_not_evaluated_at_once() -> None:
    for model in (costas_array(5), products(4)):
        search = Search(compiled(model), 3, assignment_only=True)
        search.start()
        assert evaluate_span(0, search.state) == 0
