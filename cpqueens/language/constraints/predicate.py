"""A Python function as a constraint."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.arrays import concatenate_rows
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.table import Table
from cpqueens.language.conversion import as_linears
from cpqueens.language.expressions import LinearArray, Registry
from cpqueens.language.rows import IntArray, Mask
from cpqueens.text.plaintext import one_line, shown, text_of

ROW_CAP = 10**6


class Predicate(Constraint):
    """``function(x, y, ...)`` is true; the function is called once for each row of values.

    The constraint is expanded into a table of at most 10**6 rows when it is built, and files contain this
    table. The violation is that of the table: the smallest number of values that would have to change.

    >>> from cpqueens import Model, Predicate
    >>> m = Model()
    >>> x, y = m.intvar(1, 4, shape=2, name="x")
    >>> m.add(Predicate(lambda a, b: a * b == 4, x, y))
    >>> m.count(solver="python-constraint")
    3

    Parameters
    ----------
    function
        Called with an integer for each term; it returns a bool.
    terms
        Terms or integers, of any shapes.

    Raises
    ------
    ModelError
        For more than 10**6 rows, or if the function raises or returns anything but a bool.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "rows")
    terms: LinearArray
    rows: IntArray
    function: Callable[..., Any]

    def __init__(self, function: Callable[..., Any], *terms: Any) -> None:
        if not terms:
            raise ModelError("Predicate needs terms behind its function")
        array = concatenate_rows([t.reshape(-1) for t in as_linears(*terms)])
        if not callable(function):
            raise ModelError(f"Predicate needs a function first, got {shown(function)}")
        allowed = [row for row in _rows(array) if _ask(function, row)]
        table = np.array(allowed, dtype=np.int64).reshape(len(allowed), array.size)
        super().__init__(terms=array, rows=table, function=function)

    def map(self, change: Callable[[LinearArray], LinearArray]) -> Predicate:
        """Return the same predicate over changed terms."""
        return self.make(terms=change(self.terms), rows=self.rows, function=self.function)

    def __reduce__(self) -> tuple[Any, ...]:
        return _as_table, (self.terms, self.rows)

    def satisfied(self, values: IntArray) -> Mask:
        """Return where the function says so."""
        answers = [bool(self.function(*row)) for row in self.terms.evaluate(values).tolist()]
        return np.array(answers, dtype=bool)[:, None]

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of values to change, at least 1 where the function says no."""
        distances = _as_table(self.terms, self.rows).amounts(values)
        return np.where(self.satisfied(values), 0, np.maximum(distances, 1))

    def simpler(self) -> list[Constraint]:
        """Return the table of the rows that the function allows."""
        return [_as_table(self.terms, self.rows)]


def _as_table(terms: LinearArray, rows: IntArray) -> Constraint:
    """Return what a predicate is pickled as, since its function may exist in one process only."""
    return Table.make(terms=terms, rows=rows)


def _domain(
    registry: Registry, term: tuple[list[int], list[int], int], low: int, high: int
) -> range | list[int]:
    variables, coefficients, constant = term
    domains: dict[int, IntArray] = getattr(registry, "domains", {})
    if len(variables) == 1 and variables[0] in domains:
        return (domains[variables[0]] * coefficients[0] + constant).tolist()
    return range(low, high + 1)


def _rows(terms: LinearArray) -> Iterator[tuple[int, ...]]:
    low, high = terms.bounds()
    bounds = zip(terms.rows(), low.tolist(), high.tolist(), strict=True)
    domains = [_domain(terms.registry, row, a, b) for row, a, b in bounds]
    product = math.prod(d.stop - d.start if isinstance(d, range) else len(d) for d in domains)
    if product > ROW_CAP:
        raise ModelError(
            f"Predicate over {terms.size} terms has {product} rows of values, allowed are at most {ROW_CAP}; "
            "use other constraints or narrow the domains"
        )
    return itertools.product(*domains)


def _ask(function: Callable[..., Any], row: tuple[int, ...]) -> bool:
    try:
        answer = function(*row)
    except Exception as error:
        raise ModelError(
            f"Predicate: the function raised {type(error).__name__} for {row}: {one_line(text_of(error))}"
        ) from error
    if not isinstance(answer, bool | np.bool_):
        raise ModelError(f"Predicate: the function must return a bool, got {shown(answer)} for {row}")
    return bool(answer)
