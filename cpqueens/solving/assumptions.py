"""Solving under assumptions, and which of them are to blame if there is no solution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cpqueens.answers.outcome import Outcome, SolutionSet, Status
from cpqueens.answers.stated import Assumption, AssumptionCore
from cpqueens.backends.base import Request, Want
from cpqueens.backends.clock import Share, sharing
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.describe import describe
from cpqueens.language.expressions import BoolArray
from cpqueens.language.statement import Statement
from cpqueens.language.truths import Literals
from cpqueens.solving.collect import Consumer
from cpqueens.solving.deletion import reduced
from cpqueens.solving.stages import Stages
from cpqueens.system.interrupts import Interrupt, listening
from cpqueens.text.plaintext import checked_name, shown

NativeCore = Callable[[Statement, list[int], Request], "list[int] | None"]
"""A backend's own: of a model and decision variables assumed to be 1, those that cannot be, or None."""

LEAST_PATIENCE, PATIENCE = 1.0, 3.0
"""Processor seconds in which a core is made minimal, or so many times the proof's, if that is more."""

MOST_ASSUMPTIONS = 100_000


@dataclass(frozen=True)
class _Assumed:
    """One assumption as a truth of the model."""

    name: str | None
    truth: BoolArray

    def text(self, model: Statement) -> str:
        """Return what was assumed, a Boolean variable by its name."""
        if isinstance(self.truth, Constraint):
            return describe(model, self.truth)
        assert isinstance(self.truth, Literals)
        ((variables, coefficients, constant),) = self.truth.terms.reshape(-1).rows()
        signs = {(1, 0): "", (-1, 1): "~"}
        if len(variables) == 1 and (coefficients[0], constant) in signs:
            return f"{signs[coefficients[0], constant]}{model.label_of(variables[0])}"
        return describe(model, Linear(self.truth.terms - 1, ">="))


def as_assumptions(model: Statement, given: Any) -> list[_Assumed]:
    """Return the elements of truths in a list, or of ``{name: truth}``.

    Raises
    ------
    ModelError
        For anything that is not Boolean of this model.
    """
    named: Iterable[tuple[Any, Any]]
    if isinstance(given, Mapping):
        named = given.items()
    elif (
        isinstance(given, str | bytes) or not isinstance(given, Iterable) or getattr(given, "shape", 1) == ()
    ):
        raise ModelError(f"assumptions: a list of Booleans or {{name: Boolean}} needed, got {shown(given)}")
    else:
        named = ((None, truth) for truth in given)
    found: list[_Assumed] = []

    def note(item: BoolArray, name: str | None, _source: Any) -> None:
        parts = list(_elements(item))
        labels = [name] if len(parts) == 1 or name is None else [f"{name}[{k}]" for k in range(len(parts))]
        found.extend(_Assumed(labels[k % len(labels)], part) for k, part in enumerate(parts))
        if len(found) > MOST_ASSUMPTIONS:
            raise ModelError(f"assumptions: more than {MOST_ASSUMPTIONS}")

    for name, truth in named:
        label = None if name is None else checked_name(name, "name of an assumption", 1000, least=0)
        model._add(truth, label, None, post=note)
    return found


def _elements(item: BoolArray) -> Iterable[BoolArray]:
    if isinstance(item, Literals):
        terms = item.terms.reshape(-1)
        return (Literals(terms[[k]]) for k in range(terms.size))
    assert isinstance(item, Constraint)
    flat = item.flattened()
    return (flat.take(np.array([k])) for k in range(flat.size)) if item.shape else (item,)


def under_assumptions(
    stages: Stages,
    want: Want,
    consumer: Consumer | None,
    keep: bool,
    given: Any,
    native: NativeCore | None,
    look_ahead: bool,
) -> Outcome:
    """Run the model with the assumptions as constraints; if it has no solution, say which are to blame."""
    model = stages.model
    assumed = as_assumptions(model, given)

    def take(interrupt: Interrupt, found: SolutionSet) -> int | None:
        return None if consumer is None else consumer(interrupt, stages.mine(found))

    proof = Share()
    with sharing(proof):
        outcome = stages.run(_posted(model, assumed), want, take, keep, look_ahead)
    whole = replace(stages.outcome(), statistics=outcome.statistics)
    if outcome.status is not Status.INFEASIBLE or not outcome.complete:
        return whole
    return replace(whole, core=_Blame(stages, assumed, proof.used).core(native))


def _posted(model: Statement, assumed: Iterable[_Assumed]) -> Statement:
    """Return a copy of the model in which the assumptions are constraints."""
    other = model.copy()
    for one in assumed:
        other._post(other._own(one.truth), one.name, None)
    return other


class _Blame:
    """Asks for subsets of the assumptions whether the model has a solution under them."""

    def __init__(self, stages: Stages, assumed: list[_Assumed], took: float) -> None:
        self._stages, self._assumed = stages, assumed
        self._share = Share(max(LEAST_PATIENCE, PATIENCE * took))
        self._plain = stages.model.copy()
        self._plain._clear_objectives()

    def core(self, native: NativeCore | None) -> AssumptionCore:
        """Return a core: all of them, then what the backend itself says, then what deletion leaves."""
        with listening() as interrupt:
            everything = list(range(len(self._assumed)))
            found = everything if native is None else self._said_by(native, interrupt)
            subset, minimal = reduced(found, self._infeasible, interrupt)
        said = (
            Assumption(k, self._assumed[k].name, self._assumed[k].text(self._stages.model)) for k in subset
        )
        return AssumptionCore(tuple(said), minimal)

    def _said_by(self, native: NativeCore, interrupt: Interrupt) -> list[int]:
        """Return the backend's own core if it holds, or all assumptions."""
        everything = list(range(len(self._assumed)))
        guarded = self._plain.copy()
        switches = guarded.boolvar(shape=len(everything))
        place = {variable: k for k, variable in enumerate(switches.variables.reshape(-1).tolist())}
        for k, one in enumerate(self._assumed):
            guarded.add(switches[k].implies(guarded._own(one.truth)))
        try:
            with self._share.clock(self._stages.left) as clock:
                request = Request(Want.ONE, clock, interrupt.cancel, interrupted=interrupt.poll)
                found = native(guarded, list(place), request)
        except CpqueensError:  # a constraint that it cannot write under a condition, for one
            return everything
        core = sorted(place[variable] for variable in found or ())
        return core if found is not None and self._infeasible(core) else everything

    def _infeasible(self, subset: list[int]) -> bool | None:
        """Say whether there is no solution under these; None if undecided, or the time is over."""
        if self._share.left <= 0:
            return None
        posted = _posted(self._plain, (self._assumed[k] for k in subset))
        with sharing(self._share):
            outcome = self._stages.trial(posted)
        if outcome.status is Status.INFEASIBLE and outcome.complete:
            return True
        return False if outcome.solution is not None else None
