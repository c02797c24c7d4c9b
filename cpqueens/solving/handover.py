"""The hand-over: a heuristic proposes, an exact solver continues (``local-search:tabu+cpsat``).

Without an objective a checked solution of the heuristic is the answer, and the exact solver runs only if
there is none. With one, the heuristic's best solution becomes the exact solver's hint and the bound that
its solutions must reach; that solver's exhaustion then proves the optimum. To the pipeline a hand-over is
one backend, so that statuses are concluded where they always are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cpqueens.answers.outcome import Outcome, StopReason
from cpqueens.backends import named
from cpqueens.backends.base import Backend, Deliver, Ended, Feature, Order, Parameter, Request, Want
from cpqueens.errors import BackendFault, UnknownBackend, UnknownParameter, UnsupportedConstraint
from cpqueens.language.statement import Statement
from cpqueens.solving.incumbent import Receiver, Said, Share
from cpqueens.text.plaintext import shown

_OWN: Mapping[str, Parameter] = {
    "heuristic_share": Parameter(float, 0.1, "the heuristic's part of the time limit, above 0 and below 1"),
    "heuristic_time": Parameter(float, 1.0, "seconds for the heuristic where there is no time limit"),
    "patience": Parameter(
        float, 3.0, "the heuristic ends when its last improvement is so many times as long ago as it took"
    ),
}

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
        declared = self.parameters
        own = {k: v for k, v in request.parameters.items() if k in declared}
        given = replace(request, strategy=self.strategy, parameters=own, **changes)
        return replace(
            given,
            hint=given.hint if Feature.HINT in has else None,
            hinted=given.hinted if Feature.HINT in has else None,
            objective_limit=given.objective_limit if Feature.BOUND in has else None,
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
        self.family = exact.backend.name  # a proof is the exact part's: no evidence beside it
        # each part gets the parameters that it declares
        self.parameters: Mapping[str, Parameter] = {
            **exact.parameters, **heuristic.parameters, **_OWN
        }  # fmt: skip
        first, second = heuristic.backend.features, exact.backend.features
        self.features = frozenset(
            _OF_THE_EXACT_PART & second | _OF_THE_HEURISTIC & first | _OF_EITHER & (first | second)
        )

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Let the heuristic propose, then the exact solver continue with what is left of the time.

        Each lowers the model once: an exact solver that cannot express it says so when its turn comes, which
        is an error only where the heuristic has found nothing.
        """
        share = _share(request)
        receiver = Receiver(model, request, deliver, share.improved)
        proposed = self._propose(model, request, receiver, share)
        if receiver.closed or request.should_stop():
            # a solution was enough, or the user wants no more, or the time is over
            reason = proposed[0].stop_reason if receiver.closed else request.why_stopped()
            return _ended(receiver, reason, proposed, None)
        try:
            continued = self._continue(model, request, receiver)
        except UnsupportedConstraint as refusal:
            if not receiver.delivered[0]:
                raise
            return _ended(receiver, proposed[0].stop_reason, proposed, None, str(refusal))
        return _ended(receiver, continued[0].stop_reason, proposed, continued)

    def _propose(self, model: Statement, request: Request, receiver: Receiver, share: Share) -> Said:
        best = request.want is Want.BEST and Feature.OBJECTIVE in self.heuristic.backend.features
        wanted = self.heuristic.request(request, want=Want.BEST if best else Want.ONE)
        receiver.begin(self.heuristic.label)
        start = request.clock.elapsed()  # less compilation and the consumer's time
        with share.running():
            ended = self.heuristic.backend.run(model, wanted, receiver.deliver)
        _compare_claim(self.heuristic, ended, receiver)
        return ended, request.clock.elapsed() - start

    def _continue(self, model: Statement, request: Request, receiver: Receiver) -> Said:
        changes: dict[str, Any] = {"step_limit": None}
        if receiver.best is not None:
            everything = np.ones(len(receiver.best), dtype=bool)
            changes |= {"hint": receiver.best, "hinted": everything, "objective_limit": receiver.value}
        wanted = self.exact.request(request, **changes)
        receiver.begin(self.exact.label)
        start = request.clock.elapsed()
        ended = self.exact.backend.run(model, wanted, receiver.deliver)
        _compare_claim(self.exact, ended, receiver)
        self._refute(wanted, ended, receiver)
        return ended, request.clock.elapsed() - start

    def _refute(self, wanted: Request, ended: Ended, receiver: Receiver) -> None:
        """Raise if the exact part exhausted without the incumbent: it lies within what it was asked for."""
        if ended.exhausted and receiver.best is not None and not receiver.delivered[-1]:
            within = "" if wanted.objective_limit is None else f" with objective {receiver.value} or better"
            raise _fault(
                self.exact,
                "FALSE_UNSAT",
                f"exhausted, and found nothing{within}; {receiver.found_by} found a checked solution",
            )

    def credit(self, outcome: Outcome) -> Outcome:
        """Return the outcome with who found and who proved it, and what became of the hint."""
        statistics = dict(outcome.statistics)
        found = outcome.solution is not None
        statistics["found_by"] = statistics["found_by"] if found else None
        statistics["proved_by"] = self.exact.label if outcome.complete else None
        if self.reason:
            statistics["reason"] = self.reason
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


def _compare_claim(part: Part, ended: Ended, receiver: Receiver) -> None:
    """Raise if a part claims another objective than that of its best solution."""
    value = receiver.values[-1]
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
    """Return what became of the hint: none, unused, accepted, repaired or ignored."""
    said = {} if continued is None else continued[0].statistics
    if "hint" in said:
        return {name: said[name] for name in said if name.startswith("hint")}
    if not receiver.delivered[0]:
        return {"hint": "none"}
    return {"hint": "unused" if continued is None else "ignored"}


def _share(request: Request) -> Share:
    own = {name: request.parameters.get(name, parameter.default) for name, parameter in _OWN.items()}
    for name, value in own.items():
        if not value > 0 or (name == "heuristic_share" and value >= 1):
            allowed = "a number above 0" + (" and below 1" if name == "heuristic_share" else "")
            raise UnknownParameter(f"{name}: {allowed} is needed, got {value}")
    remaining = request.clock.remaining()
    seconds = own["heuristic_time"] if remaining is None else own["heuristic_share"] * remaining
    return Share(request.clock, seconds, own["patience"])
