"""Labels of axes: what may be given as such, and which an expression has."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
import pandas
import pytest
from each import each

from cpqueens import Model, ModelError
from cpqueens.errors import BadIndex
from cpqueens.language.expressions import BoolArray, LinearArray
from cpqueens.language.named_values import axis_labels

PEOPLE, DAYS = ["ann", "bob", "cy"], ["mon", "tue"]


class Shift(Enum):
    EARLY = 1
    LATE = 2


class Variables:
    def __init__(self) -> None:
        self.m = Model()
        self.w = self.m.intvar(0, 3, shape=(PEOPLE, DAYS), name="w")
        self.p = self.m.intvar(0, 3, shape=PEOPLE, name="p")
        self.d = self.m.intvar(0, 3, shape=(2, DAYS), name="d")
        self.n = self.m.intvar(0, 3, shape=(3, 2), name="n")
        self.q = self.m.intvar(0, 3, shape=(PEOPLE, PEOPLE), name="q")


def labels(model: Model, item: Any) -> list[list[Any] | None]:
    terms = item.truth() if isinstance(item, BoolArray) else item
    assert isinstance(terms, LinearArray)
    found = axis_labels(model, terms)
    return [None if axis is None else [axis[0][k] for k in axis[1].tolist()] for axis in found]


EXPRESSIONS: dict[str, tuple[Callable[[Variables], Any], list[list[str] | None]]] = {
    "the variables": (lambda v: v.w, [PEOPLE, DAYS]),
    "transposed": (lambda v: v.w.T, [DAYS, PEOPLE]),
    "a row": (lambda v: v.w[1], [DAYS]),
    "a column": (lambda v: v.w[:, 0], [PEOPLE]),
    "backwards": (lambda v: v.w[::-1], [PEOPLE[::-1], DAYS]),
    "a choice": (lambda v: v.w[[2, 0]], [["cy", "ann"], DAYS]),
    "one of one axis": (lambda v: v.w[1:2], [["bob"], DAYS]),
    "multiples": (lambda v: 2 * v.w + 1, [PEOPLE, DAYS]),
    "a sum": (lambda v: v.w.sum(axis=1), [PEOPLE]),
    "a sum along the first axis": (lambda v: v.w.sum(axis=0), [DAYS]),
    "truths": (lambda v: v.w == 2, [PEOPLE, DAYS]),
    "truths of functions": (lambda v: abs(v.w - 1) * v.w >= 1, [PEOPLE, DAYS]),
    "two arrays": (lambda v: v.w + v.p[:, None], [PEOPLE, DAYS]),
    "maxima": (lambda v: v.w.max(axis=1), [PEOPLE]),
    "running totals": (lambda v: np.cumsum(v.w, axis=0) - 2, [PEOPLE, DAYS]),
    "running totals backwards": (lambda v: np.cumsum(v.p[::-1]), [PEOPLE[::-1]]),
    "running totals of some": (lambda v: np.cumsum(v.p[[2, 0]]), [["cy", "ann"]]),
    "running totals of sums": (lambda v: np.cumsum(v.w.sum(axis=1)), [PEOPLE]),
    "differences": (lambda v: v.p[:-1] - v.p[1:], [None]),
    "rows of running totals that begin later": (lambda v: np.cumsum(v.p)[1:], [None]),
    "sums of two and of all": (lambda v: np.stack([v.p[0], v.p[1] + v.p[2]]), [None]),
    "an axis without labels": (lambda v: v.d, [None, DAYS]),
    "no labels at all": (lambda v: v.n, [None, None]),
    "flat": (lambda v: v.w.flat, [None]),
    "twice the same": (lambda v: v.p[[0, 0]], [None]),
    "both axes alike": (lambda v: v.q, [PEOPLE, PEOPLE]),
    "both axes alike, backwards": (lambda v: v.q[:, ::-1], [PEOPLE, PEOPLE[::-1]]),
    "constants among them": (lambda v: np.stack([v.p[0], v.p[1] * 0]), [None]),
    "one term": (lambda v: v.w[0, 0], []),
    "nothing": (lambda v: v.w[:0], [None, None]),
}


@each("name", EXPRESSIONS)
def test_an_expression_has_the_labels_of_its_variables(name: str) -> None:
    make, wanted = EXPRESSIONS[name]
    v = Variables()
    assert labels(v.m, make(v)) == wanted


GIVEN: dict[str, tuple[Any, tuple[int, ...], list[list[Any] | None]]] = {
    "a list": (PEOPLE, (3,), [PEOPLE]),
    "a tuple of texts": (("a", "b"), (2,), [["a", "b"]]),
    "an enumeration": (Shift, (2,), [list(Shift)]),
    "keys": ({"a": 1, "b": 2}.keys(), (2,), [["a", "b"]]),
    "a range": (range(2024, 2027), (3,), [[2024, 2025, 2026]]),
    "an array": ((np.array([5, 7]), 2), (2, 2), [[5, 7], None]),
    "sizes": ([2, 3], (2, 3), [None, None]),
    "a size": (4, (4,), [None]),
    "nothing": (None, (), []),
    "a generator": ((k for k in "ab"), (2,), [["a", "b"]]),
}


@each("name", GIVEN)
def test_axes_are_given_by_sizes_or_labels(name: str) -> None:
    given, shape, wanted = GIVEN[name]
    m = Model()
    x = m.intvar(0, 1, shape=given, name="x")
    assert x.shape == shape
    assert labels(m, x) == wanted
    assert labels(m.copy(), m.copy()["x"]) == wanted


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["a", "a"], "shape: the label 'a' is there twice along one axis"),
        ({"a", "b"}, "shape: integers of at least 0, or labels in a list, got {"),
        ("ab", "shape: integers of at least 0, or labels in a list, got 'ab'; a name is written name='ab'"),
        ((2, None), "shape: integers of at least 0, or labels in a list, got None"),
        (([["a"]],), "shape: labels: unhashable type"),
        (True, "shape: integers of at least 0, or labels in a list, got True"),
    ],
)
def test_what_is_no_axis_is_refused(given: Any, message: str) -> None:
    with pytest.raises(ModelError) as refused:
        Model().intvar(0, 1, shape=given)
    assert str(refused.value).startswith(message)


def test_labels_pick_what_their_places_pick() -> None:
    model = Model()
    frame = pandas.DataFrame(0, index=["Al", "Bo"], columns=pandas.to_datetime(["2026-01-05", "2026-01-06"]))
    x = model.intvar(0, 9, shape=frame, name="x")
    tuesday = frame.columns[1]
    cases: list[tuple[Any, Any]] = [
        ("Al", 0),
        (("Bo", tuesday), (1, 1)),
        ((slice(None), tuesday), (slice(None), 1)),
        ((..., tuesday), (..., 1)),
        ((0, tuesday), (0, 1)),
        (["Bo", "Al"], [1, 0]),
        (frame.index, [0, 1]),
        (("Bo", [0, 1]), (1, [0, 1])),
    ]
    for key, place in cases:
        assert str(x[key]) == str(x[place])
        assert str((x > 2)[key]) == str((x > 2)[place])
        assert str(((x > 2) & (x != 5))[key]) == str(((x > 2) & (x != 5))[place])
    assert str(x["Bo"][tuesday]) == str(x.T[tuesday, "Bo"]) == str(x[1, 1])
    y = model.intvar(0, 9, shape=pandas.MultiIndex.from_tuples([("a", 1), ("a", 2)]), name="y")
    assert y["a", 2].variable_list == y[1].variable_list
    years = model.intvar(0, 9, shape=([2, 1, 0],), name="years")
    assert years[2].variable_list == years.flat[2].variable_list  # integers are places


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("Ale", "index 'Ale': axis 0 has no such label; did you mean 'Al'?"),
        (("Al", "su"), "index 'su': axis 1 has no such label; known are mo, tu"),
        (slice("Al", "Bo"), "slices go by place; write a list of labels of axis 0"),
        ((0, 0, "mo"), "(0, 0, 'mo') of an array of shape (2, 2): 3 indices are too many"),
        (2.5, "axis 0 has no such label"),
    ],
)
def test_a_label_that_an_axis_does_not_have_is_answered_with_those_that_it_has(key: Any, said: str) -> None:
    x = Model().intvar(0, 9, shape=(["Al", "Bo"], ["mo", "tu"]), name="x")
    with pytest.raises(BadIndex, match=re.escape(said)):
        x[key]


def test_where_no_axis_has_labels_a_text_is_answered_with_how_they_are_given() -> None:
    x = Model().intvar(0, 9, shape=3, name="x")
    with pytest.raises(BadIndex, match=r"axis 0 has no labels; write a place from 0, .* shape=\[labels\]"):
        x["Al"]
    for name in ("loc", "iloc", "at", "iat"):
        with pytest.raises(AttributeError, match=r"; write x\[(label|place), \.\.\.\]"):
            getattr(x, name)


def test_texts_name_elements_by_labels_and_what_they_say_can_be_read() -> None:
    model = Model()
    x = model.intvar(0, 9, shape=(["Lea", "Max"], [2025, 2026]), name="x")
    digits = model.intvar(0, 1, shape=["1", "0"], name="digits")  # as places they would be others
    model.add(x["Lea", 0] < x["Max", 1], name="rising")
    model.add(x[model.intvar(0, 1, name="k"), 1] == 3)
    assert str(x["Max", 0] + 1) == "x[Max,0] + 1"
    assert str(digits[0]) == "digits[0]"
    assert "rising: x[Lea,0] < x[Max,1]" in str(model)
    assert "x[k, 1] == 3" in str(model)
    found = model.check({"x": [[5, 1], [1, 1]], "digits": [0, 0], "k": 0})
    assert found.violations[0].values == {"x[Lea,0]": 5, "x[Max,1]": 1}
    assert "no value for x[Lea,0]" in str(model.check({"digits": [0, 0], "k": 0}))
    assert model["x[Max,1]"].variable_list == x[1, 1].variable_list
    assert model.name_of(3) == "x[1,1]"  # as in files
    with pytest.raises(ModelError, match="in use"):
        model.intvar(0, 1, name="x[Max,1]")
