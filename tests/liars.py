"""Backends that know the truth from the oracle and then say something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Deliver, Ended, Feature, Order, Parameter, Request, Want
from cpqueens.crosscheck import oracle
from cpqueens.model import Model


@dataclass
class Answer:
    """What a scripted backend is about to say."""

    rows: np.ndarray
    exhausted: bool = True
    stop_reason: StopReason = StopReason.EXHAUSTED
    objective: int | None = None
    bound: int | None = None
    count: int | None = None


Lie = Callable[[Answer, Model, Request], None]


def lie_nothing(answer: Answer, model: Model, request: Request) -> None:
    """Change nothing."""


_TRUTHS: WeakKeyDictionary[Model, oracle.Solved] = WeakKeyDictionary()


def truth_about(model: Model) -> oracle.Solved:
    """Ask the oracle once for each model."""
    if model not in _TRUTHS:
        _TRUTHS[model] = oracle.solve(model)
    return _TRUTHS[model]


@dataclass
class Scripted:
    """A backend that solves by the oracle and lets ``lie`` change what it says."""

    name: str
    lie: Lie = lie_nothing
    proves: bool = True
    order: Order = Order.ANY
    features: frozenset[Feature] = field(
        default_factory=lambda: frozenset({Feature.ENUMERATE, Feature.OBJECTIVE, Feature.SEED, Feature.COUNT})
    )
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    strategies: tuple[str, ...] = ()
    how: str = "native"
    family: str = ""

    def __post_init__(self) -> None:
        self.family = self.family or self.name
        self.runs = 0

    def run(self, model: Model, request: Request, deliver: Deliver) -> Ended:
        self.runs += 1
        truth = truth_about(model)
        answer = Answer(truth.solutions)
        if request.want is Want.BEST and truth.count:
            best = np.flatnonzero(np.asarray(truth.objectives == truth.optimum))[:1]
            answer = Answer(truth.solutions[best], objective=truth.optimum, bound=truth.optimum)
        if request.want is Want.COUNT:
            answer.count = truth.count
        self.lie(answer, model, request)
        going_on = True
        if answer.count is None or answer.count == len(answer.rows):
            for row in answer.rows:
                going_on = deliver(np.asarray(row, dtype=answer.rows.dtype).reshape(1, -1))
                if not going_on:
                    break
        stopped = not going_on and answer.exhausted and answer.stop_reason is StopReason.EXHAUSTED
        statistics: dict[str, Any] = {"constraints": [self.how] * len(model.constraints)}
        return Ended(
            exhausted=answer.exhausted and not stopped,
            stop_reason=StopReason.SOLUTION_LIMIT if stopped else answer.stop_reason,
            objective=answer.objective,
            bound=answer.bound,
            count=answer.count if request.want is Want.COUNT else None,
            statistics=statistics,
        )
