"""Values that may be exchanged: one order of them is asked for, and every solution has one like it."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
from each import each

from cpqueens import AllDifferent, Model
from cpqueens.backends.backtracking.backend import model_form
from cpqueens.backends.backtracking.interchangeable import with_one_order
from cpqueens.lowered.forms import compiled_of

Groups = list[tuple[list[int], list[int]]]


def groups_of(model: Model) -> Groups:
    """Return variables and values of which one order is asked for."""
    found = with_one_order(compiled_of(model, model_form(True)))
    return [] if found is None else found.precedence


def in_order(row: list[int], groups: Groups) -> bool:
    """Say whether values appear in their order."""
    for variables, values in groups:
        met = list(dict.fromkeys(row[v] for v in variables if row[v] in values))
        if met != values[: len(met)]:
            return False
    return True


def renamed(row: list[int], groups: Groups) -> tuple[int, ...]:
    """Return a solution with the values of each group in their order."""
    found = list(row)
    for variables, values in groups:
        met = list(dict.fromkeys(row[v] for v in variables if row[v] in values))
        names = dict(zip(met, values, strict=False))
        for v in variables:
            found[v] = names.get(row[v], row[v])
    return tuple(found)


def colouring(source: random.Random) -> Model:
    """Return a model of which some values may be exchanged, mostly."""
    m, n, k = Model(), 6, source.choice((3, 4))
    x = m.intvar(1, k, shape=n, name="x")
    y = m.intvar(0, 2, shape=3, name="y")
    for a, b in combinations(range(n), 2):
        if source.random() < 0.4:
            m.add(x[a] != x[b] if source.random() < 0.9 else x[a] == x[b])
    m.add(AllDifferent(y) if source.random() < 0.5 else y[0] != y[1])
    if source.random() < 0.4:
        m.add(x[source.randrange(n)] == source.randint(1, k))
    if source.random() < 0.4:
        m.add(sum((x[a] == x[b]) for a, b in combinations(range(3), 2)) <= 1)
    if source.random() < 0.3:
        m.add(source.choice((x[0] < x[1], x[0] + x[1] != 3, x[0] != x[1] + 1, 2 * x[0] != x[1])))
    if source.random() < 0.2:
        m.add(AllDifferent([x[0], x[1] + 1]))
    return m


@each("seed", range(60))
def test_each_solution_has_one_like_it_in_order(seed: int) -> None:
    m = colouring(random.Random(seed))
    groups = groups_of(m)
    found = [np.concatenate([np.ravel(v) for v in s.values()]) for s in m.solutions(solver="backtracking")]
    rows = {tuple(row.tolist()) for row in found}
    assert {row for row in rows if in_order(list(row), groups)} == {
        renamed(list(row), groups) for row in rows
    }


def test_what_sees_more_than_equality_has_no_group() -> None:
    def found(state: object) -> Groups:
        m = Model()
        x = m.intvar(0, 3, shape=3, name="x")
        m.add(x[0] != x[1], x[1] != x[2])
        assert callable(state)
        state(m, x)
        return groups_of(m)

    assert found(lambda m, x: None) == [([0, 1, 2], [0, 1, 2, 3])]
    assert found(lambda m, x: m.add(x[0] == 2)) == [([1, 2], [0, 1, 3])]
    assert not found(lambda m, x: m.add(x[0] < x[2]))
    assert not found(lambda m, x: m.add(x[0] != x[2] + 1))
    assert not found(lambda m, x: m.add(AllDifferent([x[0], x[2] + 1])))
    assert not found(lambda m, x: m.add(AllDifferent([x[0], -x[2]])))
    assert not found(lambda m, x: m.add((x[0] == 1) | (x[1] == 2)))
    assert not found(lambda m, x: m.add(x[0] * x[1] == 2))
    assert not found(lambda m, x: m.add(x.sum() == 4))
    assert not found(lambda m, x: m.minimize(x.max()))
    assert not found(lambda m, x: m.add(x[0] != m.intvar(0, 4, name="y")))


def mycielski(k: int) -> tuple[int, list[tuple[int, int]]]:
    """Return nodes and edges of a graph without triangles that needs k colours (Mycielski 1955)."""
    n, edges = 2, [(0, 1)]
    for _ in range(k - 2):
        edges += [(a, b + n) for a, b in edges] + [(b, a + n) for a, b in edges]
        edges += [(v + n, 2 * n) for v in range(n)]
        n = 2 * n + 1
    return n, edges


def test_colours_are_not_tried_in_every_order() -> None:
    n, edges = mycielski(5)
    for k, status in ((4, "INFEASIBLE"), (5, "FEASIBLE")):
        m = Model()
        x = m.intvar(0, k - 1, shape=n, name="x")
        m.add(*[x[a] != x[b] for a, b in edges])
        outcome = m.solve("backtracking", num_workers=1)
        assert outcome.status.name == status
        assert outcome.statistics["failures"] < 1000
    m.add(x[0] == 4, x[1] == 3)  # what was learned of one order of colours is not kept
    assert m.solve("backtracking").status.name == "FEASIBLE"
