"""Models derived from a model: equivalent ones, parts of it, and ones with one solution more or less."""

from collections.abc import Iterable, Mapping
from random import Random

import numpy as np

from cpqueens.answers.solution import Solution
from cpqueens.crosscheck.evidence import narrowed
from cpqueens.language import rebuild
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.definedness import conditions
from cpqueens.language.functions import any_
from cpqueens.language.linear_rows import Row
from cpqueens.language.objectives import Goal
from cpqueens.language.rows import IntArray
from cpqueens.model import Model

Domain = IntArray | tuple[int, int]


def _over(
    model: Model, order: Iterable[int], domains: Mapping[int, Domain], affine: Mapping[int, tuple[int, int]]
) -> Model:
    """Return the model over variables created in ``order``; old x is ``a * new + b`` with (a, b)."""
    new = Model(model.name)
    rows: dict[int, Row] = {}
    for k, variable in enumerate(order):
        (v,), (a,), c = rebuild._only_row(rebuild.new_variable(new, domains[variable], f"v{k}"))
        factor, offset = affine.get(variable, (1, 0))
        rows[variable] = ((v,), (a * factor,), c * factor + offset)
    rebuilder = rebuild.Rebuilder(model, new, rows)
    for posted in rebuild.own_constraints(model):
        rebuilder.post(posted)
    rebuilder.objective()
    return new


def _domains(model: Model) -> dict[int, Domain]:
    return {v: rebuild.domain_of(model, v) for v in model.decisions.tolist()}


def permuted(model: Model, random: Random) -> Model:
    """Return the model with its variables renamed and created in a random order."""
    order = model.decisions.tolist()
    random.shuffle(order)
    return _over(model, order, _domains(model), {})


def shuffled(model: Model, random: Random) -> Model:
    """Return the model with its constraints in a random order."""
    posted = rebuild.own_constraints(model)
    random.shuffle(posted)
    return rebuild.rebuilt(model, constraints=posted)


def shifted(model: Model, random: Random) -> Model:
    """Return the model with the values of each variable moved by an offset of its own."""
    offsets = {v: random.randint(-9, 9) for v in model.decisions.tolist()}
    domains = {v: _moved(d, 1, -offsets[v]) for v, d in _domains(model).items()}
    return _over(model, offsets, domains, {v: (1, b) for v, b in offsets.items()})


def negated(model: Model) -> Model:
    """Return the model with all values negated."""
    domains = {v: _moved(d, -1, 0) for v, d in _domains(model).items()}
    return _over(model, domains, domains, dict.fromkeys(domains, (-1, 0)))


def _moved(domain: Domain, factor: int, offset: int) -> Domain:
    if isinstance(domain, tuple):
        ends = sorted(factor * end + offset for end in domain)
        return ends[0], ends[1]
    return np.sort(domain * factor + offset)


def with_tautology(model: Model, random: Random) -> Model:
    """Return the model with a constraint that always holds: x stays in its bounds, or leaves them not."""
    other = model.copy()
    if len(model.decisions):
        variable = random.choice(model.decisions.tolist())
        x = other[model.name_of(variable)]
        value = int(model.lower[variable])
        other.add((x <= value) | (x >= value), name="tautology")
    return other


def duplicated(model: Model, random: Random) -> Model:
    """Return the model with one constraint posted twice."""
    other = model.copy()
    other.add(random.choice(rebuild.own_constraints(model) or model.constraints).constraint, name="again")
    return other


def decomposed(model: Model) -> Model | None:
    """Return the model with every constraint that has a decomposition replaced by it, None if none has."""
    new = Model(model.name)
    rows = {}
    for variable in model.decisions.tolist():
        rows[variable] = rebuild._only_row(
            rebuild.new_variable(new, rebuild.domain_of(model, variable), model.name_of(variable))
        )
    rebuilder = rebuild.Rebuilder(model, new, rows)
    changed = False
    for posted in rebuild.own_constraints(model):
        constraint = rebuilder.constraint(posted.constraint)
        parts = constraint.simpler()
        if type(constraint).simpler is Constraint.simpler:
            parts = [constraint]
        else:
            changed = True
        new.add(parts, name=posted.name)
        if new.has_partial:
            # parts may have terms only within truths, or drop them: when they are defined is a part, too
            found = conditions(new, constraint.arguments)
            new.add([c for some in found.values() for c in some], name=posted.name)
    rebuilder.objective()
    return new if changed else None


def restricted(model: Model, random: Random) -> list[Model]:
    """Return the model cut in two at one variable; empty if every variable is fixed."""
    split = [(v, halves) for v, d in _domains(model).items() if (halves := _halves(d))]
    if not split:
        return []
    variable, halves = random.choice(split)
    return [rebuild.rebuilt(model, domains={variable: half}) for half in halves]


def _halves(domain: Domain) -> tuple[Domain, Domain] | None:
    if isinstance(domain, tuple):
        low, high = domain
        middle = (low + high) // 2
        return ((low, middle), (middle + 1, high)) if low < high else None
    cut = len(domain) // 2
    return (domain[:cut], domain[cut:]) if cut else None


def blocked(model: Model, solution: Solution) -> Model:
    """Return the model without one of its solutions."""
    other = model.copy()
    differing = []
    for variable, value in zip(model.decisions.tolist(), solution.values.tolist(), strict=True):
        differing.append(other[model.name_of(variable)] != value)
    other.add(any_(differing), name="blocked")
    return other


def fixed_at(model: Model, solution: Solution) -> Model:
    """Return the model with every variable fixed at a solution's value."""
    return narrowed(model, tuple(solution.values.tolist()))


def opposite(model: Model) -> Model:
    """Return the model with its objectives negated and turned round."""
    assert model.goals
    other = model.copy()
    goals = other.goals
    other._clear_objectives()
    other._state_goals(tuple(Goal(-goal.term, not goal.maximizing) for goal in goals))
    return other
