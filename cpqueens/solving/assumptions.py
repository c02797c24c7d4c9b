"""Solving under assumptions, and which of them are to blame if there is no solution.

Irreducible infeasible subsets by deletion: what stays infeasible without a part does not need it.

Parts are left out in chunks, which double where they are not needed and halve where one of them is
(Chinneck and Dravnieks, ORSA J. Computing 3, 1991).
A solution without some parts is a witness: if it violates a single part, that one is needed, and so is
whatever alone is violated once a value of it is changed, or two are swapped (model rotation: Marques-Silva
and Lynce, SAT 2011; Belov and Marques-Silva, FMCAD 2011).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import Outcome, Status
from cpqueens.answers.solution import SolutionSet, solutions_of
from cpqueens.answers.stated import Assumption, AssumptionCore
from cpqueens.backends.base import Request, Want
from cpqueens.backends.clock import Share, sharing
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.expressions import BoolArray
from cpqueens.language.rows import IntArray, Mask
from cpqueens.language.statement import Statement
from cpqueens.language.truths import Literals
from cpqueens.language.wording import describe
from cpqueens.solving.collect import Consumer
from cpqueens.solving.stages import Stages
from cpqueens.system.interrupts import Interrupt, listening
from cpqueens.system.stopping import Stopped, stopping
from cpqueens.text.plaintext import checked_name, shown

_NEIGHBOURS = 2000
"""Changed witnesses that are looked at for each; of more there is a part, evenly spaced."""

_CELLS = 1_000_000
"""Values of variables in these witnesses: of large models there are fewer."""


def reduced(
    subset: list[int],
    infeasible: Callable[[list[int]], bool | None],
    over: Callable[[], bool],
    shown: Callable[[list[int]], set[int]] = lambda subset: set(),
) -> tuple[list[int], bool]:
    """Return an irreducible subset and whether every run decided; once all is over, the one so far.

    ``infeasible`` says of positions whether they are infeasible together; None if undecided. ``shown`` may
    say of an infeasible subset which positions it needs; what one subset needs, each within it needs too.
    """
    needed, undecided = shown(subset), set[int]()
    chunk = max(1, len(subset) // 4)
    while todo := [p for p in subset if p not in needed and p not in undecided]:
        if over():
            return subset, False
        out = todo[:chunk]
        trial = [p for p in subset if p not in out]
        answer = infeasible(trial)
        if answer is True:
            subset, chunk = trial, 2 * chunk
            continue
        if answer is False:
            needed |= shown(subset)
        if len(out) > 1:
            chunk = max(1, len(out) // 2)
            continue
        (needed if answer is False else undecided).update(out)
    return subset, not undecided


class Witnesses:
    """Assignments of a model's variables that violate few of its constraints, and what they show."""

    def __init__(self, model: Statement) -> None:
        self._checker = Checker(model)
        self._model, self._variables = model, model.decisions.tolist()
        self._most = max(1, min(_NEIGHBOURS, _CELLS // max(1, model.variable_count)))
        self._seen: list[IntArray] = []

    def add(self, row: IntArray) -> None:
        """Keep an assignment of the decision variables."""
        self._seen.append(row)

    def among(self, parts: Sequence[tuple[int, int | None]]) -> Callable[[Iterable[int]], set[int]]:
        """Return what says of an infeasible subset of places in ``parts`` which of these it needs.

        ``parts`` are positions of constraints, each with its row, None for all rows. It is asked of
        smaller and smaller subsets.
        """
        needed: set[int] = set()

        def shown(subset: Iterable[int]) -> set[int]:
            places = sorted(subset)
            wanted = [parts[k] for k in places]
            todo = [np.stack(self._seen)] if self._seen else []
            while todo:
                rows = todo.pop()
                broken = self._broken(rows, wanted)
                for k in np.flatnonzero(broken.sum(axis=1) == 1).tolist():
                    place = places[int(np.argmax(broken[k]))]
                    if place not in needed:
                        needed.add(place)
                        todo.append(self._neighbours(rows[k]))
            return needed

        return shown

    def _broken(self, rows: IntArray, parts: list[tuple[int, int | None]]) -> Mask:
        """Return which parts each assignment violates, of shape (assignments, parts)."""
        amounts = self._checker.elements(rows, sorted({k for k, _ in parts}))
        columns = [amounts[k].any(axis=1) if row is None else amounts[k][:, row] != 0 for k, row in parts]
        return np.stack(columns, axis=1) if columns else np.zeros((len(rows), 0), dtype=np.bool_)

    def _neighbours(self, row: IntArray) -> IntArray:
        """Return the assignments in which one variable has another value, or two swap theirs."""
        room = max(1, self._most // len(row))
        values = [np.unique(self._values(v)[:: 1 + self._values(v).size // room]) for v in self._variables]
        at = np.repeat(np.arange(len(row)), [some.size for some in values])
        kept = slice(None, None, 1 + at.size // (self._most + 1))
        changed = np.repeat(row[None], at[kept].size, axis=0)
        changed[np.arange(len(changed)), at[kept]] = np.concatenate(values)[kept]
        first, second = np.triu_indices(len(row), 1)
        some = np.flatnonzero(row[first] != row[second])
        some = some[:: 1 + some.size // self._most]
        swapped = np.repeat(row[None], some.size, axis=0)
        each = np.arange(some.size)
        swapped[each, first[some]], swapped[each, second[some]] = row[second[some]], row[first[some]]
        everything = np.concatenate([changed, swapped])
        return everything[self._checker.in_domain(everything).all(axis=1)]

    def _values(self, variable: int) -> IntArray:
        """Return the domain of a variable, of a large one a part."""
        if variable in self._model.domains:
            return self._model.domains[variable]
        low, high = int(self._model.lower[variable]), int(self._model.upper[variable])
        return np.arange(low, high + 1, 1 + (high - low) // _NEIGHBOURS, dtype=np.int64)


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
        return None if consumer is None else consumer(interrupt, solutions_of(model, found))

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


def native_core(
    native: NativeCore,
    made: Callable[[], tuple[Statement, Sequence[Any]]],
    share: Share,
    time_limit: float | None,
    interrupt: Interrupt,
) -> list[int] | None:
    """Return which truths about a model a backend says cannot hold together; None if it does not say.

    Each holds where a variable of its own is 1, which is assumed. ``made`` gives a model that may be changed,
    and the truths.
    """
    try:
        with share.clock(time_limit) as clock:
            clock.measure()  # the model is made in this thread
            request = Request(Want.ONE, clock, interrupt.cancel, interrupted=interrupt.poll)
            with stopping(request.should_stop):
                model, truths = made()
                switches = model.boolvar(shape=len(truths))
                for switch, truth in zip(switches, truths, strict=True):
                    model.add(switch.implies(truth))
            assumed = switches.variables.reshape(-1).tolist()
            found = native(model, assumed, request)
    except (CpqueensError, Stopped):  # a constraint that it cannot write under a condition, for one
        return None
    return None if found is None else sorted(map(assumed.index, found))


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
            subset, minimal = reduced(
                found, self._infeasible, lambda: interrupt.seen or self._share.left <= 0
            )
        said = (
            Assumption(k, self._assumed[k].name, self._assumed[k].text(self._stages.model)) for k in subset
        )
        return AssumptionCore(tuple(said), minimal)

    def _said_by(self, native: NativeCore, interrupt: Interrupt) -> list[int]:
        """Return the backend's own core, if it has one that is one; else all assumptions."""

        def made() -> tuple[Statement, list[BoolArray]]:
            other = self._plain.copy()
            return other, [other._own(one.truth) for one in self._assumed]

        core = native_core(native, made, self._share, self._stages.left, interrupt)
        return core if core is not None and self._infeasible(core) else list(range(len(self._assumed)))

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
