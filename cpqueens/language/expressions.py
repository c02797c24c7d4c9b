"""Arrays of linear terms and arrays of truths: what a user combines with operators.

This file knows neither models nor constraints. Each array holds a *registry* (a model) that compares, defines
and combines on its behalf; what else operators come to stands in one table, `OPERATIONS`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, Protocol

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language import rows
from cpqueens.language.labels import in_order
from cpqueens.language.linear_rows import LinearRows
from cpqueens.language.operators import OperatorFunctions, Operators
from cpqueens.language.ranges import ALLOWED, ALLOWED_DIFFERENCE, LIMIT, Columns, OutOfRange
from cpqueens.language.rows import IntArray, Mask, Positions, Shape
from cpqueens.language.unknown import not_known


class Registry(Protocol):
    """What an array needs from the model it belongs to."""

    unbound: bool  # whether it is no model yet, but that of constants alone
    has_partial: bool  # whether any term may be undefined
    span: int  # at least 1, and at least the size of any bound of a variable

    @property
    def lower(self) -> IntArray:
        """Lower bounds of all variables."""

    @property
    def upper(self) -> IntArray:
        """Upper bounds of all variables."""

    @property
    def ends(self) -> tuple[IntArray, IntArray]:
        """Lower and upper bounds of the variables that terms have so far, and room for more."""

    @property
    def most(self) -> int:
        """The largest reach of a term that stands anywhere, see `language.ranges`."""

    def partial_terms(self, array: LinearArray) -> Mask:
        """Return which terms may be undefined, of shape (size,)."""

    def remaining(self, total: dict[int, int]) -> dict[int, int]:
        """Return the variables of a sum and their coefficients; of what cancels the condition stays."""

    def merged(
        self, variables: IntArray, coefficients: IntArray, factors: IntArray | None = None
    ) -> rows.Rows:
        """Return rows, which may be scaled, with equal variables merged; of what cancels conditions stay."""

    def define(self, kind: str, shape: Shape, *arguments: LinearArray) -> LinearArray:
        """Return terms whose values are a total function of the arguments (flat, one row an element)."""

    def shared(self, numbers: IntArray) -> Any:
        """Return numbers, which nobody changes, as an `arrays.NumberTable`; of equal ones the first."""

    def define_single(self, kind: str, *arguments: LinearArray) -> LinearArray:
        """Return the term of a function of single terms."""

    def truth(self, constraint: Any) -> LinearArray:
        """Return the 0/1 terms of a constraint's truth, in its shape."""

    def text_of(self, item: LinearArray | BoolArray) -> str:
        """Return terms or truths as their user wrote them, "" where variables have no names."""

    def numbered(self, value: Any, of: LinearArray | None = None) -> Any:
        """Return ``value``, in which names of values (of some terms) may stand, with numbers for them."""

    def positions(self, terms: LinearArray, what: str) -> LinearArray:
        """Return terms as indices; where values are names, these stand for their places."""

    def labels_along(self, terms: Operand) -> list[list[Any] | None]:
        """Return the labels along each axis of terms or truths, None where it has none."""

    def names_at(self, terms: Operand) -> list[Any] | None:
        """Return the names that terms as indices may have, each at its place; None for other terms."""


class Operations(OperatorFunctions["LinearArray", "BoolArray"]):
    """The functions that are defined above this file; `cpqueens.language.operations` fills the table."""

    as_truth: Callable[[Registry, Any], BoolArray]
    connectives: Mapping[str, Any]  # kinds with ``over(literals)``, along the last axis, and ``of(singles)``
    literal: Callable[[LinearArray], BoolArray]  # of a term that is known to be a truth
    literals: Callable[[LinearArray], BoolArray]
    pick: Callable[[LinearArray, Any], LinearArray]  # by any key that NumPy knows, terms included
    related: Callable[..., BoolArray]  # of terms, a relation, and what is subtracted before (None: nothing)
    term: Callable[[Registry, tuple[int, ...], tuple[int, ...], int], LinearArray]
    unbound: Registry  # that of constants, until a model adopts them


OPERATIONS = Operations()

_ONCE = (1,)
"""The coefficients of a variable."""


_PRODUCTS = {1: "x @ series", 2: "(x * frame).sum(axis=1)"}
"""Where pandas is on the left of a product, what is written instead, by its axes."""


