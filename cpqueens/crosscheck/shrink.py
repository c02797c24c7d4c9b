"""Making a failing model small: greedy steps that keep the same failure.

The order of the steps follows what readers want gone first: constraints, variables, the objective, parts
of constraints, values of domains, sizes of numbers. Each step proposes models that are simpler; the first
that still fails is taken and the round starts again, until nothing simpler fails or the budget is used up.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cpqueens.backends.clock import by_processor, now
from cpqueens.errors import CpqueensError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rebuild import domain_of, own_constraints, rebuilt
from cpqueens.language.rows import IntArray
from cpqueens.model import Model
from cpqueens.system.interrupts import listening

Fails = Callable[[Model], bool]
Change = dict[str, Any]
"""How a simpler model differs: keywords of `rebuilt`."""
Step = Callable[[Model], Iterator[Change]]

_VALUES_TRIED = 6


@dataclass
class Budget:
    """How much a shrinking may cost: tries, and seconds of processor time from its beginning."""

    tries: int = 2000
    seconds: float = 60.0
    used: int = 0
    end: float = math.inf
    interrupted: Callable[[], bool] = lambda: False

    def spend(self) -> bool:
        """Take one try; say whether there was one left."""
        self.used += 1
        return self.used <= self.tries and now() < self.end and not self.interrupted()


def shrink(model: Model, fails: Fails, budget: Budget | None = None) -> Model:
    """Return a simpler model for which ``fails`` is still true.

    Parameters
    ----------
    fails
        Says whether a model shows the same failure (same code, same accused).
    budget
        By default 2,000 tries and 60 seconds of processor time. After a signal, too, the smallest model so
        far is returned.
    """
    budget = budget or Budget()
    with by_processor(), listening() as interrupt:
        budget.end = now() + budget.seconds
        budget.interrupted = lambda: interrupt.seen
        # each variable by itself, definitions that are needed
        current = _try(model, {}, fails, budget)
        if current is None:
            return model
        while (better := _improve(current, fails, budget)) is not None:
            current = better
        return current


def _improve(model: Model, fails: Fails, budget: Budget) -> Model | None:
    """Go once through all steps, taking every success; None if there was none."""
    current, improved = model, False
    for step in STEPS:
        found: Model | None = current
        while found is not None:
            tried = (_try(current, change, fails, budget) for change in step(current))
            found = next((m for m in tried if m is not None), None)
            if found is not None:
                current, improved = found, True
    return current if improved else None


def _try(model: Model, change: Change, fails: Fails, budget: Budget) -> Model | None:
    if not budget.spend():
        return None
    try:
        candidate = rebuilt(model, **change)
        failed = fails(candidate)
        return candidate if failed and not budget.interrupted() else None  # a run cut short is no failure
    except CpqueensError:
        return None  # the simpler model is not well-formed


def size(model: Model) -> tuple[int, int]:
    """Return the numbers of decision variables and of the user's constraints."""
    return len(model.decisions), len(own_constraints(model))


# ---- the steps --------------------------------------------------------------------------------------------


def drop_constraints(model: Model) -> Iterator[Change]:
    """Drop half of the constraints, a quarter, ..., one."""
    posted = own_constraints(model)
    many = len(posted)
    while many > 1:
        many = (many + 1) // 2
        for start in range(0, len(posted), many):
            kept = posted[:start] + posted[start + many :]
            yield {"constraints": kept}
    if len(posted) == 1:
        yield {"constraints": []}


def fix_variables(model: Model) -> Iterator[Change]:
    """Turn a variable into a constant."""
    for variable in model.decisions.tolist():
        for value in _some_values(domain_of(model, variable)):
            yield {"constants": {variable: value}}


def _some_values(domain: IntArray | tuple[int, int]) -> list[int]:
    if isinstance(domain, tuple):
        low, high = domain
        middle = min(max(0, low), high)
        return list(dict.fromkeys([middle, low, high, *range(low, min(high, low + _VALUES_TRIED) + 1)]))
    return domain[:_VALUES_TRIED].tolist() + domain[-1:].tolist()


def drop_objective(model: Model) -> Iterator[Change]:
    """Leave the objective out."""
    if model.objective is not None:
        yield {"objective": False}


def drop_soft(model: Model) -> Iterator[Change]:
    """Leave one soft constraint out."""
    for k in range(len(model.soft)):
        yield {"soft": model.soft[:k] + model.soft[k + 1 :]}


def fix_definitions(model: Model) -> Iterator[Change]:
    """Turn a defined variable into one of its bounds."""
    for variable in np.flatnonzero(model.is_defined).tolist():
        for value in dict.fromkeys((int(model.lower[variable]), int(model.upper[variable]))):
            yield {"constants": {variable: value}}


def shorten_constraints(model: Model) -> Iterator[Change]:
    """Drop elements of arrays of terms and rows of tables."""
    return _edited(model, _shorter)


