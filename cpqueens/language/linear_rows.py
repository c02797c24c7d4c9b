"""Rows of coefficients: many linear terms as three plain arrays, and what can be read of them alone.

A *term* is an integer linear combination of variables plus a constant.
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np

from cpqueens.language.ranges import ALLOWED, OutOfRange
from cpqueens.language.rows import IntArray, Mask, Positions, Rows, distinct

Row = tuple[Sequence[int], Sequence[int], int]
"""One term: variables, coefficients, constant."""

_AT_A_TIME = 1 << 13
"""Terms."""

_ONE_BY_ONE = 2
"""Assignments up to which terms are evaluated one by one: the quickest way of few, the slowest of many."""


_pack_one = struct.Struct("3q").pack
_FEW = 32  # terms whose keys Python packs sooner than NumPy


def term_key(variables: Sequence[int], coefficients: Sequence[int], constant: int, *before: int) -> bytes:
    """Return what tells one term from others, in bytes behind those of other numbers."""
    width = len(variables)
    if width == 1 and not before:  # most are as short as that
        return _pack_one(constant, variables[0], coefficients[0])
    if width == 2:
        if variables[0] > variables[1]:
            variables, coefficients = variables[::-1], coefficients[::-1]
    elif width > 2:
        variables, coefficients = zip(*sorted(zip(variables, coefficients, strict=True)), strict=True)
    return packed(*before, constant, *variables, *coefficients)


def packed(*numbers: int) -> bytes:
    """Return numbers as bytes, as an array of them has them."""
    return _packing(len(numbers))(*numbers)


def packed_rows(columns: Sequence[IntArray]) -> list[bytes]:
    """Return the same for each row of columns, which are (rows,) or (rows, width)."""
    numbers = np.column_stack(columns)
    found: list[bytes] = numbers.view(f"V{numbers.itemsize * numbers.shape[1]}")[:, 0].tolist()
    return found


@cache
def _packing(count: int) -> Callable[..., bytes]:
    return struct.Struct(f"{count}q").pack


class LinearRows:
    """Terms, one a row: ``variables`` and ``coefficients`` (size, width), ``constants`` (size,).

    Rows with fewer variables are padded with coefficient 0.
    """

    __slots__ = ("coefficients", "constants", "variables")

    variables: IntArray
    coefficients: IntArray
    constants: IntArray

    @property
    def size(self) -> int:
        """Number of terms.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=(2, 3), name="x")
        >>> x.size, x[0, 0].size
        (6, 1)
        """
        return len(self.constants)

    @property
    def width(self) -> int:
        """Largest number of variables in one term (padding included)."""
        return int(self.variables.shape[1])

    @property
    def are_variables(self) -> bool:
        """Whether there are terms, and each is one variable with nothing around it.

        >>> from cpqueens import Model
        >>> x = Model().intvar(1, 3, shape=2, name="x")
        >>> x.are_variables, (x + 1).are_variables
        (True, False)
        """
        straight = self.width == 1 and self.size > 0 and bool((self.coefficients == 1).all())
        return straight and not self.constants.any()

    def rows(self) -> Iterator[tuple[list[int], list[int], int]]:
        """Yield each term as (variables, coefficients, constant), padding removed.

        So many are made at a time that limits are seen between.
        """
        for first in range(0, self.size, _AT_A_TIME):
            part = slice(first, first + _AT_A_TIME)
            lists = (a[part].tolist() for a in (self.variables, self.coefficients, self.constants))
            for v, a, c in zip(*lists, strict=True):
                if 0 in a:
                    kept = [k for k, coefficient in enumerate(a) if coefficient]
                    yield [v[k] for k in kept], [a[k] for k in kept], c
                else:
                    yield v, a, c

    def row_keys(self, *before: int) -> list[bytes]:
        """Return one key per term; equal keys mean equal terms, in whatever order they arose.

        Each is in bytes behind those of other numbers.
        """
        if self.size <= _FEW:
            return [term_key(*row, *before) for row in self.rows()]
        present = self.coefficients != 0
        if self.width == 1 and present.all():
            numbers = [np.full(self.size, number) for number in before]
            return packed_rows([*numbers, self.constants, self.variables, self.coefficients])
        widths = present.sum(axis=1)
        found = np.empty(self.size, dtype=object)
        for width in distinct(widths).tolist():
            mine = np.flatnonzero(widths == width)
            names = self.variables[mine][present[mine]].reshape(len(mine), width)
            factors = self.coefficients[mine][present[mine]].reshape(len(mine), width)
            order = np.argsort(names, axis=1)
            names, factors = (np.take_along_axis(part, order, axis=1) for part in (names, factors))
            numbers = [np.full(len(mine), number) for number in before]
            found[mine] = packed_rows([*numbers, self.constants[mine], names, factors])
        return found.tolist()

    def as_literals(self) -> tuple[IntArray, Mask]:
        """Return each row as a literal, and which rows are one, both (size,).

        A literal is a variable, ``v``, or its negation ``1 - v``, which is written ``-v - 1``.
        """
        if self.width == 1:
            variables, slopes = self.variables[:, 0], self.coefficients[:, 0]
            alone = slopes != 0
        else:
            present = self.coefficients != 0
            alone = present.sum(axis=1) == 1
            variables = np.where(alone, (self.variables * present).sum(axis=1), 0)
            slopes = self.coefficients.sum(axis=1)
        negated = slopes < 0
        known = alone & (np.abs(slopes) == 1) & (self.constants == negated)
        return np.where(negated, -variables - 1, variables), known

    def scope(self) -> IntArray:
        """Return the variables with a non-zero coefficient, sorted, each once."""
        return distinct(self.variables[self.coefficients != 0])

    def evaluate(self, values: IntArray) -> IntArray:
        """Return the terms' values, of shape (batch, size), for ``values`` (batch, variables)."""
        width = self.width
        if not (width and values.shape[1]):  # without a variable all coefficients are 0
            return np.broadcast_to(self.constants, (len(values), self.size))
        if len(values) <= _ONE_BY_ONE:
            found: IntArray = (
                np.vecdot(values.take(self.variables, axis=1), self.coefficients) + self.constants
            )
            return found
        if width == 1:  # column by column: batches that lie so are read and written in long runs
            columns = values.T.take(self.variables[:, 0], axis=0)
            if not (self.coefficients == 1).all():
                columns *= self.coefficients
            if self.constants.any():
                columns += self.constants[:, None]
            return columns.T
        picked = values[:, self.variables]
        picked *= self.coefficients
        return picked.sum(axis=2) + self.constants

    def summed(
        self, groups: Positions, merged: Callable[[IntArray, IntArray], Rows]
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Return the sums of groups of terms, as arrays like these; ``groups`` (sums, terms of each).

        ``merged`` is that of the terms' registry.

        Raises
        ------
        OutOfRange
            If the constants of one may not fit.
        """
        flat = len(groups), groups.shape[1] * self.width
        variables, coefficients = merged(
            self.variables[groups].reshape(flat), self.coefficients[groups].reshape(flat)
        )
        constants = self.constants[groups]
        if constants.size and np.abs(constants.astype(np.float64)).sum(axis=1).max() >= 2.0**62:
            raise OutOfRange(f"the constants of a sum add up to 2^62 or more; {ALLOWED}")
        return variables, coefficients, constants.sum(axis=1)


def padded(rows: Sequence[Row]) -> tuple[IntArray, IntArray, IntArray]:
    """Return terms as ``variables``, ``coefficients`` and ``constants``."""
    width = max((len(variables) for variables, _, _ in rows), default=0)
    variables = np.zeros((len(rows), width), dtype=np.int64)
    coefficients = np.zeros((len(rows), width), dtype=np.int64)
    constants = np.zeros(len(rows), dtype=np.int64)
    for k, (names, factors, constant) in enumerate(rows):
        variables[k, : len(names)], coefficients[k, : len(names)], constants[k] = names, factors, constant
    return variables, coefficients, constants