class Operand(Operators["LinearArray", "BoolArray"]):
    """What arrays of terms and of truths share: a shape as in NumPy, and all operators."""

    __slots__ = ()
    _operations = OPERATIONS

    registry: Registry
    shape: Shape
    __pandas_priority__ = 5000  # above a frame's: pandas leaves operators to terms, which look at labels

    def single(self) -> Any:
        """Return one Boolean in the form in which connectives keep it: a `Term`, or a constraint over such.

        None for arrays, and where the Boolean needs a closer look.
        """

    @property
    def ndim(self) -> int:
        """Number of axes.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=(2, 3), name="x")
        >>> x.ndim, (x[0] > 2).ndim, x[0, 0].ndim
        (2, 1, 0)
        """
        return len(self.shape)

    def __repr__(self) -> str:
        return self.registry.text_of(self) or f"<{type(self).__name__} shape={self.shape}>"  # type: ignore[arg-type]

    def __len__(self) -> int:
        if not self.shape:
            self._look_at_pandas(sys._getframe(1).f_back)
            raise TypeError(f"a {self._single} has no length")
        return self.shape[0]

    def _refuse_other_order(self, other: Any) -> None:
        last = in_order(other, self.registry.labels_along(self)[:1])
        if self.shape and not np.array_equal(last, other):
            raise ModelError(
                f"labels in another order than those of the terms; write {_PRODUCTS[other.ndim]}"
            )


