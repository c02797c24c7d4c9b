"""Which soft constraints a solution violates, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass

from cpqueens.language.describe import describe
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement


@dataclass(frozen=True)
class SoftViolation:
    """One soft constraint that does not hold: which, where it was added, and its penalty."""

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


def soft_violations(model: Statement, row: IntArray) -> tuple[SoftViolation, ...]:
    """Return what an assignment, (decision variables,), violates of the soft constraints, in their order."""
    if not model.soft:
        return ()
    values = model.complete(row[None, :], model.decisions)
    return tuple(
        SoftViolation(describe(model, constraint), soft.name, soft.where, penalty)
        for soft in model.soft
        for constraint, penalty in soft.violated(values, model)
    )
