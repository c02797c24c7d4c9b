"""NumPy's functions of single elements, and what Python asks of a number, on terms and truths."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from each import each
from pairs import Pairs, assert_refused, attempt

from cpqueens import BoolArray, CpqueensError, IntegerError, LinearArray, Model
from cpqueens.language.arrayfunctions import DEFINED, OPERATORS, UNARY

LOGICAL = {
    np.bitwise_and: np.logical_and,
    np.bitwise_or: np.logical_or,
    np.bitwise_xor: np.logical_xor,
    np.invert: np.logical_not,
    np.logical_and: np.logical_and,
    np.logical_not: np.logical_not,
    np.logical_or: np.logical_or,
    np.logical_xor: np.logical_xor,
}
COMPARISONS = {np.equal, np.greater, np.greater_equal, np.less, np.less_equal, np.not_equal}
OF_TWO = [f for f in {**OPERATORS, **DEFINED} if f is not np.true_divide]
ROUNDS = 30
EXPLAINED = (
    "powers of terms need an integer exponent of at least 1",
    "is not Boolean; compare it",  # a truth equals, or differs from, another truth only
    "@ needs arrays of one or two axes",
)
"""What we refuse although NumPy has an answer, each with a reason of ours."""


def _meaning(function: Any) -> Callable[..., Any]:
    """Return what a function means on values: truths count as 0 and 1 in arithmetic."""
    if function in LOGICAL:
        return LOGICAL[function]
    return lambda *operands, **options: function(*(1 * np.asarray(v) for v in operands), **options)


def _operand(p: Pairs, function: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    if function in LOGICAL:
        ours, values = p.truths(shape)
        return p.choose((ours, values), (1 * ours, values), (values, values))
    return p.array(shape)


def _second(p: Pairs, function: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    if function is np.power:
        exponent = p.integer(-1, 4)
        return p.choose((exponent, exponent), (np.int8(exponent), exponent))
    if function in (np.floor_divide, np.remainder, np.divmod):
        return p.choose((3, 3), (-2, -2), (np.int16(2), 2), p.constants(shape), p.terms(shape))
    return _operand(p, function, p.choose(shape, shape, (), shape[1:], (1, *shape), p.shape()))


def _assert_values(p: Pairs, function: Any, ours: Any, values: Any) -> None:
    if isinstance(values, tuple):
        assert type(ours) is tuple
        assert len(ours) == len(values)
        for mine, theirs in zip(ours, values, strict=True):
            _assert_values(p, function, mine, theirs)
        return
    assert isinstance(ours, BoolArray) == (function in LOGICAL or function in COMPARISONS)
    assert ours.shape == np.shape(values)
    assert (p.read(ours) == values).all()


def _compare(p: Pairs, function: Any, call: Callable[..., Any], *operands: Any, **options: Any) -> bool:
    """Compare one call with NumPy's; return whether there was something to compare."""
    ours, error = attempt(call, *(mine for mine, _ in operands), **options)
    with np.errstate(divide="raise"):
        values, refusal = attempt(_meaning(call), *(theirs for _, theirs in operands), **options)
    if isinstance(refusal, FloatingPointError):  # a divisor of 0, see test_relational.py
        return False
    if error is not None:
        explained = any(words in str(error) for words in EXPLAINED)
        assert explained or refusal is not None, (error, operands)
        return False
    assert refusal is None, (refusal, operands)
    _assert_values(p, function, ours, values)
    return True


@each("function", OF_TWO, ids=lambda f: f.__name__)
def test_each_function_of_two_means_what_numpy_means(function: Any) -> None:
    compared = 0
    for seed in range(ROUNDS):
        p = Pairs(seed)
        shape = p.shape()
        operands = [_operand(p, function, shape), _second(p, function, shape)]
        if function is not np.power and p.integer(0, 1):
            operands.reverse()
        if any(isinstance(ours, LinearArray | BoolArray) for ours, _ in operands):
            compared += _compare(p, function, function, *operands)
    assert compared >= ROUNDS // 6


