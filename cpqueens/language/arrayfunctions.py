"""NumPy's array functions on arrays of terms and of truths: each means what NumPy means, or is refused.

`FUNCTIONS` has, for each function that is understood, its parameters and what they are. *Values* hold the
elements (terms, truths, integers, nested lists of these); all others are plain: indices, axes, shapes, known
before solving. A function that only rearranges is run by NumPy on the positions of the elements; position
0 is a constant 0, since that is what NumPy itself fills in. Everything that is not in the table is refused.

NumPy's functions of single elements (`numpy.add`, ...) on terms and truths: operators, or refused.

What stands left of an operator may be a NumPy array: then NumPy calls such a function, and the function
ours. Truths count as 0 and 1 in arithmetic, as they do for the operators.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cpqueens.errors import IntegerError, ModelError
from cpqueens.language.arithmetic import matmul, sum_of_products
from cpqueens.language.arrays import concatenate_rows, constant_array
from cpqueens.language.conversion import as_linear, as_linears, define, leaves, registry_of
from cpqueens.language.expressions import BoolArray, LinearArray, Operand, Registry
from cpqueens.language.labels import is_framed
from cpqueens.language.rows import MAX_ELEMENTS, axes_of, refuse_misread, refusing
from cpqueens.language.truths import Literals
from cpqueens.text.foreign import spelled
from cpqueens.text.plaintext import shown

ADVICE = (
    "does not work on terms; use arithmetic, abs(), .sum(), minimum(), maximum(), all_(), "
    "any_() or element() from cpqueens"
)

UNARY: dict[Any, Callable[[Any], Any]] = {
    np.absolute: abs,
    np.invert: lambda a: ~a,
    np.logical_not: lambda a: ~a,
    np.negative: lambda a: -a,
    np.positive: lambda a: +a,
    np.square: lambda a: a * a,
}

OPERATORS: dict[Any, str] = {
    np.add: "add",
    np.bitwise_and: "and",
    np.bitwise_or: "or",
    np.bitwise_xor: "xor",
    np.divmod: "divmod",
    np.equal: "eq",
    np.floor_divide: "floordiv",
    np.greater: "gt",
    np.greater_equal: "ge",
    np.less: "lt",
    np.less_equal: "le",
    np.logical_and: "and",
    np.logical_or: "or",
    np.logical_xor: "xor",
    np.matmul: "matmul",
    np.multiply: "mul",
    np.not_equal: "ne",
    np.power: "pow",
    np.remainder: "mod",
    np.subtract: "sub",
    np.true_divide: "truediv",  # says what to write instead
}
"""Functions of two operands by Python's name of the operator."""

_MIRRORED = {"eq": "eq", "ge": "le", "gt": "lt", "le": "ge", "lt": "gt", "ne": "ne"}

DEFINED: dict[Any, str] = {np.maximum: "maximum", np.minimum: "minimum"}
"""Functions of two operands by the kind of definition."""

REDUCTIONS: dict[Any, str] = {
    np.add: "sum",
    np.logical_and: "all",
    np.logical_or: "any",
    np.maximum: "max",
    np.minimum: "min",
}
"""Functions that reduce an axis, by the method of an array that does the same."""


