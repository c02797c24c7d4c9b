"""Participants that bring rows instead of searching: the exhaustive oracle, and files of solutions."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import Fault
from cpqueens.backends.base import Want
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.findings import Code
from cpqueens.crosscheck.heuristic import better_of, read_answer
from cpqueens.crosscheck.observe import FAULTS_KEPT, Observation, Plan
from cpqueens.crosscheck.sets import SolutionStore
from cpqueens.files.reading import Found
from cpqueens.files.solutionfile import read_solutions
from cpqueens.language.rows import IntArray
from cpqueens.model import Model


def observe_rows(
    model: Model,
    name: str,
    role: str,
    rows: IntArray,
    plan: Plan,
    *,
    complete: bool,
    faults: Sequence[Fault] = (),
    started: float | None = None,
) -> Observation:
    """Return what given rows (batch, decision variables) amount to, each checked."""
    began = time.monotonic() if started is None else started
    checker, store, missed = Checker.of(model), SolutionStore(plan.packing), 0
    if plan.target is not None and not complete and len(rows):  # valid ones that are not optimal are no fault
        kept = checker.accepts(rows) | ~Checker.of(plan.target.stated).accepts(rows)
        rows, missed = rows[kept], int((~kept).sum())
    accepted = checker.accepts(rows) if len(rows) else np.zeros(0, dtype=bool)
    store.add(rows[accepted])
    store.finish()
    wrong = [
        Fault("INVALID_SOLUTION", str(checker.explain(row)).splitlines()[0], tuple(row.tolist()))
        for row in rows[~accepted][:FAULTS_KEPT]
    ]
    return Observation(
        name=name, families=frozenset({name}), role=role,
        want=Want.ALL if plan.want is Want.COUNT else plan.want, proves=complete,
        store=store, claims_all=complete, claims_none=complete and not len(rows),
        count=store.distinct, invalid=int((~accepted).sum()), duplicates=store.raw - store.distinct,
        faults=(*wrong, *faults), best=better_of(checker, None, rows[accepted]),
        seconds=time.monotonic() - began,
        fault_counts={"INVALID_SOLUTION": int((~accepted).sum())}, missed=missed,
    )  # fmt: skip


@dataclass(frozen=True)
class Exhaustive:
    """The oracle: tries every assignment, up to 200,000, by a meaning of its own."""

    name: str = "exhaustive"

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Try everything, or say that it is too much."""
        started = time.monotonic()
        if not small_enough(model):
            store = SolutionStore(plan.packing)
            store.finish()
            return Observation(
                self.name, frozenset({self.name}), "exact", plan.want, True, store=store,
                error=Code.UNSUPPORTED, message=f"more than {oracle.CAP} assignments",
            )  # fmt: skip
        truth = oracle.solve(model)
        return observe_rows(model, self.name, "exact", truth.solutions, plan, complete=True, started=started)


def small_enough(model: Model) -> bool:
    """Say whether the oracle can try every assignment."""
    spans = (model.upper.astype(np.float64) - model.lower + 1).tolist()  # which may exceed 64 bits
    sizes = (len(model.domains[v]) if v in model.domains else spans[v] for v in model.decisions.tolist())
    return math.prod(sizes, start=1.0) <= oracle.CAP


@dataclass(frozen=True)
class GivenSolutions:
    """Solutions from anywhere as a participant; ``complete`` if they are said to be all."""

    solutions: Any
    name: str = "given"
    complete: bool = False

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Read and check every one."""
        rows, faults = [], []
        for k, answer in enumerate(self.solutions):
            row, problem = read_answer(model, answer)
            if row is None:
                faults.append(Fault("BAD_ASSIGNMENT", f"solution {k}: {problem}"))
            else:
                rows.append(row)
        matrix = np.array(rows, dtype=np.int64).reshape(len(rows), len(model.decisions))
        return observe_rows(
            model, self.name, "solutions", matrix, plan, complete=self.complete, faults=faults[:FAULTS_KEPT]
        )


@dataclass(frozen=True)
class SolutionFile:
    """A file of solutions, in any of the notations that `cpqueens check` reads."""

    path: str | Path
    complete: bool = False
    _prepared: list[tuple[Model, Found]] = field(default_factory=list, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self.path).name

    def prepare(self, model: Model, plan: Plan) -> None:
        """Read the file before anybody searches, and once for all runs: a pipe has its content one time.

        Raises
        ------
        ModelError
            If the file cannot be read at all.
        """
        self._prepared[:] = [(model, self._found(model))]

    def _found(self, model: Model) -> Found:
        return next((found for m, found in self._prepared if m is model), None) or read_solutions(
            self.path, model
        )

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Check every solution in the file."""
        found = self._found(model)
        faults = [Fault("BAD_ASSIGNMENT", f"{place}: {reason}") for place, reason in found.rejected]
        return observe_rows(
            model, self.name, "solutions", found.matrix, plan, complete=self.complete, faults=faults
        )
