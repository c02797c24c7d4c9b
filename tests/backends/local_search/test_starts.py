"""Starting near a hint: every value is within its domain, and what is legal of the hint is kept."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cpqueens.backends.local_search.problem import Builder, Kind, Problem
from cpqueens.backends.local_search.search import Search
from cpqueens.backends.local_search.starts import hinted_start
from cpqueens.kernels.random import seed_state

LOWER, UPPER = [-2, 0, 3], [1, 6, 3]
HOLES = {1: np.array([0, 2, 5, 6])}


def problem(different: bool, uniform: bool = False) -> Problem:
    """Return three variables, bounds and holes as above (or all within 0..3), perhaps all different."""
    b = Builder([0, 0, 0], [3, 3, 3]) if uniform else Builder(LOWER, UPPER, dict(HOLES))
    if different:
        b.add(Kind.ALL_DIFFERENT, b.add_terms(np.arange(3)[:, None], 1, 0))
    b.add(Kind.LINEAR, b.add_terms([[0, 1, 2]], 1, -5))
    return b.build()


def start(p: Problem, hint: tuple[int, ...], given: tuple[bool, ...], seed: int) -> tuple[list[int], int]:
    search = Search(p)
    x = np.full(3, -999)
    kept = hinted_start(
        x, p, search.space, search.neighbourhood, seed_state(seed), np.array(hint), np.array(given)
    )
    return x.tolist(), kept


def inside(p: Problem, v: int, value: int) -> bool:
    return p.lower[v] <= value <= p.upper[v] and (v not in p.domains or value in p.domains[v])


@pytest.mark.parametrize("given", list(itertools.product([False, True], repeat=3)))
def test_a_free_variable_takes_its_hint_if_its_domain_has_it(given: tuple[bool, ...]) -> None:
    p = problem(different=False)
    hints = itertools.product(range(-4, 4), range(-1, 9), range(1, 6))
    for seed, hint in enumerate(hints):
        x, kept = start(p, hint, given, seed)
        assert all(inside(p, v, x[v]) for v in range(3))
        for v in range(3):
            if given[v] and inside(p, v, hint[v]):
                assert x[v] == hint[v]
        assert kept == sum(given[v] and x[v] == hint[v] for v in range(3))


@pytest.mark.parametrize("uniform", [False, True])
def test_variables_kept_different_start_different(uniform: bool) -> None:
    p = problem(different=True, uniform=uniform)
    for seed, hint in enumerate(itertools.product(range(-3, 8, 2), repeat=3)):
        x, kept = start(p, hint, (True, True, True), seed)
        assert len(set(x)) == 3
        assert all(inside(p, v, x[v]) for v in range(3))
        assert kept == sum(x[v] == hint[v] for v in range(3))
        legal = [v for v in range(3) if inside(p, v, hint[v])]
        if len(legal) == 3 == len(set(hint)):
            assert kept == 3
        assert kept >= bool(legal)
