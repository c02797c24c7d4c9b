"""Circuit and SubCircuit: published counts, and the violation against plain Python on every graph."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from collection.tours import knights_tours

from cpqueens import Circuit, Model, SubCircuit

SUBCIRCUITS = {1: 1, 2: 2, 3: 6, 4: 21, 5: 85}
"""One more than the permutations with exactly one cycle of two or more: OEIS A006231."""


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_numbers_of_circuits(n: int, solver: str) -> None:
    for kind, number in ((Circuit, math.factorial(n - 1)), (SubCircuit, SUBCIRCUITS[n])):
        m = Model()
        m.add(kind(m.intvar(-1, n, shape=n, name="x")))
        assert m.count(solver=solver) == number


def test_no_tour_of_a_small_board(solver: str) -> None:
    """A closed one needs more than four rows (Schwenk 1991)."""
    assert knights_tours(4, closed=True).count(solver=solver) == 0


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["backtracking", "cpsat"])
def test_open_tours_of_five_by_five_squares(engine: str) -> None:
    """OEIS A165134: directed tours."""
    assert knights_tours(5, closed=False).count(solver=engine) == 1728


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["backtracking", "cpsat"])
def test_closed_tours_of_six_by_six_squares(engine: str) -> None:
    """OEIS A001230: 9862 undirected ones."""
    assert knights_tours(6, closed=True).count(solver=engine) == 2 * 9862


def _tours(row: tuple[int, ...]) -> list[int]:
    """Return the length of each cycle, found by walking from every node."""
    found = set()
    for node in range(len(row)):
        seen: list[int] = []
        while 0 <= node < len(row) and node not in seen:
            seen.append(node)
            node = row[node]
        if node in seen:
            found.add(frozenset(seen[seen.index(node) :]))
    return [len(cycle) for cycle in found]


@pytest.mark.parametrize(("kind", "least"), [(Circuit, 1), (SubCircuit, 2)])
def test_violation_is_nodes_without_predecessor_and_further_cycles(
    kind: type[Circuit | SubCircuit], least: int
) -> None:
    for n in range(5):
        m = Model()
        constraint = kind(m.intvar(-1, n, shape=n, name="x"))
        rows = list(itertools.product(range(-1, n + 1), repeat=n))
        expected = [
            n - len(set(row) & set(range(n))) + max(0, sum(k >= least for k in _tours(row)) - 1)
            for row in rows
        ]
        values = np.array(rows, dtype=np.int64).reshape(len(rows), n)
        assert constraint.amounts(values)[:, 0].tolist() == expected


@pytest.mark.parametrize("high", [1, 2])
@pytest.mark.parametrize("kind", [Circuit, SubCircuit])
def test_a_node_that_leads_nowhere_is_seen_by_every_solver(
    kind: type[Circuit | SubCircuit], high: int, solver: str
) -> None:
    """With ``high`` 1 nothing can lead to it either."""
    m = Model()
    x, y = m.intvar(0, high, shape=2, name="x"), m.intvar(3, 5, name="y")
    m.add(kind([*x, y]) | (y == 4))
    assert m.count(solver=solver) == (high + 1) ** 2
    m.add(kind([*x, y]))
    assert m.count(solver=solver) == 0
