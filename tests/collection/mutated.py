"""Models changed in one place, and how the changed one may compare with the first."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from cpqueens import AllDifferent, Model
from cpqueens.crosscheck.two_models import ModelRelation
from cpqueens.language.constraints.linear import OPPOSITE, Linear
from cpqueens.language.rebuild import own_constraints, rebuilt

EQUAL, A_IN_B = ModelRelation.EQUAL, ModelRelation.A_IN_B


def dropped(model: Model, random: Random) -> Model | None:
    """One constraint less."""
    kept = own_constraints(model)
    del kept[random.randrange(len(kept))]
    return rebuilt(model, constraints=kept, objective=False)


def _on_linear(change: Callable[[Linear, Random], Any]) -> Callable[[Model, Random], Model | None]:
    """Change one element of a linear constraint."""

    def mutate(model: Model, random: Random) -> Model | None:
        places = [k for k, p in enumerate(own_constraints(model)) if isinstance(p.constraint, Linear)]
        if not places:
            return None
        place = random.choice(places)

        def edit(at: int, constraint: Any) -> Any:
            if at != place:
                return constraint
            flat = constraint.reshape(-1)
            k = random.randrange(flat.size)
            return [flat[:k], change(flat.take(np.array([k])), random), flat[k + 1 :]]

        return rebuilt(model, edit=edit, objective=False)

    return mutate


def _strictness(c: Linear, random: Random) -> Any:
    other = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "<=", "!=": "<="}
    return Linear(c.expression, other[c.relation])


def _neighbour(c: Linear, random: Random) -> Any:
    """Take the next variable for one of a relation's: an index off by one."""
    variables = c.expression.variables
    decisions = c.registry.decisions  # type: ignore[attr-defined]
    column = random.randrange(variables.shape[1])
    place = int(np.searchsorted(decisions, variables[0, column]))
    if place + 1 >= len(decisions) or decisions[place] != variables[0, column]:
        return Linear(c.expression + 1, c.relation)
    step, old = _variable(c, int(decisions[place + 1])), _variable(c, int(variables[0, column]))
    factor = int(c.expression.coefficients[0, column])
    return Linear(c.expression + factor * (step - old), c.relation)


def _variable(c: Linear, variable: int) -> Any:
    return c.registry[c.registry.name_of(variable)]  # type: ignore[attr-defined]


def implied(model: Model, random: Random) -> Model | None:
    """One constraint more, which another one implies."""
    own = own_constraints(model)
    place, beside = random.randrange(len(own)), random.randrange(len(own))
    made: list[Any] = []

    def edit(at: int, constraint: Any) -> Any:
        if at in (place, beside):
            made.append(_one(constraint, random))
        if at == max(place, beside):
            return [constraint, made[0] | made[-1] if place != beside else ~~made[0]]
        return constraint

    return rebuilt(model, edit=edit, objective=False)


def _one(constraint: Any, random: Random) -> Any:
    return constraint.reshape(-1)[random.randrange(constraint.size)] if constraint.shape else constraint


def rewritten(model: Model, random: Random) -> Model | None:
    """One constraint in other words."""
    place = random.randrange(len(own_constraints(model)))

    def edit(at: int, constraint: Any) -> Any:
        if at != place:
            return constraint
        if isinstance(constraint, AllDifferent):
            terms = constraint.terms
            return [terms[i] != terms[j] for i in range(terms.size) for j in range(i)]
        if isinstance(constraint, Linear) and constraint.relation not in ("==", "!="):
            return ~Linear(-1 * constraint.expression, _turned(OPPOSITE[constraint.relation]))
        return ~~(constraint & constraint)

    return rebuilt(model, edit=edit, objective=False)


def _turned(relation: str) -> str:
    return relation.translate(str.maketrans("<>", "><"))


MUTATIONS: dict[str, tuple[Callable[[Model, Random], Model | None], tuple[ModelRelation, ...] | None]] = {
    "dropped": (dropped, (EQUAL, A_IN_B)),
    "< for <=": (_on_linear(_strictness), None),
    "index off by one": (_on_linear(_neighbour), None),
    "implied added": (implied, (EQUAL,)),
    "rewritten": (rewritten, (EQUAL,)),
}
"""What is changed, and the verdicts that are possible; None for any."""


def constraints_of(model: Model) -> int:
    """Return how many constraints were written."""
    return len(own_constraints(model))
