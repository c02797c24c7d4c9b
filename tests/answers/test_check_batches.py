"""The checker on values outside domains, on batches taken in pieces, and on violations without end."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cpqueens import AllDifferent, Count, GlobalCardinality, Model, NoOverlap, Table
from cpqueens.answers.check import _CELLS_AT_ONCE, Checker
from cpqueens.language import posted
from cpqueens.language.ranges import LIMIT


@pytest.fixture
def gaps() -> Model:
    """Variables of every sort of domain: two of them with gaps of their own."""
    model = Model()
    model.intvar(2, 3, name="x")
    model.intvar(domain=[0, 2, 5], name="y")
    model.intvar(domain=[-4, 7], shape=2, name="z")
    return model


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, []),
        ({"x": 1}, ["x"]),
        ({"x": 4}, ["x"]),
        ({"x": -(2**62)}, ["x"]),
        ({"y": -1}, ["y"]),
        ({"y": 1}, ["y"]),
        ({"y": 6}, ["y"]),
        ({"z": [7, 0]}, ["z[1]"]),
        ({"z": [8, -5]}, ["z[0]", "z[1]"]),
        ({"x": 1, "y": 3, "z": [0, 7]}, ["x", "y", "z[0]"]),
    ],
)
def test_every_value_outside_its_domain_is_named(
    gaps: Model, change: dict[str, Any], wrong: list[str]
) -> None:
    result = gaps.check({"x": 2, "y": 5, "z": [-4, 7], **change})
    assert result.ok == (not wrong)
    assert [line.partition(" = ")[0] for line in result.problems] == wrong


def test_in_domain_is_what_a_loop_over_the_values_says(gaps: Model) -> None:
    allowed = [{2, 3}, {0, 2, 5}, {-4, 7}, {-4, 7}]
    grid = np.array(list(itertools.product(range(1, 5), range(-1, 7), (-5, -4, 0, 7, 8), (-4, 6, 7))))
    inside = [[v in values for v, values in zip(row, allowed, strict=True)] for row in grid.tolist()]
    assert (Checker(gaps).in_domain(grid) == np.array(inside)).all()
    assert (Checker(gaps).accepts(grid) == np.array(inside).all(axis=1)).all()


@pytest.fixture
def counted() -> tuple[Model, np.ndarray, np.ndarray]:
    """A model, all its assignments, and which of them are solutions, by a loop."""
    model = Model()
    x = model.intvar(0, 4, shape=3, name="x")
    model += [AllDifferent(x), x[0] * x[1] == x[2] + 1]
    grid = np.array(list(itertools.product(range(5), repeat=3)))
    good = [len({*row}) == 3 and row[0] * row[1] == row[2] + 1 for row in grid.tolist()]
    return model, grid, np.array(good)


@pytest.mark.parametrize("cells", [1, 3, 7, 40, 498, 499, 500, 10**6])
def test_pieces_of_a_batch_are_judged_like_the_whole(counted: Any, cells: int) -> None:
    model, grid, good = counted
    assert good.any()
    assert (Checker(model, cells=cells).accepts(grid) == good).all()


def test_no_piece_has_more_cells_than_allowed(counted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model, grid, _ = counted
    seen = []
    judge = Checker._accepts
    monkeypatch.setattr(Checker, "_accepts", lambda self, rows: seen.append(len(rows)) or judge(self, rows))
    Checker(model, cells=40).accepts(grid)
    assert sum(seen) == len(grid)
    assert max(seen) * model.variable_count <= 40


def test_a_batch_of_more_than_four_million_cells() -> None:
    model = Model()
    model.intvar(0, 9, name="x")
    rows = np.arange(_CELLS_AT_ONCE + 5).reshape(-1, 1) % 11
    assert (Checker(model).accepts(rows) == (rows[:, 0] != 10)).all()
    assert (Checker(model).accepts(rows - 1) == (rows[:, 0] != 0)).all()


def test_violations_without_end_do_not_wrap() -> None:
    """Eight times 2^61 - 1 is -8 in 64 bits: less than nothing, by the sum."""
    model = Model()
    x = model.intvar(0, LIMIT, shape=8, name="x")
    model.add(x <= 0)
    far = np.full((1, 8), LIMIT)
    assert Checker(model).violation(far)[0] > 2**32
    assert model.check({x: far[0]}).amount == 8 * LIMIT


def test_several_groups_of_violations_without_end_do_not_wrap() -> None:
    model = Model()
    x = model.intvar(0, 2**60, shape=2, name="x")
    model += [x[:1] == -(2**60), x[1:] <= -(2**60), (x[0] != x[1]) | (x[0] == 1), x[:1] - x[1:] < -(2**60)]
    for k in range(8):
        model.add(AllDifferent(x[0], x[1]) if k == 0 else x[0] + k <= -(2**60))
    rows = np.array([[2**60, 2**60], [2**60, 2**60 - 1], [2**60, 0]])
    assert (Checker(model).violation(rows) > 0).all()


def test_the_objective_is_recomputed_without_its_bounds() -> None:
    model = Model()
    x = model.intvar(0, 3, shape=2, name="x")
    model.maximize(3 * x[0] - x[1] * x[1] + 7)
    rows = np.array([[0, 0], [3, 0], [1, 3]])
    assert Checker(model).objectives(rows)[:, 0].tolist() == [7, 16, 1]


def test_each_violation_is_shown_with_its_amount() -> None:
    model = Model()
    x = model.intvar(0, 9, shape=3, name="x")
    model.add(x <= 3, name="small")
    model.add(x[0] + x[1] == 5, name="five")
    model.add(x[1] < x[2], name="order")
    result = model.check({x: [4, 2, 2]})
    shown = [(v.name, v.amount) for v in result.violations]
    assert shown == [("small", 1), ("five", 1), ("order", 1)]
    assert result.amount == 3


def test_every_colliding_pair_is_shown() -> None:
    model = Model()
    x = model.intvar(0, 9, shape=5, name="x")
    model.add(AllDifferent(x))
    (violation,) = model.check({x: [1, 2, 1, 2, 1]}).violations
    names = {tuple(part.partition("=")[0] for part in pair) for pair in violation.pairs}
    assert names == {("x[0]", "x[2]"), ("x[0]", "x[4]"), ("x[2]", "x[4]"), ("x[1]", "x[3]")}
    assert violation.amount == 3


def _lines(m: Model) -> None:
    x = m.intvar(0, 3, shape=(4, 4), name="x")
    m += [AllDifferent(line) for square in (x, x.T) for line in square]


def _magic_sequence(m: Model) -> None:
    x = m.intvar(0, 4, shape=4, name="x")
    m += [Count(x, k, "==", x[k]) for k in range(4)]


def _tables(m: Model) -> None:
    x = m.intvar(0, 2, shape=(4, 2), name="x")
    m += [Table([x[k, 0], 2 * x[k, 1] + k], [(0, 0), (1, 2), (2, 4), (1, 1), (0, 3)]) for k in range(3)]
    m += Table(x[3], [(0, 1), (1, 2), (2, 2)])


def _cardinalities(m: Model) -> None:
    x = m.intvar(0, 2, shape=(3, 3), name="x")
    m += [GlobalCardinality(week, range(3), upper=2) for week in x]
    m += [GlobalCardinality(week, range(3), lower=k % 2) for k, week in enumerate(x.T)]


def _machines(m: Model) -> None:
    start = m.intvar(0, 5, shape=(2, 3), name="start")
    m += [NoOverlap(start[k], [1, 2, k + 1]) for k in range(2)]
    m += [NoOverlap(start[k], [1, 2, k + 1]) for k in range(2)]


@pytest.mark.parametrize("together", [8, posted.TOGETHER])
@pytest.mark.parametrize("state", [_lines, _magic_sequence, _tables, _cardinalities, _machines])
def test_one_assignment_at_a_time_as_all_together(
    state: Callable[[Model], None], together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Constraints that are alike are checked at once where there is one assignment; changed are solutions."""
    monkeypatch.setattr(posted, "TOGETHER", together)  # as many as that have few terms
    m = Model()
    state(m)
    checker, draw = Checker(m), np.random.default_rng(1)
    matrix = np.repeat(m.enumerate(solver="python-constraint", solution_limit=40).solutions.matrix, 5, axis=0)
    places = draw.integers(0, matrix.shape[1], size=len(matrix))
    matrix[np.arange(len(matrix)), places] = draw.integers(m.lower[places], m.upper[places] + 1)
    together = checker.accepts(matrix)
    assert 0 < together.sum() < len(matrix)
    assert [bool(checker.accepts(row[None, :])[0]) for row in matrix] == together.tolist()
