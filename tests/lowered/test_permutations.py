"""Which models are one permutation of a pattern that local search has a kernel for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cpqueens.models.all_interval import all_interval
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens

from cpqueens import AllDifferent, Model
from cpqueens.lowered.forms import BOARD, compiled_of
from cpqueens.lowered.structures.table import Structures, find


def permutation(n: int, *post: Callable[[Any], Any], low: int = 3, extra: int = 0) -> Model:
    m = Model()
    x = m.intvar(low, low + n - 1 + extra, shape=n, name="x")
    m.add(AllDifferent(x))
    for function in post:
        m.add(function(x))
    return m


def found(model: Model) -> tuple[str, ...]:
    """Return the names of the permutations that a model is."""
    structures = Structures(model)
    return tuple(name for name in ("shifted_permutation", "path", "lines") if structures.find(name))


SHUFFLED = [3, 0, 2, 4, 1]


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (queens(8), ("shifted_permutation",)),
        (permutation(5, lambda x: AllDifferent(x[SHUFFLED] + 7 * np.arange(5))), ("shifted_permutation",)),
        (permutation(5), ()),  # a permutation alone
        (permutation(5, lambda x: AllDifferent(x - 1), extra=1), ()),
        (permutation(5, lambda x: AllDifferent(x + np.arange(5)), lambda x: x[0] != 4), ()),
        (permutation(5, lambda x: AllDifferent(np.arange(5) - x)), ()),
        (permutation(5, lambda x: AllDifferent(x[:4] + np.arange(4))), ()),
        (permutation(5, lambda x: AllDifferent(x + 400 * np.arange(5))), ()),  # too many counters
        (all_interval(9), ("path",)),
        (permutation(4, lambda x: AllDifferent(5 - abs(x[[0, 2, 1]] - x[[2, 1, 3]]))), ("path",)),
        (permutation(4, lambda x: AllDifferent(abs(x[[0, 2, 0]] - x[[2, 1, 3]]))), ("path",)),
        (permutation(4, lambda x: AllDifferent(abs(x[[0, 0, 0]] - x[[2, 1, 3]]))), ()),  # a star
        (permutation(4, lambda x: AllDifferent(abs(x[:3] - x[1:] + 1))), ()),
        (permutation(4, lambda x: AllDifferent(abs(x[:3] + x[1:]))), ()),
        (permutation(4, lambda x: AllDifferent(abs(x[:3] - x[1:]) + np.arange(3))), ()),
        (magic_square(6), ("lines",)),
        (magic_square(5), ()),  # too few cells
        (permutation(36, lambda x: x[:6].sum() == 99, lambda x: -x[6:9].sum() == -60), ("lines",)),
        (permutation(36, lambda x: x[:6].sum() <= 99), ()),
        (permutation(36, lambda x: x[:6].sum() + x[3] == 99), ()),
        (permutation(36, lambda x: x[:6].sum() == 99_999), ()),  # out of reach
    ],
)
def test_what_is_found(model: Model, expected: tuple[str, ...]) -> None:
    assert found(model) == expected


def test_an_objective_is_none_of_them() -> None:
    model = queens(8)
    model.minimize(model["q"][0])
    assert found(model) == ()
    assert Structures(model).find_stated("shifted_permutation") is None


def test_offsets_are_by_variable_and_counters_do_not_overlap() -> None:
    model = permutation(5, lambda x: AllDifferent(x[SHUFFLED] + 7 * np.arange(5)))
    pattern = Structures(model).find("shifted_permutation")
    assert pattern is not None
    assert (pattern.size, pattern.low, pattern.counters) == (5, 3, 5 + 28)
    assert pattern.offsets.tolist() == [[7, 28, 14, 0, 21]]
    assert Structures(model).find_stated("shifted_permutation") is None  # not in order


def test_queens_are_found_without_compiling_them() -> None:
    model = queens(9)
    at_once = Structures(model).find_stated("shifted_permutation")
    compiled = find("shifted_permutation", compiled_of(model))
    assert at_once is not None
    assert compiled is not None
    assert np.array_equal(at_once.offsets, compiled.offsets)
    assert (at_once.size, at_once.low, at_once.counters) == (9, 0, 34) == (
        compiled.size, compiled.low, compiled.counters,
    )  # fmt: skip


def test_a_path_is_in_the_order_of_its_pairs() -> None:
    model = permutation(4, lambda x: AllDifferent(abs(x[[0, 2, 0]] - x[[2, 1, 3]])))
    pattern = Structures(model).find("path")
    assert pattern is not None
    assert (pattern.order.tolist(), pattern.low) in (([1, 2, 0, 3], 3), ([3, 0, 2, 1], 3))


def test_lines_sum_in_values_from_zero() -> None:
    pattern = Structures(permutation(36, lambda x: -x[[8, 6, 7]].sum() == -60)).find("lines")
    assert pattern is not None
    assert [line.tolist() for line in pattern.lines] == [[6, 7, 8]]
    assert pattern.totals.tolist() == [60 - 3 * 3]


def test_arrays_and_structures_stay_with_the_model_until_it_changes() -> None:
    model = queens(8)
    first, record = compiled_of(model), Structures(model).find("shifted_board")
    assert record is not None
    assert compiled_of(model, BOARD) is first  # there is no objective, and nothing is counted
    assert Structures(model).find("shifted_board") is record
    model.add(model["q"][0] != 4)
    assert compiled_of(model) is not first
    assert found(model) == ()
