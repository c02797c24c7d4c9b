"""Comparing models that decide different things: a mapping of variables to terms of the other model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cpqueens.models.queens import queens

from cpqueens import AllDifferent, Model, compare
from cpqueens.crosscheck.functional import functions_of
from cpqueens.crosscheck.two_models import ModelRelation

EQUAL, A_IN_B, B_IN_A = ModelRelation.EQUAL, ModelRelation.A_IN_B, ModelRelation.B_IN_A


def columns(board: Model) -> Any:
    """The columns of the queens on a board of 0/1 variables, by row."""
    return board["x"] @ np.arange(board["x"].shape[1])


def squares(rows: Model) -> Any:
    """Whether a queen stands on each square, of a model of columns by row."""
    return rows["q"][:, None] == np.arange(rows["q"].size)


def test_columns_by_row_and_squares_are_the_same_boards() -> None:
    rows, board = queens(6), queens(6, viewpoint="booleans")
    found = compare(rows, board, mapping={"q": columns(board)}, time_limit=600)
    assert found.verdict is EQUAL
    assert found.shared == tuple(f"q[{k}]" for k in range(6))
    assert not any("one by one" in by[0] for by in found.proofs.values())  # squares are functions of columns
    assert compare(board, rows, mapping={"x": squares(rows)}, time_limit=600).verdict is EQUAL
    assert compare(board, rows, mapping=[(columns(board), "q")], time_limit=600).verdict is EQUAL
    pairs = [(rows["q"][0], columns(board)[0]), (rows["q"][1:], columns(board)[1:])]
    assert compare(rows, board, mapping=pairs, time_limit=600).verdict is EQUAL
    assert rows.constraint_count == 3  # nothing was written into them
    assert len(board.decisions) == 36


def test_large_boards_too() -> None:
    """That no two queens share a column is refuted value by value: pairs of them would take search."""
    rows, board = queens(13), queens(13, viewpoint="booleans")
    limit = 100  # a part of it is lost on pairs
    assert compare(rows, board, mapping={"q": columns(board)}, time_limit=limit).verdict is EQUAL


def test_a_difference_is_a_witness_of_both() -> None:
    rows, board = queens(6), queens(6, viewpoint="booleans")
    rows += rows["q"][0] < rows["q"][5]
    found = compare(rows, board, mapping={"q": columns(board)}, time_limit=600)
    assert found.verdict is A_IN_B
    (difference,) = found.differences
    placed = list(difference.values.values())
    assert placed[0] >= placed[5]
    assert queens(6).check({"q": placed}).ok
    assert any("q[0]" in reason for reason in difference.reasons)
    board += board["x"][0, :2].sum() == 1
    board += board["x"][5, 3:].sum() == 1
    assert compare(board, rows, mapping={"x": squares(rows)}, time_limit=600).verdict is A_IN_B


def test_squares_that_no_row_needs_are_free() -> None:
    """Without "one queen a row" a square is no function of the columns."""
    rows, board = Model("rows"), Model("board")
    q = rows.intvar(0, 2, shape=2, name="q")
    x = board.boolvar(shape=(2, 3), name="x")
    rows += q[0] + q[1] <= 3
    board += columns(board).sum() <= 3
    # a row of squares adds up to 0..3, and 3 is no column
    found = compare(rows, board, mapping={"q": columns(board)}, time_limit=600)
    assert found.verdict is A_IN_B
    board += columns(board) <= 2
    assert compare(rows, board, mapping={"q": columns(board)}, time_limit=600).verdict is EQUAL
    assert x.size == 6


def test_what_is_a_function_of_what() -> None:
    m = Model()
    s, b = m.intvar(0, 4, name="s"), m.boolvar(shape=4, name="b")  # 0, 1 to 4; 5; 6 to 8
    other = m.intvar(1, 3, name="other")
    t = m.boolvar(shape=3, name="t")
    m += [b.sum() == 1, s == b @ [0, 1, 2, 4]]
    m += [t[k] == (other == k + 1) for k in range(3)]
    assert sorted(functions_of(m, {0})) == [1, 2, 3, 4]  # the squares
    assert sorted(functions_of(m, {6, 7, 8})) == [5]  # which of its values another one has
    assert not functions_of(m, {6, 7})
    twice = Model()
    s, b = twice.intvar(0, 4, name="s"), twice.boolvar(shape=4, name="b")
    twice += [b.sum() == 1, s == b @ [1, 1, 2, 4]]  # two have the same coefficient
    assert not functions_of(twice, {0})


@pytest.mark.parametrize("seed", range(12))
def test_verdicts_with_terms_are_those_of_the_sets(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, board = Model("rows"), Model("board")
    q = rows.intvar(0, 2, shape=3, name="q")
    x = board.boolvar(shape=(3, 3), name="x")
    board += x.sum(axis=1) == 1
    if random.random() < 0.7:
        rows += AllDifferent(q)
    if random.random() < 0.7:
        board += x.sum(axis=0) <= 1
    limit, more = random.integers(1, 5, 2)
    rows += q[0] + 2 * q[1] <= int(limit)
    board += columns(board)[0] + 2 * columns(board)[1] <= int(more)
    left = {tuple(s["q"].tolist()) for s in rows.enumerate(solver="python-constraint").solutions}
    right = {
        tuple((s["x"] @ np.arange(3)).tolist()) for s in board.enumerate(solver="python-constraint").solutions
    }
    found = compare(rows, board, mapping={"q": columns(board)}, time_limit=600)
    expected = EQUAL if left == right else A_IN_B if left < right else B_IN_A if right < left else None
    assert expected is None or found.verdict is expected
    assert expected or found.verdict in (ModelRelation.OVERLAP, ModelRelation.DISJOINT)


def test_what_is_refused() -> None:
    a, b = Model("a"), Model("b")
    x, y = a.intvar(0, 3, shape=(2, 3), name="x"), b.intvar(0, 3, shape=(3, 2), name="y")
    for mapping, message in (
        ({"x": "y"}, "has the shape"),
        ({"x": y.sum()}, "x has 6 variables"),
        ([("x", "y", "z")], "pairs of matching names or terms"),
        ([x], "pairs of matching names or terms"),
        ({"x": 3}, "no variable 3"),
        ({"x": x + 1}, "two different models"),
        ([(x[0], y[:, 0]), (x[1], y[:, 0])], "named twice"),
        ([(x[0, 0], y[0, 0]), (x[0, 0], y[0, 1])], "named twice"),
    ):
        with pytest.raises(ValueError, match=message):
            compare(a, b, mapping=mapping)
