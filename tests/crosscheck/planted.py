"""Planted bugs: switches that make a correct backend wrong, each in one way that real solvers were wrong.

`Planted(bug)` wraps CP-SAT. A bug changes the model on its way in, the solutions on their way out, or what
is claimed at the end. The tests fuzz each until it is caught, and shrink what caught it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Deliver, Ended, Order, Request, Want
from cpqueens.backends.named import get_backend
from cpqueens.crosscheck.participants import as_participants
from cpqueens.fuzzing.findings import examine_one, fuzz_model
from cpqueens.fuzzing.generate import usage
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.defined_functions import Element
from cpqueens.language.definitions import Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.functions import all_
from cpqueens.language.linear_rows import Row
from cpqueens.language.rebuild import Rebuilder, _only_row, domain_of, new_variable, own_constraints
from cpqueens.model import Model

Change = Callable[[Any], Any]


@dataclass(frozen=True)
class Bug:
    """One planted bug; every hook is optional."""

    name: str
    constraint: Change = lambda c: c
    kinds: dict[str, str] = field(default_factory=dict)  # definitions taken for others
    one_sided: bool = False
    shift_index: int = 0
    domain: Callable[[Any], Any] = lambda d: d
    posted: Callable[[list[Any]], list[Any]] = lambda p: p
    rows: Callable[[np.ndarray, Model, int], np.ndarray] = lambda rows, model, run: rows
    ended: Callable[[Ended, Model, Request, np.ndarray], Ended] = lambda e, m, r, rows: e
    refuses: Callable[[Model], bool] = lambda m: False
    minimizes: bool = False
    first_only: bool = False
    deep: bool | None = False  # whether second runs, limits and counts are needed to see it
    needs: str = ""  # the constraint kind or definition that the bug is about


class Planted:
    """CP-SAT with one planted bug."""

    name = "planted"
    proves = True
    strategies: tuple[str, ...] = ()

    def __init__(self, bug: Bug) -> None:
        self.bug = bug
        self.inner = get_backend("cpsat")
        self.features = self.inner.features
        self.parameters = self.inner.parameters
        self.order = Order.DISTINCT
        self.runs = 0

    def run(self, model: Model, request: Request, deliver: Deliver) -> Ended:
        bug, self.runs = self.bug, self.runs + 1
        if bug.refuses(model):
            return Ended(True, StopReason.EXHAUSTED)
        found: list[np.ndarray] = []
        twisted = _twisted(model, bug)
        width = len(model.decisions)
        inner_request = replace(request, hint=None, solution_limit=None)
        if bug.first_only and request.want is Want.BEST:
            inner_request = replace(inner_request, want=Want.ONE)

        def keep(batch: np.ndarray) -> bool:
            found.append(batch[:, :width].copy())
            return True

        ended = self.inner.run(twisted, inner_request, keep)
        rows = np.concatenate(found) if found else np.zeros((0, width), dtype=np.int64)
        if len(twisted.decisions) != width and len(rows):
            rows = np.unique(rows, axis=0)
        rows = bug.rows(rows, model, self.runs)
        going_on = True
        for row in rows:
            going_on = deliver(row[None, :])
            if not going_on:
                return bug.ended(Ended(False, StopReason.SOLUTION_LIMIT), model, request, rows)
        return bug.ended(ended, model, request, rows)


def _twisted(model: Model, bug: Bug) -> Model:
    new = Model(model.name)
    replacements: dict[int, Row] = {}
    for variable in model.decisions.tolist():
        created = new_variable(new, bug.domain(domain_of(model, variable)), model.name_of(variable))
        replacements[variable] = _only_row(created)
    twister = _Twister(model, new, replacements, bug)
    for posted in bug.posted(own_constraints(model)):
        twister.post(posted)
    twister.objective()
    if bug.minimizes and new.objective is not None:
        new.minimize(new.objective)
    return new


class _Twister(Rebuilder):
    def __init__(self, old: Model, new: Model, replacements: dict[int, Row], bug: Bug) -> None:
        super().__init__(old, new, replacements)
        self.bug = bug

    def constraint(self, constraint: Any) -> Any:
        return self.bug.constraint(super().constraint(constraint))

    def _defined(self, variable: int) -> Row:
        definition, at = self.old.producer(variable)  # type: ignore[misc]
        one = np.array([at])
        if isinstance(definition, Truth) and self.bug.one_sided:
            free = self.new.boolvar(name=f"free{variable}")
            inner = self.constraint(definition.constraint.take(one))
            self.new.add((free == 1).implies(all_(inner)))
            return _only_row(free)
        if isinstance(definition, Element) and self.bug.shift_index:
            position = self.array(definition.position._pick(one))
            table = self.array(definition.table)
            high = table.size - 1
            low, top = position.bounds()
            if low[0] >= 0 and top[0] < high:
                position = position + self.bug.shift_index
            return _only_row(self.new.define("element", (1,), position, table))
        kind = self.bug.kinds.get(definition.kind)
        if kind is not None:
            parts = [self.array(a._pick(one)) for a in definition.arguments]
            return _only_row(self.new.define(kind, (1,), *parts))
        return super()._defined(variable)


# ---- changes of constraints ----------------------------------------------------------------------------


def of_kind(kind: str, change: Change) -> Change:
    """Return a change of one kind only."""
    return lambda c: change(c) if c.kind == kind else c


def _fields(c: Any, **changed: Any) -> Any:
    return c.make(**{**{name: getattr(c, name) for name in c.fields}, **changed})


def _relation(old: str, new: str) -> Change:
    return of_kind("Linear", lambda c: Linear(c.expression, new) if c.relation == old else c)


def _coefficients(change: Callable[[LinearArray], LinearArray]) -> Change:
    return of_kind("Linear", lambda c: Linear(change(c.expression), c.relation))


def _positive(a: LinearArray) -> LinearArray:
    flat = LinearArray(a.registry, (a.size,), a.variables, np.abs(a.coefficients), a.constants)
    return flat.reshape(a.shape)


def _wrapped(a: LinearArray) -> LinearArray:
    constants = (a.constants + 2**31) % 2**32 - 2**31
    return LinearArray(a.registry, (a.size,), a.variables, a.coefficients, constants).reshape(a.shape)


def _distinct_terms(c: Any) -> Any:
    seen, kept = set(), []
    for k, row in enumerate(c.terms.rows()):
        key = (tuple(row[0]), tuple(row[1]), row[2])
        if key not in seen:
            kept.append(k)
        seen.add(key)
    return _fields(c, terms=c.terms[kept])


def _without_last(c: Any) -> Any:
    return _fields(c, terms=c.terms[:-1]) if c.terms.size > 2 else c


def _off_by_one(c: Any) -> Any:
    if c.terms.size < 2:
        return c
    step = np.zeros(c.terms.size, dtype=np.int64)
    step[-1] = 1
    return _fields(c, terms=c.terms + step)


def _inner_of_negation(c: Any) -> Any:
    from cpqueens.language.truths import Literals

    return Literals(c.literals[..., 0]) if c.literals.shape[-1] == 1 else c


# ---- changes of solutions and claims -------------------------------------------------------------------


def _stale(rows: np.ndarray, model: Model, run: int) -> np.ndarray:
    wrong = rows.copy()
    if rows.shape[1] and len(rows) > 1:
        wrong[1:, 0] = rows[:-1, 0]
    return np.unique(wrong, axis=0)


def _unmentioned_at_lower(rows: np.ndarray, model: Model, run: int) -> np.ndarray:
    reached = {int(v) for p in model.constraints for a in p.constraint.arguments for v in a.scope()}
    if model.objective is not None:
        reached |= set(model.objective.scope().tolist())
    pending = [v for v in reached if model.is_defined[v]]
    while pending:
        definition, _ = model.producer(pending.pop())  # type: ignore[misc]
        for v in itertools.chain(*(a.scope().tolist() for a in definition.arguments)):
            if v not in reached:
                reached.add(v)
                pending += [v] if model.is_defined[v] else []
    free = [k for k, v in enumerate(model.decisions.tolist()) if v not in reached]
    return rows[(rows[:, free] == model.lower[model.decisions[free]]).all(axis=1)]


def _twice_if_defined(rows: np.ndarray, model: Model, run: int) -> np.ndarray:
    return np.concatenate([rows, rows[:1]]) if model.definitions else rows


def _shuffled(rows: np.ndarray, model: Model, run: int) -> np.ndarray:
    return rows[np.random.default_rng(run).permutation(len(rows))]


def _wrapped_values(rows: np.ndarray, model: Model, run: int) -> np.ndarray:
    return rows[(np.abs(rows) < 2**31).all(axis=1)]


def _count_change(change: Callable[[int, np.ndarray], int]) -> Any:
    def ended(e: Ended, model: Model, request: Request, rows: np.ndarray) -> Ended:
        return replace(e, count=change(len(rows), rows)) if request.want is Want.COUNT else e

    return ended


def _eightfold(count: int, rows: np.ndarray) -> int:
    return count + int((rows == rows[:, ::-1]).all(axis=1).sum()) if rows.shape[1] > 1 else count


def _claims_exhausted(e: Ended, model: Model, request: Request, rows: np.ndarray) -> Ended:
    return replace(e, exhausted=True, stop_reason=StopReason.EXHAUSTED)


def _best_only(change: Callable[[Ended, Model], Ended]) -> Any:
    def ended(e: Ended, model: Model, request: Request, rows: np.ndarray) -> Ended:
        return change(e, model) if request.want is Want.BEST and e.objective is not None else e

    return ended


def _constant_dropped(e: Ended, model: Model) -> Ended:
    assert model.objective is not None
    constant = int(model.objective.constants[0])
    return replace(e, objective=e.objective - constant, bound=e.objective - constant)  # type: ignore[operator]


def _bound_too_good(e: Ended, model: Model) -> Ended:
    worse = -1 if model.maximizing else 1
    return replace(e, bound=e.objective + worse, exhausted=False, stop_reason=StopReason.TIME_LIMIT)  # type: ignore[operator]


def _incumbent_proved(e: Ended, model: Model, request: Request, rows: np.ndarray) -> Ended:
    if request.want is not Want.BEST or not len(rows):
        return e
    from cpqueens.answers.check import Checker

    value = int(Checker(model).objectives(rows[-1:])[0, 0])
    return Ended(True, StopReason.EXHAUSTED, value, value, statistics=e.statistics)


def _product(model: Model) -> int:
    total = 1
    for v in model.decisions.tolist():
        total *= len(model.domains[v]) if v in model.domains else int(model.upper[v] - model.lower[v]) + 1
    return total


def _uses(model: Model, kind: str) -> bool:
    return any(p.constraint.kind == kind for p in model.constraints)


def _one_value_fewer(domain: Any) -> Any:
    if isinstance(domain, tuple):
        return (domain[0], max(domain[0], domain[1] - 1))
    return domain[:-1] if len(domain) > 1 else domain


def _filled(domain: Any) -> Any:
    return domain if isinstance(domain, tuple) else (int(domain[0]), int(domain[-1]))


BUGS: tuple[Bug, ...] = (
    Bug("a dropped constraint", posted=lambda p: p[:-1] if len(p) > 1 else p),
    Bug("a diagonal off by one", needs="AllDifferent", constraint=of_kind("AllDifferent", _off_by_one)),
    Bug("< for <=", needs="Linear", constraint=_relation("<=", "<")),
    Bug(">= for >", needs="Linear", constraint=_relation(">", ">=")),
    Bug("min for max", needs="maximum", kinds={"maximum": "minimum"}),
    Bug("max for min", needs="minimum", kinds={"minimum": "maximum"}),
    Bug("an unused variable is not enumerated", rows=_unmentioned_at_lower),
    Bug("negative coefficients ignored", needs="Linear", constraint=_coefficients(_positive)),
    Bug("a hole filled", domain=_filled),
    Bug("the last value of a domain lost", domain=_one_value_fewer),
    Bug(
        "a repeated variable ignored",
        needs="AllDifferent",
        constraint=of_kind("AllDifferent", _distinct_terms),
    ),
    Bug("one-sided reification", one_sided=True),
    Bug("a lost negation", needs="Negation", constraint=of_kind("Negation", _inner_of_negation)),
    Bug("an enumerated defined variable", rows=_twice_if_defined),
    Bug("removed de-duplication", rows=lambda rows, m, r: np.concatenate([rows, rows])),
    Bug("the last solution lost", rows=lambda rows, m, r: rows[:-1] if len(rows) > 1 else rows),
    Bug("the only solution lost", rows=lambda rows, m, r: rows[:0] if len(rows) == 1 else rows),
    Bug("a stop called complete", deep=True, ended=_claims_exhausted),
    Bug("32-bit wrap of constants", constraint=_coefficients(_wrapped)),
    Bug("32-bit wrap of values", rows=_wrapped_values),
    Bug("the objective's constant dropped", ended=_best_only(_constant_dropped)),
    Bug("the first incumbent called optimal", first_only=True, ended=_incumbent_proved),
    Bug("a bound that is too good", ended=_best_only(_bound_too_good)),
    Bug("always minimizing", minimizes=True, ended=_incumbent_proved),
    Bug("a refused model called infeasible", needs="Xor", refuses=lambda m: _uses(m, "Xor")),
    Bug("a time-out called infeasible", refuses=lambda m: _product(m) > 20),
    Bug("stale values", rows=_stale),
    Bug("a counter not updated for the last term", needs="Count", constraint=of_kind("Count", _without_last)),
    Bug(
        "the last of several queens forgotten",
        needs="AllDifferent",
        constraint=of_kind("AllDifferent", _without_last),
    ),
    Bug("another order in each run", deep=True, rows=_shuffled),
    Bug("a self-symmetric solution counted again", deep=True, ended=_count_change(_eightfold)),
    Bug(
        "excepted values ignored",
        needs="AllDifferentExcept",
        constraint=of_kind("AllDifferentExcept", lambda c: _fields(c, excepted=())),
    ),
    Bug(
        "the last row of a table lost",
        needs="Table",
        constraint=of_kind("Table", lambda c: _fields(c, rows=c.rows[:-1])),
    ),
    Bug(
        "strictly increasing not strict",
        needs="Increasing",
        constraint=of_kind("Increasing", lambda c: _fields(c, strict=False)),
    ),
    Bug("an index off by one", needs="element", shift_index=1),
    Bug("truncation for floor", needs="quotient", kinds={"quotient": "quotient_truncated"}),
    Bug("the divisor's sign of a remainder", needs="remainder", kinds={"remainder": "remainder_truncated"}),
    Bug(
        "closed cardinality left open",
        needs="GlobalCardinality",
        constraint=of_kind("GlobalCardinality", lambda c: _fields(c, closed=False)),
    ),
    Bug(
        "an implication turned round",
        needs="Implication",
        constraint=of_kind("Implication", lambda c: c.over(c.literals[..., ::-1])),
    ),
)

CONTROL = Bug("control: no bug", deep=None)


@dataclass(frozen=True)
class Catch:
    """How a bug was caught: after how many models, by which code, and the shrunk model."""

    models: int
    code: str
    accused: str
    variables: int
    constraints: int
    text: str


def hunt(bug: Bug, models: int, seed: int = 7) -> Catch | None:
    """Fuzz a planted bug until it is caught; models that cannot meet it are not run."""
    participants = as_participants([Planted(bug)])
    for index in range(models):
        model, *_ = fuzz_model(seed, index)
        if bug.needs and not any(kind == bug.needs for kind, _ in usage(model)):
            continue
        found = examine_one(seed, index, participants, deep=bug.deep)
        if found.failures:
            least = min(found.failures, key=lambda f: f.size)
            text = "; ".join((*least.variables, *least.constraints, least.objective))
            return Catch(index + 1, str(least.code), least.accused, *least.size, text)
    return None
