"""Tables with stars and of forbidden rows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import ANY, IntegerError, Model, ModelError, NegativeTable, ShortTable, Table
from cpqueens.files.modelfile import dump_model, parse_model

STARRED = [(0, "*", 1), ("*", 2, "*"), (1, 1, 1)]


def matched(row: tuple[int, ...]) -> bool:
    return any(all(w in ("*", v) for v, w in zip(row, wanted, strict=True)) for wanted in STARRED)


WITH_STARS = {row for row in itertools.product(range(3), repeat=3) if matched(row)}


def found(constraint_of: Any, solver: str) -> set[tuple[int, ...]]:
    m = Model()
    x = m.intvar(0, 2, shape=3, name="x")
    m.add(constraint_of(x))
    return {tuple(row) for row in m.enumerate(solver=solver).solutions.matrix.tolist()}


FORMS = {
    "allowed": (lambda x: Table(x, STARRED), True),
    "short": (lambda x: ShortTable(x, STARRED), True),
    "not allowed": (lambda x: ~Table(x, STARRED), False),
    "forbidden": (lambda x: NegativeTable(x, STARRED), False),
    "not forbidden": (lambda x: ~NegativeTable(x, STARRED), True),
    "as an array": (lambda x: Table(x, np.array(STARRED, dtype=object)), True),
    "expanded": (lambda x: Table(x, sorted(WITH_STARS)), True),
    "expanded, forbidden": (lambda x: NegativeTable(x, sorted(WITH_STARS)), False),
}


@each("form", FORMS)
def test_a_star_is_any_value(solver: str, form: str) -> None:
    constraint_of, allowed = FORMS[form]
    everything = set(itertools.product(range(3), repeat=3))
    assert found(constraint_of, solver) == (WITH_STARS if allowed else everything - WITH_STARS)


def test_what_a_table_with_stars_is_called() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=3, name="x")
    assert [c.kind for c in (Table(x, STARRED), ShortTable(x, STARRED))] == ["ShortTable"] * 2
    assert [c.kind for c in (Table(x, []), ShortTable(x, []))] == ["Table"] * 2


def test_stars_are_written_as_stars_and_read_again() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=3, name="x")
    m.add(Table(x, STARRED), NegativeTable(x, [(ANY, 0, ANY)]))
    text = dump_model(m)
    assert '{"kind":"ShortTable","args":["x",[["*",2,"*"],[0,"*",1],[1,1,1]]]}' in text
    assert '{"kind":"NegativeTable","args":["x",[["*",0,"*"]]]}' in text
    again = parse_model(text)
    assert dump_model(again) == text
    assert again.count(solver="cpsat") == m.count(solver="cpsat")


@pytest.mark.parametrize("kind", [Table, ShortTable, NegativeTable])
@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([(1, "?")], IntegerError, "table rows: integers only, got '?'"),
        ([(1.5, "*")], IntegerError, "table rows: integers only, got 1.5"),
        ([("*",)], ModelError, "a table over 2 terms needs rows of 2 values"),
        ([(1, "*"), (1,)], IntegerError, "is not an array of integers"),
        ([(2**70, "*")], IntegerError, f"table rows: {2**70} does not fit 64 bits"),
        ([(-(2**63), 0)], ModelError, f"table rows: {-(2**63)} is out of range"),
    ],
)
def test_other_entries_are_refused(kind: Any, rows: Any, error: type[Exception], message: str) -> None:
    m = Model()
    with pytest.raises(error) as raised:
        kind(m.intvar(0, 2, shape=2, name="x"), rows)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_stars_are_shown_as_stars() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=2, name="x")
    m.add(Table(x, [(1, "*")]), NegativeTable(x, [(ANY, 0)]))
    assert [repr(p.constraint) for p in m.constraints] == [
        "ShortTable(x, [(1, '*')])",
        "NegativeTable(x, [('*', 0)])",
    ]
    (violation, _) = m.check({x: [0, 0]}).violations
    assert "ShortTable(x, [(1, '*')])" in str(violation)


def test_cpsat_has_tables_of_forbidden_rows() -> None:
    for rows, native in (([(0, 1, 2)], True), ([(0, "*", 2)], False)):
        m = Model()
        m.add(NegativeTable(m.intvar(0, 2, shape=3, name="x"), rows))
        assert ("negated: true" in str(m.to_cpsat().model.proto)) == native
