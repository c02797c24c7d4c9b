"""Every claimed delta against a fresh computation, and the audit over random problems."""

from __future__ import annotations

import numpy as np
import pytest
from lowered_problems import all_interval, costas, magic, queens, random_problem

from cpqueens.backends.local_search.engine import solve_problem
from cpqueens.backends.local_search.meaning import fresh_state
from cpqueens.backends.local_search.problem import Function, Kind, Problem
from cpqueens.backends.local_search.search import Limits, Search
from cpqueens.kernels import search_arena as arena
from cpqueens.kernels.search_moves import allowed
from cpqueens.kernels.search_state import assign_deltas, swap_deltas

STRUCTURED = [queens(7), costas(7), magic(4), all_interval(8)]


def fresh_cost(search: Search, x: np.ndarray) -> int:
    return fresh_state(search.compiled, x, search.compiled.part(arena.WEIGHT), search.measure).cost


def check_all_moves(problem: Problem, seed: int, **options: str) -> int:
    search = Search(problem, seed, **options)
    search.start()
    assert search.cost == fresh_cost(search, search.x)
    checked = 0
    moves, out = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for v in range(problem.size):
        for j in range(problem.size):
            moves[0] = j
            swap_deltas(v, moves, 1, out, *search.layers, search.measure)
            y = search.x.copy()
            y[[v, j]] = y[[j, v]]
            if allowed(v, y[v], search.space) and allowed(j, y[j], search.space):
                assert search.cost + out[0] == fresh_cost(search, y), (v, j)
                checked += 1
        for value in range(int(problem.lower[v]), int(problem.upper[v]) + 1):
            moves[0] = value
            assign_deltas(v, moves, 1, out, *search.layers, search.measure)
            y = search.x.copy()
            y[v] = value
            assert search.cost + out[0] == fresh_cost(search, y), (v, value)
            checked += 1
    assert search.cost == fresh_cost(search, search.x), "an evaluation must not change anything"
    return checked


@pytest.mark.parametrize("measure", ["surplus", "pairs"])
@pytest.mark.parametrize("number", range(4))
def test_deltas_of_structured_problems(number: int, measure: str) -> None:
    assert check_all_moves(STRUCTURED[number], 3, measure=measure) > 50


@pytest.mark.parametrize("block", range(4))
def test_deltas_of_random_problems(block: int) -> None:
    for seed in range(block * 25, block * 25 + 25):
        check_all_moves(random_problem(seed), seed, measure="pairs" if seed % 3 == 0 else "surplus")


@pytest.mark.parametrize("strategy", ["min-conflicts", "jump", "tabu", "annealing", "hill-climbing"])
def test_full_audit_of_random_problems(strategy: str) -> None:
    steps = 0
    for seed in range(100, 120):
        steps += solve_problem(random_problem(seed), strategy, seed, Limits(30), audit="full").steps
    assert steps > 150


@pytest.mark.parametrize("number", range(4))
def test_full_audit_of_structured_problems(number: int) -> None:
    for strategy in ("min-conflicts", "tabu", "adaptive", "jump", "sosic-gu", "annealing", "sideways"):
        solve_problem(STRUCTURED[number], strategy, 1, Limits(25), audit="full")


AUDITED = ("min-conflicts", "jump", "tabu", "annealing", "hill-climbing")


@pytest.mark.slow
def test_a_million_audited_moves() -> None:
    """About 5000 steps on each of 200 random problems, by all strategies in turn, with new seeds.

    A problem that every start solves has few steps and is given up after some rounds; those after it make
    up for that.
    """
    steps = 0
    problems = [random_problem(seed) for seed in range(200)]
    kinds = {c.kind for p in problems for c in p.constraints}
    functions = {d.function for p in problems for d in p.definitions}
    assert kinds == set(Kind)
    assert functions == set(Function)
    for number, problem in enumerate(problems):
        for audited in range(200):
            due = (number + 1) * 5000 - steps
            if due <= 0:
                break
            strategy = AUDITED[audited % len(AUDITED)]
            limits = Limits(min(due, 1000))
            steps += solve_problem(problem, strategy, audited, limits, audit="full").steps
    assert steps >= 1_000_000
