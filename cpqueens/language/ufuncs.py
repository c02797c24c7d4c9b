"""NumPy's functions of single elements (`numpy.add`, ...) on terms and truths: operators, or refused.

What stands left of an operator may be a NumPy array: then NumPy calls such a function, and the function
ours. Truths count as 0 and 1 in arithmetic, as they do for the operators.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.conversion import as_linears, define
from cpqueens.language.expressions import Operand

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
