"""Arrays of terms against plain Python and NumPy arithmetic over all assignments."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from each import each
from seeds import seeds
from twin import OPERATIONS, Twins

from cpqueens import (
    AllDifferent,
    IntegerError,
    Model,
    ModelError,
    all_,
    any_,
    element,
    maximum,
    minimum,
)


@seeds(range(60))
def test_random_expressions_mean_what_numpy_means(seed: int) -> None:
    twins = Twins(Random(seed))
    for depth in (1, 2, 2):
        expression, values = twins.pair(depth)
        assert (twins.value(expression) == values).all()


@each("operation", range(len(OPERATIONS)))
def test_each_operation(operation: int) -> None:
    twins = Twins(Random(operation))
    for _ in range(6):
        expression, values = OPERATIONS[operation](twins, 0)
        assert twins.value(expression).shape == values.shape
        assert (twins.value(expression) == values).all()


@each("factor", [-2, -1, 0, 1, 3])
def test_a_single_term_is_scaled_with_its_constant(factor: int) -> None:
    m = Model()
    x, y = m.intvar(-2, 5, name="x"), m.intvar(0, 9, name="y")
    rows = np.array([[-2, 9], [0, 0], [5, 4]])
    for term, values in (
        (x + 7, rows[:, 0] + 7),
        (2 * x - y - 3, 2 * rows[:, 0] - rows[:, 1] - 3),
        (x - x + 4, 0 * rows[:, 0] + 4),
    ):
        for scaled in (term * factor, factor * term, factor * term.reshape(1)):
            assert scaled.reshape(-1).evaluate(rows)[:, 0].tolist() == (factor * values).tolist()


@seeds(range(40))
def test_values_stay_within_the_bounds(seed: int) -> None:
    twins = Twins(Random(1000 + seed))
    expression, values = twins.pair(2)
    low, high = (b.reshape(expression.shape) for b in expression.bounds())
    assert (values >= low).all()
    assert (values <= high).all()


@pytest.fixture
def x():
    return Model().intvar(0, 9, shape=(3, 4), name="x")


@pytest.mark.parametrize(
    "key",
    [0, -1, (1, 2), slice(None, 2), (slice(None), 1), (slice(None, None, -1), -1), ..., None, [2, 0, 2]],
)
def test_indexing_follows_numpy(x, key) -> None:
    index = np.arange(12).reshape(3, 4)
    picked = x[key]
    expected = index[key]
    assert picked.shape == expected.shape
    assert picked.variables.reshape(-1).tolist() == expected.reshape(-1).tolist()


def test_masks_and_iteration(x) -> None:
    mask = np.eye(3, 4, dtype=bool)
    assert x[mask].variables[:, 0].tolist() == [0, 5, 10]
    assert [row.shape for row in x] == [(4,)] * 3
    assert len(x) == 3
    assert x.flat.shape == (12,)
    assert x.T.shape == (4, 3)
    assert x.reshape(2, -1).shape == (2, 6)


def test_negative_index_of_a_vector(x) -> None:
    vector = x[0]
    assert list(vector[-1].rows()) == [([3], [1], 0)]
    with pytest.raises(IndexError):
        vector[4]


def test_zero_coefficients_vanish(x) -> None:
    assert (x - x).width == 0
    assert (0 * x[0, 0]).width == 0
    assert (x[0, 0] + x[0, 1] - x[0, 0]).scope().tolist() == [1]
    assert (x + x).coefficients.tolist() == [[2]] * 12


def test_padding_differs_by_row(x) -> None:
    mixed = x[0] * np.array([1, 0, 2, 0]) + x[1] * np.array([0, 0, 1, 1])
    assert [v for v, _, _ in mixed.rows()] == [[0], [], [2, 6], [7]]


def test_matrix_product(x) -> None:
    values = np.arange(12).reshape(3, 4) % 10
    a = np.array([[1, 2, 0], [0, -1, 3]])
    product = a @ x
    assert product.shape == (2, 4)
    assert (product.evaluate(values.reshape(1, -1)).reshape(2, 4) == a @ values).all()
    assert ((x @ x.T).shape) == (3, 3)
    with pytest.raises(ModelError, match="cannot join"):
        x @ x


def test_sums_of_nothing_and_extremes_of_nothing() -> None:
    m = Model()
    empty = m.intvar(0, 1, shape=0)
    assert list(empty.sum().rows()) == [([], [], 0)]
    assert m.intvar(0, 1, shape=(0, 3)).sum(axis=0).shape == (3,)
    for extreme in (minimum, maximum):
        with pytest.raises(ModelError, match="of nothing"):
            extreme(empty)
        with pytest.raises(ModelError, match="of nothing"):
            extreme()
    with pytest.raises(ModelError, match="empty"):
        element([], m.intvar(0, 1))


def test_two_dimensional_element() -> None:
    m = Model()
    i, j = m.intvar(0, 1, name="i"), m.intvar(0, 2, name="j")
    table = m.intvar(0, 0, shape=(2, 3), name="t") + np.arange(6).reshape(2, 3)
    m.add(table[i, j] == 4)
    assert m.check({i: 1, j: 1, "t": np.zeros((2, 3), int)}).ok
    assert not m.check({i: 1, j: 0, "t": np.zeros((2, 3), int)}).ok
    assert m.count(solver="backtracking") == 1


def test_two_dimensional_element_leaves_neither_axis() -> None:
    """A column beyond the last is not the first of the next row."""
    m = Model()
    i, j = m.intvar(-1, 3, name="i"), m.intvar(-1, 3, name="j")
    numbers = np.arange(6).reshape(2, 3)
    table = m.intvar(0, 0, shape=(2, 3), name="t") + numbers
    m.add(table[i, j] >= 0)
    assert m.count(solver="cpsat") == 6
    expected = {(a, b) for a in range(2) for b in range(3)}
    assert {(s[i], s[j]) for s in m.solutions(solver="backtracking")} == expected
    assert all(s[table[i, j]] == numbers[s[i], s[j]] for s in m.solutions())


def test_truth_of_bool_arrays_is_refused(x) -> None:
    with pytest.raises(TypeError, match="not known before solving"):
        bool(x[0, 0] == 1)
    with pytest.raises(TypeError):
        _ = 0 < x[0, 0] < 3
    with pytest.raises(TypeError):
        _ = (x[0, 0] == 1) and (x[0, 1] == 1)
    with pytest.raises(TypeError):
        bool(AllDifferent(x))


def test_bool_arrays_are_elementwise(x) -> None:
    assert (x == 3).shape == (3, 4)
    assert ((x == 3) & (x[0] > 1)).shape == (3, 4)
    assert (~(x == 3)).relation == "!="
    assert (x == 3).sum(axis=0).shape == (4,)
    assert all_(x == 3).shape == any_(x == 3).shape == ()
    assert AllDifferent(x).shape == ()
    assert (x == 3)[1, 2].shape == ()
    assert (x == 3).reshape(-1)[::2].shape == (6,)
    assert [b.shape for b in x == 3] == [(4,)] * 3


def test_equal_definitions_are_shared() -> None:
    m = Model()
    x = m.intvar(0, 5, shape=3, name="x")
    first = abs(x - 2)
    before = m.variable_count
    assert abs(x - 2).variables.tolist() == first.variables.tolist()
    assert (abs(x[1] - 2)).variable_list == (int(first.variables[1, 0]),)
    assert m.variable_count == before


def test_constants_fold() -> None:
    m = Model()
    x = m.intvar(0, 5, name="x")
    seven = 0 * x + 7
    for term in (abs(-seven), seven * seven // 7, seven % 4 + 4, minimum(seven, 9), element([7, 8], 0 * x)):
        assert list(term.rows()) == [([], [], 7)]
    assert m.variable_count == 1
    assert (seven == 7).truth().constant == 1


def test_a_table_that_changes_later_does_not_change_the_model() -> None:
    m = Model()
    x = m.intvar(0, 2, name="x")
    table = np.array([5, 6, 7])
    m.add(element(table, x) == 6)
    terms = np.array([1, 2])
    m.add(AllDifferent(np.array([1, 2])), AllDifferent([x, terms[1]]))
    table[:] = 0
    assert m.check({x: 1}).ok


def test_models_do_not_mix(x) -> None:
    other = Model().intvar(0, 1, shape=4, name="y")
    for mix in (
        lambda: x + other,
        lambda: x[0, 0] + other[0],
        lambda: x[0] == other,
        lambda: AllDifferent(x[0], other),
        lambda: (x[0] == 1) & (other == 1),
        lambda: element(other, x[0, 0]),
    ):
        with pytest.raises(ModelError, match="two different models"):
            mix()


def test_constraints_without_variables_join_any_model() -> None:
    m = Model()
    b = m.boolvar(name="b")
    m.add(AllDifferent([]) & b, ~AllDifferent([1, 1]) | ~b, (~AllDifferent([])).implies(~b))
    assert m.check({b: 1}).ok
    assert not m.check({b: 0}).ok


@pytest.mark.parametrize("bad", [1.5, "3", None, float("nan"), [1, "2"], np.array([0.5]), 1 + 2j])
def test_only_integers(x, bad) -> None:
    for use in (lambda: x + bad, lambda: x[0, 0] * bad, lambda: x[0, 0] == bad, lambda: bad - x):
        with pytest.raises((IntegerError, ModelError)):
            use()


def test_shapes_that_do_not_fit(x) -> None:
    for use in (lambda: x + np.arange(3), lambda: x == x.T, lambda: minimum(x, x.T), lambda: x * [1, 2]):
        with pytest.raises(ModelError, match="do not fit together"):
            use()


def test_division_and_powers_say_what_to_write(x) -> None:
    with pytest.raises(TypeError, match="//"):
        x / 2
    with pytest.raises(TypeError, match="exponent"):
        x**-1
    with pytest.raises(TypeError, match=r"numpy.sqrt does not work on terms; use arithmetic"):
        np.sqrt(x)


# ---- the ends of 64 bits ---------------------------------------------------------------------------------


def test_overflow_is_refused_where_it_arises() -> None:
    m = Model()
    x = m.intvar(0, 2**60, shape=3, name="x")
    for use in (
        lambda: x * 2**62 + x * 2**62,
        lambda: x * 2**62 + x * 2**61 + x * 2**62,
        lambda: (0 * x + 2**62).sum(),
        lambda: x + 2**63,
        lambda: x * 2**63,
        lambda: x - (-(2**63)),
        lambda: x * x,
        lambda: x**3,
    ):
        with pytest.raises(ModelError):
            use()
    for late in (2 * x.sum() <= 0, 4 * x[0] >= 1, x[0] + 2**70 == 0):
        n = m.copy()
        n.add(late)
        with pytest.raises(ModelError, match=r"2\^61 - 1"):
            n.solve()


def test_wide_spans_keep_their_truths() -> None:
    m = Model()
    x = m.intvar(-(2**60) - 5, 2**60 + 5, name="x")
    truth = (x >= 0).truth()
    for value, expected in ((-(2**60) - 5, 0), (-1, 0), (0, 1), (2**60 + 5, 1)):
        values = m.complete(np.array([[value]]), m.decisions)
        assert truth.evaluate(values).tolist() == [[expected]]


@pytest.mark.parametrize("end", [2**31, 2**53, 2**61 - 2])
def test_amounts_near_the_ends(end: int) -> None:
    m = Model()
    x = m.intvar(-end, end, name="x")
    m.add(x < 0)
    assert m.check({x: end}).amount == end + 1
    assert m.check({x: -end}).ok


def test_a_million_terms_are_cheap() -> None:

    m = Model()
    q = m.intvar(0, 10**6, shape=10**6, name="q")
    i = np.arange(10**6)
    shifted = q + i
    assert shifted.shape == (10**6,)
