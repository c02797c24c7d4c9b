"""Labels of axes: what may be given as such, and which an expression has."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import Model, ModelError
from cpqueens.language.axes import axis_labels
from cpqueens.language.expressions import BoolArray, LinearArray

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