class LinearArray(Operand, LinearRows):
    """An array of variables and expressions, with NumPy's shapes and broadcasting.

    It is what ``m.intvar(..., shape=...)`` returns, and never changes:

    * ``x + y``, ``3 * x``, ``x @ weights``, ``x // 3``, ``x % 3``, ``abs(x)``, ``x ** 2`` are terms;
    * ``x == y``, ``x <= 5``, ``x != y`` are Booleans (`BoolArray`): constraints for ``m.add``, or conditions;
    * ``x[0]``, ``x[1:]``, ``x[:, 2]``, ``x[mask]``, ``x["ann", "mon"]`` pick elements, and ``x[k]`` with a
      variable k the one at its value; ``x.T``, ``x.reshape(...)`` arrange them;
    * ``x.sum(axis=0)``, ``x.min()``, ``x.max()`` are terms, ``(x > 3).any()`` and ``.all()`` Booleans.

    Values are read from an outcome: ``outcome[x]``.

    >>> from cpqueens import Model
    >>> x = Model().intvar(0, 9, shape=(2, 3), name="x")
    >>> (x + 1).shape, x.sum(axis=0).shape, x[0, 1:].shape, (2 * x[0, 0] - 1).shape
    ((2, 3), (3,), (2,), ())

    Attributes
    ----------
    shape, size, ndim
        As of NumPy's arrays.
    registry
        The model of the terms.
    """

    __slots__ = ("_scalars", "registry", "shape")
    __array_priority__ = 1000
    _single = "scalar term"

    _scalars: list[LinearArray] | None

    def __init__(self, registry: Registry, shape: Shape, *columns: *Columns) -> None:
        self.registry = registry
        self.shape = shape
        self.variables, self.coefficients, self.constants = columns
        self._scalars = None

    # ---- shape ----------------------------------------------------------------------------------

    @property
    def T(self) -> LinearArray:  # noqa: N802 - numpy's name
        """The array with its axes reversed.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=(2, 3), name="x")
        >>> x.T.shape, str(x.T[2, 0])
        ((3, 2), 'x[0,2]')
        """
        return self._pick(self._index().T)

    @property
    def flat(self) -> LinearArray:
        """The elements in C order, of shape (size,).

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=(2, 3), name="x")
        >>> x.flat.shape, str(x.flat[3])
        ((6,), 'x[1,0]')
        """
        return self.reshape(-1)

    def reshape(self, *shape: int | tuple[int, ...]) -> LinearArray:
        """Return the same elements in C order in another shape.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=(2, 3), name="x")
        >>> x.reshape(3, 2).shape, x.reshape(-1).shape
        ((3, 2), (6,))
        """
        new = rows.reshaped(self.shape, *shape)
        if new == self.shape:
            return self
        same = build(self.registry, new, self.variables, self.coefficients, self.constants)
        if self.shape and new:  # one makes the single terms for both: `x.flat[k]` in a loop
            self._scalars = same._scalars = [] if self._scalars is None else self._scalars
        return same

    def ravel(self) -> LinearArray:
        """Return the elements in C order, of shape (size,).

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=(2, 3), name="x")
        >>> x.ravel().shape
        (6,)
        """
        return self.reshape(-1)

    flatten = ravel

    def __iter__(self) -> Iterator[LinearArray]:
        return (self[i] for i in range(len(self)))

    def _index(self) -> Positions:
        return np.arange(self.size).reshape(self.shape)

    def _pick(self, index: Positions) -> LinearArray:
        """Return the elements at flat positions ``index``, in the shape of ``index``."""
        if index.size > rows.MAX_ELEMENTS:
            raise ModelError(
                f"an array of shape {index.shape}: allowed are at most {rows.MAX_ELEMENTS} elements"
            )
        k = index.reshape(-1)  # of rows NumPy's `take` is three times as quick as its brackets
        columns = self.variables.take(k, axis=0), self.coefficients.take(k, axis=0), self.constants[k]
        return build(self.registry, index.shape, *columns)

    def broadcast(self, shape: Shape) -> LinearArray:
        """Return the array broadcast to ``shape``, which must be possible."""
        if self.shape == shape:
            return self
        if not self.shape and shape and not self.width:  # a number for all
            many = math.prod(shape)
            none = np.zeros((many, 0), dtype=np.int64)
            return LinearArray(self.registry, shape, none, none, self.constants.repeat(many))
        return self._pick(np.broadcast_to(self._index(), shape))

    def __getitem__(self, key: Any) -> LinearArray:
        """Return what NumPy picks; terms in the key choose by their value (see `language.indexing`)."""
        scalars = self._scalars
        if scalars:  # the short ways of double loops
            shape = self.shape
            if type(key) is int:
                if len(shape) == 1 and 0 <= key < len(scalars):
                    return scalars[key]
            elif type(key) is tuple and len(key) == 2 == len(shape):
                r, c = key
                if type(r) is int and type(c) is int and 0 <= r < shape[0] and 0 <= c < shape[1]:
                    return scalars[r * shape[1] + c]
        if type(key) is int and len(self.shape) > 1 and 0 <= key < self.shape[0]:
            # a row: its columns as they are
            size = math.prod(self.shape[1:])
            row = slice(key * size, key * size + size)
            columns = self.variables[row], self.coefficients[row], self.constants[row]
            return LinearArray(self.registry, self.shape[1:], *columns)
        place = self._place(key)
        if place is None:
            return OPERATIONS.pick(self, key)
        if self._scalars is None:
            self._scalars = []
        if not self._scalars:
            self._scalars += self._single_terms()
        return self._scalars[place]

    def _single_terms(self) -> list[LinearArray]:
        """Return each element as a term of its own."""
        term, registry = OPERATIONS.term, self.registry
        if self.variables.shape[1] != 1 or (self.coefficients != 1).any():
            return [term(registry, tuple(v), tuple(a), c) for v, a, c in self.rows()]
        found = zip(self.variables[:, 0].tolist(), self.constants.tolist(), strict=True)
        return [term(registry, (v,), _ONCE, c) for v, c in found]

    def _place(self, key: Any) -> int | None:
        """Return the flat position that integers pick, None for other keys and for those that are refused."""
        shape = self.shape
        if len(shape) == 1 and type(key) is int:
            return key if -shape[0] <= key < shape[0] else None
        if type(key) is not tuple or len(key) != len(shape) or not shape:
            return None
        place = 0
        for k, n in zip(key, shape, strict=True):
            if type(k) is not int or not 0 <= k < n:
                return None
            place = place * n + k
        return place

    def __bool__(self) -> NoReturn:
        raise not_known(
            "a term is 0",
            "write ~b instead of not b, b.implies(c) instead of if b, b & c, b | c instead of and, or; of a "
            "number x != 0, of an array len(x)",
        )

    def bind(self, registry: Registry) -> LinearArray:
        """Return the same terms as terms of ``registry`` (an extension of the present one)."""
        if registry is self.registry:
            return self
        return LinearArray(registry, self.shape, self.variables, self.coefficients, self.constants)

    # ---- arithmetic -----------------------------------------------------------------------------

    def __neg__(self) -> LinearArray:
        return build(self.registry, self.shape, self.variables, -self.coefficients, -self.constants)

    def __pos__(self) -> LinearArray:
        return self

    def __invert__(self) -> BoolArray:
        return ~OPERATIONS.as_truth(self.registry, self)

    def bounds(self, most: int = LIMIT) -> tuple[IntArray, IntArray]:
        """Return the elements' lower and upper bounds, each of shape (size,).

        ``most`` is the largest reach that an element may have where it stands, see `language.ranges`.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> [ends.tolist() for ends in (2 * x - 1).bounds()]
        [[1, 1], [5, 5]]

        Raises
        ------
        OutOfRange
            If the reach of an element is larger.
        """
        registry = self.registry
        arrays = self.variables, self.coefficients, self.constants
        try:
            return rows.row_bounds(arrays, *registry.ends, registry.span, max(most, registry.most))
        except OutOfRange as error:
            named = registry.text_of(self._pick(np.array(error.row)))
            where = f"{named:.80}: " if named else ""
            allowed = ALLOWED if most == LIMIT else ALLOWED_DIFFERENCE
            raise OutOfRange(f"{where}{error}; {allowed}; narrow its variables") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return LinearArray, (self.registry, self.shape, self.variables, self.coefficients, self.constants)