def apply_ufunc(function: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return ``function.method(*inputs, **options)`` where terms or truths are among the arguments.

    Raises
    ------
    ModelError
        For options that are not understood, ``out`` (what ``array += terms`` comes to) among them.
    TypeError
        For functions that have no meaning for terms, with advice.
    """
    name = f"numpy.{function.__name__}" + (f".{method}" if method != "__call__" else "")
    if "out" in options:
        raise ModelError(f"{name}: a NumPy array cannot hold terms; write a = a + x instead of a += x")
    understood = ("axis", "keepdims") if method == "reduce" else ()
    for option, value in options.items():
        if option not in understood and value is not None:  # NumPy passes dtype=None on
            allowed = f"; allowed are {', '.join(understood)}" if understood else ""
            raise ModelError(f"{name}: {option!r} is not understood for terms{allowed}")
    if method == "__call__" and function in UNARY:
        return UNARY[function](*inputs)
    if function in REDUCTIONS and method == "reduce":
        reduce = getattr(inputs[0], REDUCTIONS[function])
        return reduce(options.get("axis", 0), keepdims=options.get("keepdims", False))
    if function in OPERATORS or function in DEFINED:
        if method == "__call__":
            return _of_two(function, *inputs)
        if method == "outer" and function is not np.matmul:
            return _outer(function, *inputs)
    raise TypeError(f"{name} {ADVICE}")


def _of_two(function: Any, left: Any, right: Any) -> Any:
    """Return what the operator's method returns: that of the left operand, where it is one of ours."""
    if function in DEFINED:
        return define(DEFINED[function], left, right)
    name = OPERATORS[function]
    if isinstance(left, Operand):
        return getattr(left, f"__{name}__")(right)
    if isinstance(left, np.ndarray) and not left.ndim:
        left = left[()]  # what NumPy makes of its own scalars in comparisons
    return getattr(right, f"__{_MIRRORED.get(name, 'r' + name)}__")(left)


def _outer(function: Any, left: Any, right: Any) -> Any:
    a, b = as_linears(left, right)
    return _of_two(function, a.reshape(a.shape + (1,) * b.ndim), b)


@dataclass(frozen=True)
class Argument:
    """A parameter that is understood; others of the function are refused."""

    name: str
    values: bool  # it holds elements, not indices
    choices: tuple[str, ...]  # for texts: those that are understood


class ArrayFunction:
    """A function that is understood, by its parameters in NumPy's order.

    ``spelling`` lists them: ``a*`` holds values, ``mode=wrap|clip`` has these choices, and what comes behind
    ``|`` is given by name only. Without ``compute`` the function rearranges. ``counts`` says that a computed
    function takes truths as 0 and 1, as NumPy does for it; ``casts`` that NumPy gives the result the type of
    the first array.
    """

    def __init__(
        self,
        spelling: str,
        compute: Callable[..., Any] | None = None,
        *,
        counts: bool = False,
        casts: bool = False,
    ) -> None:
        ordered, _, named = spelling.partition(" | ")
        self.ordered = [_parameter(word) for word in ordered.split()]
        self.parameters = {p.name: p for p in [*self.ordered, *map(_parameter, named.split())]}
        self.compute = compute
        self.counts = counts
        self.casts = casts

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[Argument, Any]]:
        """Return (parameter, argument) for each argument, those without a name first."""
        if len(args) > len(self.ordered):
            raise ModelError(f"at most {len(self.ordered)} arguments without a name ({self._allowed()})")
        for name in kwargs:
            if name not in self.parameters:
                raise ModelError(f"{name!r} is not understood for terms; allowed are {self._allowed()}")
        named = [(self.parameters[name], value) for name, value in kwargs.items()]
        return [*zip(self.ordered, args, strict=False), *named]

    def _allowed(self) -> str:
        return ", ".join(self.parameters)


def _parameter(word: str) -> Argument:
    name, _, choices = word.partition("=")
    return Argument(name.rstrip("*"), name.endswith("*"), tuple(choices.split("|")) if choices else ())


# ---- functions that compute ---------------------------------------------------------------------------


def _diff(a: LinearArray, n: int = 1, axis: int = -1) -> LinearArray:
    if not isinstance(n, int | np.integer) or n < 0:
        raise ModelError(f"n: an integer of at least 0, got {shown(n)}")
    if n == 0:
        return a
    (k,) = axes_of(axis, a.ndim)
    for _ in range(min(n, a.shape[k] + 1)):
        head: list[slice] = [slice(None)] * a.ndim
        tail = list(head)
        head[k], tail[k] = slice(1, None), slice(None, -1)
        a = a[tuple(head)] - a[tuple(tail)]
    return a


def _trace(a: LinearArray, offset: int = 0, axis1: int = 0, axis2: int = 1) -> LinearArray:
    return a._pick(np.diagonal(a._index(), offset, axis1, axis2)).sum(axis=-1)


def _cumsum(a: LinearArray, axis: int | None = None) -> LinearArray:
    flat = a.reshape(-1) if axis is None or not a.ndim else a
    (k,) = axes_of(0 if axis is None else axis, flat.ndim)
    if not flat.shape[k]:
        return flat
    parts = [flat._pick(np.take(flat._index(), range(n + 1), k)).sum(axis=k) for n in range(flat.shape[k])]
    stack: Callable[..., LinearArray] = np.stack
    return stack(parts, axis=k)


