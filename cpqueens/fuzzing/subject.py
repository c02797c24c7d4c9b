"""One tiny model under examination: who answers for it, and the oracle's truth about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any, TypeVar

from cpqueens.backends.base import Want
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.compare import Case, compare
from cpqueens.crosscheck.findings import Code, Disagreement
from cpqueens.crosscheck.given import observe_rows
from cpqueens.crosscheck.observe import Observation, Participant, Plan
from cpqueens.crosscheck.participants import BackendParticipant
from cpqueens.crosscheck.sets import Packing
from cpqueens.fuzzing.written import Script
from cpqueens.model import Model
from cpqueens.solving.request import choose

ORACLE = "exhaustive"
HEURISTIC_LIMIT = 0.02
"""Seconds for a solver that does not prove, where there is a solution."""
HOPELESS_LIMIT = 0.004
"""The same where there is none: it can only be wrong at once."""

_REFUSED = (Code.UNSUPPORTED, Code.MODEL_INVALID)
Asked = TypeVar("Asked", bound=Participant)


@dataclass(frozen=True)
class Subject:
    """A model under examination, with the oracle's truth about it."""

    model: Model
    participants: Sequence[Participant]
    seed: int = 0
    time_limit: float | None = 5.0
    deep: bool | None = True
    """Whether all further examinations are made too; None makes a few, chosen by the seed."""
    known: oracle.Solved | None = None
    """The truth about the model, where it is known already."""
    script: Script | None = None
    """What was said to the model, where that was written down."""
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often (what, solver) was asked beyond the usual."""
    _observed: dict[Want, Observation] = field(default_factory=dict, init=False)

    @cached_property
    def truth(self) -> oracle.Solved:
        """What the oracle says."""
        return oracle.solve(self.model) if self.known is None else self.known

    @cached_property
    def grid(self) -> Any:
        """All assignments, (product, decision variables)."""
        return oracle.assignments(self.model)

    @cached_property
    def proving(self) -> list[BackendParticipant]:
        """The participants that are backends whose exhaustion is a proof."""
        return [p for p in self.participants if isinstance(p, BackendParticipant) and proves(self, p)]

    @cached_property
    def usual(self) -> list[Participant]:
        """Who is asked on every model: all that prove, and one of the others in turn."""
        others = [p for p in self.participants if not proves(self, p)]
        resting = [p for k, p in enumerate(others) if k != self.seed % len(others)]
        return [p for p in self.participants if p not in resting]

    @cached_property
    def listings(self) -> list[Observation]:
        """Everyone's solutions, the oracle's first."""
        return self.seen(Want.ALL, self.usual)

    def turn(self, what: str, able: Sequence[Asked]) -> Sequence[Asked]:
        """Return who of several is asked a further question: all in a deep examination, else one by lot."""
        return able if self.deep or not able else [Random(f"{self.seed}/{what}").choice(able)]

    def book(self, what: str, observation: Observation) -> bool:
        """Book that a solver answered a further question; say whether it did."""
        if observation.error in _REFUSED:
            return False
        self.asked[what, observation.name.partition(":")[0]] += 1
        return True

    def about(self, model: Model) -> Subject:
        """Return the same examination of another model."""
        return replace(self, model=model, known=None, script=None)

    @cached_property
    def _packing(self) -> Packing:
        return Packing(self.model)

    def plan(self, want: Want) -> Plan:
        """Return what is asked of everyone."""
        return Plan(want, (self.seed,), self._packing, self.time_limit)

    def seen(self, want: Want, participants: Sequence[Participant]) -> list[Observation]:
        """Return everyone's answers, the oracle's first."""
        plan = self.plan(want)
        return [self._truths(want), *(self.answer(p, plan) for p in participants)]

    def _truths(self, want: Want) -> Observation:
        """Return the oracle's answer, made once."""
        known = self._observed
        if want not in known:
            rows = self.truth.solutions
            known[want] = observe_rows(self.model, ORACLE, "exact", rows, self.plan(want), complete=True)
        return known[want]

    def answer(self, participant: Participant, plan: Plan) -> Observation:
        """Return one answer; who does not prove has less time, most models being infeasible or easy."""
        return participant.observe(self.model, plan if proves(self, participant) else self.hurried(plan))

    def hurried(self, plan: Plan) -> Plan:
        """Return the plan for who does not prove: it need not find anything."""
        return replace(plan, time_limit=HEURISTIC_LIMIT if self.truth.count else HOPELESS_LIMIT)


Examination = Callable[[Subject], Iterator[Disagreement]]


def compared(s: Subject, observations: Sequence[Observation]) -> Iterator[Disagreement]:
    """Yield what the answers, of which the oracle's is the first, disagree about."""
    for d in compare(Case(s.model, tuple(observations))):
        yield _doubt_if_oracle(d)
    for o in observations:
        complete = o.claims_all or o.error is not None or not o.proves
        if not complete and o.ended_by == "exhausted":
            yield Disagreement(
                Code.PARTIAL_AS_COMPLETE, o.name, "ended by itself without having exhausted the space"
            )


def miscounted(s: Subject, seen: Observation, where: str = "") -> Iterator[Disagreement]:
    """Yield what is wrong with a count that claims to be whole."""
    if seen.error is None and seen.claims_all and seen.count != s.truth.count:
        message = f"counts {seen.count}{where}, there are {s.truth.count}"
        yield Disagreement(Code.COUNT_DIFF, seen.name, message, (ORACLE,))


def _doubt_if_oracle(d: Disagreement) -> Disagreement:
    """The oracle tries everything; who contradicts it by a checked solution casts doubt on the checker."""
    if d.accused == ORACLE:
        return replace(d, code=Code.CHECKER_DOUBT, accused="checker")
    return d


def proves(s: Subject, participant: Participant) -> bool:
    """Say whether a participant is a backend that proves."""
    if not isinstance(participant, BackendParticipant):
        return False
    return choose(s.model, participant.solver, Want.ALL)[1].proves
