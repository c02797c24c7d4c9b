"""Tours by patched cycles: cheapest cycles against all permutations, and what patching gives."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from each import each

from cpqueens import Circuit, Model, element
from cpqueens.backends.local_search.tours import assigned, patched, patched_tour


@each("seed", range(20))
def test_cheapest_columns_are_those_of_all_permutations(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = 2 + seed % 5
    costs = random.integers(-9, [2, 100][seed % 2], (n, n))
    found = assigned(costs)
    assert sorted(found) == list(range(n))
    assert costs[range(n), found].sum() == min(
        costs[range(n), p].sum() for p in map(list, permutations(range(n)))
    )


@each("seed", range(5))
def test_no_exchange_makes_many_columns_cheaper(seed: int) -> None:
    n = 40
    costs = np.random.default_rng(seed).integers(0, 1000, (n, n))
    found = assigned(costs)
    assert sorted(found) == list(range(n))
    change = costs[:, found] - costs[range(n), found][:, None]
    for k in range(n):  # the least along all paths
        change = np.minimum(change, change[:, k, None] + change[k])
    assert change.diagonal().min() == 0


def test_two_cycles_exchange_what_costs_least() -> None:
    costs = np.full((6, 6), 50)
    cycles = np.array([1, 2, 0, 4, 5, 3])
    costs[range(6), cycles] = 1
    costs[1, 5], costs[4, 2] = 2, 3
    assert patched(costs, cycles).tolist() == [1, 5, 0, 4, 2, 3]
    assert patched_tour(costs).tolist() == [0, 1, 5, 3, 4, 2]


def test_dear_successors_are_exchanged_first() -> None:
    costs = np.full((6, 6), 50)
    cycles = np.array([1, 2, 0, 4, 5, 3])
    costs[range(6), cycles] = [1, 1, 40, 1, 1, 40]
    costs[1, 5], costs[4, 2] = 30, 30
    assert patched(costs, cycles).tolist() == [1, 2, 3, 4, 5, 0]


def test_one_cycle_is_left_as_it_is() -> None:
    cycle = np.array([2, 0, 3, 1])
    assert patched(np.zeros((4, 4), dtype=np.int64), cycle).tolist() == cycle.tolist()


def test_a_search_begins_there_where_directions_matter() -> None:
    n = 60
    costs = np.random.default_rng(1).integers(1, 1000, (n, n))
    m = Model()
    x = m.intvar(0, n - 1, shape=n, name="x")
    m.add(Circuit(x))
    m.minimize(sum(element(costs[i].tolist(), x[i]) for i in range(n)))
    found = m.solve(solver="local-search", random_seed=1, step_limit=1)
    tour = patched_tour(costs + 10**4 * np.eye(n, dtype=np.int64))
    assert found.objective == costs[tour, np.roll(tour, -1)].sum()
