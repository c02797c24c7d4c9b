"""Things of different sizes in bins."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import AMOUNT, OPPOSITE, Linear
from cpqueens.language.conversion import aligned, as_linears, flat_terms
from cpqueens.language.expressions import LinearArray
from cpqueens.language.ranges import saturated_sum
from cpqueens.language.rows import IntArray
from cpqueens.text.plaintext import shown


class BinPacking(Constraint):
    """The sizes of the items in bin ``k`` add up to ``loads[k]`` (Shaw 2004; Catalogue: bin_packing).

    Item ``i`` of size ``sizes[i]`` is in bin ``bins[i]``; bins count from 0. With the relation ``"<="`` the
    loads are capacities, which the sums must not exceed. The violation is the sum of the distances between
    sums and (allowed) loads, plus the number of items in no bin.

    >>> from cpqueens import BinPacking, Model
    >>> m = Model()
    >>> b = m.intvar(0, 1, shape=4, name="b")
    >>> m.add(BinPacking(b, [2, 3, 4, 5], [7, 7]))
    >>> m.count(solver="python-constraint")
    2
    >>> m = Model()
    >>> b = m.intvar(0, 1, shape=4, name="b")
    >>> m.add(BinPacking(b, [2, 3, 4, 5], [9, 6], "<="))
    >>> m.count(solver="python-constraint")
    3

    Parameters
    ----------
    bins, sizes
        One term or integer for each item.
    loads
        One term or integer for each bin.
    relation
        How the sums compare to the loads: one of ``== != <= < >= >``.

    Raises
    ------
    OutOfRange
        If the sizes may add up to more than any term may reach.
    """

    fields: ClassVar[tuple[str, ...]] = ("bins", "sizes", "loads", "relation")
    bins: LinearArray
    sizes: LinearArray
    loads: LinearArray
    relation: str

    def __init__(self, bins: Any, sizes: Any, loads: Any, relation: str = "==") -> None:
        if not isinstance(relation, str) or relation not in OPPOSITE:
            raise ModelError(f"relation {shown(relation)}: allowed are {' '.join(OPPOSITE)}")
        given = {"bins": bins, "sizes": aligned(sizes, bins), "loads": loads}
        places, weights, sums = as_linears(*(flat_terms(g, f"BinPacking: {n}") for n, g in given.items()))
        if places.size != weights.size:
            raise ModelError(f"BinPacking: {places.size} things need as many sizes, got {weights.size}")
        weights.sum().bounds()  # refuses what is too large
        super().__init__(bins=places, sizes=weights, loads=sums, relation=relation)

    @property
    def arguments(self) -> tuple[LinearArray, ...]:
        """The arrays of terms it speaks about, and the sum of all sizes, which must be in range."""
        return (self.bins, self.sizes, self.loads, self.sizes.sum())

    def amounts(self, values: IntArray) -> IntArray:
        """Return the summed distances of the bins, plus the number of things outside."""
        bins, sizes, loads = (side.evaluate(values) for side in (self.bins, self.sizes, self.loads))
        outside = ((bins < 0) | (bins >= loads.shape[1])).sum(axis=1)
        sums = [np.where(bins == k, sizes, 0).sum(axis=1) for k in range(loads.shape[1])]
        distances = [AMOUNT[self.relation](total - load) for total, load in zip(sums, loads.T, strict=True)]
        return saturated_sum(np.stack([outside, *distances], axis=1))[:, None]

    def simpler(self) -> list[Constraint]:
        """Return the range of the bins, and for each one the relation on its sum."""
        many = self.loads.size
        parts: list[Constraint] = [Linear(self.bins, ">="), Linear(self.bins - (many - 1), "<=")]
        if not many:
            return parts
        inside = (self.bins == np.arange(many)[:, None]).truth()
        return [*parts, Linear((inside * self.sizes).sum(axis=1) - self.loads, self.relation)]
