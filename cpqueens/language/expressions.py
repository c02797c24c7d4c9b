"""Arrays of linear terms and arrays of truths: what a user combines with operators.

A *term* is an integer linear combination of variables plus a constant. A `LinearArray` holds many terms
in three plain arrays: ``variables`` and ``coefficients`` of shape (size, width) and ``constants`` of
shape (size,), one row per element in C order. Rows with fewer variables are padded with coefficient 0.
`Term` is the light form of one term, so that double loops over scalars cost little.

This file knows neither models nor constraints: each array holds a *registry* (a model) that compares,
defines and combines on its behalf.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from cpqueens.errors import BadIndex, IntegerError, ModelError
from cpqueens.language.ranges import ALLOWED, ALLOWED_DIFFERENCE, LIMIT, OutOfRange
from cpqueens.language.rows import (
    MAX_ELEMENTS,
    IntArray,
    as_integers,
    as_rows,
    checked_add,
    checked_multiply,
    common_shape,
    normalise,
    refuse_misread,
    refusing,
    row_bounds,
)

Relation = str  # one of "==", "!=", "<=", "<", ">=", ">"

OPERATIONS: dict[str, Callable[..., Any]] = {}
"""What operators come to that is defined above this file; `cpqueens.language.operations` fills it."""

MAX_DEPTH = 32
"""Levels of nested lists: as many as all versions of NumPy have axes."""


class Registry(Protocol):
    """What an array needs from the model it belongs to."""

    has_partial: bool  # whether any term may be undefined

    @property
    def lower(self) -> IntArray:
        """Lower bounds of all variables."""

    @property
    def upper(self) -> IntArray:
        """Upper bounds of all variables."""

    def partial_terms(self, array: LinearArray) -> NDArray[np.bool_]:
        """Return which terms may be undefined, of shape (size,)."""

    @property
    def most(self) -> int:
        """The largest reach of a term that stands anywhere, see `language.ranges`."""

    def define(self, kind: str, shape: tuple[int, ...], *arguments: LinearArray) -> LinearArray:
        """Return terms whose values are a total function of the arguments (flat, one row an element)."""

    def compare(self, expression: LinearArray, relation: Relation) -> BoolArray:
        """Return the truths of ``expression relation 0``, elementwise."""

    def combine(self, kind: str, literals: LinearArray) -> BoolArray:
        """Return the truths of a connective over the last axis of 0/1 terms."""

    def truth(self, constraint: Any) -> LinearArray:
        """Return the 0/1 terms of a constraint's truth, in its shape."""


