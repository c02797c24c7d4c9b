"""Operators of terms and truths: arithmetic, sums, comparisons and connectives, as NumPy's arrays have them.

This file knows neither arrays of terms nor arrays of truths: `language.expressions` says which they are, and
what each operator comes to stands in a table, `OperatorFunctions`.
"""

from collections.abc import Callable
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from cpqueens.language.unknown import Unknown
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.parameters import as_switch

Relation = str  # one of "==", "!=", "<=", "<", ">=", ">"
Axis = int | tuple[int, ...] | None


class Summand(Protocol):
    """What terms are known to have here: a sum is again of their kind."""

    def __add__(self, other: Any, /) -> Self:
        """Return the sum."""


Terms = TypeVar("Terms", bound=Summand)
Truths = TypeVar("Truths")


class OperatorFunctions(Generic[Terms, Truths]):
    """The functions that operators call; most take operands of any kind."""

    add: Callable[[Any, Any], Terms]
    apply: Callable[[Any, Any, Any], Any]  # a NumPy function, its arguments, those given by name
    apply_ufunc: Callable[[Any, str, Any, Any], Any]  # one of single elements, how it is called, ...
    compare: Callable[[Any, Any, Relation], Truths]
    connect: Callable[..., Truths]  # a connective's name and its operands
    define: Callable[..., Terms]  # a function's name and its operands
    matmul: Callable[[Any, Any], Terms]
    multiply: Callable[[Any, Any], Terms]
    power: Callable[[Any, Any, Any], Terms]
    reduced: Callable[[str, Any, Axis, bool], Any]  # a connective's or a function's name, ...
    subtract: Callable[[Any, Any], Terms]
    total: Callable[[Any, Axis, bool], Terms]


class Operators(Unknown, Generic[Terms, Truths]):
    """What is not known before solving, with operators that give terms and truths."""

    __slots__ = ()
    _operations: OperatorFunctions[Terms, Truths]

    def __neg__(self) -> Terms:
        raise NotImplementedError

    def __add__(self, other: Any) -> Terms:
        return self._operations.add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Terms:
        return self._operations.subtract(self, other)

    def __rsub__(self, other: Any) -> Terms:
        return -self + other

    def __mul__(self, other: Any) -> Terms:
        return self._operations.multiply(self, other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Terms:
        return self._operations.define("quotient", self, other)

    def __rfloordiv__(self, other: Any) -> Terms:
        return self._operations.define("quotient", other, self)

    def __mod__(self, other: Any) -> Terms:
        return self._operations.define("remainder", self, other)

    def __rmod__(self, other: Any) -> Terms:
        return self._operations.define("remainder", other, self)

    def __divmod__(self, other: Any) -> tuple[Terms, Terms]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Terms, Terms]:
        return other // self, other % self

    def __pow__(self, exponent: Any, modulus: Any = None) -> Terms:
        return self._operations.power(self, exponent, modulus)

    def __abs__(self) -> Terms:
        return self._operations.define("abs", self)

    def __matmul__(self, other: Any) -> Terms:
        return self._operations.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Terms:
        return self._operations.matmul(other, self)

    @explaining_keywords
    def sum(self, axis: Axis = None, *, keepdims: bool = False) -> Terms:
        """Return the sum, of Booleans how many hold, over ``axis`` (all axes by default); 0 of nothing.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> str(x.sum()), str((x == 3).sum()), x.reshape(1, 2).sum(axis=0).shape
        ('x[0] + x[1]', '(x[0] == 3) + (x[1] == 3)', (2,))
        """
        return self._operations.total(self, axis, as_switch(keepdims, "keepdims"))

    @explaining_keywords
    def cumsum(self, axis: int | None = None) -> Terms:
        """Return the sums of the elements up to each one along ``axis`` (of all, flat, by default).

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=3, name="x")
        >>> print(x.cumsum())
        [x[0], x[0] + x[1], x[0] + x[1] + x[2]]
        """
        terms: Terms = self._operations.apply(np.cumsum, (self,), {"axis": axis})
        return terms

    @explaining_keywords
    def max(self, axis: Axis = None, *, keepdims: bool = False) -> Terms:
        """Return the greatest term over ``axis`` (all axes by default).

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m.minimize(x.max())
        >>> str(x.max()), m.solve(time_limit=10).objective
        ('maximum(x[0], x[1])', 1)
        """
        terms: Terms = self._operations.reduced("maximum", self, axis, as_switch(keepdims, "keepdims"))
        return terms

    @explaining_keywords
    def min(self, axis: Axis = None, *, keepdims: bool = False) -> Terms:
        """Return the least term over ``axis`` (all axes by default).

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m.maximize(x.min())
        >>> str(x.min()), m.solve(time_limit=10).objective
        ('minimum(x[0], x[1])', 3)
        """
        terms: Terms = self._operations.reduced("minimum", self, axis, as_switch(keepdims, "keepdims"))
        return terms

    @explaining_keywords
    def all(self, axis: Axis = None, *, keepdims: bool = False) -> Truths:
        """Return the Booleans that all hold over ``axis`` (all axes by default), of Booleans and 0/1 terms.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m += (x > 2).all()
        >>> m.count()
        1
        """
        truths: Truths = self._operations.reduced("and", self, axis, as_switch(keepdims, "keepdims"))
        return truths

    @explaining_keywords
    def any(self, axis: Axis = None, *, keepdims: bool = False) -> Truths:
        """Return the Booleans that one holds over ``axis`` (all axes by default), of Booleans and 0/1 terms.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m += (x > 2).any()
        >>> m.count()
        5
        """
        truths: Truths = self._operations.reduced("or", self, axis, as_switch(keepdims, "keepdims"))
        return truths

    def __eq__(self, other: Any) -> Truths:  # type: ignore[override]
        return self._operations.compare(self, other, "==")

    def __ne__(self, other: Any) -> Truths:  # type: ignore[override]
        return self._operations.compare(self, other, "!=")

    __hash__ = Unknown.__hash__  # by identity

    def __le__(self, other: Any) -> Truths:
        return self._operations.compare(self, other, "<=")

    def __lt__(self, other: Any) -> Truths:
        return self._operations.compare(self, other, "<")

    def __ge__(self, other: Any) -> Truths:
        return self._operations.compare(self, other, ">=")

    def __gt__(self, other: Any) -> Truths:
        return self._operations.compare(self, other, ">")

    def __and__(self, other: Any) -> Truths:
        return self._operations.connect("and", self, other)

    def __or__(self, other: Any) -> Truths:
        return self._operations.connect("or", self, other)

    def __xor__(self, other: Any) -> Truths:
        return self._operations.connect("xor", self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def implies(self, other: Any) -> Truths:
        """Return ``self -> other`` elementwise, for Booleans and 0/1 terms.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 2, shape=2, name="x")
        >>> m += (x[0] == 2).implies(x[1] == 0)
        >>> m.count()
        7

        Parameters
        ----------
        other
            Booleans or 0/1 terms, whose shape broadcasts with this one.
        """
        return self._operations.connect("implies", self, other)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self._operations.apply(function, args, kwargs)

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return self._operations.apply_ufunc(function, method, inputs, options)
