"""NumPy's array functions on terms and truths mean what they mean on the values, for every parameter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pairs import Pairs, assert_refused, assert_same, attempt

from cpqueens import BoolArray, IntegerError, Model, ModelError
from cpqueens.language import arrayfunctions
from cpqueens.language.arrayfunctions import FUNCTIONS, MEASURES
from cpqueens.language.expressions import OPERATIONS

Shape = tuple[int, ...]


@pytest.fixture
def x():
    return Model().intvar(0, 9, shape=(3, 4), name="x")


# ---- every function in the table, every parameter, against NumPy ---------------------------------------


def _axis(p: Pairs, shape: Shape) -> Any:
    return p.choose(None, *(p.integer(-len(shape) - 1, len(shape)) for _ in range(4)))


def _axes(p: Pairs, shape: Shape) -> Any:
    """Return one axis, or several: also twice the same, and outside."""
    several = tuple(p.integer(-len(shape), max(len(shape) - 1, 0)) for _ in range(p.integer(0, 2)))
    return p.choose(_axis(p, shape), several)


def _permutation(p: Pairs, shape: Shape) -> Any:
    axes = [int(a) for a in p.rng.permutation(len(shape))]
    return p.choose(None, tuple(axes), [a - len(shape) for a in axes], (0, 0), 5)


def _new_shape(p: Pairs, shape: Shape) -> Any:
    size = int(np.prod(shape, dtype=int))
    return p.choose(
        -1, size, (-1, 1), (1, size), shape[::-1], (size, 1, 1), [size], p.shape(1), (0, 2), -3, 1.5
    )


def _wider(p: Pairs, shape: Shape) -> Any:
    return p.choose((2, *shape), (1, 1, *shape), tuple(3 if n == 1 else n for n in shape), p.shape(), 2)


def _indices(p: Pairs, shape: Shape) -> Any:
    largest = max([1, *shape])
    drawn = [p.integer(-largest, largest - 1) for _ in range(p.integer(0, 3))]
    return p.choose(
        p.integer(-largest - 1, largest), drawn, np.array(drawn, dtype=int), [drawn, drawn], 0, []
    )


def _places(p: Pairs, shape: Shape) -> Any:
    length = shape[0] if shape else 1
    mask = p.rng.integers(0, 2, length).astype(bool)
    return p.choose(_indices(p, shape), slice(p.integer(-2, 2), p.integer(-2, 3)), mask, mask.tolist())


def _widths(p: Pairs, shape: Shape) -> Any:
    return p.choose(p.integer(0, 3), (1, 2), [(0, 2)] * len(shape), [(p.integer(0, 2),)] * len(shape), -1)


def _constant_values(p: Pairs, shape: Shape) -> tuple[Any, Any]:
    return p.choose(p.array(()), (7, 7), p.listed((2,)), p.constants((2,)))


def _several(p: Pairs, shape: Shape) -> tuple[Any, Any]:
    """Return a list of arrays that mostly fit together, or one array of one more axis."""
    if p.integer(0, 5) == 0:
        return p.array((2, *shape))
    odd = p.integer(0, 4) == 0
    parts = [p.array(p.shape() if odd else shape) for _ in range(p.integer(1, 3))]
    make = p.choose(list, tuple)
    return make(ours for ours, _ in parts), make(values for _, values in parts)


def _blocks(p: Pairs, shape: Shape) -> tuple[Any, Any]:
    rows = [_several(p, shape) for _ in range(2)]
    return p.choose(rows[0], ([list(r[0]) for r in rows], [list(r[1]) for r in rows]), p.array(shape))


def _added(p: Pairs, shape: Shape) -> tuple[Any, Any]:
    return p.array(p.choose((), shape, shape[1:], shape[:1], (2,)))


def _sections(p: Pairs, shape: Shape) -> Any:
    return p.choose(p.integer(0, 4), 1, 2, [1], [1, 3], [2, 1, -1], np.array([1, 2]))


def _offset(p: Pairs, shape: Shape) -> Any:
    return p.choose(0, p.integer(-4, 4))


def _operand(p: Pairs, shape: Shape) -> tuple[Any, Any]:
    last = shape[-1:]
    return p.array(p.choose(last, (2, *last), (*last, 2), (2, *last, 3), (3, 2, *last), (), p.shape()))


VALUES: dict[str, Callable[[Pairs, Shape], tuple[Any, Any]]] = {
    "arrays": _several,
    "tup": _several,
    "values": _added,
    "b": _operand,
    "constant_values": _constant_values,
    **dict.fromkeys(["a", "A", "arr", "array", "ary", "arys", "m", "v"], lambda p, shape: p.array(shape)),
}
PLAIN: dict[str, Callable[[Pairs, Shape], Any]] = {
    "axis": _axis,
    "axes": _permutation,
    "axis1": lambda p, shape: p.integer(-3, 2),
    "axis2": lambda p, shape: p.integer(-3, 2),
    "source": lambda p, shape: p.choose(0, -1, (0, 1), [1, 0], p.integer(-4, 3)),
    "destination": lambda p, shape: p.choose(0, -1, (1, 0), [-1, 0], p.integer(-4, 3)),
    "start": lambda p, shape: p.integer(-4, 4),
    "shape": _new_shape,
    "newshape": _new_shape,
    "new_shape": lambda p, shape: p.choose(p.shape(1), p.integer(0, 9), (2, 2), -1, [3, 2]),
    "obj": _places,
    "indices": _indices,
    "indices_or_sections": _sections,
    "mode": lambda p, shape: p.choose(
        "raise", "wrap", "clip", "constant", "edge", "reflect", "symmetric", "mean"
    ),
    "order": lambda p, shape: p.choose("C", "F", "K", "A", "x"),
    "shift": lambda p, shape: p.choose(p.integer(-5, 5), (1, -2), [1]),
    "k": lambda p, shape: p.integer(-4, 4),
    "offset": _offset,
    "n": lambda p, shape: p.integer(-1, 4),
    "keepdims": lambda p, shape: p.choose(True, False),
    "pad_width": _widths,
    "repeats": lambda p, shape: p.choose(p.integer(0, 3), [1] * max([1, *shape[:1]]), [2, 0, 1], 1, -1),
    "reps": lambda p, shape: p.choose(p.integer(0, 3), (2, 1), (0,), [1, 2, 2], (2, 1, 1, 1), ()),
}
SPECIAL: dict[tuple[str, str], Callable[[Pairs, Shape], Any]] = {
    ("block", "arrays"): _blocks,
    ("broadcast_to", "shape"): _wider,
    ("sum", "axis"): _axes,
    ("roll", "axis"): _axes,
    ("squeeze", "axis"): _axes,
    ("flip", "axis"): _axes,
    ("expand_dims", "axis"): _axes,
    ("rot90", "axes"): lambda p, shape: p.choose((0, 1), (1, 0), (-1, 0), (0, 2), (1, 1), [0, 1]),
}
EXPLAINED = (
    "do not fit into an array of Booleans",
    "write 1 * booleans to calculate",
    "is not understood for terms; allowed are",
)
"""What we refuse although NumPy has an answer, each with a reason of ours."""

REQUIRED = {
    "insert": ("obj", "values"),
    "moveaxis": ("source", "destination"),
    "pad": ("pad_width",),
    "swapaxes": ("axis1", "axis2"),
}
ALWAYS = ["shape", "axes", "indices", "indices_or_sections", "obj", "shift", "new_shape", "repeats", "reps"]


def _draw(p: Pairs, name: str, parameter: str, values: bool, shape: Shape) -> tuple[Any, Any]:
    drawn = SPECIAL.get((name, parameter)) or (VALUES if values else PLAIN)[parameter]
    result = drawn(p, shape)
    return result if values else (result, result)


def _call(p: Pairs, function: Any) -> tuple[list[tuple[Any, Any]], dict[str, tuple[Any, Any]]]:
    """Return drawn arguments, each ours and NumPy's: those without a name and those with one."""
    name, understood = function.__name__, (FUNCTIONS | MEASURES)[function]
    shape = p.shape(0 if p.integer(0, 4) == 0 else 1)
    unnamed, named = [], {}
    positional = True
    for k, parameter in enumerate(understood.parameters.values()):
        needed = parameter.name in (*REQUIRED.get(name, ()), *ALWAYS) or (parameter.values and k < 2)
        if k and not needed and p.integer(0, 1):
            positional = False
            continue
        if parameter.name in ("newshape", "constant_values") and p.integer(0, 2):
            continue
        drawn = _draw(p, name, parameter.name, parameter.values, shape)
        positional = positional and k < len(understood.ordered) and (k == 0 or p.integer(0, 2) > 0)
        if positional:
            unnamed.append(drawn)
        else:
            named[parameter.name] = drawn
    return unnamed, named


