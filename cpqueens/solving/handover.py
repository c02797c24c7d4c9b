"""The hand-over: a heuristic proposes, an exact solver continues (``local-search:tabu+cpsat``).

Both run at a time, so that no proof waits for the heuristic: it joins when nothing was proved at once, or
begins where it is likely to be enough. Without an objective the first checked solution of either is the
answer. With one, what the heuristic has found becomes the hint of the exact solver and the bound that it
must reach; what it finds later is told to that while it runs, and its exhaustion, or its bound, then proves
the optimum. To the pipeline a hand-over is one backend, so that statuses are concluded where they always are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cpqueens.answers.outcome import Outcome, StopReason
from cpqueens.backends import named
from cpqueens.backends.base import Backend, Deliver, Ended, Feature, Order, Request, Want, within_limits
from cpqueens.errors import BackendFault, UnknownBackend, UnknownParameter, UnsupportedConstraint
from cpqueens.language.statement import Statement
from cpqueens.solving.beside import Beside, Receiver, Said
from cpqueens.text.parameters import Parameter
from cpqueens.text.plaintext import shown

_OWN: Mapping[str, Parameter] = {
    "heuristic_share": Parameter(
        float, 0.1, "the heuristic's processor seconds as a part of the time limit, above 0 and below 1"
    ),
    "heuristic_time": Parameter(
        float, 1.0, "processor seconds of the heuristic without a time limit, for each 50,000 variables"
    ),
    "patience": Parameter(
        float, 3.0, "the heuristic ends when its last improvement is so many times as long ago as it took"
    ),
}

_VARIABLES = 50_000
"""Variables of which reading and checking takes much of a second."""
HEAD_START = 0.05
"""Processor seconds that the heuristic has for itself where one solution of many variables is wanted."""
MANY_VARIABLES = 150
"""Variables from which on that is likely to be all."""
DELAY = 0.2
"""Processor seconds of the exact solver alone elsewhere: what is proved at once gains nothing by company."""
NOTHING_FOUND = 1.0
"""Processor seconds after which an exact solver without a solution begins anew from the heuristic's."""

_OF_THE_EXACT_PART = {Feature.OBJECTIVE, Feature.WORKERS, Feature.LOG}
_OF_THE_HEURISTIC = {Feature.STEP_LIMIT}
_OF_EITHER = {Feature.SEED, Feature.HINT}