def _inner(a: LinearArray, b: LinearArray) -> LinearArray:
    if not a.ndim or not b.ndim:
        return a * b
    if a.shape[-1] != b.shape[-1]:
        raise ModelError(f"shapes {a.shape} and {b.shape} differ in the last axis")
    return sum_of_products(a, b)


def _dot(a: LinearArray, b: LinearArray) -> LinearArray:
    if not a.ndim or not b.ndim:
        return a * b
    axis = max(b.ndim - 2, 0)
    if a.shape[-1] != b.shape[axis]:
        raise ModelError(f"shapes {a.shape} and {b.shape} cannot be joined: axis {axis} of the second")
    moved: Callable[..., LinearArray] = np.moveaxis
    return sum_of_products(a, moved(b, axis, -1))


def _reducing(method: str) -> Callable[..., Any]:
    def compute(a: LinearArray, axis: Any = None, keepdims: bool = False) -> Any:
        return getattr(a, method)(axis, keepdims=keepdims)

    return compute


FUNCTIONS: dict[Any, ArrayFunction] = {
    # joining
    np.append: ArrayFunction("arr* values* axis"),
    np.block: ArrayFunction("arrays*"),
    np.column_stack: ArrayFunction("tup*"),
    np.concatenate: ArrayFunction("arrays* axis"),
    np.dstack: ArrayFunction("tup*"),
    np.hstack: ArrayFunction("tup*"),
    np.insert: ArrayFunction("arr* obj values* axis", casts=True),
    np.stack: ArrayFunction("arrays* axis"),
    np.vstack: ArrayFunction("tup*"),
    # shape
    np.atleast_1d: ArrayFunction("arys*"),
    np.atleast_2d: ArrayFunction("arys*"),
    np.atleast_3d: ArrayFunction("arys*"),
    np.broadcast_to: ArrayFunction("array* shape"),
    np.expand_dims: ArrayFunction("a* axis"),
    np.ravel: ArrayFunction("a* order=C|F"),
    np.reshape: ArrayFunction("a* shape order=C|F | newshape"),
    np.squeeze: ArrayFunction("a* axis"),
    # order of axes and of elements
    np.copy: ArrayFunction("a*"),
    np.flip: ArrayFunction("m* axis"),
    np.fliplr: ArrayFunction("m*"),
    np.flipud: ArrayFunction("m*"),
    np.moveaxis: ArrayFunction("a* source destination"),
    np.roll: ArrayFunction("a* shift axis"),
    np.rollaxis: ArrayFunction("a* axis start"),
    np.rot90: ArrayFunction("m* k axes"),
    np.swapaxes: ArrayFunction("a* axis1 axis2"),
    np.transpose: ArrayFunction("a* axes"),
    # parts
    np.array_split: ArrayFunction("ary* indices_or_sections axis"),
    np.delete: ArrayFunction("arr* obj axis"),
    np.diag: ArrayFunction("v* k"),
    np.diagflat: ArrayFunction("v* k"),
    np.diagonal: ArrayFunction("a* offset axis1 axis2"),
    np.dsplit: ArrayFunction("ary* indices_or_sections"),
    np.hsplit: ArrayFunction("ary* indices_or_sections"),
    np.split: ArrayFunction("ary* indices_or_sections axis"),
    np.take: ArrayFunction("a* indices axis | mode=raise|wrap|clip"),
    np.tril: ArrayFunction("m* k"),
    np.triu: ArrayFunction("m* k"),
    np.vsplit: ArrayFunction("ary* indices_or_sections"),
    # more of them
    np.pad: ArrayFunction(
        "array* pad_width mode=constant|edge|reflect|symmetric|wrap | constant_values*", casts=True
    ),
    np.repeat: ArrayFunction("a* repeats axis"),
    np.resize: ArrayFunction("a* new_shape"),
    np.tile: ArrayFunction("A* reps"),
    # computed
    np.all: ArrayFunction("a* axis | keepdims", _reducing("all"), counts=True),
    np.any: ArrayFunction("a* axis | keepdims", _reducing("any"), counts=True),
    np.cumsum: ArrayFunction("a* axis", _cumsum, counts=True),
    np.diff: ArrayFunction("a* n axis", _diff),
    np.dot: ArrayFunction("a* b*", _dot),
    np.inner: ArrayFunction("a* b*", _inner),
    np.max: ArrayFunction("a* axis | keepdims", _reducing("max")),
    np.min: ArrayFunction("a* axis | keepdims", _reducing("min")),
    np.sum: ArrayFunction("a* axis | keepdims", _reducing("sum"), counts=True),
    np.trace: ArrayFunction("a* offset axis1 axis2", _trace, counts=True),
}
"""The functions that are understood."""

