"""Answers as frames of pandas, and a solution as a mapping."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import pandas as pd
import pytest

from cpqueens import MissingLibrary, Model, ModelError, NoSolution, Outcome

PEOPLE = pd.Index(["ann", "bob", "cy"], name="person")
DAYS = pd.Index(["mon", "tue"], name="day")
WISHES = pd.DataFrame([[1, 2], [3, 4], [5, 6]], index=PEOPLE, columns=DAYS)


@pytest.fixture
def roster() -> Outcome:
    m = Model("roster")
    works = m.boolvar(shape=WISHES, name="works")
    shift = m.var(["off", "day"], shape=(PEOPLE, DAYS), name="shift")
    total = m.intvar(0, 99, name="total")
    m += [works.sum(axis=1) == 1, works == (shift == "day"), total == (works * WISHES).sum()]
    m.maximize(total)
    return m.solve("backtracking")


def frame(rows: list[list[Any]]) -> pd.DataFrame:
    return pd.DataFrame(rows, index=PEOPLE, columns=DAYS)


def same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one, other, check_dtype=False)


def test_an_array_of_two_axes_is_a_frame_with_its_labels(roster: Outcome) -> None:
    m = roster.model
    works, shift = m["works"], m["shift"]
    same(roster.to_frame(works), frame([[0, 1]] * 3))
    same(roster.to_frame("works"), frame([[0, 1]] * 3))
    same(roster.to_frame(works.T), frame([[0, 1]] * 3).T)
    same(roster.to_frame(shift).astype(object), frame([["off", "day"]] * 3).astype(object))
    same(roster.to_frame(works * WISHES), frame([[0, 2], [0, 4], [0, 6]]))
    same(roster.to_frame(shift == "off"), frame([[1, 0]] * 3))


def test_several_expressions_are_columns_side_by_side(roster: Outcome) -> None:
    works = roster.model["works"]
    days = roster.to_frame(works[:, 0], {"tue": works[:, 1], "days": works.sum(axis=1)})
    same(days, pd.DataFrame({"works": [0] * 3, "tue": [1] * 3, "days": [1] * 3}, index=PEOPLE))
    long = roster.to_frame(works, "shift", long=True)
    assert long.index.names == ["person", "day"]
    assert long.loc[("bob", "tue")].tolist() == [1, "day"]
    assert len(long) == 6
    joined = WISHES.join(roster.to_frame({"days": works.sum(axis=1)}))
    assert joined["days"].tolist() == [1, 1, 1]


def test_single_terms_and_everything(roster: Outcome) -> None:
    m = roster.model
    assert roster.to_frame(m["total"]).to_dict("list") == {"total": [12]}
    assert roster.to_frame(m["total"] + 1).to_dict("list") == {"total + 1": [13]}
    assert roster.to_frame(2 * m["works"][:, 0]).columns.tolist() == ["value"]
    everything = roster.to_frame()["value"]
    assert len(everything) == 13
    assert (everything["works[2,1]"], everything["shift[0,0]"], everything["total"]) == (1, "off", 12)


def test_three_axes_have_the_last_as_columns() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=(2, ["a", "b"], ["s", "t"]), name="x")
    m += [x[i, j, k] == i + j + k for i in range(2) for j in range(2) for k in range(2)]
    wide = m.solve("backtracking").to_frame(x)
    assert wide.columns.tolist() == ["s", "t"]
    assert wide.index.tolist() == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
    assert wide.loc[(1, "b"), "t"] == 3


def test_solutions_are_rows() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=(["a", "b"], ["s", "t"]), name="x")
    y = m.var(["off", "day"], name="y")
    m += [x.sum() == 1, (y == "day") == (x[0, 0] == 1)]
    found = m.enumerate(solver="backtracking").solutions
    whole = found.to_frame()
    assert whole.columns.tolist() == ["x[0,0]", "x[0,1]", "x[1,0]", "x[1,1]", "y"]
    assert (len(whole), whole.index.name) == (4, "solution")
    assert whole["y"].tolist() == ["off", "off", "off", "day"]
    assert found.to_frame(x).columns.tolist() == [("a", "s"), ("a", "t"), ("b", "s"), ("b", "t")]
    assert found.to_frame("y").columns.tolist() == ["y"]
    assert found.to_frame(x.sum(axis=1))["a"].tolist() == [0, 0, 1, 1]
    assert found[:0].to_frame(x).shape == (0, 4)


def test_a_frame_is_its_owners_to_change(roster: Outcome) -> None:
    for changed in (roster.to_frame("works"), roster.solution.to_frame("works", long=True)):  # type: ignore[union-attr]
        changed.iloc[0, 0] = 7
    assert roster["works"].max() == 1


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda o: o.to_frame(o.model["works"], "total"), "to_frame: columns of one shape are needed, got"),
        (lambda o: o.to_frame("works", "works"), "to_frame: two columns 'works'; name them, as in"),
        (lambda o: o.to_frame("wroks"), "no variable 'wroks'; did you mean 'works'?"),
        (lambda o: o.to_frame(3), "to_frame: terms or the name of a variable are needed, got 3"),
        (lambda o: o.to_frame(Model().intvar(0, 1)), "variables of two different models cannot be mixed"),
        (lambda o: o.to_frame("works", long=3), "long: "),
    ],
)
def test_what_is_no_frame_is_refused(roster: Outcome, ask: Any, message: str) -> None:
    with pytest.raises((ModelError, TypeError)) as refused:
        ask(roster)
    assert str(refused.value).startswith(message)


def test_without_a_solution_or_without_pandas(roster: Outcome, monkeypatch: pytest.MonkeyPatch) -> None:
    m = Model()
    m += m.intvar(0, 1, name="x") >= 2
    with pytest.raises(NoSolution, match=r"^backtracking found no solution: status INFEASIBLE"):
        m.solve("backtracking").to_frame("x")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingLibrary, match=r"^pandas, which is optional, is not installed: pip install "):
        roster.to_frame("works")


def test_a_solution_is_a_mapping(roster: Outcome) -> None:
    s = roster.solution
    assert s is not None
    assert isinstance(s, Mapping)
    assert list(s) == ["works", "shift", "total"] == list(s.keys())
    assert (len(s), "total" in s, "works[0,0]" in s, 3 in s) == (3, True, False, False)
    assert dict(s)["total"] == 12 == s.get("total")
    assert (s.get("wroks"), s.get("wroks", 5)) == (None, 5)
    assert s.get(s.model["total"] + 1) == 13
    assert {name: value.shape for name, value in s.items() if name != "total"} == {
        "works": (3, 2),
        "shift": (3, 2),
    }
    assert [*s.values()][2] == 12
    assert s.values.tolist()[-1] == 12
    assert pd.Series(s)["total"] == 12
    assert {**s}.keys() == s.as_dict().keys()
    assert s == roster.solution
    assert s != dict(s)
    with pytest.raises(TypeError, match="not callable"):
        s.values[1:]()


def test_a_solution_of_no_variables_is_true() -> None:
    s = Model().solve("backtracking").solution
    assert s is not None
    assert (len(s), bool(s), dict(s)) == (0, True, {})
