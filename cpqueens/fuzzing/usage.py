"""Which constraint kinds and definitions a model really exercises, and in which context."""

from collections import Counter
from typing import Any

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.definitions import Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.store import VariableStore
from cpqueens.model import Model


def usage(model: Model) -> Counter[tuple[str, str]]:
    """Return how often each (kind, context) occurs: what a model really exercises.

    Contexts are ``plain`` (posted), ``reified`` (its truth is used), ``negated`` (its truth must be 0),
    ``soft``, and ``defined`` for kinds of definitions. Wherever a kind stands, ``scaled`` counts those with a
    multiple of a variable among their terms, and ``constant`` those with a term without variables beside
    others.
    """
    found: Counter[tuple[str, str]] = Counter()
    roots: list[LinearArray] = [] if model.objective is None else [model.objective]
    for posted in model.constraints:
        constraint = posted.constraint
        inner = _negated_truth(model, constraint) if constraint.kind == "Negation" else None
        if inner is not None:
            found[inner.kind, "negated"] += 1
            found.update(_shapes(inner))
            roots += inner.arguments
        else:
            roots += constraint.arguments
        found[constraint.kind, "plain"] += 1
        found.update(_shapes(constraint))
    for soft in model.soft:
        found[soft.constraint.kind, "soft"] += 1
    return found + _defined_usage(model, roots)


def _shapes(constraint: Constraint) -> list[tuple[str, str]]:
    """Return what is special about the terms of a constraint."""
    terms = [row for array in constraint.arguments for row in array.rows()]
    scaled = any(len(v) == 1 and abs(a[0]) > 1 for v, a, _ in terms)
    constant = len(terms) > 1 and not all(v for v, _, _ in terms)
    shapes = {"scaled": scaled, "constant": constant}
    return [(constraint.kind, shape) for shape, present in shapes.items() if present]


def _negated_truth(model: Model, constraint: Any) -> Any:
    ((variables, coefficients, _constant),) = constraint.literals.reshape(-1).rows()
    produced = model.producer(variables[0]) if coefficients == [1] else None
    return produced[0].constraint if produced and isinstance(produced[0], Truth) else None


def _defined_usage(model: VariableStore, roots: list[LinearArray]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    seen: set[int] = set()
    pending = list(roots)
    while pending:
        for variable in pending.pop().scope().tolist():
            produced = model.producer(variable)
            if produced is None or variable in seen:
                continue
            seen.add(variable)
            definition = produced[0]
            if isinstance(definition, Truth):
                found[definition.constraint.kind, "reified"] += 1
                found.update(_shapes(definition.constraint))
            else:
                found[definition.kind, "defined"] += 1
            pending += definition.arguments
    return found