_ALIASES: dict[Any, Any] = {np.amax: np.max, np.amin: np.min}
"""Functions that are others by a second name, and objects of their own."""

MEASURES: dict[Any, ArrayFunction] = {
    np.ndim: ArrayFunction("a*"),
    np.shape: ArrayFunction("a*"),
    np.size: ArrayFunction("a* axis"),
}
"""Functions of the shape alone."""


def apply(function: Any, args: Any, kwargs: Any) -> Any:
    """Run a NumPy function on arguments that hold arrays of terms or truths.

    Raises
    ------
    ModelError
        For arguments that the function does not take, here or in NumPy.
    TypeError
        For functions that have no meaning for terms, with advice.
    """
    function = _ALIASES.get(function, function)
    if function is np.dot and len(args) == 2 and any(map(is_framed, args)):
        return matmul(*args)
    understood = FUNCTIONS.get(function) or MEASURES.get(function)
    name = f"numpy.{function.__name__}"
    if understood is None:
        own = spelled(function.__name__)
        raise TypeError(f"{name} does not work on terms{own}" if own else f"{name} {ADVICE}")
    try:
        with refusing("NumPy"):
            return _run(function, understood, args, kwargs)
    except ModelError as error:
        raise type(error)(f"{name}: {error}") from None


def _run(function: Any, understood: ArrayFunction, args: Any, kwargs: Any) -> Any:
    bound = understood.bind(args, kwargs)
    for parameter, value in bound:
        if not parameter.values:
            _check_plain(parameter, value)
    call = _Call(function, understood, bound, len(args))
    call.refuse_huge()
    if function in MEASURES:
        return call.measured()
    return call.rearranged() if understood.compute is None else call.computed()


def _check_plain(parameter: Argument, value: Any) -> None:
    name = parameter.name
    refuse_misread(value, name)
    if any(isinstance(leaf, LinearArray | BoolArray) for leaf in leaves(value, name)):
        raise ModelError(f"{name}: must be known before solving, not a term; write element() or array[term]")
    if (
        callable(value)
        or isinstance(value, dict)
        or (isinstance(value, str) and value not in parameter.choices)
    ):
        allowed = f"; allowed are {', '.join(parameter.choices)}" if parameter.choices else ""
        raise ModelError(f"{name}: {shown(value)} is not understood for terms{allowed}")