@pytest.mark.parametrize("function", [*FUNCTIONS, *MEASURES], ids=lambda f: f.__name__)
def test_each_function_means_what_numpy_means(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    left_to_us: list[Any] = []
    ours_first = arrayfunctions.apply
    monkeypatch.setattr(OPERATIONS, "apply", lambda *call: left_to_us.append(0) or ours_first(*call))
    seen: Counter[str] = Counter()
    for seed in range(100):
        p = Pairs(seed)
        unnamed, named = _call(p, function)
        theirs, refusal = attempt(function, *(v for _, v in unnamed), **{k: v for k, (_, v) in named.items()})
        ours, error = attempt(function, *(o for o, _ in unnamed), **{k: o for k, (o, _) in named.items()})
        if not left_to_us:  # terms within lists, which NumPy does not look into: its own loops over objects
            continue
        left_to_us.clear()
        if error is not None:
            assert_refused(error)
            assert refusal is not None or any(words in str(error) for words in EXPLAINED), (
                error,
                unnamed,
                named,
            )
            seen["refused"] += 1
            continue
        assert refusal is None, (refusal, unnamed, named)
        if function in MEASURES:
            assert ours == theirs
        else:
            assert_same(p, ours, theirs)
        seen.update(["compared", *named, *list((FUNCTIONS | MEASURES)[function].parameters)[: len(unnamed)]])
    assert seen["compared"] >= 8, seen
    missing = set((FUNCTIONS | MEASURES)[function].parameters) - set(seen) - {"newshape"}
    assert not missing, f"never compared with NumPy: {missing}"


def test_what_numpy_fills_in_is_a_constant(x) -> None:
    q = x[0] * 0 + np.array([10, 20, 30, 40])
    assert np.insert(q, 0, 3).constants.tolist() == [3, 10, 20, 30, 40]
    assert np.append(q, [0]).constants.tolist() == [10, 20, 30, 40, 0]
    assert np.diag(q[:2]).constants.tolist() == [10, 0, 0, 20]
    assert np.pad(q[:1], 1, constant_values=7).constants.tolist() == [7, 10, 7]
    assert (~np.diag(q > 10)).sum().constant == 13


def test_numpy_adds_lists_of_terms_itself(x) -> None:
    values = np.arange(12).reshape(3, 4)
    total = np.sum([x[0], x[1]], axis=0)
    assert [int(t.evaluate(values.reshape(1, -1))[0, 0]) for t in total] == [4, 6, 8, 10]


# ---- refusals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["sort", "argmax", "linalg.det", "mean", "where", "median", "linalg.trace", "linalg.diagonal", "einsum"],
)
def test_others_are_refused_with_advice(x, name: str) -> None:
    function = np
    for part in name.split("."):
        function = getattr(function, part)
    arguments = ("ij->i", x) if name == "einsum" else (x,)
    with pytest.raises(TypeError, match=r"does not work on terms; (use arithmetic|write )"):
        function(*arguments)


