"""Keys and methods of arrays mean what they mean on the values; terms in keys choose by their value."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import oracle
import pytest
from each import each
from pairs import Pairs, assert_refused, assert_same, attempt
from seeds import sweep

from cpqueens import BoolArray, Model, ModelError, all_, element, maximum
from cpqueens.errors import BadIndex
from cpqueens.language.expressions import LinearArray
from cpqueens.text import attributes

Shape = tuple[int, ...]


# ---- constant keys -------------------------------------------------------------------------------------


def _slice(p: Pairs) -> slice:
    ends = [p.choose(None, p.integer(-5, 5)) for _ in range(2)]
    return slice(*ends, p.choose(None, 1, 2, -1, -2))


def _part(p: Pairs, length: int) -> Any:
    inside = max(length, 1)
    several = p.rng.integers(-inside, inside, p.choose((2,), (2, 1), (1,), ()))
    return p.choose(
        p.integer(-inside, inside - 1),
        np.int8(p.integer(-inside - 1, inside)),
        _slice(p),
        _slice(p),
        Ellipsis,
        None,
        several,
        several.tolist(),
        several.astype(np.uint8) if (several >= 0).all() else several,
        p.rng.integers(0, 2, length).astype(bool),
        p.choose(1.5, "a", [], True, [0.5], np.float64(1), [[0], [0, 1]], slice("a", None)),
    )


def _key(p: Pairs, shape: Shape) -> Any:
    """Return a key as people write them: sometimes outside, with too many parts, or nonsense."""
    if p.integer(0, 7) == 0:
        return p.rng.integers(0, 2, shape).astype(bool)
    count = p.integer(0, len(shape) + (p.integer(0, 5) == 0))
    parts = tuple(_part(p, shape[min(k, len(shape) - 1)] if shape else 1) for k in range(count))
    return parts[0] if len(parts) == 1 and p.integer(0, 1) else parts


@pytest.mark.parametrize("kind", ["terms", "truths"])
def test_keys_mean_what_numpy_means(kind: str) -> None:
    seen: Counter[str] = Counter()
    for seed in sweep(600, 1500):
        p = Pairs(seed)
        array, values = getattr(p, kind)(p.shape())
        key = _key(p, values.shape)
        theirs, refusal = attempt(lambda v=values, k=key: np.asarray(v)[k])
        ours, error = attempt(lambda a=array, k=key: a[k])
        assert (error is None) == (refusal is None), (key, values.shape, error, refusal)
        if error is None:
            assert_same(p, ours, theirs)
            seen.update(type(part).__name__ for part in (key if isinstance(key, tuple) else (key,)))
        else:
            assert_refused(error)
            assert isinstance(error, IndexError)
            seen["refused"] += 1
    assert (
        min(seen[part] for part in ("int", "slice", "ellipsis", "NoneType", "ndarray", "list", "refused"))
        > 10
    )


# ---- terms in keys -------------------------------------------------------------------------------------


def _index(p: Pairs, length: int) -> tuple[Any, Any]:
    """Return terms that stay in 0..length-1, and their values; sometimes with constants in a list."""
    ours, values = p.terms(p.choose((), (), (2,), (2, 1)))
    if ours.shape == (2,) and p.integer(0, 2) == 0:
        return [ours[0] % length, -1], np.array([values[0] % length, -1])
    return ours % length, values % length


def test_terms_in_keys_stand_for_integer_arrays() -> None:
    compared = refused = undefined = 0
    for seed in range(500):
        p = Pairs(seed)
        shape = tuple(p.integer(1, 3) for _ in range(p.integer(1, 3)))
        array, values = p.terms(shape)
        chosen = p.integer(0, len(shape) - 1)
        drawn: list[tuple[Any, Any]] = []
        for axis, length in enumerate(shape):
            part = _part(p, length)
            drawn.append(_index(p, length) if axis == chosen or p.integer(0, 3) == 0 else (part, part))
        key, known = (tuple(part) for part in zip(*drawn, strict=True))
        theirs, refusal = attempt(lambda v=values, k=known: v[k])
        ours, error = attempt(lambda a=array, k=key: a[k])
        if error is None and "out of bounds" in str(refusal):
            undefined += (
                1  # None and ... move axes: there the term leaves its axis, which is no error of the key
            )
            continue
        assert (error is None) == (refusal is None), (key, known, shape, error, refusal)
        if error is None:
            assert_same(p, ours, theirs)
            compared += 1
        else:
            assert_refused(error)
            refused += 1
    assert compared > 200
    assert refused > 20
    assert undefined < 50


@each("row", [*range(-3, 3)])
def test_constants_beside_a_term_follow_numpy(row: int) -> None:
    m = Model()
    k = m.intvar(0, 2, name="k")
    g = m.intvar(0, 0, shape=(3, 3), name="g") + np.arange(9).reshape(3, 3)
    m.add(g[row, k] == np.arange(9).reshape(3, 3)[row, 1], g[k, row] >= 0)
    assert [s[k] for s in m.solutions(solver="backtracking")] == [1]


@each("key", [(3, "k"), (-4, "k"), ("k", 3), ("k", "k", 0), ("k", [0, 5]), (["k", 3], 0)])
def test_constants_beside_a_term_stay_inside(key) -> None:
    m = Model()
    k = m.intvar(0, 2, name="k")
    g = m.intvar(0, 9, shape=(3, 3), name="g")
    parts = tuple([k, *part[1:]] if isinstance(part, list) and part[0] == "k" else part for part in key)
    with pytest.raises(BadIndex):
        g[tuple(k if isinstance(part, str) else part for part in parts)]


TABLE = np.arange(6).reshape(2, 3)


def test_numbers_beside_a_term_choose_its_table() -> None:
    """As indices of `element` too: each result has the row that its number names, not the whole array."""
    table = np.random.default_rng(0).integers(0, 9, (3, 4))
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    rows = element(table, [0, 1, -1], x)
    assert [str(row) for row in rows] == [f"element({table[r].tolist()}, x[{r}])" for r in range(3)]
    columns = element(table, m.intvar(0, 2, name="r"), 1)
    assert str(columns) == f"element({table[:, 1].tolist()}, r)"
    for solution in m.solutions(solver="backtracking", solution_limit=20):
        assert solution[rows].tolist() == [table[r, k] for r, k in enumerate(solution[x])]
        assert solution[columns] == table[solution["r"], 1]
    with pytest.raises(BadIndex, match="index 3: axis 0 has 3 elements"):
        element(table, [0, 1, 3], x)


@pytest.mark.parametrize("low", [-2, 0])
@pytest.mark.parametrize("high", [1, 4])
def test_each_axis_is_in_range_on_its_own(low: int, high: int) -> None:
    m = Model()
    i, j = m.intvar(low, high, name="i"), m.intvar(low, high, name="j")
    g = m.intvar(0, 0, shape=(2, 3), name="g") + TABLE
    m.add(g[i, j] >= 1)
    inside = {(a, b) for a in range(low, high + 1) for b in range(low, high + 1) if 0 <= a < 2 and 0 <= b < 3}
    expected = {pair for pair in inside if TABLE[pair] >= 1}
    assert {(s[i], s[j]) for s in m.solutions(solver="backtracking")} == expected
    assert {row[:2] for row in oracle.solve(m).rows} == expected


def test_a_row_chosen_by_a_term() -> None:
    m = Model()
    k = m.intvar(-5, 5, name="k")
    g = m.intvar(0, 0, shape=(2, 3), name="g") + TABLE
    m.add(all_(g[k] == [3, 4, 5]), g[..., k - 1].sum() == 3)
    assert [s[k] for s in m.solutions(solver="backtracking")] == [1]
    with pytest.raises(BadIndex, match="no elements"):
        m.intvar(0, 1, shape=(0, 2))[k]
    with pytest.raises(BadIndex, match="Boolean"):
        g[k == 1]


def test_a_term_is_no_index_of_a_list() -> None:
    k = Model().intvar(0, 1, name="k")
    for use in (lambda: [1, 2][k], lambda: range(k)):
        with pytest.raises(TypeError, match="element"):
            use()


def test_the_same_key_gives_the_same_definition() -> None:
    m = Model()
    i, j = m.intvar(0, 5, shape=2, name="i")
    g = m.intvar(0, 9, shape=(2, 3), name="g")
    assert g[i, j].variable_list == g[i, j].variable_list


# ---- methods -------------------------------------------------------------------------------------------


def _reducing(name: str) -> Any:
    return lambda p, a: getattr(a, name)(
        axis=p.choose(
            None,
            p.integer(-3, 3),
            tuple(p.integer(-2, 2) for _ in range(p.integer(0, 2))),
            np.int8(0),
            [0],
            1.5,
        ),
        keepdims=bool(p.integer(0, 1)),
    )


METHODS: dict[str, Any] = {
    "T": lambda p, a: a.T,
    "flat": lambda p, a: a.flat[:] if isinstance(a, np.ndarray | np.generic) else a.flat,
    "flatten": lambda p, a: a.flatten(),
    "ravel": lambda p, a: a.ravel(),
    "ndim": lambda p, a: a.ndim,
    "shape": lambda p, a: a.shape,
    "size": lambda p, a: a.size,
    "reshape": lambda p, a: a.reshape(
        *p.choose((-1,), ((-1, 1),), (1, -1), ([a.size],), (2, -1), (p.integer(-2, 5),), (-1, -1), (1.5,), ())
    ),
    "cumsum": lambda p, a: a.cumsum(axis=p.choose(None, 0, -1, 5)),
    **{name: _reducing(name) for name in ("sum", "max", "min", "all", "any")},
}


@pytest.mark.parametrize("kind", [LinearArray, BoolArray])
def test_every_method_of_numpy_arrays_is_tested(kind: type) -> None:
    names = {name for name in dir(np.ndarray) if not name.startswith("_")}
    shared = {name for name in names if hasattr(kind, name)}  # others are answered with what is written here
    assert shared - set(METHODS) == set()


@each("kind", ["terms", "truths"])
@each("method", METHODS)
def test_methods_mean_what_numpy_means(method: str, kind: str) -> None:
    compared = 0
    for seed in sweep(30, 60):
        p, q = Pairs(seed), Pairs(seed)
        shape = p.shape()
        assert q.shape() == shape
        _, values = getattr(p, kind)(shape)
        same, _ = getattr(q, kind)(shape)  # so that both draw the same arguments
        if not hasattr(same, method):
            assert (method, kind) in {("flatten", "truths"), ("ravel", "truths")}  # not offered
            return
        theirs, refusal = attempt(METHODS[method], p, np.asarray(values))
        ours, error = attempt(METHODS[method], q, same)
        assert (error is None) == (refusal is None), (shape, error, refusal)
        if error is not None:
            assert_refused(error)
        elif isinstance(theirs, int | tuple):
            assert ours == theirs
        else:
            assert_same(q, ours, theirs)
            compared += 1
    assert compared > 8 or method in ("ndim", "shape", "size")


def test_lengths_and_iteration() -> None:
    for seed in range(30):
        p = Pairs(seed)
        for array, values in (p.terms(p.shape(1)), p.truths(p.shape(1))):
            assert len(array) == len(values)
            for ours, theirs in zip(array, values, strict=True):
                assert_same(p, ours, theirs)


@each("shapes", [((2, 3), (3,)), ((3,), (3, 2)), ((2, 0), (0, 3)), ((0, 2), (2, 3)), ((4,), (4,))])
def test_matrix_products(shapes) -> None:
    p = Pairs(1)
    (a, v), (b, w) = (p.terms(shape) for shape in shapes)
    assert_same(p, a @ b, v @ w)
    assert_same(p, v @ b, v @ w)
    assert_same(p, a @ w, v @ w)


@pytest.mark.parametrize("connective", ["and", "or", "xor"])
def test_connectives_broadcast_as_numpy_does(connective: str) -> None:
    join = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}[connective]
    compared = 0
    for seed in range(60):
        p = Pairs(seed)
        (a, v), (b, w) = p.truths(p.shape()), p.truths(p.shape())
        theirs, refusal = attempt(join, v, w)
        ours, error = attempt(join, a, b)
        assert (error is None) == (refusal is None)
        if error is None:
            assert_same(p, ours, np.asarray(theirs))
            compared += 1
        else:
            assert_refused(error)
    assert compared > 10


# ---- one line for everything else ----------------------------------------------------------------------


def _cyclic(*_: Any) -> list[Any]:
    cycle: list[Any] = []
    cycle.append(cycle)
    return cycle


def _deep(leaf: Any) -> Any:
    for _ in range(5000):
        leaf = [leaf]
    return leaf


@pytest.mark.parametrize(
    "make", [_cyclic, _deep, lambda leaf: [1, _deep(leaf)], lambda leaf: (leaf, _cyclic())]
)
def test_lists_without_end(make) -> None:
    x = Model().intvar(0, 9, shape=3, name="x")
    for leaf in (1, x[0]):
        bad = make(leaf)
        for use in (lambda b=bad: x + b, lambda b=bad: x == b, lambda b=bad: x[b], lambda b=bad: x[b, x[0]]):
            with pytest.raises(ModelError) as caught:
                use()
            assert "\n" not in str(caught.value)


def test_numpy_arrays_of_objects() -> None:
    p = Pairs(3)
    rows = np.array([[p.x[0], p.x[1]], [1, 2]], dtype=object)
    assert_same(p, maximum(p.x[2:4], rows), np.maximum(p.values[2:4], [p.values[:2], [1, 2]]))
    assert_same(p, p.x[:2] + np.array([3, 4], dtype=object), p.values[:2] + np.array([3, 4]))


def test_arrays_that_no_memory_holds() -> None:
    x = Model().intvar(0, 9, shape=(100_000, 1), name="x")
    for use in (lambda: x + x.T, lambda: x == x.T, lambda: x + range(10**12)):
        with pytest.raises(ModelError, match=r"at most|more than"):
            use()


def test_arrays_of_the_same_elements_share_their_single_terms() -> None:
    m = Model()
    x = m.intvar(0, 9, shape=(2, 3), name="x")
    rows = x.flat, x.reshape(3, 2), x
    assert x.flat[4] is rows[0][4] is rows[1][2, 0] is rows[2][1, 1]
    assert [term.variable_list for term in map(x.flat.__getitem__, range(6))] == [(k,) for k in range(6)]
    assert x.T.flat[1].variable_list == (3,)
    assert m.intvar(0, 1, name="y").reshape(1, 1)[0, 0].variable_list == (6,)


def test_terms_as_indices_are_not_asked_what_they_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answer = attributes.no_attribute
    monkeypatch.setattr(attributes, "no_attribute", lambda of, name: asked.append(name) or answer(of, name))
    m = Model()
    x, table = m.intvar(0, 1, shape=2, name="x"), np.arange(4).reshape(2, 2)
    assert not hasattr(x, "iloc")
    assert asked == ["iloc"]  # which takes long: the answer names what there is
    m.add(element(table, x[0], x[1]) + element(x, x[0]) + x[x[1]] == 3, element(table, x, x) <= 3)
    assert m.solve(solver="backtracking")[x].tolist() == [1, 0]
    assert asked == ["iloc"]