class _Call:
    """One call: the pool of elements that it is about, and whether these are truths."""

    def __init__(
        self, function: Any, understood: ArrayFunction, bound: list[tuple[Argument, Any]], unnamed: int
    ) -> None:
        self.function = function
        self.understood = understood
        self.bound = bound
        self.unnamed = unnamed
        self.registry: Registry = registry_of(*(value for p, value in bound if p.values))
        self.pools = [constant_array(self.registry, np.zeros(1, dtype=np.int64))]
        self.filled = 1
        self.truths: list[bool] = []  # of each array of values

    def _run(self, function: Callable[..., Any], change: Callable[[Any], Any]) -> Any:
        """Return what ``function`` returns; arguments that hold values are changed."""
        given = [change(value) if p.values else value for p, value in self.bound]
        named = {
            p.name: v for (p, _), v in zip(self.bound[self.unnamed :], given[self.unnamed :], strict=True)
        }
        return function(*given[: self.unnamed], **named)

    # ---- rearranging ----------------------------------------------------------------------------

    def rearranged(self) -> Any:
        """Return what NumPy makes of the positions, with elements for positions again."""
        arranged = self._run(self.function, self._positions)
        pool = concatenate_rows(self.pools)
        as_truths = self._result_is_truths()

        def elements(positions: Any) -> LinearArray | BoolArray:
            picked = pool._pick(np.asarray(positions).astype(np.intp))  # [] makes NumPy say float
            return Literals(picked) if as_truths else picked

        if isinstance(arranged, list | tuple):
            return type(arranged)(elements(part) for part in arranged)
        return elements(arranged)

    def _positions(self, value: Any) -> Any:
        """Return the positions in the pool of what stands in ``value``, lists staying lists."""
        if isinstance(value, list | tuple) and not all(isinstance(v, int) for v in value):
            for _ in leaves(value):  # refuses what is too deep
                pass
            return type(value)(self._positions(v) for v in value)
        array = as_linear(self.registry, value)
        start, self.filled = self.filled, self.filled + array.size
        self.pools.append(array.reshape(-1))
        if array.size or not isinstance(value, list | tuple):  # an empty list has no kind of its own
            plain = not isinstance(value, LinearArray | BoolArray)
            self.truths.append(np.asarray(value).dtype == bool if plain else isinstance(value, BoolArray))
        positions = np.arange(start, self.filled).reshape(array.shape)
        return positions.tolist() if isinstance(value, list | tuple) else positions

    def _result_is_truths(self) -> bool:
        if all(self.truths):
            return bool(self.truths)
        if self.understood.casts and self.truths[0]:
            raise ModelError("integers do not fit into an array of Booleans; write 1 * booleans")
        return False

    def refuse_huge(self) -> None:
        """Refuse what would not fit the memory, before NumPy tries."""
        grown = _GROWTH.get(self.function)
        if grown is None:
            return
        many = self._run(grown, lambda value: as_linear(self.registry, value))
        if many > MAX_ELEMENTS:
            raise ModelError(f"more than {MAX_ELEMENTS} elements")

    # ---- computing and measuring ----------------------------------------------------------------

    def computed(self) -> Any:
        """Return what the own function computes."""
        arrays = [value for p, value in self.bound if p.values]
        if not self.understood.counts and arrays and all(_are_truths(value) for value in arrays):
            raise IntegerError(
                "NumPy's answer for Booleans is a Boolean; write 1 * booleans to calculate with them"
            )
        compute = self.understood.compute
        assert compute is not None
        return self._run(compute, lambda value: as_linear(self.registry, value))

    def measured(self) -> Any:
        """Return what NumPy says of an array of this shape."""
        return self._run(
            self.function, lambda value: np.broadcast_to(np.False_, as_linear(self.registry, value).shape)
        )


def _are_truths(value: Any) -> bool:
    return all(
        isinstance(v, BoolArray | bool | np.bool_) or (isinstance(v, np.ndarray) and v.dtype == bool)
        for v in leaves(value)
    )


def _sizes(value: Any) -> list[int]:
    return [abs(int(v)) for v in np.asarray(value).reshape(-1).tolist() if isinstance(v, int | float)] or [0]


def _parts(ary: LinearArray, indices_or_sections: Any, *_: Any, **__: Any) -> int:
    return 100 * _sizes(indices_or_sections)[0] if np.ndim(indices_or_sections) == 0 else 0


_GROWTH: dict[Any, Callable[..., int]] = {
    np.broadcast_to: lambda array, shape: math.prod(_sizes(shape)),
    np.resize: lambda a, new_shape: math.prod(_sizes(new_shape)),
    np.tile: lambda A, reps: A.size * math.prod(_sizes(reps)),
    np.repeat: lambda a, repeats, axis=None: a.size * max(_sizes(repeats)),
    np.pad: lambda array, pad_width, *_, **__: math.prod(n + 2 * max(_sizes(pad_width)) for n in array.shape),
    np.diag: lambda v, k=0: (v.size + max(_sizes(k))) ** 2 if v.ndim == 1 else 0,
    np.diagflat: lambda v, k=0: (v.size + max(_sizes(k))) ** 2,
    np.cumsum: lambda a, axis=None: a.size * (a.size if axis is None else max(a.shape, default=1)),
    **dict.fromkeys([np.array_split, np.split, np.hsplit, np.vsplit, np.dsplit], _parts),
}
"""How many elements (100 for a part) a function returns at most, where that may exceed what it was given."""
