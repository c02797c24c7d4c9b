"""How often each of several values occurs."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.constraints.among import Among
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.count import Count
from cpqueens.language.conversion import as_linears, flat_terms
from cpqueens.language.expressions import LinearArray
from cpqueens.language.ranges import saturated_sum
from cpqueens.language.rows import IntArray, as_listed


class GlobalCardinality(Constraint):
    """``values[k]`` occurs exactly ``counts[k]`` times (Regin 1996); ``closed`` forbids other values.

    The violation is the sum of the distances between numbers and counts, plus, if closed, the number of
    terms with another value.

    >>> from cpqueens import GlobalCardinality, Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=3, name="x")
    >>> m.add(GlobalCardinality(x, [0, 1], [1, 2]))
    >>> m.count(solver="python-constraint")
    3
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "values", "counts", "closed")
    terms: LinearArray
    values: tuple[int, ...]
    counts: LinearArray
    closed: bool

    def __init__(self, terms: Any, values: Any, counts: Any, closed: bool = False) -> None:
        array, numbers = as_linears(flat_terms(terms), flat_terms(counts))
        wanted = tuple(as_listed(array.registry.numbered(values), "values").reshape(-1).tolist())
        if len(wanted) != numbers.size or len(set(wanted)) != len(wanted):
            raise ModelError(f"GlobalCardinality: {len(wanted)} values (each once) need as many counts")
        super().__init__(terms=array, values=wanted, counts=numbers, closed=bool(closed))

    def amounts(self, values: IntArray) -> IntArray:
        """Return the summed distances."""
        terms = self.terms.evaluate(values)
        counts = self.counts.evaluate(values)
        numbers = [(terms == value).sum(axis=1) for value in self.values]
        distances = [np.abs(number - counts[:, k]) for k, number in enumerate(numbers)]
        if self.closed:
            distances.append((~np.isin(terms, self.values)).sum(axis=1))
        nothing = np.zeros(len(values), dtype=np.int64)
        return saturated_sum(np.stack([nothing, *distances], axis=1))[:, None]

    def simpler(self) -> list[Constraint]:
        """Return one Count for each value and, if closed, Among over all values."""
        parts: list[Constraint] = [
            Count(self.terms, value, "==", self.counts[k]) for k, value in enumerate(self.values)
        ]
        if self.closed and self.terms.size:
            parts.append(Among(self.terms, self.values, self.terms.size))
        return parts