class BoolArray(Operand):
    """An array of Booleans: the type of comparisons and constraints (shape () for a global constraint).

    ``&``, ``|``, ``^``, ``~``, ``.implies``, ``==`` and ``.sum`` work elementwise with broadcasting;
    arithmetic and other comparisons take Booleans as 0 and 1.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(0, 9, shape=3, name="x")
    >>> m += [(x > 2) & ~(x == 5), (x >= 7).sum() == 1]
    >>> m.count()
    81

    Attributes
    ----------
    shape
        Of the array of Booleans; () for a single one.
    registry
        The model of the terms.
    """

    __slots__ = ()
    _single = "single truth"

    def truth(self) -> LinearArray:
        """Return 0/1 terms of the same shape: 1 where the element holds.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m.maximize(2 * (x == 3).truth() @ [1, 2])
        >>> m.solve(time_limit=10).objective
        6
        """
        raise NotImplementedError

    @property
    def size(self) -> int:
        """Number of elements.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=(2, 3), name="x")
        >>> (x > 2).size
        6
        """
        return math.prod(self.shape)

    @property
    def T(self) -> BoolArray:  # noqa: N802 - numpy's name
        """The Booleans with their axes reversed.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=(2, 3), name="x")
        >>> (x > 2).T.shape
        (3, 2)
        """
        return OPERATIONS.literals(self.truth().T)

    @property
    def flat(self) -> BoolArray:
        """The Booleans in C order, of shape (size,).

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=(2, 3), name="x")
        >>> (x > 2).flat.shape
        (6,)
        """
        return self.reshape(-1)

    def reshape(self, *shape: int | tuple[int, ...]) -> BoolArray:
        """Return the same Booleans in C order in another shape.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=(2, 3), name="x")
        >>> (x > 2).reshape(3, 2).shape
        (3, 2)
        """
        return OPERATIONS.literals(self.truth().reshape(*shape))

    def __getitem__(self, key: Any) -> BoolArray:
        return OPERATIONS.literals(self.truth()[key])

    def __iter__(self) -> Iterator[BoolArray]:
        return (self[i] for i in range(len(self)))

    def __neg__(self) -> LinearArray:
        return -self.truth()

    def __pos__(self) -> LinearArray:
        return self.truth()

    def __invert__(self) -> BoolArray:
        return OPERATIONS.connect("not", self)

    def __bool__(self) -> NoReturn:
        raise not_known(
            "a constraint holds",
            "add it to a model, write & | ~ instead of and/or/not, all_(b) or any_(b) over an array, "
            "c.implies(d) instead of if, and two comparisons instead of a < b < c",
        )


def build(registry: Registry, shape: Shape, *columns: *Columns) -> LinearArray:
    """Return the array of these terms; one of shape () is a `Term`."""
    if shape:
        return LinearArray(registry, shape, *columns)
    variables, coefficients, constants = columns
    pairs = zip(variables[0].tolist(), coefficients[0].tolist(), strict=True)
    kept = {v: a for v, a in pairs if a}
    return OPERATIONS.term(registry, tuple(kept), tuple(kept.values()), int(constants[0]))