class LinearArray:
    """An immutable numpy-shaped array of terms, with broadcasting, slicing, ``.T``, ``.sum`` and ``@``."""

    __slots__ = ("_scalars", "coefficients", "constants", "registry", "shape", "variables")
    __array_ufunc__: ClassVar[None] = None
    __array_priority__ = 1000

    registry: Registry
    shape: tuple[int, ...]
    variables: IntArray
    coefficients: IntArray
    constants: IntArray
    _scalars: list[Term] | None

    def __init__(
        self,
        registry: Registry,
        shape: tuple[int, ...],
        variables: IntArray,
        coefficients: IntArray,
        constants: IntArray,
    ) -> None:
        self.registry = registry
        self.shape = shape
        self.variables = variables
        self.coefficients = coefficients
        self.constants = constants
        self._scalars = None

    # ---- shape ----------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Number of elements."""
        return len(self.constants)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def width(self) -> int:
        """Largest number of variables in one element (padding included)."""
        return int(self.variables.shape[1])

    @property
    def T(self) -> LinearArray:  # noqa: N802 - numpy's name
        """The array with its axes reversed."""
        return self._pick(self._index().T)

    @property
    def flat(self) -> LinearArray:
        """The elements in C order, of shape (size,)."""
        return self.reshape(-1)

    def reshape(self, *shape: int | tuple[int, ...]) -> LinearArray:
        """Return the same elements in C order in another shape."""
        with refusing(f"reshape of an array of shape {self.shape}"):
            new = np.broadcast_to(np.False_, self.size).reshape(*shape).shape  # type: ignore[arg-type]
        return _build(self.registry, new, self.variables, self.coefficients, self.constants)

    def ravel(self) -> LinearArray:
        """Return the elements in C order, of shape (size,)."""
        return self.reshape(-1)

    flatten = ravel

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a scalar term has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[LinearArray]:
        return (self[i] for i in range(len(self)))

    def _index(self) -> NDArray[np.intp]:
        return np.arange(self.size).reshape(self.shape)

    def _pick(self, index: NDArray[np.intp]) -> LinearArray:
        """Return the elements at flat positions ``index``, in the shape of ``index``."""
        if index.size > MAX_ELEMENTS:
            raise ModelError(f"an array of shape {index.shape}: allowed are at most {MAX_ELEMENTS} elements")
        flat = index.reshape(-1)
        return _build(
            self.registry, index.shape, self.variables[flat], self.coefficients[flat], self.constants[flat]
        )

    def __getitem__(self, key: Any) -> LinearArray:
        """Return what NumPy picks; terms in the key choose by their value (see `language.indexing`)."""
        if type(key) is int and len(self.shape) == 1:
            if self._scalars is None:
                self._scalars = self._terms()
            try:
                return self._scalars[key]
            except IndexError:
                pass  # refused below, in words
        return OPERATIONS["pick"](self, key)

    def __index__(self) -> NoReturn:
        raise TypeError(
            "a term is no integer before it is known; to look up in a list, write element(list, term)"
        )

    def _terms(self) -> list[Term]:
        registry = self.registry
        if self.width == 1:
            rows = zip(
                self.variables[:, 0].tolist(),
                self.coefficients[:, 0].tolist(),
                self.constants.tolist(),
                strict=True,
            )
            return [Term(registry, (v,), (a,), c) if a else Term(registry, (), (), c) for v, a, c in rows]
        return [_light(registry, v, a, c) for v, a, c in self.rows()]

    def rows(self) -> Iterator[tuple[list[int], list[int], int]]:
        """Yield each element as (variables, coefficients, constant), padding removed."""
        for v, a, c in zip(
            self.variables.tolist(), self.coefficients.tolist(), self.constants.tolist(), strict=True
        ):
            if 0 in a:
                kept = [k for k, coefficient in enumerate(a) if coefficient]
                yield [v[k] for k in kept], [a[k] for k in kept], c
            else:
                yield v, a, c

    def keys(self) -> list[Any]:
        """Return one hashable key per element; equal keys mean equal terms, in whatever order they arose."""
        ordered = (sorted(zip(v, a, strict=True)) for v, a, _ in self.rows())
        return [(*parts, c) for parts, c in zip(ordered, self.constants.tolist(), strict=True)]

    # ---- arithmetic -----------------------------------------------------------------------------

    def _add_constants(self, values: IntArray) -> LinearArray:
        shape = common_shape(self.shape, values.shape)
        mine = self if self.shape == shape else self._pick(np.broadcast_to(self._index(), shape))
        total = checked_add(mine.constants, np.broadcast_to(values, shape).reshape(-1))
        return _build(self.registry, shape, mine.variables, mine.coefficients, total)

    def __add__(self, other: Any) -> LinearArray:
        if not isinstance(other, LinearArray):
            if isinstance(other, BoolArray):
                return self + other.truth()
            return self._add_constants(as_integers(other))
        left, right = _broadcast(self, other)
        variables, coefficients = normalise(
            np.concatenate([left.variables, right.variables], axis=1),
            np.concatenate([left.coefficients, right.coefficients], axis=1),
        )
        constants = checked_add(left.constants, right.constants)
        return _build(left.registry, left.shape, variables, coefficients, constants)

    __radd__ = __add__

    def __neg__(self) -> LinearArray:
        return _build(self.registry, self.shape, self.variables, -self.coefficients, -self.constants)

    def __pos__(self) -> LinearArray:
        return self

    def __sub__(self, other: Any) -> LinearArray:
        if isinstance(other, LinearArray):
            return self + (-other)
        if isinstance(other, BoolArray):
            return self + (-other.truth())
        return self._add_constants(checked_multiply(as_integers(other), np.array(-1)))

    def __rsub__(self, other: Any) -> LinearArray:
        return (-self) + other

    def _scale(self, values: IntArray) -> LinearArray:
        shape = common_shape(self.shape, values.shape)
        mine = self if self.shape == shape else self._pick(np.broadcast_to(self._index(), shape))
        factor = np.broadcast_to(values, shape).reshape(-1)
        variables, coefficients = normalise(
            mine.variables, checked_multiply(mine.coefficients, factor[:, None])
        )
        constants = checked_multiply(mine.constants, factor)
        return _build(self.registry, shape, variables, coefficients, constants)

    def __mul__(self, other: Any) -> LinearArray:
        if isinstance(other, BoolArray):
            other = other.truth()
        if not isinstance(other, LinearArray):
            return self._scale(as_integers(other))
        if not other.coefficients.any():
            return self._scale(other.constants.reshape(other.shape))
        if not self.coefficients.any():
            return other._scale(self.constants.reshape(self.shape))
        return define("product", self, other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> LinearArray:
        return define("quotient", self, other)

    def __rfloordiv__(self, other: Any) -> LinearArray:
        return define("quotient", as_linear(self.registry, other), self)

    def __mod__(self, other: Any) -> LinearArray:
        return define("remainder", self, other)

    def __rmod__(self, other: Any) -> LinearArray:
        return define("remainder", as_linear(self.registry, other), self)

    def __truediv__(self, other: Any) -> NoReturn:
        raise TypeError("integers only: write // (floor) or div_trunc(x, y) instead of /")

    __rtruediv__ = __truediv__

    def __pow__(self, exponent: Any) -> LinearArray:
        if not isinstance(exponent, int) or exponent < 1:
            raise TypeError(f"powers of terms need an integer exponent of at least 1, got {exponent!r}")
        result = self
        for _ in range(exponent - 1):
            result = result * self
        return result

    def __abs__(self) -> LinearArray:
        return define("abs", self)

    def sum(self, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> LinearArray:
        """Return the sum over ``axis`` (all axes by default); the sum of nothing is 0."""
        if axis is None or (not self.ndim and axis in (0, -1)):  # NumPy lets axis 0 of a scalar pass
            axis = tuple(range(self.ndim))
        axes = axes_of(axis, self.ndim)
        kept = tuple(a for a in range(self.ndim) if a not in axes)
        length, count = (math.prod(self.shape[a] for a in some) for some in (kept, axes))
        rows = self._index().transpose(kept + axes).reshape(length, count)
        variables, coefficients = normalise(
            self.variables[rows].reshape(length, count * self.width),
            self.coefficients[rows].reshape(length, count * self.width),
        )
        constants = self.constants[rows]
        if constants.size and np.abs(constants.astype(np.float64)).sum(axis=1).max() >= 2.0**62:
            raise OutOfRange(f"the constants of a sum add up to 2^62 or more; {ALLOWED}")
        ends = [(a, 1 if a in axes else n) for a, n in enumerate(self.shape)]
        shape = tuple(n for a, n in ends if keepdims or a in kept)
        return _build(self.registry, shape, variables, coefficients, constants.sum(axis=1))

    def __matmul__(self, other: Any) -> LinearArray:
        return _matmul(self, other)

    def __rmatmul__(self, other: Any) -> LinearArray:
        return _matmul(other, self)

    # ---- comparison -----------------------------------------------------------------------------

    def _compare(self, other: Any, relation: Relation) -> BoolArray:
        difference = self - other
        return difference.registry.compare(difference, relation)

    def __eq__(self, other: Any) -> BoolArray:  # type: ignore[override]
        return self._compare(other, "==")

    def __ne__(self, other: Any) -> BoolArray:  # type: ignore[override]
        return self._compare(other, "!=")

    def __le__(self, other: Any) -> BoolArray:
        return self._compare(other, "<=")

    def __lt__(self, other: Any) -> BoolArray:
        return self._compare(other, "<")

    def __ge__(self, other: Any) -> BoolArray:
        return self._compare(other, ">=")

    def __gt__(self, other: Any) -> BoolArray:
        return self._compare(other, ">")

    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise TypeError("the value of a term is not known before solving; add a constraint on it instead")

    def __and__(self, other: Any) -> BoolArray:
        return as_truth(self.registry, self) & other

    def __or__(self, other: Any) -> BoolArray:
        return as_truth(self.registry, self) | other

    def __xor__(self, other: Any) -> BoolArray:
        return as_truth(self.registry, self) ^ other

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> BoolArray:
        return ~as_truth(self.registry, self)

    def implies(self, other: Any) -> BoolArray:
        """Return ``self -> other`` elementwise, for 0/1 terms."""
        return as_truth(self.registry, self).implies(other)

    def bind(self, registry: Registry) -> LinearArray:
        """Return the same terms as terms of ``registry`` (an extension of the present one)."""
        if registry is self.registry:
            return self
        return LinearArray(registry, self.shape, self.variables, self.coefficients, self.constants)

    # ---- evaluation -----------------------------------------------------------------------------

    def evaluate(self, values: IntArray) -> IntArray:
        """Return the elements' values, of shape (batch, size), for ``values`` (batch, variables)."""
        if not self.width:
            return np.broadcast_to(self.constants, (len(values), self.size))
        if self.width == 1:  # column by column: batches that lie so are read and written in long runs
            columns = np.take(values.T, self.variables[:, 0], axis=0)
            if not (self.coefficients == 1).all():
                columns *= self.coefficients
            columns += self.constants[:, None]
            return columns.T
        picked = values[:, self.variables]
        picked *= self.coefficients
        return picked.sum(axis=2) + self.constants

    def bounds(self, most: int = LIMIT) -> tuple[IntArray, IntArray]:
        """Return the elements' lower and upper bounds, each of shape (size,).

        ``most`` is the largest reach that an element may have where it stands, see `language.ranges`.

        Raises
        ------
        OutOfRange
            If the reach of an element is larger.
        """
        registry = self.registry
        rows = self.variables, self.coefficients, self.constants
        try:
            return row_bounds(*rows, registry.lower, registry.upper, max(most, registry.most))
        except OutOfRange as error:
            allowed = ALLOWED if most == LIMIT else ALLOWED_DIFFERENCE
            raise OutOfRange(f"{self._name_row(error.row)}{error}; {allowed}; narrow its variables") from None

    def _name_row(self, row: int) -> str:
        """Return the text of an element for a message, "" where its model has no names."""
        if not hasattr(self.registry, "name_of"):
            return ""
        return f"{OPERATIONS['describe'](self.registry, self._pick(np.array(row))):.80}: "

    def scope(self) -> IntArray:
        """Return the variables with a non-zero coefficient, sorted, each once."""
        found = self.variables[self.coefficients != 0]
        if len(found) < 2:
            return found
        if not (found[1:] > found[:-1]).all():  # np.unique hashes, which is slower than this
            found = np.sort(found)
            found = found[np.append(True, found[1:] != found[:-1])]
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        columns = (self.variables, self.coefficients, self.constants)
        return LinearArray, (self.registry, self.shape, *columns)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} shape={self.shape}>"

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return OPERATIONS["apply"](function, args, kwargs)


class Term(LinearArray):
    """One term: an array of shape () whose rows stay Python tuples until arrays are needed."""

    __slots__ = ("_arrays", "coefficient_list", "constant", "variable_list")

    def __init__(
        self,
        registry: Registry,
        variable_list: tuple[int, ...],
        coefficient_list: tuple[int, ...],
        constant: int,
    ) -> None:
        self.registry = registry
        self.variable_list = variable_list
        self.coefficient_list = coefficient_list
        self.constant = constant

    shape = ()

    @property
    def variables(self) -> IntArray:  # type: ignore[override]
        """Variables, of shape (1, width)."""
        return np.array([self.variable_list], dtype=np.int64).reshape(1, -1)

    @property
    def coefficients(self) -> IntArray:  # type: ignore[override]
        """Coefficients, of shape (1, width)."""
        return as_rows([self.coefficient_list]).reshape(1, -1)

    @property
    def constants(self) -> IntArray:  # type: ignore[override]
        """Constants, of shape (1,)."""
        return as_rows([self.constant])

    @property
    def size(self) -> int:
        """Number of elements: one."""
        return 1

    @property
    def width(self) -> int:
        """Number of variables."""
        return len(self.variable_list)

    def bind(self, registry: Registry) -> LinearArray:
        """Return the same term as a term of ``registry``."""
        return Term(registry, self.variable_list, self.coefficient_list, self.constant)

    def rows(self) -> Iterator[tuple[list[int], list[int], int]]:
        """Yield the one element as (variables, coefficients, constant)."""
        yield list(self.variable_list), list(self.coefficient_list), self.constant

    def __reduce__(self) -> tuple[Any, ...]:
        return Term, (self.registry, self.variable_list, self.coefficient_list, self.constant)

    def _add_scaled(self, other: Term, sign: int) -> Term:
        if other.registry is not self.registry:
            left, right = _one_registry(self, other)
            return left._add_scaled(right, sign)  # type: ignore[attr-defined]
        mine, theirs = self.variable_list, other.variable_list
        constant = self.constant + sign * other.constant
        if len(mine) == 1 == len(theirs) and mine != theirs:
            coefficients = (self.coefficient_list[0], sign * other.coefficient_list[0])
            return Term(self.registry, mine + theirs, coefficients, constant)
        total = dict(zip(mine, self.coefficient_list, strict=True))
        for v, a in zip(theirs, other.coefficient_list, strict=True):
            total[v] = total.get(v, 0) + sign * a
        kept = {v: a for v, a in total.items() if a}
        return Term(self.registry, tuple(kept), tuple(kept.values()), constant)

    def __add__(self, other: Any) -> LinearArray:
        kind = type(other)
        if kind is int:
            return Term(self.registry, self.variable_list, self.coefficient_list, self.constant + other)
        if kind is Term:
            return self._add_scaled(other, 1)
        if isinstance(other, np.integer):
            return self + int(other)
        return LinearArray.__add__(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> LinearArray:
        kind = type(other)
        if kind is int:
            return Term(self.registry, self.variable_list, self.coefficient_list, self.constant - other)
        if kind is Term:
            mine, theirs = self.variable_list, other.variable_list
            if len(mine) == 1 == len(theirs) and mine != theirs and other.registry is self.registry:
                coefficients = (self.coefficient_list[0], -other.coefficient_list[0])
                return Term(self.registry, mine + theirs, coefficients, self.constant - other.constant)
            return self._add_scaled(other, -1)
        if isinstance(other, np.integer):
            return self - int(other)
        return LinearArray.__sub__(self, other)

    def __neg__(self) -> LinearArray:
        return Term(
            self.registry, self.variable_list, tuple(-a for a in self.coefficient_list), -self.constant
        )

    def __mul__(self, other: Any) -> LinearArray:
        if type(other) is int:
            if other == 0:
                return Term(self.registry, (), (), 0)
            scaled = tuple(a * other for a in self.coefficient_list)
            return Term(self.registry, self.variable_list, scaled, self.constant * other)
        return LinearArray.__mul__(self, other)

    __rmul__ = __mul__

    def __ne__(self, other: Any) -> BoolArray:  # type: ignore[override]
        if type(other) is int:
            left = Term(self.registry, self.variable_list, self.coefficient_list, self.constant - other)
            return self.registry.compare(left, "!=")
        return self.registry.compare(self - other, "!=")

    __eq__ = LinearArray.__eq__
    __hash__ = LinearArray.__hash__


class BoolArray:
    """An array of truths (shape () for a global constraint): what comparisons and constraints are.

    ``&``, ``|``, ``^``, ``~``, ``.implies``, ``==`` and ``.sum`` work elementwise with broadcasting.
    """

    __slots__ = ()
    __array_ufunc__: ClassVar[None] = None

    registry: Registry
    shape: tuple[int, ...]

    def truth(self) -> LinearArray:
        """Return 0/1 terms of the same shape: 1 where the element holds."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def T(self) -> BoolArray:  # noqa: N802 - numpy's name
        """The truths with their axes reversed."""
        return Literals(self.truth().T)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single truth has no length")
        return self.shape[0]

    def __getitem__(self, key: Any) -> BoolArray:
        return Literals(self.truth()[key])

    def __iter__(self) -> Iterator[BoolArray]:
        return (self[i] for i in range(len(self)))

    def reshape(self, *shape: int | tuple[int, ...]) -> BoolArray:
        """Return the same truths in C order in another shape."""
        return Literals(self.truth().reshape(*shape))

    @property
    def flat(self) -> BoolArray:
        """The truths in C order, of shape (size,)."""
        return self.reshape(-1)

    def _join(self, kind: str, other: Any) -> BoolArray:
        mine, theirs = _broadcast(self.truth(), as_truth(self.registry, other).truth())
        return mine.registry.combine(kind, stack_last([mine, theirs]))

    def __and__(self, other: Any) -> BoolArray:
        return self._join("and", other)

    def __or__(self, other: Any) -> BoolArray:
        return self._join("or", other)

    def __xor__(self, other: Any) -> BoolArray:
        return self._join("xor", other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> BoolArray:
        return self.registry.combine("not", stack_last([self.truth()]))

    def implies(self, other: Any) -> BoolArray:
        """Return ``self -> other`` elementwise."""
        return self._join("implies", other)

    def __eq__(self, other: Any) -> BoolArray:  # type: ignore[override]
        return self.truth() == as_truth(self.registry, other).truth()

    def __ne__(self, other: Any) -> BoolArray:  # type: ignore[override]
        return self.truth() != as_truth(self.registry, other).truth()

    __hash__ = object.__hash__

    def sum(self, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> LinearArray:
        """Return how many hold, over ``axis`` (all axes by default)."""
        return self.truth().sum(axis, keepdims=keepdims)

    def __add__(self, other: Any) -> LinearArray:
        return self.truth() + other

    __radd__ = __add__

    def __sub__(self, other: Any) -> LinearArray:
        return self.truth() - other

    def __rsub__(self, other: Any) -> LinearArray:
        return -self.truth() + other

    def __mul__(self, other: Any) -> LinearArray:
        return self.truth() * other

    __rmul__ = __mul__

    def __neg__(self) -> LinearArray:
        return -self.truth()

    def __le__(self, other: Any) -> BoolArray:
        return self.truth() <= other

    def __lt__(self, other: Any) -> BoolArray:
        return self.truth() < other

    def __ge__(self, other: Any) -> BoolArray:
        return self.truth() >= other

    def __gt__(self, other: Any) -> BoolArray:
        return self.truth() > other

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "whether a constraint holds is not known before solving: add it to a model, write & | ~ instead "
            "of and/or/not, all_(b) or any_(b) over an array, and two comparisons instead of a < b < c"
        )

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return OPERATIONS["apply"](function, args, kwargs)


class Literals(BoolArray):
    """An array of truths given by 0/1 terms (Boolean variables, their negations, truth values)."""

    __slots__ = ("registry", "shape", "terms")

    def __init__(self, terms: LinearArray) -> None:
        low, high = terms.bounds()
        if terms.size and (int(low.min()) < 0 or int(high.max()) > 1):
            raise ModelError(
                f"a term with values {int(low.min())}..{int(high.max())} is not a truth; "
                "compare it, as in x != 0"
            )
        self.registry = terms.registry
        self.shape = terms.shape
        self.terms = terms

    def truth(self) -> LinearArray:
        """Return the 0/1 terms themselves."""
        return self.terms

    def __invert__(self) -> BoolArray:
        return Literals(1 - self.terms)

    def __repr__(self) -> str:
        return f"<Literals shape={self.shape}>"


# ---- construction and helpers -------------------------------------------------------------------------


def _build(
    registry: Registry,
    shape: tuple[int, ...],
    variables: IntArray,
    coefficients: IntArray,
    constants: IntArray,
) -> LinearArray:
    if shape:
        return LinearArray(registry, shape, variables, coefficients, constants)
    return _light(registry, variables[0].tolist(), coefficients[0].tolist(), int(constants[0]))


def _light(registry: Registry, variables: list[int], coefficients: list[int], constant: int) -> Term:
    kept = [(v, a) for v, a in zip(variables, coefficients, strict=True) if a]
    return Term(registry, tuple(v for v, _ in kept), tuple(a for _, a in kept), constant)


def plain_variables(registry: Registry, first: int, shape: tuple[int, ...]) -> LinearArray:
    """Return the array of the variables ``first``, ``first + 1``, ... in ``shape``."""
    size = int(np.prod(shape, dtype=np.int64))
    variables = np.arange(first, first + size, dtype=np.int64)[:, None]
    ones = np.broadcast_to(np.int64(1), (size, 1))
    zeros = np.broadcast_to(np.int64(0), (size,))
    return _build(registry, shape, variables, ones, zeros)


def of_variables(registry: Registry, variables: IntArray, shape: tuple[int, ...]) -> LinearArray:
    """Return the array of the given variables (flat, in C order) in ``shape``."""
    flat = variables.reshape(-1, 1)
    return _build(registry, shape, flat, np.ones_like(flat), np.zeros(len(flat), dtype=np.int64))


def constant_array(registry: Registry, values: IntArray) -> LinearArray:
    """Return an array of terms without variables."""
    flat = values.reshape(-1)
    none = np.zeros((len(flat), 0), dtype=np.int64)
    return _build(registry, values.shape, none, none, flat)


def as_linear(registry: Registry, value: Any, what: str = "value", depth: int = 0) -> LinearArray:
    """Return ``value`` (terms, truths, integers, nested sequences of these) as a `LinearArray`.

    Raises
    ------
    IntegerError
        For anything else.
    ModelError
        If terms of another model are among them.
    """
    if isinstance(value, BoolArray):
        value = value.truth()
    if isinstance(value, LinearArray):
        if value.registry is UNBOUND:
            return value.bind(registry)
        if value.registry is not registry:
            raise _mixed()
        return value
    if _nested(value):
        refuse_misread(value, what)
        if depth >= MAX_DEPTH:
            raise _too_deep(what)
        parts = list(value)
        if any(isinstance(p, LinearArray | BoolArray) or _nested(p) for p in parts):
            return stack_first([as_linear(registry, p, what, depth + 1) for p in parts])
    constants = as_integers(value, what)
    if constants.size and int(constants.min()) == -(2**63):
        raise IntegerError(f"{what}: -2^63 cannot be negated in 64 bits; allowed is at least -2^63 + 1")
    return constant_array(registry, constants.copy())  # a copy: the user may change the array later


def _nested(value: Any) -> bool:
    """Say whether terms may stand inside ``value``: in a sequence, or in a NumPy array of objects."""
    if isinstance(value, int | LinearArray | BoolArray):
        return False
    if isinstance(value, np.ndarray):
        return value.dtype == object and value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | range)


def _too_deep(what: str) -> ModelError:
    return ModelError(f"{what}: nested more than {MAX_DEPTH} levels deep, or a list that holds itself")


def leaves(value: Any, what: str = "value", depth: int = 0) -> Iterator[Any]:
    """Yield what stands in nested sequences, ``value`` itself if it is none.

    Raises
    ------
    ModelError
        If they are nested more than `MAX_DEPTH` levels deep.
    """
    if not _nested(value):
        yield value
        return
    if depth >= MAX_DEPTH:
        raise _too_deep(what)
    for part in value:
        yield from leaves(part, what, depth + 1)


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return the axes that ``axis`` (an integer, or a tuple of some) names, each in 0..ndim-1.

    Raises
    ------
    ModelError
        For an axis that is not there, or is named twice.
    """
    given = axis if isinstance(axis, tuple) else (axis,)
    try:
        axes = tuple(operator.index(a) for a in given)
    except TypeError:
        raise IntegerError(f"axis: an integer or a tuple of integers, got {axis!r:.40}") from None
    if any(isinstance(a, bool | np.bool_) for a in given):
        raise IntegerError(f"axis: an integer or a tuple of integers, got {axis!r:.40}")
    outside = [a for a in axes if not -ndim <= a < ndim]
    if outside:
        raise BadIndex(f"axis {outside[0]}: the array has {ndim} axes, allowed are {-ndim}..{ndim - 1}")
    axes = tuple(a % ndim for a in axes)
    if len(set(axes)) < len(axes):
        raise ModelError(f"axis: {axis} names an axis twice")
    return axes


def find_registry(value: Any) -> Registry | None:
    """Return the model that the first term found in ``value`` belongs to, or None."""
    found = None
    for leaf in leaves(value):
        if isinstance(leaf, LinearArray | BoolArray):
            if leaf.registry is not UNBOUND:
                return leaf.registry
            found = UNBOUND
    return found


class _Unbound:
    """The registry of constraints without a variable, such as ``AllDifferent([])``; a model adopts them."""

    has_partial = False
    lower = upper = np.zeros(0, dtype=np.int64)
    most = LIMIT
    _nothing = np.zeros((1, 0), dtype=np.int64)

    def partial_terms(self, array: LinearArray) -> NDArray[np.bool_]:
        """Return that no constant is undefined."""
        return np.zeros(array.size, dtype=bool)

    def define(self, kind: str, shape: tuple[int, ...], *arguments: LinearArray) -> LinearArray:
        """Return the constants that a function of constants has."""
        definition = OPERATIONS["function"](kind, arguments)
        if definition.partial().any():
            raise ModelError(f"{kind} of constants: undefined for the values given")
        return constant_array(UNBOUND, definition.evaluate(self._nothing)[0].reshape(shape))

    def compare(self, expression: LinearArray, relation: Relation) -> BoolArray:
        """Return the truths of ``expression relation 0`` over constants."""
        return OPERATIONS["compare"](expression, relation)

    def combine(self, kind: str, literals: LinearArray) -> BoolArray:
        """Return a connective of constants."""
        return OPERATIONS["combine"](kind, literals)

    def truth(self, constraint: Any) -> LinearArray:
        """Return 0 or 1 for each element."""
        held = constraint.flattened().satisfied(self._nothing)[0]
        return constant_array(UNBOUND, held.astype(np.int64).reshape(constraint.shape))

    def __reduce__(self) -> str:
        return "UNBOUND"  # there is only one, in copies and pickles too


UNBOUND: Registry = _Unbound()


def registry_of(*values: Any) -> Registry:
    """Return the model of the terms in ``values``, `UNBOUND` if there is no term in them."""
    for value in values:
        registry = find_registry(value)
        if registry is not None and registry is not UNBOUND:
            return registry
    return UNBOUND


def as_truth(registry: Registry, value: Any) -> BoolArray:
    """Return ``value`` (truths, 0/1 terms, bools, sequences of these) as a `BoolArray`.

    A 0/1 term that may be undefined, such as ``element(b, k)``, becomes the truth that it is 1: false where
    it is undefined. So literals are always defined.
    """
    if isinstance(value, BoolArray):
        if value.registry is registry or registry is UNBOUND:
            return value
        if value.registry is not UNBOUND:
            raise _mixed()
    if registry is UNBOUND:
        registry = registry_of(value)
    literals = Literals(as_linear(registry, value, "truth"))
    if registry.has_partial and registry.partial_terms(literals.terms).any():
        return registry.compare(literals.terms - 1, ">=")
    return literals


def truth_terms(constraint: BoolArray) -> LinearArray:
    """Return the 0/1 terms of ``constraint``, defined in its model."""
    return constraint.registry.truth(constraint)


def _mixed() -> ModelError:
    return ModelError("terms of two different models cannot be mixed")


def concatenate_rows(arrays: Sequence[LinearArray]) -> LinearArray:
    """Return all elements of ``arrays`` one after the other, of shape (total,)."""
    registry = registry_of(*arrays)
    if any(a.registry is not registry and a.registry is not UNBOUND for a in arrays):
        raise _mixed()
    width = max(a.width for a in arrays)
    total = sum(a.size for a in arrays)
    variables = np.zeros((total, width), dtype=np.int64)
    coefficients = np.zeros((total, width), dtype=np.int64)
    at = 0
    for a in arrays:
        variables[at : at + a.size, : a.width] = a.variables
        coefficients[at : at + a.size, : a.width] = a.coefficients
        at += a.size
    constants = np.concatenate([a.constants for a in arrays])
    return LinearArray(registry, (total,), variables, coefficients, constants)


def stack_first(arrays: Sequence[LinearArray]) -> LinearArray:
    """Return arrays of one shape stacked along a new first axis."""
    shape = arrays[0].shape
    if any(a.shape != shape for a in arrays):
        raise ModelError(f"cannot stack shapes {sorted({a.shape for a in arrays})}")
    return concatenate_rows(arrays).reshape((len(arrays), *shape))


def stack_last(arrays: Sequence[LinearArray]) -> LinearArray:
    """Return arrays of one shape stacked along a new last axis."""
    stacked = stack_first(arrays)
    return stacked._pick(np.moveaxis(stacked._index(), 0, -1))


def _one_registry(left: LinearArray, right: LinearArray) -> tuple[LinearArray, LinearArray]:
    if left.registry is UNBOUND:
        return left.bind(right.registry), right
    if right.registry is UNBOUND:
        return left, right.bind(left.registry)
    raise _mixed()


def join_terms(terms: Sequence[Term]) -> LinearArray:
    """Return single terms with equally many variables as one array of shape (terms,)."""
    shape = (len(terms), terms[0].width)
    variables = as_rows([t.variable_list for t in terms]).reshape(shape)
    coefficients = as_rows([t.coefficient_list for t in terms]).reshape(shape)
    return LinearArray(
        registry_of(*terms), shape[:1], variables, coefficients, as_rows([t.constant for t in terms])
    )


def _broadcast(left: LinearArray, right: LinearArray) -> tuple[LinearArray, LinearArray]:
    if left.registry is not right.registry:
        left, right = _one_registry(left, right)
    if left.shape == right.shape:
        return left, right
    shape = common_shape(left.shape, right.shape)
    return (
        left if left.shape == shape else left._pick(np.broadcast_to(left._index(), shape)),
        right if right.shape == shape else right._pick(np.broadcast_to(right._index(), shape)),
    )


def broadcast_all(arrays: Sequence[LinearArray]) -> list[LinearArray]:
    """Return all arrays in their common broadcast shape."""
    shape = common_shape(*(a.shape for a in arrays))
    return [a if a.shape == shape else a._pick(np.broadcast_to(a._index(), shape)) for a in arrays]


def define(kind: str, *operands: Any) -> LinearArray:
    """Return the terms of a defined function of operands that broadcast to one shape."""
    registry = registry_of(*operands)
    arrays = [as_linear(registry, operand) for operand in operands]
    rows = broadcast_all(arrays)
    return registry.define(kind, rows[0].shape, *(a.reshape(-1) for a in rows))


def _matmul(left: Any, right: Any) -> LinearArray:
    registry = registry_of(left, right)
    a, b = as_linear(registry, left), as_linear(registry, right)
    if not a.ndim or not b.ndim or a.ndim > 2 or b.ndim > 2:
        raise ModelError(f"@ needs arrays of one or two axes, got shapes {a.shape} and {b.shape}")
    if a.shape[-1] != b.shape[0]:
        raise ModelError(f"@ cannot join shapes {a.shape} and {b.shape}")
    return sum_of_products(a, b.T)


def sum_of_products(a: LinearArray, b: LinearArray) -> LinearArray:
    """Return the sums over the last axes of ``a * b``, of shape (a's other axes, b's other axes)."""
    between = (1,) * (b.ndim - 1)
    return (a.reshape(*a.shape[:-1], *between, a.shape[-1]) * b).sum(axis=-1)
