"""How well each claim is founded: proof, witness, independent agreement, one solver, or a claim only.

What follows a disagreement: is it the search or the model, and where do two counts part?
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cpqueens.backends.base import Want
from cpqueens.backends.minizinc.writing import supports
from cpqueens.crosscheck.compare import Case
from cpqueens.crosscheck.findings import Code, Disagreement, Evidence, PublishedValues, Verdict, Witness
from cpqueens.crosscheck.given import small_enough
from cpqueens.crosscheck.observe import Observation, Participant, Plan
from cpqueens.crosscheck.sets import Packing
from cpqueens.errors import CpqueensError
from cpqueens.language.rebuild import domain_of, rebuilt
from cpqueens.model import Model
from cpqueens.system.interrupts import Interrupt, listening
from cpqueens.text.plaintext import counted


def _shared(a: Observation, b: Observation) -> str:
    """Return in words what two solvers share that could deceive both; '' for nothing."""
    if a.exporter and a.exporter == b.exporter:
        return f"went through {a.exporter}, too"
    kinds = ", ".join(sorted(a.decomposed & b.decomposed))
    return f"ran the same decomposition of {kinds}" if kinds else ""


def _remedy(case: Case, o: Observation) -> str:
    """Return in words who, not asked yet, shares nothing with those who agree; '' for nobody known."""
    asked = {p.name for p in case.observations}
    others = ["'exhaustive'"] if "exhaustive" not in asked and small_enough(case.model) else []
    taken = (
        supports(p.constraint, "plain") for p in case.model.constraints if p.constraint.kind in o.decomposed
    )
    if not any(p.exporter for p in case.observations) and all(taken):
        others.append("'minizinc:gecode' (where MiniZinc is installed)")
    return f"; {' or '.join(others)} beside them would be independent" if others else ""


def level(case: Case, o: Observation, accused: frozenset[str]) -> tuple[Evidence, str]:
    """Return the evidence of what one solver says, and the reason in words."""
    if o.error is not None or o.name in accused:
        return Evidence.CLAIM, "accused of a disagreement" if o.name in accused else o.message
    if not o.claims_all:
        found = (o.store is not None and o.store.distinct > 0) or o.best is not None
        return (Evidence.WITNESS, "every solution checked") if found else (Evidence.CLAIM, "nothing found")
    if o.want is Want.ONE and not o.claims_none:
        return Evidence.WITNESS, "every solution checked"
    if o.proof:
        return Evidence.PROOF, o.proof
    if _matches_published(case, o):
        known: PublishedValues = case.published  # type: ignore[assignment]
        return Evidence.INDEPENDENT, f"agrees with the {known.called} value ({known.source})"
    partners = [p for p in case.observations if _agrees(case, p, o, accused)]
    for p in partners:
        if not _shared(o, p):
            return Evidence.INDEPENDENT, f"{p.name} agrees and is independent"
    if partners:
        return Evidence.ALONE, f"{partners[0].name} agrees but {_shared(o, partners[0])}{_remedy(case, o)}"
    return Evidence.ALONE, "no independent complete solver"


def _agrees(case: Case, p: Observation, o: Observation, accused: frozenset[str]) -> bool:
    same = p.families & o.families and not (p.exporter and p.exporter == o.exporter)
    if same or not p.claims_all or p.error is not None or p.name in accused:
        return False
    if p.claims_none and o.claims_none:
        return True
    if p.want is not o.want and {p.want, o.want} != {Want.ALL, Want.COUNT}:
        return False
    if o.want is Want.BEST:
        if p.best is None or o.best is None:
            return p.best is o.best
        return case.objectives(p.best[1]) == case.objectives(o.best[1])
    return p.count == o.count


def _matches_published(case: Case, o: Observation) -> bool:
    published = case.published
    if published is None:
        return False
    if o.want is Want.BEST:
        return published.optimum is not None and o.best is not None and o.best[0] == published.optimum
    return published.count is not None and o.count == published.count


def verdict(
    case: Case, disagreements: Iterable[Disagreement], levels: dict[str, tuple[Evidence, str]]
) -> Verdict:
    """Return the concluding sentence."""
    found = list(disagreements)
    if found:
        codes = ", ".join(dict.fromkeys(str(d.code) for d in found))
        return Verdict(f"DISAGREEMENT: {codes}", Evidence.CLAIM, "see the disagreements")
    complete = [o for o in case.observations if o.claims_all and o.error is None]
    if not complete:
        if case.any_witness is not None:
            return Verdict("feasible; nothing more was proved", Evidence.WITNESS, "a checked solution")
        return Verdict("nothing is known: no solution and no proof", Evidence.CLAIM)
    best = min(complete, key=lambda o: levels[o.name][0])
    evidence, reason = levels[best.name]
    if best.claims_none:
        return Verdict("infeasible", evidence, reason, count=0)
    if best.want is Want.BEST and best.best is not None:
        optima = case.objectives(best.best[1])
        text = f"optimum {case.value_text(best.best[1])}"
        return Verdict(text, evidence, reason, optimum=optima[0], optima=optima)
    if best.want is Want.ONE:
        return Verdict("feasible", evidence, reason)
    return Verdict(f"{counted(best.count or 0, 'solution')}, and no more", evidence, reason, count=best.count)


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
