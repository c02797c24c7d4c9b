"""Elements of several tables at once: one block, told from others by what each result means."""

import pickle

import numpy as np
import pytest
from each import each

from cpqueens import Model, element
from cpqueens.crosscheck import oracle
from cpqueens.errors import ModelError
from cpqueens.files.modelfile import dump_model, parse_model

TABLE = np.array([[5, 1, 4], [2, 2, 9], [0, 7, 3], [6, 6, 8]])
ROWS = [[0, 1, 2, 3], [2, 0, 2, 3, 0], [1, 1], [3]]
"""Which tables results are entries of: each once, some more often, in any order."""


def _stated(rows: list[int], low: int = 0, high: int = 2, terms: bool = False) -> Model:
    m = Model()
    x = m.intvar(low, high, shape=len(rows), name="x")
    table = TABLE + m.intvar(0, 1, name="more") if terms else TABLE
    picked = element(table, rows, x)
    m.add(picked[:-1] + 1 != picked[1:], (picked.sum() <= 12) | (x[0] == high))
    return m


def _all(m: Model) -> set[tuple[int, ...]]:
    return set(map(tuple, oracle.solve(m).solutions.tolist()))


def _blocks(m: Model) -> list:
    return [d for d in m.definitions if d.kind == "element"]


@each("table", [[], np.zeros(0, dtype=np.int64)])
def test_an_empty_table_is_refused(table: object) -> None:
    with pytest.raises(ModelError, match="empty array"):
        element(table, Model().intvar(0, 2, name="x"))


def test_elements_of_equal_tables_share_one_also_in_a_copy_and_when_read_again() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m.add(element([4, 2, 7, 1], x[0]) >= 2, element(np.array([4, 2, 7, 1]), x[1]) >= 2)
    first, second = (block.arguments[1] for block in _blocks(m))
    assert first is second
    for other in (m.copy(), pickle.loads(pickle.dumps(m))):
        other.add(element([4, 2, 7, 1], other["x"][0]) <= 4, element([4, 2, 7, 0], other["x"][1]) >= 1)
        assert len(_blocks(other)) == 3
        assert other.count() == len(_all(other)) == 6


@each("rows", ROWS)
@each("terms", [False, True])
def test_a_block_of_several_tables_means_its_elements(solver, rows: list[int], terms: bool) -> None:
    m = _stated(rows, -1 if len(rows) < 4 else 0, terms=terms)
    expected = _all(m)
    assert {tuple(s.values.tolist()) for s in m.solutions(solver=solver)} == expected
    assert expected


def test_tables_of_one_length_are_one_block_and_each_result_has_its_own() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=5, name="x")
    picked = element(TABLE, [2, 0, 2, 3, 0], x)
    assert [(d.size, d.table.shape) for d in _blocks(m)] == [(1, (3,)), (4, (2, 3))]
    assert [str(e) for e in picked] == [
        f"element({TABLE[r].tolist()}, x[{k}])" for k, r in enumerate([2, 0, 2, 3, 0])
    ]
    assert picked.bounds()[0].tolist() == [0, 1, 0, 6, 1]
    before = m.variable_count
    again = [element(TABLE[r], x[k]) for k, r in enumerate([2, 0, 2, 3, 0])]
    assert [str(e) for e in again] == [str(e) for e in picked]
    assert m.variable_count == before, "equal elements are one, however they were written"


def test_parts_of_a_block_keep_their_tables() -> None:
    m = Model()
    x = m.intvar(-1, 3, shape=4, name="x")
    element(TABLE, [3, 1, 0, 2], x)
    (block,) = _blocks(m)
    part = block.take(np.array([3, 1]), np.array([8, 9]))
    values = np.array([[1, 2, 0, 3, 0, 0, 0, 0]])[:, : m.variable_count]
    values[:, :4] = [1, 2, 0, 3]
    whole = block.evaluate(values)[0]
    assert part.evaluate(values)[0].tolist() == whole[[3, 1]].tolist()
    assert part.table.shape == (2, 3)
    assert [p.evaluate(values)[0].tolist() for p in block.split()] == [
        whole[block.which == k].tolist() for k in range(4)
    ]
    assert [p.results.tolist() for p in block.split()] == [
        block.results[block.which == k].tolist() for k in range(4)
    ]


@each("rows", ROWS)
@each("terms", [False, True])
def test_files_hold_a_table_each(rows: list[int], terms: bool) -> None:
    m = _stated(rows, -1, 3, terms=terms)
    again = parse_model(dump_model(m))
    assert dump_model(again) == dump_model(m)
    assert _all(again) == _all(m)
    assert again.count(solver="backtracking") == m.count(solver="cpsat")


def test_an_undefined_entry_is_that_of_its_own_table() -> None:
    m = Model()
    x, d = m.intvar(0, 1, shape=2, name="x"), m.intvar(0, 1, name="d")
    table = [[6 // d, 2 + 0 * d], [3 + 0 * d, 4 + 0 * d]]
    picked = element(table, [0, 1], x)
    m.add((picked[1] >= 3) | (d == 1))
    assert m.may_be_undefined[picked.variables[:, 0]].tolist() == [True, False]
    assert m.count(solver="cpsat") == oracle.solve(m).count == 8


def test_many_elements_look_up_in_one_table() -> None:
    m = Model()
    costs, places = list(range(100, 200)), [m.intvar(0, 99) for _ in range(5)]
    looked_up = [element(costs, place) for place in places]
    assert len({id(d.table.constants) for d in m.definitions}) == 1
    assert element(costs, places[0]).variables.tolist() == looked_up[0].variables.tolist()
    costs[0] = 7
    assert element(costs, places[0]).variables.tolist() != looked_up[0].variables.tolist()
