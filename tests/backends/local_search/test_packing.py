"""Rectangles in the lowest gap: every packing without waste is found, and what is none is not delivered."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from collection.perfect_squares import DUIJVESTIJN, MORON, squares

from cpqueens import Model, NoOverlap2D
from cpqueens.backends.local_search.packing import PackingSearch
from cpqueens.kernels.local import packing as codes
from cpqueens.lowered.structures.packing import Boxes, find_stated


def rectangles(sizes: list[tuple[int, int]], width: int, height: int) -> Model:
    """Return that rectangles lie within a larger one and do not overlap."""
    m = Model()
    dx, dy = np.array(sizes).T
    x = m.intvar(0, width - dx, shape=len(sizes), name="x")
    y = m.intvar(0, height - dy, shape=len(sizes), name="y")
    m.add(NoOverlap2D(x, dx, y, dy))
    return m


def never() -> bool:
    return False


def searched(model: Model, seed: int = 0) -> PackingSearch:
    boxes = find_stated(model)
    assert boxes is not None
    return PackingSearch(boxes, seed)


def every_packing(boxes: Boxes) -> set[tuple[int, ...]]:
    """Return the corners of all that one order's tree has, solution by solution."""
    search = PackingSearch(boxes, 0)
    search._begin()
    s, found = search._s, set()
    while codes.pack(1, s) != 2:
        if s.info[codes.STANDING] == len(s.order):
            found.add(tuple(s.corner.tolist()))
            codes.go_back(s)
    return found


@pytest.mark.parametrize(
    ("sizes", "width", "height"),
    [
        ([(2, 2), (1, 1), (1, 1)], 3, 2),
        ([(2, 1), (1, 2), (2, 1), (1, 2), (1, 1)], 3, 3),
        ([(3, 1), (1, 3), (2, 2), (1, 1)], 4, 3),
        ([(2, 2), (2, 2), (1, 2)], 5, 2),
    ],
)
def test_the_tree_has_every_packing_without_waste(
    sizes: list[tuple[int, int]], width: int, height: int
) -> None:
    model = rectangles(sizes, width, height)
    listed = model.enumerate(solver="python-constraint").solutions.matrix
    boxes = find_stated(model)
    assert boxes is not None
    found = {tuple(boxes.restored(np.reshape(c, (-1, 2)), listed[0]).tolist()) for c in every_packing(boxes)}
    spare = PackingSearch(boxes, 0).spare
    assert found <= {tuple(row) for row in listed.tolist()}
    assert found == {tuple(row) for row in listed.tolist()} or spare > 0
    assert found


@pytest.mark.parametrize("seed", range(3))
def test_perfect_squares_are_found(seed: int) -> None:
    outcome = squares(MORON, 33, 32).solve(solver="local-search", random_seed=seed, step_limit=20_000)
    assert outcome.solution is not None
    assert outcome.statistics["presolve"]["placed"] > len(MORON)


@pytest.mark.slow  # 128,719 nodes: seconds where they are not compiled
def test_duijvestijn_s_square_is_found() -> None:
    outcome = squares(DUIJVESTIJN, 112, 112).solve(solver="local-search", step_limit=200_000)
    assert outcome.solution is not None


def test_random_orders_follow_where_the_first_finds_nothing() -> None:
    sizes = [(5, 1), (4, 2), (3, 3), (2, 2), (1, 4), (1, 1)]
    search = searched(rectangles(sizes, 6, 6))
    while search.orders < 3:
        search._left_of_order = 0
        search.explore(1, never)
    assert sorted(search._s.order.tolist()) == list(range(len(sizes)))
    assert search.explore(100_000, never) is not None


def test_rectangles_that_have_no_room_end_the_search() -> None:
    search = searched(rectangles([(2, 2), (2, 2)], 3, 3))
    assert search.spare == 1
    assert search.explore(1000, never) is None
    assert not search.over, "with room to spare a tree is not all there is"
    assert searched(rectangles([(3, 1), (1, 3), (2, 1)], 3, 3)).explore(1, lambda: True) is None
    without = searched(rectangles([(2, 2), (2, 2), (1, 1)], 3, 3))
    assert without.spare == 0
    assert without.explore(1000, never) is None
    assert without.over
    assert without.nodes == 15, "nothing is left empty where nothing may be wasted"