@dataclass(frozen=True)
class Part:
    """One of the two: a backend, perhaps with a strategy."""

    label: str
    backend: Backend
    strategy: str | None

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What it can be told."""
        return named.parameters_of(self.backend, self.strategy)

    def request(self, request: Request, **changes: Any) -> Request:
        """Return the part of ``request`` that this backend understands."""
        has = self.backend.features
        declared = self.parameters if request.parameters else {}  # for which a solver loads its library
        own = {k: v for k, v in request.parameters.items() if k in declared}
        given = replace(request, strategy=self.strategy, parameters=own, **changes)
        return replace(
            given,
            hint=given.hint if Feature.HINT in has else None,
            hinted=given.hinted if Feature.HINT in has else None,
            objective_limit=given.objective_limit if Feature.BOUND in has else None,
            incumbent=given.incumbent if Feature.BOUND in has else None,
            workers=given.workers if Feature.WORKERS in has else 1,
            log=given.log if Feature.LOG in has else None,
        )


def hand_over(solver: str) -> HandOver:
    """Return the backend that ``heuristic+exact`` names; each part may have a strategy.

    Raises
    ------
    UnknownBackend
        If a part does not exist, or is not what its place asks for.
    """
    names = solver.split("+")
    if len(names) != 2 or not all(names):
        raise UnknownBackend(f"solver {shown(solver)}: a hand-over is written heuristic+exact")
    heuristic, exact = (_part(name) for name in names)
    if heuristic.backend.proves:
        raise UnknownBackend(f"solver {shown(solver)}: {names[0]} proves by itself; a heuristic hands over")
    if not exact.backend.proves:
        raise UnknownBackend(f"solver {shown(solver)}: {names[1]} proves nothing; an exact solver continues")
    return HandOver(heuristic, exact)


def _part(label: str) -> Part:
    name, strategy = named.split_name(label)
    return Part(label, named.get_backend(name), strategy)


class HandOver:
    """Two backends as one; see `hand_over`."""

    order = Order.ANY
    proves = True
    strategies: tuple[str, ...] = ()

    def __init__(self, heuristic: Part, exact: Part) -> None:
        self.reason = ""  # for which it was chosen, where nobody asked for it
        self.heuristic, self.exact = heuristic, exact
        self.name = f"{heuristic.label}+{exact.label}"
        first, second = heuristic.backend.features, exact.backend.features
        self.features = frozenset(
            _OF_THE_EXACT_PART & second | _OF_THE_HEURISTIC & first | _OF_EITHER & (first | second)
        )

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """Those of both parts, each of which gets what it declares, and its own."""
        return {**self.exact.parameters, **self.heuristic.parameters, **_OWN}

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Let the heuristic propose, and the exact solver begin after a moment.

        Each lowers the model once: an exact solver that cannot express it says so when its turn comes, which
        is an error only where the heuristic has found nothing.
        """
        seconds, patience = _share(request, len(model.decisions))
        receiver = Receiver(model, request, deliver, (self.heuristic.label, self.exact.label))
        best = request.want is Want.BEST and Feature.OBJECTIVE in self.heuristic.backend.features
        wanted = self.heuristic.request(request, want=Want.BEST if best else Want.ONE)
        head_start = self._head_start(model, request)
        if head_start == 0:
            _ = self.parameters  # its library is loaded before the heuristic's time begins
        beside = Beside(
            self.heuristic.backend, model, wanted, seconds, patience, receiver.deliver_of(0),
            None if head_start is None else DELAY if head_start == 0 else 0.0,
        )  # fmt: skip
        try:
            _listen(beside, receiver, request, head_start)
            return self._both(model, request, receiver, beside)
        finally:
            beside.stop()

    def _head_start(self, model: Statement, request: Request) -> float | None:
        """Return the seconds that the heuristic has for itself; None: all of its time."""
        if self.reason:
            return None
        many = request.want is Want.ONE and len(model.decisions) >= MANY_VARIABLES
        return HEAD_START if many else 0.0

    def _both(self, model: Statement, request: Request, receiver: Receiver, beside: Beside) -> Ended:
        if receiver.closed or request.should_stop():
            # a solution was enough, or the user wants no more, or the time is over
            proposed = self._proposed(beside, receiver)
            reason = proposed[0].stop_reason if receiver.closed else request.why_stopped()
            return _ended(receiver, reason, proposed, None)
        try:
            continued = self._continue(model, request, receiver, beside)
        except UnsupportedConstraint as refusal:
            _listen(beside, receiver, request, None)
            proposed = self._proposed(beside, receiver)
            if not receiver.delivered[0]:
                raise
            return _ended(receiver, proposed[0].stop_reason, proposed, None, str(refusal))
        if receiver.closed_by != 0:
            beside.stop()
        proposed = self._proposed(beside, receiver)
        last = proposed if receiver.closed_by == 0 else continued
        return _ended(receiver, last[0].stop_reason, proposed, continued)

    def _proposed(self, beside: Beside, receiver: Receiver) -> Said:
        """Return how the heuristic ended, once it has; it cannot be worse than what it delivered."""
        proposed = beside.said()
        _compare_claim(self.heuristic, proposed[0], receiver, 0)
        return proposed

    def _continue(self, model: Statement, request: Request, receiver: Receiver, beside: Beside) -> Said:
        """Run the exact solver, a second time if the heuristic finds something while it finds nothing."""
        start = request.clock.elapsed()
        while True:
            company = _Company(request, receiver, beside)
            wanted = self._wanted(request, receiver, company)
            ended = within_limits(self.exact.backend, model, wanted, receiver.deliver_of(1))
            if not company.anew or receiver.closed or request.should_stop():
                break
        _compare_claim(self.exact, ended, receiver, 1)
        self._refute(wanted, ended, receiver)
        return ended, request.clock.elapsed() - start

    def _wanted(self, request: Request, receiver: Receiver, company: _Company) -> Request:
        """Return what the exact solver is asked for, given what is known."""
        changes: dict[str, Any] = {"step_limit": None, "interrupted": company.interrupted}
        best = receiver.best
        if best is not None:
            changes |= {"hint": best, "hinted": np.ones(len(best), dtype=bool)}
            changes["objective_limit"] = company.known
        return self.exact.request(request, **changes, incumbent=company.incumbent)

    def _refute(self, wanted: Request, ended: Ended, receiver: Receiver) -> None:
        """Raise if the exact part exhausted without the incumbent: it lies within what it was asked for."""
        told = ended.bound is not None and wanted.incumbent is not None and wanted.incumbent() is not None
        if ended.exhausted and receiver.best is not None and not receiver.delivered[1] and not told:
            within = "" if wanted.objective_limit is None else f" with objective {receiver.value} or better"
            raise _fault(
                self.exact,
                "FALSE_UNSAT",
                f"exhausted, and found nothing{within}; {receiver.found_by} found a checked solution",
            )

    def credit(self, outcome: Outcome) -> Outcome:
        """Return the outcome with who found and who proved it, and how the hint was used."""
        statistics = dict(outcome.statistics)
        found = outcome.solution is not None
        statistics["found_by"] = statistics.get("found_by") if found else None
        statistics["proved_by"] = self.exact.label if outcome.complete else None
        if self.reason:
            statistics["reason"] = self.reason
        if "heuristic" not in statistics:  # both were broken off
            return replace(outcome, statistics=statistics)
        return replace(
            outcome, statistics=statistics, messages=(*outcome.messages, self._story(outcome, statistics))
        )

    def _story(self, outcome: Outcome, statistics: Mapping[str, Any]) -> str:
        """Tell in one line what each part did."""
        first, second = statistics["heuristic"], statistics["exact"]
        value = "" if first["objective"] is None else f" of objective {first['objective']}"
        proposal = (
            f"found a solution{value}" if first["delivered"] else f"found none ({first['stop_reason']})"
        )
        story = [f"{self.heuristic.label} {proposal} in {first['seconds']:.2f} s"]
        if second is None:
            unneeded = f"{self.exact.label} was not needed" if first["delivered"] else "the time was over"
            story.append(statistics.get("refused", unneeded))
            return "; ".join(story)
        did = []
        if statistics["hint"] != "none":
            did.append(f"hint {statistics['hint']}")
        if statistics["found_by"] == self.exact.label:
            did.append(f"improved it to {outcome.objective}" if first["delivered"] else "found the solution")
        proof = {"OPTIMAL": "proved the optimum", "INFEASIBLE": "proved that there is none"}
        did.append(proof.get(outcome.status, "proved nothing") if outcome.complete else "proved nothing")
        return "; ".join([*story, f"{self.exact.label}: {', '.join(did)} in {second['seconds']:.2f} s"])