def _edited(
    model: Model, ways: Callable[[Constraint], Iterable[Callable[[Constraint], Any]]]
) -> Iterator[Change]:
    """Change one constraint, in each of its ways."""
    for k, posted in enumerate(own_constraints(model)):
        for way in ways(posted.constraint):
            yield {"edit": lambda at, c, k=k, way=way: way(c) if at == k else c}


def _shorter(constraint: Constraint) -> Iterator[Callable[[Constraint], Any]]:
    if constraint.shape and constraint.size > 1:
        for at in range(min(constraint.size, 20)):
            yield lambda c, at=at: c.flattened().take(np.array([at]))  # type: ignore[misc]
    elif isinstance(constraint, Connective):
        many = constraint.literals.shape[-1]
        if constraint.kind in ("And", "Or", "Xor") and many > 1:
            for at in range(many):
                yield lambda c, at=at: c.over(c.flattened().literals[:, _all_but(at, many)].reshape(-1))  # type: ignore[misc]
    elif "rows" in constraint.fields and constraint.kind != "Predicate":
        rows = len(constraint.rows)  # type: ignore[attr-defined]
        for at in range(min(rows, 20)):
            yield lambda c, at=at: c.make(terms=c.terms, rows=np.delete(c.rows, at, axis=0))  # type: ignore[misc]
    else:
        yield from _fewer_terms(constraint)


def _all_but(at: int, many: int) -> list[int]:
    return [k for k in range(many) if k != at]


_PARALLEL = {
    "terms": ("terms",),
    "first": ("first", "second"),
    "bins": ("bins", "sizes"),
    "matrix": ("matrix",),
}


def _fewer_terms(constraint: Constraint) -> Iterator[Callable[[Constraint], Any]]:
    names = _PARALLEL.get(constraint.fields[0])
    if names is None or "rows" in constraint.fields:
        return
    many = len(getattr(constraint, names[0]))

    def without(c: Constraint, at: int) -> Constraint:
        fields = {name: getattr(c, name) for name in c.fields}
        return c.make(**{**fields, **{n: fields[n][_all_but(at, many)] for n in names}})

    for at in range(many if many > 1 else 0):
        yield lambda c, at=at: without(c, at)  # type: ignore[misc]


def drop_values(model: Model) -> Iterator[Change]:
    """Halve domains, drop single values, shift them to begin at 0."""
    for variable in model.decisions.tolist():
        for domain in _smaller_domains(domain_of(model, variable)):
            yield {"domains": {variable: domain}}


def _smaller_domains(domain: IntArray | tuple[int, int]) -> list[IntArray | tuple[int, int]]:
    shifted: list[IntArray | tuple[int, int]] = []
    if isinstance(domain, tuple):
        low, high = domain
        if low not in (0, 1):
            shifted = [(0, high - low)]
        if low == high:
            return shifted
        middle = (low + high) // 2
        parts = dict.fromkeys([(low, middle), (middle + 1, high), (low, high - 1), (low + 1, high)])
        return [*parts, *shifted]
    many = len(domain)
    if domain[0]:
        shifted = [domain - domain[0]]
    if many == 1:
        return shifted
    halves = [domain[: many // 2], domain[many // 2 :]]
    return [*halves, *(np.delete(domain, at) for at in range(min(many, 12))), *shifted]


def shrink_numbers(model: Model) -> Iterator[Change]:
    """Bring coefficients to 1 or -1, and constants towards 0."""
    return _edited(model, _smaller_numbers)


def _smaller_numbers(constraint: Constraint) -> Iterator[Callable[[Constraint], Any]]:
    names = [n for n in constraint.fields if isinstance(getattr(constraint, n), LinearArray)]
    for name in names if not isinstance(constraint, Connective) else []:
        array = getattr(constraint, name)
        if (np.abs(array.coefficients) > 1).any():
            yield _changed(name, lambda a: (np.sign(a.coefficients), a.constants))
        if array.constants.any():
            yield _changed(name, lambda a: (a.coefficients, np.zeros_like(a.constants)))
        if (np.abs(array.constants) > 1).any():
            yield _changed(name, lambda a: (a.coefficients, np.trunc(a.constants / 2).astype(np.int64)))
            yield _changed(name, lambda a: (a.coefficients, a.constants - np.sign(a.constants)))


def _changed(
    name: str, change: Callable[[LinearArray], tuple[IntArray, IntArray]]
) -> Callable[[Constraint], Any]:
    def apply(c: Constraint) -> Constraint:
        array = getattr(c, name)
        coefficients, constants = change(array)
        flat = LinearArray(array.registry, (array.size,), array.variables, coefficients, constants)
        fields = {n: getattr(c, n) for n in c.fields}
        if c.kind == "Predicate":
            fields["function"] = c.function  # type: ignore[attr-defined]
        return c.make(**{**fields, name: flat.reshape(array.shape)})

    return apply


STEPS: tuple[Step, ...] = (
    drop_constraints,
    fix_variables,
    drop_objective,
    drop_soft,
    fix_definitions,
    shorten_constraints,
    drop_values,
    shrink_numbers,
)
