"""What operators come to, and what belongs to no model yet."""

import copy
import pickle
import typing

import numpy as np
import pytest

from cpqueens import AllDifferent, Model, ModelError
from cpqueens.language.expressions import OPERATIONS, Operations
from cpqueens.language.ranges import OutOfRange
from cpqueens.language.store import UNBOUND


def test_the_table_of_operations_is_filled() -> None:
    assert set(vars(OPERATIONS)) == set(typing.get_type_hints(Operations))


def test_constants_stay_constants_until_a_model_adopts_them() -> None:
    false, true = AllDifferent([1, 1]), AllDifferent([1, 2])
    assert list((3 * (true + true) + false).constants) == [6]
    assert list(((true & ~false) + (false == true)).constants) == [1]
    assert (true + 1).registry is UNBOUND
    assert UNBOUND.variable_count == 0
    m = Model()
    x = m.intvar(0, 3, name="x")
    assert (true + x).registry is m
    m.add(true, (false | true) == (x == 2))
    assert m.count(solver="backtracking") == 1


def test_an_undefined_function_of_constants_is_refused() -> None:
    with pytest.raises(ModelError, match="quotient of constants: undefined for the values given"):
        AllDifferent([1, 2]).truth() // AllDifferent([1, 1]).truth()


def test_there_is_one_registry_of_constants_in_copies_and_pickles_too() -> None:
    constraint = AllDifferent([])
    for other in (copy.deepcopy(constraint), pickle.loads(pickle.dumps(constraint)), copy.copy(constraint)):
        assert other.registry is UNBOUND


def test_sums_of_few_and_of_many_rows_are_the_same() -> None:
    random = np.random.default_rng(5)
    m = Model()
    x = m.intvar(-4, 4, shape=(9, 3), name="x")
    for _ in range(60):
        picked, factors = random.integers(0, 9, 4).tolist(), random.integers(-3, 4, 4).tolist()
        few = sum(x[row] * factor for row, factor in zip(picked, factors, strict=True))
        many = sum(x[np.full(99, row)] * factor for row, factor in zip(picked, factors, strict=True))
        assert few.row_keys() == many[50].row_keys()
        values = random.integers(-4, 5, (9, 3))
        means = sum(values[row] * factor for row, factor in zip(picked, factors, strict=True))
        assert np.array_equal(few.evaluate(values.reshape(1, -1))[0], means)


def test_coefficients_of_few_rows_that_do_not_fit_are_refused() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=(2, 2), name="x")
    far = x[0] * 2**61
    with pytest.raises(OutOfRange, match="coefficients of one variable add up to 2\\^62 or more"):
        far + far
