"""The disagreements on one model, once more: for shrinking and fuzzing."""

from collections.abc import Sequence
from dataclasses import replace

from cpqueens.backends.base import Want
from cpqueens.crosscheck.compare import Case, compare
from cpqueens.crosscheck.findings import Disagreement
from cpqueens.crosscheck.plan import Participant, Plan
from cpqueens.crosscheck.sets import Packing
from cpqueens.model import Model


def observe_and_compare(model: Model, participants: Sequence[Participant], plan: Plan) -> list[Disagreement]:
    """Return only the disagreements on a model, for shrinking and fuzzing."""
    plan = replace(plan, packing=Packing(model))
    if plan.want is Want.BEST and model.objective is None:
        plan = replace(plan, want=Want.ALL)
    observations = tuple(p.observe(model, plan) for p in participants)
    try:
        return compare(Case(model, observations))
    finally:
        for o in observations:
            o.close()
