"""Terms and constraints are shown as their user would write them, in one short line, whatever their size."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import (
    AllDifferent,
    AllDifferentExcept,
    Among,
    Count,
    Cumulative,
    Increasing,
    LexChainLess,
    LexLess,
    Linear,
    Model,
    NoOverlap,
    Predicate,
    Table,
    Xor,
    all_,
    any_,
    div_trunc,
    element,
    maximum,
    minimum,
    mod_trunc,
)
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.arrays import constant_array
from cpqueens.language.listing import listing_text
from cpqueens.language.wording import Wording, describe
from cpqueens.report.html import model_fragment


def less(a: int, b: int) -> bool:
    return a < b


class Variables:
    """The variables of the table below."""

    def __init__(self) -> None:
        self.m = Model("shown")
        self.x = self.m.intvar(0, 9, name="x")
        self.y = self.m.intvar(-3, 5, name="y")
        self.b = self.m.boolvar(name="b")
        self.narrow = self.m.intvar(3, 4, name="narrow")
        self.q = self.m.intvar(0, 7, shape=8, name="q")
        self.r = self.m.intvar(0, 7, shape=3, name="r")
        self.g = self.m.intvar(0, 8, shape=(9, 9), name="g")


SHOWN: dict[str, Callable[[Variables], Any]] = {
    # terms and arrays of terms
    "x": lambda v: v.x,
    "-x": lambda v: -v.x,
    "3 - x": lambda v: 3 - v.x,
    "y - x": lambda v: np.diff(np.stack([v.x, v.y]))[0],
    "2*x - 3*y - 1": lambda v: 2 * v.x - 3 * v.y - 1,
    "0": lambda v: v.x - v.x,
    "[q[1], q[2], q[3]]": lambda v: v.q[1:4],
    "[r[0], r[1] + 1, r[2] + 2]": lambda v: v.r + np.arange(3),
    "[[g[0,0], g[0,1], ..., g[0,8]], [g[1,0], g[1,1], ..., g[1,8]], ..., [g[8,0], g[8,1], ..., g[8,8]]]": (
        lambda v: v.g
    ),
    "g[0,0] + g[0,1] + g[0,2] + g[0,3] + g[0,4] + ... + g[8,8]": lambda v: v.g.sum(),
    # functions
    "abs(x - y)": lambda v: abs(v.x - v.y),
    "x*y": lambda v: v.x * v.y,
    "x*x*x": lambda v: v.x**3,
    "(x + 1)*(y - 2)": lambda v: (v.x + 1) * (v.y - 2),
    "2*x // (3*y)": lambda v: (2 * v.x) // (3 * v.y),
    "x % 3": lambda v: v.x % 3,
    "2*(x // 3) + y": lambda v: 2 * (v.x // 3) + v.y,
    "div_trunc(x, y)": lambda v: div_trunc(v.x, v.y),
    "mod_trunc(x, y)": lambda v: mod_trunc(v.x, v.y),
    "minimum(x, y)": lambda v: minimum(v.x, v.y),
    "maximum(r[0], r[1], r[2])": lambda v: maximum(v.r),
    "q[x]": lambda v: v.q[v.x],
    "g[x, y]": lambda v: v.g[v.x, v.y],
    "g[2, x]": lambda v: v.g[2, v.x],
    "element([g[0,0], g[1,1], g[2,2], g[3,3], g[4,4], ..., g[8,8]], x)": (
        lambda v: element(np.diagonal(v.g), v.x)
    ),
    "g[x + 1, 8]": lambda v: v.g[v.x + 1, -1],
    "element([g[8,0], g[7,0], g[6,0], g[5,0], g[4,0], ..., g[0,0]], x)": lambda v: v.g[::-1, 0][v.x],
    "g.flat[x + 9]": lambda v: element(v.g.flat, v.x + 9),
    "element([r[0], r[1]], x)": lambda v: element(v.r[:2], v.x),
    "element([3, 1, 4], x)": lambda v: element([3, 1, 4], v.x),
    "(x <= 3) + (y <= 2)": lambda v: (v.x <= 3) + (v.y <= 2),
    # relations
    "x + 2*y <= 7": lambda v: v.x + 2 * v.y <= 7,
    "y == 2": lambda v: v.y == 2,
    "x >= -3": lambda v: v.x >= -3,
    "x < y": lambda v: v.x < v.y,
    "x <= y + 3": lambda v: v.x - v.y - 3 <= 0,
    "x + 3 <= y": lambda v: v.x + 3 <= v.y,
    "x + y <= 4": lambda v: 4 - v.x - v.y >= 0,
    "0 == 0": lambda v: v.x - v.x == 0,
    "r[0] + r[1] + r[2] != 7": lambda v: v.r.sum() != 7,
    "[r[0] != 0, r[1] != 1, r[2] != 2]": lambda v: v.r != np.arange(3),
    "(x <= 3) == 1": lambda v: Linear((v.x <= 3).truth() - 1, "=="),
    "(x <= 3) == (y <= 2)": lambda v: (v.x <= 3) == (v.y <= 2),
    # truths
    "b": lambda v: +v.b,
    "~b": lambda v: ~v.b,
    "[b, ~b]": lambda v: np.stack([v.b == 1, ~v.b]),
    "(narrow == 4) | b": lambda v: ~(v.narrow == 3) | v.b,
    "And(narrow == 4)": lambda v: all_([v.narrow == 4]),
    "~AllDifferent(r)": lambda v: ~AllDifferent(v.r),
    "(x == 1) & (y == 2)": lambda v: (v.x == 1) & (v.y == 2),
    "b | (x == 1)": lambda v: v.b | (v.x == 1),
    "b ^ (x == 1)": lambda v: v.b ^ (v.x == 1),
    "(x == 1).implies(y == 2)": lambda v: (v.x == 1).implies(v.y == 2),
    "(x == 3).implies(AllDifferent(q))": lambda v: (v.x == 3).implies(AllDifferent(v.q)),
    "Or(r[0] == 3, r[1] == 3, r[2] == 3)": lambda v: any_(v.r == 3),
    "Xor(b, x == 1, y == 2)": lambda v: Xor(v.b, v.x == 1, v.y == 2),
    # kinds
    "AllDifferent(q)": lambda v: AllDifferent(v.q),
    "AllDifferent(g[0,0], g[0,1], g[0,2], g[0,3], g[0,4], ..., g[0,8])": lambda v: AllDifferent(v.g[0]),
    "AllDifferent(r[0], r[1] + 1, r[2] + 2)": lambda v: AllDifferent(v.r + np.arange(3)),
    "AllDifferent(x, y, 1)": lambda v: AllDifferent(v.x, v.y, 1),
    "AllDifferentExcept(r, [0])": lambda v: AllDifferentExcept(v.r, 0),
    "Among(r, [1, 2], 2)": lambda v: Among(v.r, [2, 1], 2),
    "Count(r, x) <= y": lambda v: Count(v.r, v.x, "<=", v.y),
    "Increasing(r)": lambda v: Increasing(v.r),
    "Increasing(r, strict=True)": lambda v: Increasing(v.r, strict=True),
    "LexLess(r, [q[0], q[1], q[2]])": lambda v: LexLess(v.r, v.q[:3]),
    "LexChainLess([[r[0], r[1]], [x, y]])": lambda v: LexChainLess([v.r[:2], [v.x, v.y]]),
    "Predicate(less, x, y)": lambda v: Predicate(less, v.x, v.y),
    "Table([x, y], [(1, 2), (3, 4)])": lambda v: Table([v.x, v.y], [(1, 2), (3, 4)]),
    "Table([x, y], [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), ..., (19, 19)])": (
        lambda v: Table([v.x, v.y], [(k, k) for k in range(20)])
    ),
}


@each("text", SHOWN)
def test_what_is_shown_is_what_was_written(text: str) -> None:
    said = SHOWN[text](Variables())
    assert (repr(said), str(said)) == (text, text)


def test_a_posted_truth_is_shown_as_it_was_written() -> None:
    v = Variables()
    v.m.add(v.b, ~v.b, v.x >= 1, v.b <= 0, (v.x == 1) | (v.y == 2), ~((v.x == 1) | (v.y == 2)))
    shown = [repr(p.constraint) for p in v.m.constraints]
    assert shown[:5] == ["b", "~b", "x >= 1", "b <= 0", "(x == 1) | (y == 2)"]
    assert shown[5] == "~((x == 1) | (y == 2))"


def test_what_is_huge_deep_or_shared_is_one_short_line() -> None:
    m = Model("huge")
    x = m.intvar(0, 1, shape=100_000, name="x" * 190)
    for item in (x, x.sum(), AllDifferent(x + np.arange(100_000)), x <= 0, any_(x == 1), x.reshape(100, -1)):
        assert len(repr(item)) <= 400
    y = m.intvar(0, 1, name="y")
    term = y + 0
    for _ in range(25):  # written out, 2 ** 25 names
        term = (term + y) * (term + 1) % 3
    assert len(repr(term)) <= 400
    assert repr(term).count("y") < 200


def test_a_relation_means_what_its_text_says() -> None:
    v = Variables()
    for relation in ("==", "!=", "<=", "<", ">=", ">"):
        for terms in (v.x - v.y, v.x - 5, -v.x + 5, v.x + v.y - 1, v.x - 2 * v.y + 3):
            text = describe(v.m, Linear(terms, relation))
            assert not text.endswith(" 0"), text
            names = {"x": 0, "y": 0}
            for names["x"] in range(10):
                for names["y"] in range(-3, 6):
                    held = bool(Linear(terms, relation).holds(_values(v, names))[0])
                    assert eval(text, dict(names)) is held


def _values(v: Variables, names: dict[str, int]) -> Any:
    values = np.zeros((1, v.m.variable_count), dtype=np.int64)
    for name, value in names.items():
        values[0, v.m[name].variable_list[0]] = value  # type: ignore[attr-defined]
    return values


def test_of_a_wide_term_the_ends_are_shown_as_of_a_narrow_one() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=300, name="x")
    signs = np.where(np.arange(300) % 3 == 0, -1, 1)
    assert repr(x @ signs) == "x[1] - x[0] + x[2] - x[3] + x[4] + ... + x[299]"
    left = "x[1] + x[2] + x[4] + x[5] + x[7] + ... + x[299]"
    right = "x[0] + x[3] + x[6] + x[9] + x[12] + ... + x[297] + 3"
    assert repr((x @ signs) <= 3) == f"{left} <= {right}"
    one_less = np.where(np.arange(300) == 150, -1, 1)
    assert repr((x @ one_less) == 3) == "x[0] + x[1] + x[2] + x[3] + x[4] + ... + x[299] == x[150] + 3"


def test_an_empty_array_and_constants_have_a_text() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=0, name="x")
    assert (repr(x), repr(AllDifferent(x)), repr(x == 0)) == ("[]", "AllDifferent()", "[]")
    assert "AllDifferent" in repr(AllDifferent([1, 2]))


def test_the_checker_and_explanations_speak_the_users_terms() -> None:
    m = Model()
    x, y = m.intvar(0, 20, name="x"), m.intvar(0, 20, name="y")
    b = m.boolvar(shape=3, name="b")
    m.add(y == 11, (y <= 10) | (x * y == 4), abs(x - y) >= 3, (b + (x > 2)).sum() == 5)
    found = m.check({x: 5, y: 4, b: [0, 1, 0]})
    texts = [v.constraint for v in found.violations]
    assert texts[:2] == ["y == 11", "abs(x - y) >= 3"]
    assert texts[2].startswith("b[0] + b[1] + b[2] + 3*(x > 2) == 5")
    assert [v.reason for v in found.violations][:2] == ["y=4", "abs(x - y)=1"]
    n = Model()
    x, y = n.intvar(0, 20, name="x"), n.intvar(0, 20, name="y")
    n.add(y == 11, abs(x - y) >= 3, x * y == 7)
    reasons = n.explain_infeasible("python-constraint").reasons
    assert [r.text for r in reasons] == ["y == 11", "x*y == 7"]


@pytest.mark.parametrize("part", range(4))
def test_any_model_has_a_short_text(part: int) -> None:
    for seed in range(25 * part, 25 * part + 25):
        m = random_model(seed, huge=seed % 5 == 4)
        for posted in m.constraints:
            text = repr(posted.constraint)
            assert 0 < len(text) <= 400
            assert text.isprintable()
            assert "truth" not in text
            assert "auxiliary" not in text
            assert not text.startswith("<")
        assert max(map(len, listing_text(m, 60).splitlines())) <= 60
        ET.fromstring(model_fragment(m))


def test_tasks_that_are_always_there_are_shown_as_they_were_written() -> None:
    m = Model()
    x, b = m.intvar(0, 9, shape=2, name="x"), m.boolvar(shape=2, name="b")
    assert str(Cumulative(x, 2, [1, 2], 2)) == "Cumulative(x, [2, 2], [1, 2], 2)"
    assert str(NoOverlap(x, [2, 3])) == "NoOverlap(x, [2, 3])"
    assert str(NoOverlap(x, [2, 3], present=b)) == "NoOverlap(x, [2, 3], b)"
    assert str(NoOverlap(x, [2, 3], present=[1, 0])) == "NoOverlap(x, [2, 3], [1, 0])"


def test_numbers_alone_have_no_names() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    numbers = constant_array(m, np.array([3, 4]))
    assert numbers.variables.shape == (2, 0)
    assert Wording(m, 0)._named(numbers, (3,)) == (3,)
    assert Wording(m, 0)._named(x, (3,)) == (3,)


def test_what_is_decided_is_said_as_a_truth() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m.add((x[0] > 3) | (x[1] == 2), (x[0] >= 0).implies(x[1] > 3))
    assert [str(posted.constraint) for posted in m.constraints] == [
        "False | (x[1] == 2)",
        "True.implies(False)",
    ]