def test_a_packing_that_breaks_another_constraint_is_not_delivered() -> None:
    m = rectangles([(2, 2), (1, 1), (1, 1)], 3, 2)
    m.add(m["x"][0] == 1, m["y"][1] > m["y"][2])
    wanted = {tuple(row) for row in m.enumerate(solver="backtracking").solutions.matrix.tolist()}
    for seed in range(4):
        found = m.solve(solver="local-search", random_seed=seed, step_limit=5000).solution
        assert found is not None
        assert (*found["x"].tolist(), *found["y"].tolist()) in wanted


def test_domains_and_numbers_are_respected() -> None:
    m = Model()
    x = m.intvar(domain=[0, 2], name="x")
    m.add(NoOverlap2D([x, 0], [1, 2], [0, m.intvar(0, 1, name="y") + 1], [1, 1]))
    boxes = find_stated(m)
    assert boxes is not None
    assert boxes.variables.tolist() == [[0, -1], [-1, 1]]
    assert boxes.rows.tolist() == [[1, 1, 0, 2, 0, 0], [2, 1, 0, 0, 1, 2]]
    corner = PackingSearch(boxes, 0).explore(100, never)
    assert corner is not None
    assert corner.tolist() == [[0, 0], [0, 1]]
    assert boxes.restored(corner, np.array([2, 1])).tolist() == [0, 0]


def test_no_rectangle_stands_left_of_where_it_may() -> None:
    m = Model()
    x = m.intvar([1, 0, 0], [1, 2, 2], shape=3)
    m.add(NoOverlap2D(x, [2, 1, 1], m.intvar(0, [0, 1, 1], shape=3), [2, 1, 1]))
    corner = searched(m).explore(100, never)
    assert corner is not None
    assert corner[0].tolist() == [1, 0]


def test_what_is_no_such_packing_is_left_alone() -> None:
    def twice() -> Model:
        m = rectangles([(1, 1), (1, 1)], 2, 2)
        m.add(NoOverlap2D(m["x"], 1, m["y"], 1))
        return m

    def optional() -> Model:
        m = Model()
        m.add(NoOverlap2D(m.intvar(0, 1, shape=2), 1, 0, 1, m.boolvar(2)))
        return m

    def open_sizes() -> Model:
        m = Model()
        m.add(NoOverlap2D(m.intvar(0, 1, shape=2), m.intvar(1, 2, shape=2), 0, 1))
        return m

    def shared() -> Model:
        m = Model()
        x = m.intvar(0, 3)
        m.add(NoOverlap2D([x, x], 1, m.intvar(0, 1, shape=2), 1))
        return m

    def optimised() -> Model:
        m = rectangles([(1, 1), (1, 1)], 2, 2)
        m.minimize(m["x"].sum())
        return m

    def flat() -> Model:
        return rectangles([(1, 0), (1, 1)], 2, 2)

    for build in (twice, optional, open_sizes, shared, optimised, flat):
        assert find_stated(build()) is None, build.__name__


def test_nodes_of_a_packing_are_steps() -> None:
    outcome = squares(MORON, 33, 32).solve(solver="local-search", step_limit=60)
    statistics = outcome.statistics
    assert statistics["steps"] <= 60
    assert statistics["presolve"].get("placed", 0) <= statistics["steps"]
    whole = squares(MORON, 33, 32).solve(solver="local-search", step_limit=20_000).statistics
    assert 50 < whole["presolve"]["placed"] < whole["steps"]


def test_after_a_packing_another_order_is_searched() -> None:
    search = searched(rectangles([(2, 2), (1, 1), (1, 1)], 3, 2))
    for orders in (1, 2, 3):
        assert search.explore(100, never) is not None
        assert search.orders == orders


def test_all_orders_of_few_squares_find_the_same() -> None:
    model = rectangles([(2, 2), (1, 1), (1, 1)], 3, 2)
    boxes = find_stated(model)
    assert boxes is not None
    all_found = set()
    for order in permutations(range(3)):
        search = PackingSearch(boxes, 0)
        search._begin()
        search._s.order[:] = order
        search._left_of_order = 100
        corner = search.explore(100, never)
        assert corner is not None
        all_found.add(tuple(corner.ravel().tolist()))
    assert len(all_found) > 1