REFUSED: list[tuple[Callable[[Any], Any], str]] = [
    (
        lambda a: np.sum(a, initial=3),
        "numpy.sum: 'initial' is not understood for terms; allowed are a, axis, keepdims",
    ),
    (lambda a: np.sum(a, where=[True] * 4), "'where' is not understood"),
    (lambda a: np.sum(a, 0, np.int8), "at most 2 arguments without a name"),
    (lambda a: np.concatenate([a, a], out=np.zeros(3)), "'out' is not understood"),
    (lambda a: np.pad(a, 1, mode="mean"), "mode: 'mean' is not understood for terms; allowed are constant"),
    (lambda a: np.pad(a, 1, mode=print), "mode: .* is not understood"),
    (lambda a: np.ravel(a, order="K"), "allowed are C, F"),
    (lambda a: np.take(a, a[0]), "indices: must be known before solving"),
    (lambda a: np.roll(a, [a[0, 0]]), "shift: must be known before solving"),
    (lambda a: np.delete(a, a == 1), "obj: must be known before solving"),
    (lambda a: np.insert(a > 1, 0, 3), "write 1 [*] booleans"),
    (lambda a: np.diff(a > 1), "write 1 [*] booleans"),
    (lambda a: np.dot(a[0] > 1, a[1] > 1), "write 1 [*] booleans"),
    (lambda a: np.append(a, [0.5]), "integers only"),
    (lambda a: np.append(a, np.ma.array([1, 2], mask=[0, 1])), "the mask would be lost"),
    (lambda a: np.append(a, [np.ma.masked]), "the mask would be lost"),
    (lambda a: np.take(a, np.ma.array([1, 2], mask=[0, 1])), "the mask would be lost"),
    (lambda a: np.tile(a, 10**12), "numpy.tile: more than"),
    (lambda a: np.repeat(a, 10**9), "numpy.repeat: more than"),
    (lambda a: np.broadcast_to(a, (10**9, 3, 4)), "numpy.broadcast_to: more than"),
    (lambda a: np.resize(a, (10**5, 10**5)), "numpy.resize: more than"),
    (lambda a: np.pad(a, 10**9), "numpy.pad: more than"),
    (lambda a: np.diag(a[0], 10**9), "numpy.diag: more than"),
    (lambda a: np.diagflat(a, -(10**9)), "numpy.diagflat: more than"),
    (lambda a: np.array_split(a, 10**9), "numpy.array_split: more than"),
    (lambda a: np.array_split(a, 1e9), "numpy.array_split: more than"),
    (lambda a: np.pad(a, {0: 10**9}), "pad_width: .* is not understood"),
    (lambda a: np.append(a, _cycle(a)), "more than 32 levels"),
    (lambda a: np.append(a, _deep(3)), "more than 32 levels"),
]


