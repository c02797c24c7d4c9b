"""Loads of bins: sums as terms, capacities, sizes that are decided, huge ones, and what is refused."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from each import each

from cpqueens import BinPacking, Model, ModelError

SIZES = (2, 3, 3, 1)
PLACES = list(itertools.product(range(3), repeat=4))


def sums(places: tuple[int, ...]) -> list[int]:
    return [sum(s for p, s in zip(places, SIZES, strict=True) if p == k) for k in range(3)]


def test_loads_are_the_sums(solver: str) -> None:
    m = Model()
    b = m.intvar(-1, 3, shape=4, name="b")
    load = m.intvar(0, 9, shape=3, name="load")
    m.add(BinPacking(b, SIZES, load), load[0] == 3)
    found = {tuple(row) for row in m.enumerate(solver=solver).solutions.matrix.tolist()}
    assert found == {(*p, *sums(p)) for p in PLACES if sums(p)[0] == 3}


@each("negated", [False, True])
def test_capacities_are_not_exceeded(solver: str, negated: bool) -> None:
    m = Model()
    b = m.intvar(0, 2, shape=4, name="b")
    constraint = BinPacking(b, SIZES, [3, 4, 2], "<=")
    m.add(~constraint if negated else constraint)
    fits = sum(all(a <= c for a, c in zip(sums(p), (3, 4, 2), strict=True)) for p in PLACES)
    assert m.count(solver=solver) == (81 - fits if negated else fits)


def test_sizes_are_terms_too(solver: str) -> None:
    m = Model()
    b = m.intvar(0, 1, shape=2, name="b")
    size = m.intvar(1, 3, shape=2, name="size")
    m.add(BinPacking(b, size, [3, 1]))
    found = {tuple(row) for row in m.enumerate(solver=solver).solutions.matrix.tolist()}
    assert found == {(0, 1, 3, 1), (1, 0, 1, 3)}


@pytest.mark.parametrize("many", [2, 3, 5])
def test_sizes_that_add_up_to_more_than_the_range_are_refused(many: int) -> None:
    m = Model()
    b = m.intvar(0, 1, shape=5, name="b")
    size = m.intvar(-1, 2**60, name="size")
    for sizes in ([2**60] * many, [size] * many, [2**60] * (many - 1) + [size]):
        with pytest.raises(ModelError, match=r"^[^\n]*allowed are integers up to 2\^61 - 1[^\n]*$"):
            BinPacking(b[:many], sizes, [0, 0])


def test_sizes_that_just_fit_the_range(solver: str) -> None:
    m = Model()
    b = m.intvar(0, 1, shape=2, name="b")
    load = 2**60 - 1
    m.add(BinPacking(b, [load, load], [0, 2 * load]))
    assert m.count(solver=solver) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [1], [1]), "BinPacking: 2 things need as many sizes, got 1"),
        (([0], [1], [1], "<>"), "relation '<>': allowed are == != <= > < >="),
        (([0], [1.5], [1]), "integers only, got 1.5"),
    ],
)
def test_what_cannot_be_packed_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ModelError) as error:
        BinPacking(*arguments)
    assert message in str(error.value)
