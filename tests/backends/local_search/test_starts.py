"""Starting near a hint: every value is within its domain, and what is legal of the hint is kept."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from each import each
from searched import compiled

from cpqueens import AllDifferent, Model
from cpqueens.backends.local_search.search import Search
from cpqueens.backends.local_search.starts import hinted_start
from cpqueens.kernels.jit.random import seed_state

Domains = list[list[int]]
DOMAINS = [[-2, -1, 0, 1], [0, 2, 5, 6], [3]]
UNIFORM = [[0, 1, 2, 3]] * 3


def search_of(domains: Domains, different: bool) -> Search:
    """Return a search over three variables, perhaps all different."""
    m = Model("three")
    x = [m.intvar(domain=values, name=f"x{k}") for k, values in enumerate(domains)]
    m += x[0] + x[1] + x[2] == 5
    if different:
        m += AllDifferent(x)
    return Search(compiled(m))


def start(search: Search, hint: tuple[int, ...], given: tuple[bool, ...], seed: int) -> tuple[list[int], int]:
    x = np.full(3, -999)
    kept = hinted_start(
        x, search.compiled, search.space, search.neighbourhood, seed_state(seed), np.array(hint),
        np.array(given), search.starts(),
    )  # fmt: skip
    return x.tolist(), kept


@each("given", list(itertools.product([False, True], repeat=3)))
def test_a_free_variable_takes_its_hint_if_its_domain_has_it(given: tuple[bool, ...]) -> None:
    search = search_of(DOMAINS, different=False)
    hints = itertools.product(range(-4, 4), range(-1, 9), range(1, 6))
    for seed, hint in enumerate(hints):
        x, kept = start(search, hint, given, seed)
        assert all(x[v] in DOMAINS[v] for v in range(3))
        for v in range(3):
            if given[v] and hint[v] in DOMAINS[v]:
                assert x[v] == hint[v]
        assert kept == sum(given[v] and x[v] == hint[v] for v in range(3))


@pytest.mark.parametrize("uniform", [False, True])
def test_variables_kept_different_start_different(uniform: bool) -> None:
    domains = UNIFORM if uniform else DOMAINS
    search = search_of(domains, different=True)
    for seed, hint in enumerate(itertools.product(range(-3, 8, 2), repeat=3)):
        x, kept = start(search, hint, (True, True, True), seed)
        assert len(set(x)) == 3
        assert all(x[v] in domains[v] for v in range(3))
        assert kept == sum(x[v] == hint[v] for v in range(3))
        legal = [v for v in range(3) if hint[v] in domains[v]]
        if len(legal) == 3 == len(set(hint)):
            assert kept == 3
        assert kept >= bool(legal)
