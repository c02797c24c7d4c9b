"""What a model of the collection is: how it is built, what may be asked of it, and the answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from cpqueens import IncompleteCount, Model

Question = Literal["solve", "enumerate", "count", "optimise"]
QUESTIONS: tuple[Question, ...] = ("solve", "enumerate", "count")
"""Of a model without an objective."""

BOTH = ("backtracking", "cpsat")
ALL = (*BOTH, "python-constraint")
"""Proving backends that an instance may name."""

Answer = int | bool | None
"""Whether there is a solution, how many there are, or the best value."""


@dataclass(frozen=True)
class Instance:
    """A model and its answers.

    Attributes
    ----------
    name
        Unique in the collection.
    source
        Where the answer stands. It is published, or follows from how the instance is made, or is said to be
        computed, and by what.
    solutions
        How many there are; None if all that is known is that there is at least one.
    optimum
        The best value, of a model with an objective.
    asked
        The questions that make sense; None for all that the answer settles.
    slow
        Questions that take more than about a second.
    exact
        Proving backends that answer, each alone, within about a second or two what is not slow.
    """

    name: str
    build: Callable[[], Model]
    source: str
    solutions: int | None = None
    optimum: int | None = None
    asked: tuple[Question, ...] | None = None
    slow: tuple[Question, ...] = ()
    exact: tuple[str, ...] = ()

    @property
    def questions(self) -> tuple[Question, ...]:
        """Return what may be asked."""
        if self.asked is not None:
            return self.asked
        if self.optimum is not None:
            return ("optimise",)
        return ("solve",) if self.solutions is None else QUESTIONS

    def answer(self, question: Question) -> Answer:
        """Return the right answer."""
        if question == "optimise":
            return self.optimum
        return self.solutions != 0 if question == "solve" else self.solutions


def ask(model: Model, question: Question, solver: str = "auto", **options: Any) -> Answer:
    """Return what a solver answers, None where it does not get to the end."""
    if question == "count":
        try:
            return model.count(solver=solver, **options)
        except IncompleteCount:
            return None
    if question == "enumerate":
        outcome = model.enumerate(solver=solver, **options)
        return len(outcome.solutions.matrix) if outcome.complete else None
    outcome = model.solve(solver=solver, **options)
    if question == "optimise":
        return outcome.objective if outcome.complete else None
    return True if outcome.solution is not None else False if outcome.complete else None
