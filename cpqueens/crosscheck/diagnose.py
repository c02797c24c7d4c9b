"""What follows a disagreement: is it the search or the model, and where do two counts part?"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cpqueens.backends.base import Want
from cpqueens.crosscheck.findings import Code, Disagreement, Witness
from cpqueens.crosscheck.observe import Observation
from cpqueens.crosscheck.plan import Participant, Plan
from cpqueens.crosscheck.sets import Packing
from cpqueens.errors import CpqueensError
from cpqueens.language.rebuild import domain_of, rebuilt
from cpqueens.model import Model
from cpqueens.system.interrupts import Interrupt, listening

_FIXABLE = frozenset({Code.MISSING, Code.FALSE_UNSAT, Code.OPT_CROSSED})
_FIRST = 5


def narrowed(model: Model, row: tuple[int, ...]) -> Model:
    """Return the model with each decision variable fixed at the witness's value."""
    fixed = model.copy()
    for block in model.blocks:
        at = int(np.searchsorted(model.decisions, block.first))
        values = np.array(row[at : at + block.size], dtype=np.int64).reshape(block.shape)
        if block.size:
            fixed.fix(model[block.name], values)
    return fixed


def diagnose(
    model: Model, found: Disagreement, participants: Mapping[str, Participant], plan: Plan
) -> Disagreement:
    """Fix a lost solution into the accused solver and let it solve again: search fault or model fault?"""
    accused = participants.get(found.accused)
    if accused is None or found.code not in _FIXABLE or not found.witnesses:
        return found
    answers = [_feasible(accused, narrowed(model, w.row), plan) for w in found.witnesses[:_FIRST]]
    lost, kept = answers.count(False), answers.count(True)
    text = "undecided: it does not answer when the lost solution is fixed"
    if lost:
        text = (
            f"model or presolve fault: {lost} of {len(answers)} lost solutions, fixed, are called infeasible"
        )
    elif kept:
        text = f"search fault: {kept} of {len(answers)} lost solutions, fixed, are found"
    return replace(found, details={**found.details, "diagnosis": text})


def _feasible(participant: Participant, model: Model, plan: Plan) -> bool | None:
    one = replace(plan, want=Want.ONE, seeds=plan.seeds[:1], packing=Packing(model), progress=None)
    try:
        seen = participant.observe(model, one)
    except CpqueensError:
        return None
    if seen.store is not None and seen.store.distinct:
        return True
    return False if seen.claims_none else None


@dataclass(frozen=True)
class Narrowing:
    """The smallest part of a model in which two counts were seen to differ."""

    fixed: Mapping[str, int]
    model: Model
    counts: tuple[int | None, int | None]


def bisect_counts(
    model: Model, first: Callable[[Model], int | None], second: Callable[[Model], int | None]
) -> Narrowing:
    """Fix one variable after the other at a value for which the two counts still differ.

    ``first`` and ``second`` return the count of a model, None if they do not know. Since the counts over
    all values of a variable add up to the whole, one of the branches must differ if both count honestly;
    where none does, the counting itself is inconsistent, and the narrowing ends there.
    """
    fixed: dict[str, int] = {}
    current, counts = model, (first(model), second(model))
    with listening() as interrupt:
        while len(current.decisions):
            found = _differing_branch(current, first, second, interrupt)
            if found is None:
                break
            name, value, current, counts = found
            fixed[name] = value
    return Narrowing(fixed, current, counts)


def _differing_branch(
    model: Model,
    first: Callable[[Model], int | None],
    second: Callable[[Model], int | None],
    interrupt: Interrupt,
) -> tuple[str, int, Model, tuple[int | None, int | None]] | None:
    variable = int(model.decisions[0])
    domain = domain_of(model, variable)
    values = range(domain[0], domain[1] + 1) if isinstance(domain, tuple) else domain.tolist()
    for value in interrupt.until_seen(values):
        branch = rebuilt(model, constants={variable: value}, objective=False)
        counts = first(branch), second(branch)
        if None not in counts and counts[0] != counts[1]:
            return model.name_of(variable), value, branch, counts
    return None


def counter(participant: Participant, plan: Plan) -> Callable[[Model], int | None]:
    """Return a function that lets a participant count a model's solutions."""

    def count(model: Model) -> int | None:
        one = replace(plan, want=Want.COUNT, packing=Packing(model), progress=None)
        seen: Observation = participant.observe(model, one)
        return seen.count if seen.claims_all else None

    return count


def bisect(
    model: Model, found: Disagreement, participants: Mapping[str, Participant], plan: Plan
) -> Disagreement:
    """Look for a witness behind two counts that differ."""
    names = [*found.accused.split(" or "), *found.against]
    sides = [participants[n] for n in dict.fromkeys(names) if n in participants]
    if found.code is not Code.COUNT_DIFF or len(sides) < 2:
        return found
    narrow = bisect_counts(model, counter(sides[0], plan), counter(sides[1], plan))
    if not narrow.fixed:
        return found
    shown = dict(zip((s.name for s in sides[:2]), narrow.counts, strict=True))
    details: dict[str, Any] = {
        **found.details,
        "counts differ where": dict(narrow.fixed),
        "counts there": shown,
    }
    witnesses = found.witnesses
    if not len(narrow.model.decisions):
        witnesses = (_witness(model, narrow.fixed),)
        if all(not block.shape for block in model.blocks):
            details["is a solution"] = model.check(dict(narrow.fixed)).ok
    return replace(found, details=details, witnesses=witnesses)


def _witness(model: Model, fixed: Mapping[str, int]) -> Witness:
    row = tuple(fixed[model.name_of(int(v))] for v in model.decisions)
    return Witness(dict(fixed), row)
