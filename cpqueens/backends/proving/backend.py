"""The search that writes proofs as a backend; only runs with ``proof=`` use it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Batches, Deliver, Ended, Feature, Order, Parameter, Request, Want
from cpqueens.backends.proving.search import Engine
from cpqueens.language.statement import Statement
from cpqueens.proofs.log import HEADER

OFF = "presolve, implied constraints, structures, remembered subproblems, symmetry and splitting are off"
"""What other searches have and this one does without, since it would not be seen in the steps."""

_LOOK = 16
"""Decisions between two looks at the limits."""


@dataclass
class Prover:
    """One search that explains itself, from the user's own constraints.

    Parameters
    ----------
    write
        Takes lines of the proof; None for none.
    """

    write: Callable[[str], None] | None = None
    name: str = "proving"
    proves: bool = True
    features: frozenset[Feature] = frozenset({Feature.ENUMERATE, Feature.OBJECTIVE, Feature.STEP_LIMIT})
    order: Order = Order.DISTINCT
    strategies: tuple[str, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Search to the end, or to a limit."""
        started = time.monotonic()
        if self.write is not None:
            self.write(HEADER)
        listing = request.want in (Want.ALL, Want.COUNT)
        engine = Engine(model, self.write, listing)
        facts: dict[str, object] = {"translate_time": time.monotonic() - started}
        batches = Batches(deliver, np.array, singly=not listing)
        reason = StopReason.EXHAUSTED
        best: int | None = None
        for looks, row in enumerate(engine.run()):
            if row is not None:
                best = objective_of(model, row) if request.want is Want.BEST else None
                batches.put(row)
            if looks % _LOOK == 0:
                batches.flush_old()
            if batches.stopped:
                reason = StopReason.CALLBACK
            elif looks % _LOOK == 0 and request.should_stop():
                reason = request.why_stopped()
            elif request.step_limit is not None and engine.nodes >= request.step_limit:
                reason = StopReason.STEP_LIMIT
            if reason is not StopReason.EXHAUSTED:
                break
        batches.flush()
        done = reason is StopReason.EXHAUSTED
        facts |= {"nodes": engine.nodes, "failures": engine.failures, "clauses": engine.clauses}
        return Ended(done, reason, objective=best, bound=best if done else None, statistics=facts)


def objective_of(model: Statement, row: Sequence[int]) -> int:
    """Return the value of the objective in a solution."""
    assert model.objective is not None
    matrix = np.array([row], dtype=np.int64)
    return int(model.objective.evaluate(model.complete(matrix, model.decisions))[0, 0])
