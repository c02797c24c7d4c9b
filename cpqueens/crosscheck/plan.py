"""What everyone in a cross-check is asked for, and who can be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from cpqueens.answers.runs import Runs
from cpqueens.backends.base import Want
from cpqueens.crosscheck.observe import Observation, Progress
from cpqueens.crosscheck.sets import Packing
from cpqueens.model import Model


@dataclass(frozen=True)
class NarrowedTo:
    """What a model was narrowed to: answers to ``stated`` that miss it are valid, but not good enough."""

    stated: Model
    best: str
    gap: int = 0

    def missed_by(self, objective: str) -> str:
        """Say how far an answer with this objective is from what was asked for."""
        within = f", allowed are {self.gap} more or less" if self.gap else ""
        return f"valid, but its objective is {objective}, the best is {self.best}{within}"


@dataclass(frozen=True)
class Plan:
    """What every participant is asked for."""

    want: Want
    seeds: tuple[int, ...]
    packing: Packing
    time_limit: float | None = None
    solution_limit: int | None = None
    progress: Progress | None = None
    target: NarrowedTo | None = None


class Participant(Protocol):
    """Someone who answers for a model."""

    @property
    def name(self) -> str:
        """How it is called in the report."""

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Answer as planned."""


class Seeded(Protocol):
    """Someone who can be run with one seed at a time."""

    @property
    def name(self) -> str:
        """How it is called in the report."""

    def once(self, model: Model, plan: Plan, seed: int) -> Observation:
        """Run with one seed."""

    def many(self, model: Model, plan: Plan) -> Runs | None:
        """Run with all seeds in few calls; None where that says less than one by one."""
