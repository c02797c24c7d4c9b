"""How often each of several values occurs."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.aligned import in_order, is_framed
from cpqueens.language.arrays import stack_last
from cpqueens.language.constraints.among import Among
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.count import Count
from cpqueens.language.constraints.linear import AMOUNT
from cpqueens.language.conversion import as_linear, as_linears, flat_terms, listed
from cpqueens.language.expressions import LinearArray
from cpqueens.language.ranges import saturated_sum
from cpqueens.language.rows import IntArray, as_listed


class GlobalCardinality(Constraint):
    """``values[k]`` occurs exactly ``counts[k]`` times (Regin 1996); ``closed`` forbids other values.

    Instead of counts there may be bounds: at least ``lower[k]`` times and at most ``upper[k]`` times. The
    violation is the sum of the distances between numbers and counts, or the nearest allowed ones, plus, if
    closed, the number of terms with another value.

    >>> from cpqueens import GlobalCardinality, Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=3, name="x")
    >>> m.add(GlobalCardinality(x, [0, 1], [1, 2]))
    >>> m.count(solver="python-constraint")
    3
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=3, name="x")
    >>> m.add(GlobalCardinality(x, [0, 1], lower=1, upper=[1, 2]))
    >>> m.count(solver="python-constraint")
    9

    Parameters
    ----------
    terms
        An array of terms, or a list of terms and integers.
    values
        Integers, each once.
    counts
        An integer or a term for each value, shape (values,); or pairs of bounds, shape (values, 2).
    closed
        Whether all terms must have one of the values.
    lower, upper
        Instead of counts: an integer or a term for each value, or one for all; one of them is enough.

    Raises
    ------
    ModelError
        For numbers of values and counts that do not agree.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "values", "counts", "closed")
    terms: LinearArray
    values: tuple[int, ...]
    counts: LinearArray
    closed: bool

    def __init__(
        self,
        terms: Any,
        values: Any,
        counts: Any = None,
        closed: bool = False,
        *,
        lower: Any = None,
        upper: Any = None,
    ) -> None:
        terms = flat_terms(terms)
        wanted = tuple(as_listed(terms.registry.numbered(values), "values").reshape(-1).tolist())
        if (counts is None) == (lower is None and upper is None):
            raise ModelError("GlobalCardinality: counts are needed, or lower or upper, and not both")
        counts, lower, upper = (_by_value(values, given) for given in (counts, lower, upper))
        if counts is None:
            counts = _pairs(terms, len(wanted), lower, upper)
        array, numbers = as_linears(terms, counts)
        if not wanted or numbers.shape != (len(wanted), 2):
            numbers = numbers.reshape(-1)
        if len(wanted) != len(numbers) or len(set(wanted)) != len(wanted):
            raise ModelError(f"GlobalCardinality: {len(wanted)} values (each once) need as many counts")
        super().__init__(terms=array, values=wanted, counts=numbers, closed=bool(closed))

    @property
    def _limits(self) -> list[tuple[str, LinearArray]]:
        """The relations that the number of each value has to an array of counts."""
        if self.counts.ndim == 1:
            return [("==", self.counts)]
        return [(">=", self.counts[:, 0]), ("<=", self.counts[:, 1])]

    def amounts(self, values: IntArray) -> IntArray:
        """Return the summed distances."""
        terms = self.terms.evaluate(values)
        distances = [
            AMOUNT[relation]((terms == value).sum(axis=1) - limit)
            for relation, counts in self._limits
            for value, limit in zip(self.values, counts.evaluate(values).T, strict=True)
        ]
        if self.closed:
            distances.append((~np.isin(terms, self.values)).sum(axis=1))
        nothing = np.zeros(len(values), dtype=np.int64)
        return saturated_sum(np.stack([nothing, *distances], axis=1))[:, None]

    def simpler(self) -> list[Constraint]:
        """Return one Count for each value and limit and, if closed, Among over all values."""
        values = [as_linear(self.registry, value) for value in self.values]
        parts: list[Constraint] = [
            Count.make(terms=self.terms, value=value, relation=relation, count=count)
            for relation, counts in self._limits
            for value, count in zip(values, counts, strict=True)
        ]
        if self.closed and self.terms.size:
            parts.append(Among(self.terms, self.values, self.terms.size))
        return parts


def _by_value(values: Any, numbers: Any) -> Any:
    """Return numbers, a series or frame among them with its rows in the order of the values."""
    rows = [list(values), *[None] * (numbers.ndim - 1)] if is_framed(numbers) else []
    return listed(in_order(numbers, rows, "the list of values"))


def _pairs(terms: Any, size: int, lower: Any, upper: Any) -> LinearArray:
    """Return bounds of ``size`` numbers as pairs, of shape (size, 2)."""
    array, least, most = as_linears(terms, 0 if lower is None else lower, 0 if upper is None else upper)
    if upper is None:
        most = most + array.size
    if any(side.shape not in ((), (size,)) for side in (least, most)):
        raise ModelError(f"GlobalCardinality: {size} values need as many bounds, or one for all")
    return stack_last([side if side.shape else side.broadcast((size,)) for side in (least, most)])
