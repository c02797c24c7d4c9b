"""What kinds about tasks and boxes share: origins with sizes, each of which may be absent."""

from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import IntegerError, ModelError
from cpqueens.language.arrays import stack_last
from cpqueens.language.constraints.base import Constraint, Truths
from cpqueens.language.constraints.or_ import Or
from cpqueens.language.conversion import aligned, as_linear, registry_of
from cpqueens.language.expressions import LinearArray
from cpqueens.language.ranges import saturated_sum
from cpqueens.language.rows import IntArray
from cpqueens.language.truths import as_literals
from cpqueens.text.plaintext import shown


def of_one_length(kind: str, present: Any, **sides: Any) -> dict[str, LinearArray]:
    """Return the sides and the 0/1 terms of ``present`` (None: all), flat; single terms stand for all.

    Raises
    ------
    ModelError
        If they have different lengths.
    """
    present, *sizes = (aligned(side, *sides.values()) for side in (present, *sides.values()))
    sides = dict(zip(sides, sizes, strict=True))
    truths = _truths(kind, present, "start" in sides)
    registry = registry_of(*sides.values(), truths)
    arrays = {name: as_linear(registry, side, f"{kind}: {name}") for name, side in sides.items()}
    arrays["present"] = as_linear(registry, truths)
    sizes = sorted({array.size for array in arrays.values() if array.shape}) or [1]
    if len(sizes) > 1:
        raise ModelError(
            f"{kind}: arrays of one length, or single terms, got {' and '.join(map(str, sizes))}"
        )
    return {n: a.reshape(-1) if a.shape else a.broadcast((sizes[0],)) for n, a in arrays.items()}


def _truths(kind: str, present: Any, in_time: bool) -> Any:
    """Return the 0/1 terms of which tasks are present."""
    try:
        return 1 if present is None else as_literals(present)[0]
    except ModelError as error:
        numbers = in_time and not isinstance(error, IntegerError)
        ends = "; ends are not given: they are start + duration" if numbers else ""
        wrong = f"{kind}: present: truths or 0/1 terms are needed, got {shown(present, 60)}{ends}"
        raise type(error)(wrong) from None


def not_negative(sizes: LinearArray, present: LinearArray) -> list[Constraint]:
    """Return that those sizes are at least 0 that are present, as far as bounds leave it open."""
    (low, _), (_, may_be) = sizes.bounds(), present.bounds()
    rows = np.flatnonzero((low < 0) & (may_be > 0))
    if not rows.size:
        return []
    return [Or.over(stack_last([(sizes._pick(rows) >= 0).truth(), 1 - present._pick(rows)]))]


def shortfalls(sizes: IntArray, present: Truths) -> IntArray:
    """Return how far below 0 the sizes are that are present, (batch, sizes)."""
    return np.where(present, np.maximum(-sizes, 0), 0)


class Disjoint(Constraint):
    """Boxes of one or more dimensions that do not overlap: two are apart along some dimension."""

    dimensions: ClassVar[tuple[tuple[str, str], ...]]
    """The fields of origins and sizes along each dimension."""
    present: LinearArray

    def _sides(self) -> list[tuple[LinearArray, LinearArray]]:
        return [(getattr(self, origin), getattr(self, size)) for origin, size in self.dimensions]

    def _after(self, end: LinearArray, i: IntArray, j: IntArray) -> LinearArray:
        """Return where boxes ``j`` may begin along a dimension in which boxes ``i`` end and come first."""
        return end._pick(i)

    def _gaps(self, values: IntArray) -> IntArray | int:
        """Return what must lie between the end of one box and the origin of a later one, (batch, n, n)."""
        return 0

    @property
    def ranged(self) -> tuple[LinearArray, ...]:
        """Its arguments and the ends of the boxes."""
        return (*self.arguments, *(origin + size for origin, size in self._sides()))

    def amounts(self, values: IntArray) -> IntArray:
        """Return how far the pairs that overlap have to move, and how far sizes are below 0."""
        present = self.present.evaluate(values) != 0
        sides = [(first.evaluate(values), size.evaluate(values)) for first, size in self._sides()]
        gaps = np.broadcast_to(self._gaps(values), (*present.shape, present.shape[1]))
        amounts = [saturated_sum(shortfalls(size, present)) for _, size in sides]
        for k in range(1, self.present.size):
            overlap = np.where(present[:, :k] & present[:, k : k + 1], np.iinfo(np.int64).max, 0)
            for first, size in sides:
                last = first + size
                overlap = np.minimum(overlap, last[:, :k] + gaps[:, :k, k] - first[:, k : k + 1])
                overlap = np.minimum(overlap, last[:, k : k + 1] + gaps[:, k, :k] - first[:, :k])
            amounts.append(saturated_sum(np.maximum(overlap, 0)))
        return saturated_sum(np.stack(amounts, axis=1))[:, None]

    def simpler(self) -> list[Constraint]:
        """Return, for each pair, that one lies before the other along some dimension, or is absent."""
        parts = [c for _, size in self._sides() for c in not_negative(size, self.present)]
        i, j = np.triu_indices(self.present.size, 1)
        may_be = self.present.bounds()[1] > 0
        near = may_be[i] & may_be[j]
        waits = [
            self._after(origin + size, a, b) - origin._pick(b)
            for origin, size in self._sides()
            for a, b in ((i, j), (j, i))
        ]
        for wait in waits:
            near &= wait.bounds()[1] > 0
        if not near.any():
            return parts
        i, j = i[near], j[near]
        literals = [(wait._pick(np.flatnonzero(near)) <= 0).truth() for wait in waits]
        if self.present.coefficients.any():
            literals += [1 - self.present._pick(k) for k in (i, j)]
        return [*parts, Or.over(stack_last(literals))]