class _Company:
    """What the exact solver hears of the heuristic while both run."""

    def __init__(self, request: Request, receiver: Receiver, beside: Beside) -> None:
        self._request, self._receiver, self._beside = request, receiver, beside
        self._began: float | None = None  # by `Clock.used`
        self.known = receiver.value  # when the exact solver began
        self.anew = False  # whether that is to begin anew

    def incumbent(self) -> int | None:
        """Return the heuristic's best objective if it is better than what the exact solver began with."""
        value = self._receiver.values[0]
        better = value is not None and (self.known is None or self._receiver.is_better(value, self.known))
        return value if better else None

    def interrupted(self) -> bool:
        """Say whether the exact solver is to stop; asked often, it lets the heuristic begin in time."""
        self._beside.begin_in_time()
        used = self._request.clock.used()
        self._began = used if self._began is None else self._began
        if self.incumbent() is not None and self.known is None and not self._receiver.delivered[1]:
            self.anew = self.anew or used - self._began > NOTHING_FOUND
        return self.anew or self._receiver.closed or self._request.interrupted()


def _listen(beside: Beside, receiver: Receiver, request: Request, seconds: float | None) -> None:
    """Let the heuristic run by itself until it has ended, for so many seconds at most (`Beside.had`)."""
    most = math.inf if seconds is None else seconds
    while not (receiver.closed or request.should_stop() or beside.had() >= most or beside.wait(0.005)):
        pass


def _compare_claim(part: Part, ended: Ended, receiver: Receiver, which: int) -> None:
    """Raise if a part claims another objective than that of its best solution."""
    value = receiver.values[which]
    if ended.objective not in (None, value) and not receiver.closed:
        raise _fault(part, "OBJ_MISMATCH", f"objective {ended.objective} claimed, {value} delivered")


def _fault(part: Part, code: str, text: str) -> BackendFault:
    return BackendFault(f"{part.label} broke its contract, {code}: {text}", code)


def _ended(
    receiver: Receiver, reason: StopReason, proposed: Said, continued: Said | None, refused: str = ""
) -> Ended:
    """Return how both together ended; exhaustion and bound are the exact part's alone."""
    first = proposed[0]
    last = Ended(False, reason) if continued is None else continued[0]
    shown = {k: v for k, v in last.statistics.items() if not k.startswith("hint")}
    statistics = {
        **shown,
        "translate_time": sum(float(e.statistics.get("translate_time", 0.0)) for e in (first, last)),
        "found_by": receiver.found_by,
        **_hint_fate(receiver, continued),
        "contributors": receiver.contributors(continued is not None),
        "heuristic": receiver.account(0, proposed),
        "exact": None if continued is None else receiver.account(1, continued),
    }
    if refused:
        statistics["refused"] = refused
    return Ended(
        last.exhausted, reason, receiver.value, last.bound, closest=first.closest,
        statistics=statistics,
    )  # fmt: skip


def _hint_fate(receiver: Receiver, continued: Said | None) -> dict[str, Any]:
    """Return how the hint was used: none, unused, accepted, repaired or ignored."""
    said = {} if continued is None else continued[0].statistics
    if "hint" in said:
        return {name: said[name] for name in said if name.startswith("hint")}
    if not receiver.delivered[0]:
        return {"hint": "none"}
    return {"hint": "unused" if continued is None else "ignored"}


def _share(request: Request, variables: int) -> tuple[float, float]:
    """Return the heuristic's processor seconds and patience."""
    own = {name: request.parameters.get(name, parameter.default) for name, parameter in _OWN.items()}
    for name, value in own.items():
        if not value > 0 or (name == "heuristic_share" and value >= 1):
            allowed = "a number above 0" + (" and below 1" if name == "heuristic_share" else "")
            raise UnknownParameter(f"{name}: {allowed} is needed, got {value}")
    remaining = request.clock.remaining()
    if remaining is not None:
        return own["heuristic_share"] * remaining, own["patience"]
    return own["heuristic_time"] * max(1.0, variables / _VARIABLES), own["patience"]
