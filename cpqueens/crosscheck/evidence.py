"""How well each claim is founded: proof, witness, independent agreement, one solver, or a claim only."""

from collections.abc import Iterable

from cpqueens.backends.base import Want
from cpqueens.backends.minizinc.writing import supports
from cpqueens.crosscheck.compare import Case
from cpqueens.crosscheck.findings import Disagreement, Evidence, PublishedValues, Verdict
from cpqueens.crosscheck.given import small_enough
from cpqueens.crosscheck.observe import Observation
from cpqueens.text.plaintext import counted


def shared_decompositions(a: Observation, b: Observation) -> frozenset[str]:
    """Return the constraint kinds that both ran by the same decomposition."""
    return a.decomposed & b.decomposed


def _shared(a: Observation, b: Observation) -> str:
    """Return in words what two solvers share that could deceive both; '' for nothing."""
    if a.exporter and a.exporter == b.exporter:
        return f"went through {a.exporter}, too"
    kinds = ", ".join(sorted(shared_decompositions(a, b)))
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
