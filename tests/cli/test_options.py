"""Terms written as text: read as Python reads them, and nothing executed."""

from __future__ import annotations

import pytest
from each import each

from cpqueens import Model, ModelError
from cpqueens.cli.options import split_pair, term_of


def model() -> Model:
    m = Model("board")
    m.boolvar(shape=(2, 3), name="x")
    m.intvar(-3, 3, shape=4, name="q")
    m.intvar(0, 9, name="y")
    return m


@each(
    "text",
    [
        "x @ arange(3)", "x @ [0, 1, 2]", "x.sum(axis=0)", "x.T[1:, 0] + 2 * y", "x.reshape(6)[::2]",
        "-q[1] // 2",
        "q % 3 - (2 + 3) * 4", "q[0] == 3", "~(q[:2] > y)", "(q[0] < 2) | (y != 1)", "q[None, 0]",
    ],
)  # fmt: skip
def test_as_python_reads_them(text: str) -> None:
    m = model()
    want = eval(text, {"x": m["x"], "q": m["q"], "y": m["y"], "arange": __import__("numpy").arange})
    found = term_of(m, text)
    assert found.shape == want.shape
    assert m.text_of(found) == m.text_of(want)


def test_names_stay_names() -> None:
    assert [term_of(model(), text) for text in ("q", " q[1] ", "x[0,1]")] == ["q", "q[1]", "x[0,1]"]


@each(
    "text",
    [
        "", "z", "q[9]", "q @ x", "q[0]()", "q.base", "q.__class__", "__import__('os')", "open('f')",
        "[q, q]",
        "lambda: q", "[k for k in q]", "q if y else q", "q and y", "1 + 1", "1 // 0 + q", "q ** 2", "9**9**9",
        "'q'", "1.5 * y", "0 < q < 3", "arange(10**9) @ q", "arange(99999999999) + y", "q[0] = 1",
        "q.sum(out=1)",
        "q.reshape(3)", "2" * 30 + " * q", "(" * 5_000 + "q" + ")" * 5_000, "q" * 20_000, "q\n+1\n;",
        "True + q",
        "9223372036854775807 + 1 + y",
    ],
)  # fmt: skip
def test_refused_in_one_line(text: str) -> None:
    with pytest.raises(ModelError) as refused:
        term_of(model(), text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


def test_where_two_sides_part() -> None:
    assert split_pair("q=x") == ("q", "x")
    assert split_pair("q[0] == 3 = x[0] <= 1") == ("q[0] == 3", "x[0] <= 1")
    assert split_pair("x[0] <= 1 = q[0] != 2") == ("x[0] <= 1", "q[0] != 2")
    assert split_pair("x.sum(axis=1) = q") == ("x.sum(axis=1)", "q")
    assert [split_pair(text) for text in ("q", "=q", "q=", "q == 3", "")] == [None] * 5