def _cycle(a: Any) -> list[Any]:
    cycle = [a]
    cycle.append(cycle)
    return cycle


def _deep(leaf: Any) -> Any:
    for _ in range(5000):
        leaf = [leaf]
    return leaf


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_arguments_are_refused_in_one_line(x, case: int) -> None:
    call, message = REFUSED[case]
    with pytest.raises(ModelError, match=message) as caught:
        call(x)
    assert "\n" not in str(caught.value)


def test_models_do_not_mix(x) -> None:
    with pytest.raises(ModelError, match="two different models"):
        np.concatenate([x[0], Model().intvar(0, 1, shape=2)])


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize(
    "kind", [lambda v: np.ma.array(v, mask=[0, 1, 0, 0]), np.matrix], ids=["masked", "matrix"]
)
def test_arrays_that_mean_something_else_are_refused(x, kind) -> None:
    other = kind([1, 2, 3, 4])
    for use in (
        lambda: x + other,
        lambda: other + x,
        lambda: x == other,
        lambda: x * [other],
        lambda: x[[0], other],
    ):
        with pytest.raises(IntegerError, match=r"write .compressed|write np.asarray"):
            use()


def test_truths_stay_truths(x) -> None:
    joined = np.concatenate([x[0] > 1, x[1] > 1, [True]])
    assert isinstance(joined, BoolArray)
    assert joined.shape == (9,)
    assert not isinstance(np.concatenate([x[0] > 1, x[1]]), BoolArray)
