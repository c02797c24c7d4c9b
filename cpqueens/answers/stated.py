"""What a model stated when it was solved, which assumptions contradict it, which soft ones are violated."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cpqueens.language.objectives import Goal, Soft
from cpqueens.language.posted import ConstraintList
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.language.wording import describe
from cpqueens.text.plaintext import counted


class StatementThen(NamedTuple):
    """Constraints, objectives and soft constraints of a model as they were.

    Nothing is copied: all of these lists only grow, or are replaced by others, so that lengths are enough.
    """

    goals: tuple[Goal, ...]
    all_soft: list[Soft]
    soft_count: int
    posted: ConstraintList
    posted_count: int
    names: dict[int, str]

    @property
    def soft(self) -> list[Soft]:
        """The soft constraints."""
        return self.all_soft[: self.soft_count]

    def restored(self, model: Statement) -> Statement:
        """Return the model as it was, but for variables that came later; itself if nothing else did."""
        lists = (self.goals, model.goals), (self.all_soft, model.soft), (self.posted, model._posted)
        same = all(mine is now for mine, now in lists)
        if same and (self.soft_count, self.posted_count) == (len(model.soft), len(model._posted)):
            return model
        other = model.copy()
        self.posted.settle()
        other._posted, other._names = self.posted.copy(other), dict(self.names)
        other._keep(list(range(self.posted_count)))
        other.soft = [soft.bind(other) for soft in self.soft]
        other._goals = tuple(goal.bind(other) for goal in self.goals)
        return other


def widened(model: Statement, known: IntArray, row: IntArray) -> IntArray:
    """Return values of all decision variables: those that are not ``known``, since they came later, get one.

    It is the least of their domains, which is in them.
    """
    if len(known) == len(model.decisions):
        return row
    whole = model.lower[model.decisions]
    whole[np.searchsorted(model.decisions, known)] = row
    return whole


# ---- which assumptions contradict the model, or each other --------------------------------------------


@dataclass(frozen=True)
class Assumption:
    """One assumption: its position among those given (elements of arrays one by one), name and text.

    Attributes
    ----------
    position
        Among those given, elements of arrays one by one.
    name, text
        Its name, or None, and what it says.
    """

    position: int
    name: str | None
    text: str

    def __str__(self) -> str:
        return f"{self.name}: {self.text}" if self.name else self.text


@dataclass(frozen=True)
class AssumptionCore:
    """Assumptions under which the model is proved to have no solution; none where it never has one.

    ``minimal`` says that every one of them is needed: without it there is a solution. Where that would have
    taken long it was not looked for, and some may be superfluous.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(1, 3, shape=2, name="x")
    >>> core = m.solve(solver="backtracking", assumptions=[x[0] == 1, x[1] == 2, x[0] == 3]).core
    >>> core.positions, core.minimal
    ((0, 2), True)

    Attributes
    ----------
    assumptions
        Those to blame (`Assumption`).
    minimal
        Whether each of them is needed.
    """

    assumptions: tuple[Assumption, ...]
    minimal: bool

    @property
    def positions(self) -> tuple[int, ...]:
        """Positions of the assumptions among those given."""
        return tuple(assumption.position for assumption in self.assumptions)

    @property
    def names(self) -> tuple[str | None, ...]:
        """Names of the assumptions, None where they have none."""
        return tuple(assumption.name for assumption in self.assumptions)

    def __len__(self) -> int:
        return len(self.assumptions)

    def __iter__(self) -> Iterator[Assumption]:
        return iter(self.assumptions)

    def __str__(self) -> str:
        kind = "a minimal core" if self.minimal else "a core, perhaps not minimal"
        return "\n".join(
            [f"{kind}: {counted(len(self), 'assumption')}", *(f"  {a}" for a in self.assumptions)]
        )


# ---- which soft constraints a solution violates, and what that costs ----------------------------------


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
