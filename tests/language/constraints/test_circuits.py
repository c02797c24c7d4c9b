"""Circuit and SubCircuit: published counts, and the violation against plain Python on every graph."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from collection.tours import knights_tours
from each import each

from cpqueens import AllDifferent, BinPacking, Circuit, Model, ModelError, SubCircuit, element

SUBCIRCUITS = {1: 1, 2: 2, 3: 6, 4: 21, 5: 85}
"""One more than the permutations with exactly one cycle of two or more: OEIS A006231."""


@each("n", [1, 2, 3, 4, 5])
def test_numbers_of_circuits(n: int, solver: str) -> None:
    for kind, number in ((Circuit, math.factorial(n - 1)), (SubCircuit, SUBCIRCUITS[n])):
        m = Model()
        m.add(kind(m.intvar(-1, n, shape=n, name="x")))
        assert m.count(solver=solver) == number


@pytest.mark.parametrize(
    ("n", "depots"), [(2, [1, 0]), (4, [0, 1]), (5, [3, 1]), (5, [0, 1, 2]), (3, [0, 1, 2])]
)
def test_numbers_of_tours_by_depots(n: int, depots: list[int], solver: str) -> None:
    """All others in any order, and where each depot's part begins."""
    m = Model()
    m.add(Circuit(m.intvar(-1, n, shape=n, name="x"), depots))
    assert m.count(solver=solver) == math.factorial(n - 1) // math.factorial(len(depots) - 1)


def test_a_truth_about_tours_by_depots(solver: str) -> None:
    m = Model()
    x, b = m.intvar(0, 3, shape=4, name="x"), m.boolvar(name="b")
    m.add(b == Circuit(x, range(2)), AllDifferent(x))
    counts = [m.copy() for _ in range(2)]
    for value, copy in enumerate(counts):
        copy.add(copy["b"] == value)
    assert [copy.count(solver=solver) for copy in counts] == [24 - 6, 6]


def test_routes_with_capacities_and_vehicles_of_their_own(optimizer: str) -> None:
    """Two depots on a line at 0 and 10: each vehicle takes what fits, so one customer is far from its own."""
    place = np.array([0, 10, 1, 2, 3, 9])
    m = Model()
    follow, vehicle = m.intvar(0, 5, shape=6, name="follow"), m.intvar(0, 1, shape=6, name="vehicle")
    m.add(Circuit(follow, depots=[0, 1]), vehicle[follow] == vehicle, vehicle[:2] == [0, 1])
    m.add(BinPacking(vehicle[2:], [1] * 4, [2, 3], "<="))
    distance = np.abs(place[:, None] - place)
    m.minimize(sum(element(distance[i], follow[i]) for i in range(6)))
    assert m.solve(solver=optimizer).objective == 4 + 14


def test_depots_are_different_nodes() -> None:
    x = Model().intvar(0, 3, shape=4, name="x")
    for depots, got in (([0, 4], "4"), ([-1], "-1"), ([2, 2], "2"), ([], "none")):
        with pytest.raises(ModelError, match=f"Circuit: depots: different nodes from 0 to 3, got {got}"):
            Circuit(x, depots)
    assert str(Circuit(x, [2])) == str(Circuit(x)) == "Circuit(x)"  # which is one tour
    assert str(Circuit(x, np.arange(2))) == "Circuit(x, depots=[0, 1])"


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
    return [len(cycle) for cycle in _cycles(row)]


def _cycles(row: tuple[int, ...]) -> set[frozenset[int]]:
    """Return the nodes of each cycle, found by walking from every node."""
    found = set()
    for node in range(len(row)):
        seen: list[int] = []
        while 0 <= node < len(row) and node not in seen:
            seen.append(node)
            node = row[node]
        if node in seen:
            found.add(frozenset(seen[seen.index(node) :]))
    return found


def test_violation_of_tours_by_depots_is_by_how_many_they_differ_from_one() -> None:
    """Where two nodes lead to one, a depot counts for the cycle that it leads to."""
    m = Model()
    constraint = Circuit(m.intvar(-1, 4, shape=4, name="x"), [0, 1])
    rows = list(itertools.product(range(-1, 5), repeat=4))
    amounts = constraint.amounts(np.array(rows, dtype=np.int64))[:, 0].tolist()
    for row, amount in zip(rows, amounts, strict=True):
        cycles = _cycles(row)
        if sorted(row) == [0, 1, 2, 3]:
            assert amount == sum(abs(len(cycle & {0, 1}) - 1) for cycle in cycles)
        else:
            assert amount >= 4 - len(set(row) & set(range(4))) > 0


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


@each("high", [1, 2])
@each("kind", [Circuit, SubCircuit])
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
