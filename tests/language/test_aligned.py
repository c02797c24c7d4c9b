"""Series and frames beside what has labels: the same label stands for the same thing, in whatever order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cpqueens import (
    BinPacking,
    Cumulative,
    GlobalCardinality,
    LexLess,
    Model,
    ModelError,
    NoOverlap,
    Table,
    element,
    maximum,
)

PEOPLE, DAYS = ["ann", "bob", "cy"], ["mon", "tue"]
TABLE = pd.DataFrame([[1, 2], [3, 4], [5, 6]], index=PEOPLE, columns=DAYS)
COSTS = pd.Series([3, 1, 2], index=PEOPLE)
OTHERWISE = TABLE.loc[["cy", "ann", "bob"], ["tue", "mon"]]
COSTS_OTHERWISE = COSTS[["bob", "cy", "ann"]]
PAY = pd.Series({"day": 5, "off": 0})


def variables() -> Any:
    """Return a model whose variables have labels: a table, a row of it, and names over people."""
    m = Model()
    m.intvar(1, 6, shape=TABLE, name="x")
    m.intvar(0, 2, shape=PEOPLE, name="y")
    m.var(["off", "day"], shape=PEOPLE, name="shift")
    return m


SAME: dict[str, tuple[Callable[[Any, Any], Any], Any, Any]] = {
    "x * f": (lambda m, f: m["x"] * f, TABLE, OTHERWISE),
    "f * x": (lambda m, f: f * m["x"], TABLE, OTHERWISE),
    "x + s, along columns": (lambda m, s: m["x"] + s, TABLE.loc["ann"], OTHERWISE.loc["ann"]),
    "x + one column": (
        lambda m, f: m["x"] + f, COSTS.to_frame("each"), COSTS_OTHERWISE.to_frame("each"),
    ),
    "y - s": (lambda m, s: m["y"] - s, COSTS, COSTS_OTHERWISE),
    "s - y": (lambda m, s: s - m["y"], COSTS, COSTS_OTHERWISE),
    "s <= y": (lambda m, s: s <= m["y"], COSTS, COSTS_OTHERWISE),
    "s // y": (lambda m, s: s // (m["y"] + 1), COSTS, COSTS_OTHERWISE),
    "y @ s": (lambda m, s: m["y"] @ s, COSTS, COSTS_OTHERWISE),
    "np.dot(s, y)": (lambda m, s: np.dot(s, m["y"]), COSTS, COSTS_OTHERWISE),
    "x.T @ s": (lambda m, s: m["x"].T @ s, COSTS, COSTS_OTHERWISE),
    "y @ f": (lambda m, f: m["y"] @ f, TABLE, TABLE.loc[OTHERWISE.index]),
    "np.maximum": (lambda m, s: np.maximum(m["y"], s), COSTS, COSTS_OTHERWISE),
    "maximum": (lambda m, s: maximum(s, m["y"]), COSTS, COSTS_OTHERWISE),
    "truths & s": (lambda m, s: (m["y"] > 1) & (s > 1), COSTS, COSTS_OTHERWISE),
    "truths * s": (lambda m, s: (m["shift"] == "off") * s, COSTS, COSTS_OTHERWISE),
    "a sum": (lambda m, s: m["x"].sum(axis=1) <= s, COSTS, COSTS_OTHERWISE),
    "a part": (lambda m, s: m["y"][1:] <= s, COSTS[1:], COSTS[:0:-1]),
    "names": (
        lambda m, s: m["shift"] == s,
        pd.Series(["off", "day", "off"], PEOPLE),
        pd.Series(["day", "off", "off"], ["bob", "ann", "cy"]),
    ),
    "element by name": (lambda m, s: element(s, m["shift"]), PAY[["off", "day"]], PAY),
    "bounds": (lambda m, s: m.intvar(s, 9, shape=PEOPLE).bounds(), COSTS, COSTS_OTHERWISE),
    "NoOverlap": (lambda m, s: NoOverlap(m["y"], s), COSTS, COSTS_OTHERWISE),
    "Cumulative": (lambda m, s: Cumulative(m["y"], 1, s, 4, s > 1), COSTS, COSTS_OTHERWISE),
    "BinPacking": (lambda m, s: BinPacking(m["y"], s, [2, 2, 2]), COSTS, COSTS_OTHERWISE),
    "LexLess": (lambda m, s: LexLess(s, m["y"]), COSTS, COSTS_OTHERWISE),
    "GlobalCardinality": (
        lambda m, s: GlobalCardinality(m["shift"], ["off", "day"], upper=s), PAY[["off", "day"]], PAY,
    ),
    "Table": (lambda m, f: Table(m["y"], f), TABLE.T % 3, TABLE.T[["cy", "bob", "ann"]] % 3),
    "counted": (lambda m, s: m["y"] * s, COSTS.reset_index(drop=True), COSTS),
}  # fmt: skip


def test_the_order_of_labels_does_not_matter() -> None:
    for name, (written, straight, otherwise) in SAME.items():
        texts = [str(written(variables(), given)) for given in (straight, otherwise)]
        assert texts[0] == texts[1], name
        assert "<" not in texts[0].replace("<=", ""), name  # what is compared says what it is made of


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "another label": (lambda m: m["y"] * COSTS.rename({"cy": "dan"}), "has the label 'dan', which"),
    "fewer": (lambda m: m["y"] * COSTS[:2], "has no label 'cy', which"),
    "what a filter left": (lambda m: m["y"] * COSTS[COSTS > 2], "has no label 'bob', which"),
    "twice": (lambda m: m["y"] * COSTS.rename({"cy": "bob"}), "'bob' is there twice"),
    "another axis": (lambda m: m["x"] * COSTS, "has the label 'ann', which .*'mon', 'tue'"),
    "s @ y": (lambda m: COSTS_OTHERWISE @ m["y"], "another order .*; write x @ series"),
    "f @ y": (lambda m: OTHERWISE.T @ m["y"], r"another order .*; write \(x \* frame\).sum\(axis=1\)"),
    "element": (lambda m: element(PAY.rename({"off": "ill"}), m["shift"]), "has the label 'ill', which"),
    "a method of a frame": (lambda m: TABLE.T.mul(m["y"]), r"write frame \* x, and frame \* x\[:, None\]"),
    "duration": (lambda m: NoOverlap(m["y"], COSTS.rename({"cy": "dan"})), "has the label 'dan', which"),
    "s[y]": (lambda m: COSTS[m["y"][0]], r"instead of series\[x\], .* write element\(series, x\)"),
    "s[array]": (lambda m: COSTS[m["y"]], r"element\(series, x\)"),
    "s.loc[y]": (lambda m: COSTS.loc[m["y"][0]], r"element\(series, x\)"),
    "s.iloc[y]": (lambda m: COSTS.iloc[m["y"][0]], r"element\(series, x\)"),
    "s.at[y]": (lambda m: COSTS.at[m["y"][0]], r"element\(series, x\)"),
    "f[y]": (lambda m: TABLE[m["y"][0]], r"of a frame element\(frame, i, j\)"),
    "f.loc[y, c]": (lambda m: TABLE.loc[m["y"][0], "mon"], r"of a frame element\(frame, i, j\)"),
}


def test_labels_that_differ_are_refused_in_one_line() -> None:
    for name, (written, match) in REFUSED.items():
        with pytest.raises(ModelError, match=match) as caught:
            written(variables())
        assert "\n" not in str(caught.value), name


def test_two_places_of_a_frame_are_advised_too() -> None:
    y = variables()["y"]
    with pytest.raises(TypeError, match=r"of a frame element\(frame, i, j\), which count places from 0$"):
        TABLE.iloc[y[0], y[1]]


def test_where_one_side_has_no_labels_places_count() -> None:
    y = Model().intvar(0, 2, shape=3, name="y")
    assert str(y * COSTS) == str(y * COSTS.to_numpy())
    assert str(COSTS @ y) == str(COSTS.to_numpy() @ y)
    m = variables()
    assert str(m["y"] * pd.Series([7], index=["all"])) == str(m["y"] * 7)


def test_a_column_of_a_frame_takes_terms() -> None:
    table = TABLE.assign(y=variables()["y"])
    assert [str(term) for term in table["y"]] == ["y[ann]", "y[bob]", "y[cy]"]


def test_hints_and_assignments_go_by_labels() -> None:
    m = variables()
    names = pd.Series(["day", "off", "off"], ["bob", "ann", "cy"])
    given = {"x": OTHERWISE, "y": COSTS_OTHERWISE - 1, "shift": names}
    m.add(m["y"] == [2, 0, 1], m["x"] == TABLE.to_numpy(), m["shift"] == ["off", "day", "off"])
    assert m.check(given).ok
    with pytest.raises(ModelError, match="hint: a series or frame has the label 'dan', which"):
        m.solve(hint={"y": COSTS.rename({"cy": "dan"})})