@each("function", UNARY, ids=lambda f: f.__name__)
def test_each_function_of_one_means_what_numpy_means(function: Any) -> None:
    for seed in range(ROUNDS):
        p = Pairs(seed)
        ours, values = _operand(p, function, p.shape())
        if isinstance(ours, LinearArray | BoolArray):
            assert _compare(p, function, function, (ours, values))


@pytest.mark.parametrize("function", [np.add, np.subtract, np.less, np.maximum], ids=lambda f: f.__name__)
def test_outer_means_what_numpy_means(function: Any) -> None:
    for seed in range(ROUNDS // 2):
        p = Pairs(seed)
        pair = [p.terms(p.shape(0, 2)), p.array(p.shape(0, 2))]
        if p.integer(0, 1):
            pair.reverse()
        ours = function.outer(*(mine for mine, _ in pair))
        _assert_values(p, function, ours, _meaning(function.outer)(*(v for _, v in pair)))


def test_sums_along_an_axis_mean_what_numpy_means() -> None:
    compared = 0
    for seed in range(ROUNDS):
        p = Pairs(seed)
        operand = p.choose(p.terms, p.truths)(p.shape(1))
        options = p.choose({}, {"axis": p.integer(-3, 2)}, {"axis": None}, {"axis": 0, "keepdims": True})
        compared += _compare(p, np.add, np.add.reduce, operand, **options)
    assert compared > ROUNDS // 2


@each(
    "apply",
    [
        operator.add,
        operator.sub,
        operator.mul,
        operator.matmul,
        operator.eq,
        operator.lt,
        operator.ge,
        operator.floordiv,
        operator.mod,
        divmod,
    ],
)
@each("left", [np.array([3, -2, 7]), np.array([True, False, True]), [3, 4, 5]])
def test_operators_with_constants_on_the_left(apply: Callable[..., Any], left: Any) -> None:
    p = Pairs(0)
    ours = p.x[:3] * 2 + 1
    values = 2 * p.values[:3] + 1
    result = apply(left, ours)
    function = np.equal if apply in (operator.eq, operator.lt, operator.ge) else np.add
    _assert_values(p, function, result, apply(1 * np.asarray(left), values))


def test_truths_count_in_all_arithmetic() -> None:
    p = Pairs(1)
    ours, values = p.x[:3] > 0, 1 * (p.values[:3] > 0)
    for apply in (
        lambda t: t // 2,
        lambda t: 7 % (t + 1),
        lambda t: t**3,
        abs,
        lambda t: +t,
        lambda t: t @ t,
    ):
        _assert_values(p, np.add, apply(ours), apply(values))


# ---- refusals --------------------------------------------------------------------------------------------


@pytest.fixture
def q() -> LinearArray:
    return Model().intvar(0, 9, shape=(2, 3), name="q")


def _add_in_place(a: np.ndarray, q: LinearArray) -> None:
    a += q


ELEMENTWISE = [np.sqrt, np.exp, np.sign, np.isnan, np.floor, np.left_shift, np.hypot, np.gcd, np.true_divide]
METHODS = [np.add.accumulate, np.maximum.accumulate, np.multiply.reduce, np.logical_xor.reduce]


@pytest.mark.parametrize("function", [*ELEMENTWISE, *METHODS], ids=lambda f: f.__qualname__)
@pytest.mark.parametrize("truths", [False, True])
def test_others_are_refused_with_advice(q: LinearArray, function: Any, truths: bool) -> None:
    operand = q > 3 if truths else q
    operands = (operand, 3) if getattr(function, "nin", 1) == 2 else (operand,)
    with pytest.raises(TypeError, match=r"does not work on terms; use arithmetic|write // "):
        function(*operands)


REFUSED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda q: np.add(q, 1, dtype=np.int8), "numpy.add: 'dtype' is not understood for terms"),
    (lambda q: np.add(q, 1, where=np.array([True, False, True])), "'where' is not understood"),
    (lambda q: np.add.reduce(q, initial=3), "numpy.add.reduce: 'initial' is .* allowed are axis, keepdims"),
    (lambda q: np.add(q, 1, out=np.zeros((2, 3))), "cannot hold terms; write a = a [+] x"),
    (lambda q: _add_in_place(np.zeros((2, 3), int), q), "numpy.add: a NumPy array cannot hold terms"),
    (lambda q: _add_in_place(np.zeros((2, 3), object), q), "numpy.add: a NumPy array cannot hold terms"),
    (lambda q: np.add(q, [0.5]), "integers only"),
    (lambda q: np.array([1.5, 2, 3]) + q, "integers only"),
    (lambda q: np.array(["a", "b", "c"]) == q, "integers only"),
    (lambda q: np.arange(4) * q, "do not fit together"),
    (lambda q: np.logical_and(q, True), "is not Boolean"),
    (lambda q: np.ma.array([1, 2, 3], mask=[0, 1, 0]) <= q, "the mask would be lost"),
    (lambda q: np.ma.array([1, 2, 3], mask=[0, 1, 0]) @ q.T, "the mask would be lost"),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_arguments_are_refused_in_one_line(q: LinearArray, case: int) -> None:
    call, message = REFUSED[case]
    with pytest.raises(CpqueensError, match=message) as caught:
        call(q)
    assert_refused(caught.value)


