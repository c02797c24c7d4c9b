"""One tiny model, all solvers, the oracle: everything that can be compared is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cpqueens.backends.base import Want
from cpqueens.check import Checker
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.codes import Code
from cpqueens.crosscheck.compare import Case, compare
from cpqueens.crosscheck.given import observe_rows
from cpqueens.crosscheck.observe import Observation
from cpqueens.crosscheck.participants import BackendParticipant, Participant, Plan
from cpqueens.crosscheck.report import Disagreement
from cpqueens.crosscheck.sets import Packing
from cpqueens.errors import CpqueensError
from cpqueens.model import Model

ORACLE = "exhaustive"
HEURISTIC_LIMIT = 0.02
"""Seconds for a solver that does not prove."""


@dataclass(frozen=True)
class Subject:
    """A model under examination, with the oracle's truth about it."""

    model: Model
    participants: Sequence[Participant]
    seed: int = 0
    time_limit: float | None = 5.0
    deep: bool = True
    """Whether second runs and limited enumerations are made too."""

    @cached_property
    def truth(self) -> oracle.Truth:
        """What the oracle says."""
        return oracle.solve(self.model)

    @cached_property
    def grid(self) -> Any:
        """All assignments, (product, decision variables)."""
        return oracle.assignments(self.model)

    def plan(self, want: Want) -> Plan:
        """Return what is asked of everyone."""
        return Plan(want, (self.seed,), Packing(self.model), self.time_limit)

    def seen(self, want: Want, participants: Sequence[Participant]) -> list[Observation]:
        """Return everyone's answers, the oracle's first."""
        plan = self.plan(want)
        truth = observe_rows(self.model, ORACLE, "exact", self.truth.solutions, plan, complete=True)
        brief = replace(plan, time_limit=HEURISTIC_LIMIT)  # most models have no solution for it to find
        return [truth, *(p.observe(self.model, plan if proves(self, p) else brief) for p in participants)]


Examination = Callable[[Subject], Iterator[Disagreement]]


def examine(subject: Subject) -> list[Disagreement]:
    """Return every disagreement on one model, each (code, accused) once."""
    found: dict[tuple[Code, str], Disagreement] = {}
    for examination in EXAMINATIONS:
        for d in examination(subject):
            found.setdefault((d.code, d.accused), d)
    return list(found.values())


def checker_against_oracle(s: Subject) -> Iterator[Disagreement]:
    """The checker and the oracle on every assignment there is."""
    accepted = Checker(s.model).accepts(s.grid)
    mine = {tuple(row) for row in s.grid[accepted].tolist()}
    wrong = mine ^ s.truth.rows
    if wrong:
        row = min(wrong)
        said, other = ("accepts", "rejects") if row in mine else ("rejects", "accepts")
        message = (
            f"{said} {list(row)}, which the oracle {other}; {len(wrong)} of {len(s.grid)} assignments differ"
        )
        yield Disagreement(Code.CHECKER_DOUBT, "checker", message, (ORACLE,), total=len(wrong))


def solution_sets(s: Subject) -> Iterator[Disagreement]:
    """All solutions of everyone."""
    observations = s.seen(Want.ALL, s.participants)
    yield from _compared(s, observations)
    yield from _heuristic_proofs(observations)


def optima(s: Subject) -> Iterator[Disagreement]:
    """The best solution of everyone, for a model with an objective."""
    if s.model.objective is not None:
        yield from _compared(s, s.seen(Want.BEST, s.participants))


def _compared(s: Subject, observations: list[Observation]) -> Iterator[Disagreement]:
    for d in compare(Case(s.model, tuple(observations))):
        yield _doubt_if_oracle(d)
    for o in observations:
        complete = o.claims_all or o.error is not None or not o.proves
        if not complete and o.ended_by == "exhausted":
            yield Disagreement(
                Code.PARTIAL_AS_COMPLETE, o.name, "ended by itself without having exhausted the space"
            )


def _doubt_if_oracle(d: Disagreement) -> Disagreement:
    """The oracle tries everything; who contradicts it by a checked solution casts doubt on the checker."""
    if d.accused == ORACLE:
        return replace(d, code=Code.CHECKER_DOUBT, accused="checker")
    return d


def _heuristic_proofs(observations: list[Observation]) -> Iterator[Disagreement]:
    for o in observations:
        if not o.proves and o.outcome is not None and o.outcome.complete:
            yield Disagreement(
                Code.PARTIAL_AS_COMPLETE, o.name, "does not prove, yet its outcome is complete"
            )


def limited(s: Subject) -> Iterator[Disagreement]:
    """An enumeration up to k solutions delivers exactly k, and is complete only if there are no more."""
    total = s.truth.count
    if not s.deep or not total:
        return
    k = 1 + s.seed % min(total, 4)
    for p in _proving(s):
        seen = p.observe(s.model, replace(s.plan(Want.ALL), solution_limit=k))
        if seen.error is not None or seen.outcome is None or seen.invalid:
            continue
        if seen.count != min(k, total):
            message = f"{seen.count} solutions delivered under a limit of {k}, {total} exist"
            yield Disagreement(Code.COUNT_DIFF, p.name, message, (ORACLE,))
        if total > k and (seen.outcome.complete or seen.outcome.statistics["exhausted"]):
            message = f"{k} of {total} solutions called complete"
            yield Disagreement(Code.PARTIAL_AS_COMPLETE, p.name, message, (ORACLE,))


def counted(s: Subject) -> Iterator[Disagreement]:
    """The number of solutions, from those who count without listing."""
    if not s.deep:
        return
    for p in _proving(s):
        seen = p.observe(s.model, s.plan(Want.COUNT))
        if seen.error is None and seen.claims_all and seen.count != s.truth.count:
            message = f"counts {seen.count}, there are {s.truth.count}"
            yield Disagreement(Code.COUNT_DIFF, p.name, message, (ORACLE,))


def second_runs(s: Subject) -> Iterator[Disagreement]:
    """The same seed on one worker gives the same run."""
    if not s.deep:
        return
    for p in _proving(s):
        pair = [p.observe(s.model, s.plan(Want.ALL)) for _ in range(2)]
        yield from (
            d
            for d in compare(Case(s.model, (), repeats=((pair[0], pair[1]),)))
            if d.code is Code.NONDETERMINISM
        )


def round_trip(s: Subject) -> Iterator[Disagreement]:
    """The model's file means the same as the model."""
    from cpqueens.modelfile import dump_model, parse_model

    try:
        again = oracle.solve(parse_model(dump_model(s.model)))
    except CpqueensError as error:
        yield Disagreement(Code.RELATION_BROKEN, "model file", f"its own file is refused: {error}")
        return
    if not np.array_equal(again.solutions, s.truth.solutions) or again.optimum != s.truth.optimum:
        message = f"{again.count} solutions after the round trip, {s.truth.count} before"
        yield Disagreement(Code.RELATION_BROKEN, "model file", message)


def proves(s: Subject, participant: Participant) -> bool:
    """Say whether a participant is a backend that proves."""
    from cpqueens.solve import choose

    if not isinstance(participant, BackendParticipant):
        return False
    return choose(s.model, participant.solver, Want.ALL)[1].proves


def _proving(s: Subject) -> list[Participant]:
    return [p for p in s.participants if proves(s, p)]


EXAMINATIONS: tuple[Examination, ...] = (
    checker_against_oracle,
    solution_sets,
    optima,
    limited,
    counted,
    second_runs,
    round_trip,
)
