"""What a model stated when it was solved: what is added, replaced or dropped later does not count."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cpqueens.language.goals import Goal
from cpqueens.language.posted import ConstraintList
from cpqueens.language.rows import IntArray
from cpqueens.language.soft import Soft
from cpqueens.language.statement import Statement


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
