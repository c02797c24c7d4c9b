"""Exact solvers asked whether there is a solution, in turns and for short times; who proved what is noted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from cpqueens.answers.outcome import Outcome
from cpqueens.backends.clock import now
from cpqueens.errors import CpqueensError
from cpqueens.model import Model
from cpqueens.system.interrupts import Interrupt

SOLVERS = ("cpsat", "backtracking")
"""Exact solvers that are asked, in this order; a second one confirms a proof while there is time."""

_LEAST = 0.01  # seconds below which no solver is worth starting
_CONFIRMING = 0.04  # of all time, for a second proof, at least


@dataclass
class Questions:
    """One budget for all questions.

    Attributes
    ----------
    solvers
        Exact ones, in the order in which they are asked.
    seconds
        For everything, from now on; see `clock.now`.
    interrupt
        What is known of signals.
    proofs
        For each question that was settled by proof, the solvers that proved it.
    end
        When the time is over, see `clock.now`; by default after ``seconds``.
    random_seed
        Of the solvers' random choices.
    """

    solvers: tuple[str, ...]
    seconds: float
    interrupt: Interrupt
    proofs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    end: float = math.inf
    random_seed: int = 0

    def __post_init__(self) -> None:
        self.end = min(self.end, now() + self.seconds)

    @property
    def left(self) -> float:
        """Seconds that are left; none once a signal came."""
        return 0.0 if self.interrupt.poll() else self.end - now()

    def last(self) -> Questions:
        """Return the same questions, for the last solver alone."""
        return replace(self, solvers=self.solvers[-1:])

    def ask(self, model: Model, question: str, seconds: float) -> Outcome | None:
        """Return an outcome with a solution; None if there is none, or was none in the time.

        The solvers have equal shares, what one does not use is for the next one. After a proof another one is
        asked to confirm it: where one is lost another may not be.
        """
        until = min(self.end, now() + seconds)
        proved: list[str] = []
        for k, solver in enumerate(self.solvers):
            left = min(until - now(), self.left)
            if proved:
                left = min(max(0.3 * left, _CONFIRMING * self.seconds), self.left)
            else:
                left /= len(self.solvers) - k
            if left <= _LEAST * bool(proved or k):
                break
            try:
                outcome = model.solve(solver=solver, time_limit=left, random_seed=self.random_seed)
            except CpqueensError:
                if k + 1 == len(self.solvers) and not proved:
                    raise
                continue
            if outcome.solution is not None:
                return outcome
            if outcome.complete:
                proved.append(solver)
        if proved:
            self.proofs[question] = tuple(proved)
        return None

    def sampled(self, model: Model, seeds: int, seconds: float) -> Iterator[Outcome]:
        """Yield solutions of local search, if it has a form for all constraints."""
        until = now() + seconds
        for k in range(seeds):
            left = min(until - now(), self.left)
            if left <= 0:
                return
            try:
                outcome = model.solve(
                    solver="local-search",
                    random_seed=self.random_seed + k,
                    time_limit=max(_LEAST, left / (seeds - k)),
                )
            except CpqueensError:
                return
            if outcome.solution is not None:
                yield outcome