QUESTIONS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "bool": (bool, "not known before solving"),
    "not": (lambda v: not v, "not known before solving"),
    "int": (int, "not an integer before solving"),
    "a place in a list": (lambda v: [1, 2][v], "not an integer before solving"),
    "a range": (range, "not an integer before solving"),
    "float": (float, "not a number before solving"),
    "complex": (complex, "not a number before solving"),
    "round": (round, "not a number before solving"),
    "round to tens": (lambda v: round(v, -1), "not a number before solving"),
    "floor": (math.floor, "not a number before solving"),
    "ceil": (math.ceil, "not a number before solving"),
    "trunc": (math.trunc, "not a number before solving"),
    "sqrt": (math.sqrt, "not a number before solving"),
    "a format": (lambda v: f"{v:5d}", "not a number before solving"),
    "exponent": (lambda v: 2**v, "a term as an exponent: write element"),
    "no power": (lambda v: v**0, "an integer exponent of at least 1"),
    "a power without end": (lambda v: v**10**9, "at most 61"),
    "powers of powers": (lambda v: v ** np.array([1, 2]), "an integer exponent"),
    "a power modulo": (lambda v: pow(v, 2, 3), "an integer exponent"),
    "division": (lambda v: v / 2, "write //"),
    "division of": (lambda v: np.array([1, 2]) / v, "write //"),
    "assignment": (lambda v: operator.setitem(v, 0, 3), "never changes"),
    "deletion": (lambda v: operator.delitem(v, 0), "never changes"),
    "being in": (lambda v: v.reshape(-1)[0] in [1, 2], "not known before solving"),
    "having": (lambda v: 1 in v.reshape(-1), "not known before solving"),
    "max": (lambda v: max(v.reshape(-1)), "not known before solving"),
    "sorted": (lambda v: sorted(v.reshape(-1)), "not known before solving"),
}


@pytest.mark.parametrize("case", QUESTIONS)
def test_what_only_a_solution_knows_is_refused_with_advice(q: LinearArray, case: str) -> None:
    ask, message = QUESTIONS[case]
    for value in (q, q > 3):
        with pytest.raises(TypeError, match=message) as caught:
            ask(value)
        assert "\n" not in str(caught.value)
    if case not in ("max", "sorted"):
        with pytest.raises(TypeError, match=message):
            ask(q[0, 0])


def test_what_python_does_with_any_object_works(q: LinearArray) -> None:
    x = q[0, 0]
    assert f"{x}" == str(x)
    assert len({x, q, x}) == 2
    assert x in [x]
    assert [a is b for a, b in zip(q[0], q[0], strict=True)] == [False] * 3
    assert [row.shape for row in reversed(q)] == [(3,), (3,)]
    assert sum(q[0]).variable_list == (0, 1, 2)
    assert min([x]) is x
    assert np.array([x, 3]).dtype == object


def test_masked_arrays_on_the_left_lose_nothing(q: LinearArray) -> None:
    with pytest.raises(IntegerError, match="the mask would be lost"):
        np.ma.array([1, 2, 3], mask=[0, 1, 0]) + (q > 3)
