"""Which soft constraints a solution violates, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cpqueens.language.describe import describe
from cpqueens.language.rows import IntArray
from cpqueens.language.soft import Soft
from cpqueens.language.statement import Statement


@dataclass(frozen=True)
class SoftViolation:
    """One violated soft constraint, the place where it was added, and its penalty.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(0, 5, name="x")
    >>> m.add_soft(x == 3, weight=2, name="three")
    >>> (found,) = m.check({"x": 4}).soft
    >>> found.label, found.penalty
    ('three: x == 3', 2)

    Attributes
    ----------
    constraint, name
        Its text, and the name that it was given, or None.
    where
        The user's file and line.
    penalty
        What it costs.
    """

    constraint: str
    name: str | None
    where: str
    penalty: int

    @property
    def label(self) -> str:
        """The constraint behind its name."""
        return f"{self.name}: {self.constraint}" if self.name else self.constraint

    def __str__(self) -> str:
        place = f" ({self.where})" if self.where else ""
        return f"{self.label}{place} violated, penalty {self.penalty}"


def soft_violations(
    model: Statement, row: IntArray, soft: Sequence[Soft] | None = None
) -> tuple[SoftViolation, ...]:
    """Return what an assignment, (decision variables,), violates of the soft constraints, in their order.

    ``soft`` are those that count, by default all of the model.
    """
    soft = model.soft if soft is None else soft
    if not soft:
        return ()
    values = model.complete(row[None, :], model.decisions)
    return tuple(
        SoftViolation(describe(model, constraint), one.name, one.where, penalty)
        for one in soft
        for constraint, penalty in one.violated(values, model)
    )
